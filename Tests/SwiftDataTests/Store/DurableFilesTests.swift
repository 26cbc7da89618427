import Foundation
import Synchronization
import Testing

@testable import SwiftData

@Suite("A file that gets a name")
struct DurableFilesTests {
  private let folder: TemporaryStore

  init() throws { folder = try TemporaryStore() }

  private func path(_ name: String) -> String { folder.folder.appendingPathComponent(name).path }
  private func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }
  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
  }

  @Test("has it afterwards, and the other name no more", arguments: [true, false])
  func free(hasLinks: Bool) throws {
    try write("new", to: "unfinished")
    try DurableFiles.rename(path("unfinished"), toFree: path("file"), hasLinks: hasLinks)
    #expect(text("file") == "new" && text("unfinished") == nil)
    try DurableFiles.createFolder(path("some/files"))
    try DurableFiles.rename(path("some"), toFree: path("other"), hasLinks: hasLinks)
    #expect(FileManager.default.fileExists(atPath: path("other/files")))
    #expect(!FileManager.default.fileExists(atPath: path("some")))
  }

  @Test("does not take the name of a file, a folder or a link", arguments: [true, false])
  func taken(hasLinks: Bool) throws {
    try write("old", to: "file")
    try DurableFiles.createFolder(path("folder"))
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("nowhere"))
    try write("new", to: "unfinished")
    try DurableFiles.createFolder(path("files"))
    for name in ["file", "folder", "link"] {
      for unfinished in ["unfinished", "files"] {
        let error = #expect(throws: POSIXError.self) {
          try DurableFiles.rename(path(unfinished), toFree: path(name), hasLinks: hasLinks)
        }
        #expect(error?.code == .EEXIST)
      }
    }
    #expect(text("file") == "old" && text("unfinished") == "new")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder.path).count == 5)
    let error = #expect(throws: POSIXError.self) {
      try DurableFiles.rename(path("missing"), toFree: path("name"), hasLinks: hasLinks)
    }
    #expect(error?.code == .ENOENT)
    #expect(throws: POSIXError.self) {
      try DurableFiles.rename(path("unfinished"), toFree: path("no/folder"), hasLinks: hasLinks)
    }
    #expect(text("unfinished") == "new")
  }

  @Test("is the only one of many files that get the name at once", arguments: [true, false])
  func race(hasLinks: Bool) throws {
    for round in 0..<50 {
      let unfinished = (0..<4).map { path("unfinished \($0)") }
      let file = path("file \(round)")
      for index in 0..<4 { try write("\(index)", to: "unfinished \(index)") }
      let winners = Mutex<[Int]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        do {
          try DurableFiles.rename(unfinished[index], toFree: file, hasLinks: hasLinks)
          winners.withLock { $0.append(index) }
        } catch {
          #expect((error as? POSIXError)?.code == .EEXIST)
        }
      }
      let found = winners.withLock { $0 }
      #expect(found.count == 1)
      #expect(text("file \(round)") == found.first.map { "\($0)" })
    }
  }
}
