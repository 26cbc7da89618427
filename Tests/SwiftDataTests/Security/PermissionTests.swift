import Foundation
import SwiftData
import Testing

private enum Private {
  @Model final class Note {
    @Attribute(.externalStorage) var bytes: Data
    init(_ bytes: Data) { self.bytes = bytes }
  }
}

/// Nobody but their owner reads the files of a store.
@Suite struct PermissionTests {
  private func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("The store, its logs and its external files belong to their owner alone")
  func ownerOnly() throws {
    let store = try TemporaryStore()
    let container = try store.container(Private.Note.self)
    let context = ModelContext(container)
    context.insert(Private.Note(Data(repeating: 1, count: 200_000)))
    try context.save()
    let folder = store.folder.path + "/.test.store_external"
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    for suffix in ["", "-wal", "-shm"] { #expect(try permissions(store.url.path + suffix) == 0o600, "\(suffix)") }
    #expect(try permissions(folder) == 0o700)
    #expect(try permissions(folder + "/" + file) == 0o600)
    withExtendedLifetime(container) {}
  }

  @Test("A file that is there already keeps its permissions")
  func kept() throws {
    let store = try TemporaryStore()
    do { _ = try store.container(Private.Note.self) }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: store.url.path)
    let container = try store.container(Private.Note.self)
    #expect(try permissions(store.url.path) == 0o640)
    withExtendedLifetime(container) {}
  }
}
