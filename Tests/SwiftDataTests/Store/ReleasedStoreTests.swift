import ChildProcesses
import Foundation
import MigrationCases
import SwiftData
import Testing

/// A failure says that the format of files changed: give the new format another number, move the files of the former one to
/// `Tests/MigrationCases/Former` with a test that opens them, and run `scripts/fixtures`.
@Suite("The files that the newest release wrote")
struct ReleasedStoreTests {
  private static var isWriting: Bool { ProcessInfo.processInfo.environment["WRITE_FIXTURES"] != nil }

  private static func archive(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../MigrationCases/Released/\(name).tar.gz").standardizedFileURL
  }

  /// A store in a folder of its own: the one of the release.
  private func released(_ name: String) throws -> TemporaryStore {
    let store = try TemporaryStore()
    try Self.tar(["-xzf", Self.archive(name).path, "-C", store.folder.path])
    return store
  }

  /// A store that is written now. `scripts/fixtures` makes it the one of the release.
  private func written(
    _ name: String, _ models: [any PersistentModel.Type], _ configure: (inout ModelConfiguration) -> Void = { _ in },
    fill: (ModelContainer) throws -> Void
  ) throws -> TemporaryStore {
    let store = try TemporaryStore()
    try fill(try open(store, models, configure))
    #expect(try store.shell("PRAGMA wal_checkpoint(TRUNCATE)").hasPrefix("0|"))
    if Self.isWriting {
      let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted()
        .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
      try Self.tar(["--owner=0", "--group=0", "-C", store.folder.path, "-czf", Self.archive(name).path] + files)
    }
    return store
  }

  private static func tar(_ arguments: [String]) throws {
    try #require(try ChildProcess("tar", arguments, output: .inherited).wait() == .exit(0), "tar \(arguments) failed")
  }

  private func open(
    _ store: TemporaryStore, _ models: [any PersistentModel.Type], allowsSave: Bool = true,
    _ configure: (inout ModelConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    let schema = Schema(models)
    var configuration = ModelConfiguration(schema: schema, url: store.url, allowsSave: allowsSave)
    configure(&configuration)
    return try ModelContainer(for: schema, configurations: configuration)
  }

  /// All tables, rows, indices and triggers, and what the head of the file says. Times, programs and random identifiers are left out.
  private func dump(_ store: TemporaryStore) throws -> [Substring] {
    let history = "SELECT name FROM sqlite_master WHERE name IN ('_swiftdata_history', '_swiftdata_history_gone')"
    for table in try store.shell(history).split(separator: "\n") {
      #expect(try store.shell("UPDATE \(table) SET timestamp = 0, program = '', process = ''").isEmpty)
    }
    #expect(try store.shell("UPDATE _swiftdata SET value = '' WHERE key = 'fingerprint'").isEmpty)
    let head = ["application_id", "user_version", "encoding", "page_size", "auto_vacuum", "journal_mode"]
    let text = try store.shell(head.map { "PRAGMA \($0);" }.joined()) + "\n" + store.shell(".dump")
    let identifier = try Regex("[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")
    return text.replacing(identifier, with: "IDENTIFIER").split(separator: "\n")
  }

  private static func compare(_ found: [String]) {
    for (line, expected) in zip(found, Released.contents) { #expect(line == expected) }
    #expect(found.count == Released.contents.count)
  }

  @Test("keep all values, relationships, orders, words and the history")
  func opened() throws {
    let store = try released("sqlite")
    let container = try open(store, Released.models)
    #expect(container.migrations.isEmpty)
    Self.compare(try Released.describe(ModelContext(container)))
    #expect(try Released.change(container) == Released.changed)
    // The shell lacks the functions of the index over a member of a struct, which `integrity_check` calls.
    #expect(try store.shell("PRAGMA quick_check; PRAGMA foreign_key_check") == "ok")
  }

  @Test("are read by a program that may not write")
  func readOnly() throws {
    let store = try released("sqlite")
    let container = try open(store, Released.models, allowsSave: false)
    Self.compare(try Released.describe(ModelContext(container)))
    withExtendedLifetime(store) {}
  }

  @Test("have the tables and rows of a file that is written now")
  func format() throws {
    let new = try dump(try written("sqlite", Released.models, fill: Released.fill))
    let old = try dump(try released("sqlite"))
    #expect(new.difference(from: old).isEmpty)
    #expect(old.count > 100)
  }

  #if Encryption || Sync
    @Test("keep encrypted attributes")
    func encrypted() throws {
      let store = try released("encrypted")
      let key = try ModelConfiguration.EncryptionKey(Released.key)
      let container = try open(store, Released.encryptedModels) { $0.encryptionKey = key }
      #expect(try Released.describeEncrypted(ModelContext(container)) == Released.encryptedContents)
    }

    @Test("have the tables of a file with encrypted attributes that is written now")
    func encryptedFormat() throws {
      let key = try ModelConfiguration.EncryptionKey(Released.key)
      let new = try written(
        "encrypted", Released.encryptedModels, { $0.encryptionKey = key }, fill: Released.fillEncrypted)
      // Encryption gives equal values different bytes.
      let bytes = try Regex("X'[0-9a-f]+'")
      func tables(_ store: TemporaryStore) throws -> [Substring] {
        try dump(store).map { $0.replacing(bytes, with: "BYTES") }
      }
      #expect(try tables(new).difference(from: try tables(try released("encrypted"))).isEmpty)
    }
  #endif
}
