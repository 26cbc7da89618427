import ChildProcesses
import Foundation
import SwiftData
import SwiftDataInspection
import Testing

@testable import SwiftDataAppleStore

/// The `sqlite3` shell as another process that has a file open.
private final class OtherProcess {
  private let process: ChildProcess

  init(_ file: URL) throws {
    process = try ChildProcess("sqlite3", ["-cmd", ".timeout 10000", file.path], input: .pipe)
  }

  /// The lines that statements print.
  func run(_ sql: String) throws -> [String] {
    try process.input?.write(contentsOf: Data("\(sql);\nSELECT 'done';\n".utf8))
    var text = ""
    while !text.hasSuffix("done\n") {
      let data = process.output?.availableData ?? Data()
      if data.isEmpty { throw CocoaError(.fileReadUnknown) }
      text += String(decoding: data, as: UTF8.self)
    }
    return text.split(separator: "\n").dropLast().map(String.init)
  }

  func end() throws {
    try process.input?.close()
    process.wait()
  }

  func kill() {
    process.send(SIGKILL)
    process.wait()
  }
}

@Suite("Each opening leaves to others what they do with the file") struct OpenFileTests {
  private static func store() throws -> URL {
    let file = try Library.folder().appendingPathComponent("own.store")
    _ = try ModelContainer(for: Opening.schema, configurations: [ModelConfiguration(url: file)])
    return file
  }

  @Composite struct Size: Codable {
    var width: Double
  }
  @Model final class Box {
    #Index<Box>([\.size.width])
    var name: String
    var size: Size
    init(_ name: String, width: Double) { (self.name, size) = (name, Size(width: width)) }
  }

  @Test("A store with an index over a member of a struct is read and edited", arguments: [true, false])
  func memberIndex(isOpen: Bool) throws {
    let file = try Library.folder().appendingPathComponent("boxes.store")
    var container: ModelContainer? = try ModelContainer(
      for: Box.self, configurations: ModelConfiguration(url: file))
    if let container {
      let context = ModelContext(container)
      context.insert(Box("a", width: 2))
      try context.save()
    }
    if !isOpen { container = nil }
    let store = try InspectedStore(file.path)
    #expect(try store.faults().isEmpty)
    try store.change("Box", 1, property: "name", to: "b")
    #expect(try store.rows(of: "Box", limit: 1).map { $0.values["name"] } == [.string("b")])
    withExtendedLifetime(container) {}
  }

  /// A store of this library and one of Apple's frameworks.
  private static func files() throws -> [URL] { [try store(), try Library.filled()] }

  @Test("A process keeps its locks on a file", arguments: Opening.own + Opening.apple)
  func locks(_ opening: Opening) throws {
    for file in try Self.files() {
      let writer = try RefusedFile.writer(of: file, "PRAGMA user_version = 7")
      // Openings that do not fit the file throw.
      _ = try? opening.open(file)
      // Without our lock on the file, the last connection of another process would delete the log.
      let other = try OtherProcess(file)
      #expect(try other.run("PRAGMA user_version") == ["7"])
      try other.end()
      try writer.execute("PRAGMA user_version = 8")
      let next = try OtherProcess(file)
      #expect(try next.run("PRAGMA user_version") == ["8"])
      try next.end()
    }
  }

  @Test(
    "Another process keeps the log of its first transaction",
    arguments: [
      Opening("FileKind.of(_:)") { _ = FileKind.of($0) },
      Opening("inspect") { _ = try InspectedStore($0.path).inspection() },
      Opening("AppleStoreConfiguration(url:)") { _ = try Library.container($0, allowsSave: false) },
      Opening("the target of a replacing import") { file in
        _ = try InspectedStore(try Library.filled().path).copy(into: file, replaces: true)
      },
    ])
  func logs(_ opening: Opening) throws {
    for file in try Self.files() {
      let other = try OtherProcess(file)
      _ = try other.run("PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size = 2")
      // So much does not fit into the cache, so the log gets rows that are not committed.
      _ = try other.run(
        """
        BEGIN IMMEDIATE; CREATE TABLE filler (text);
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300)
        INSERT INTO filler SELECT hex(zeroblob(1500)) FROM numbers
        """)
      _ = try? opening.open(file)
      #expect(try other.run("COMMIT") == [])
      other.kill()
      let next = try OtherProcess(file)
      #expect(try next.run("SELECT count(*) FROM filler") == ["300"])
      try next.end()
    }
  }

  #if os(Linux)
    @Test("A file is closed again", arguments: RefusedFile.allCases)
    func descriptors(_ file: RefusedFile) throws {
      let file = try file.make()
      for _ in 0..<3 { _ = FileKind.of(file) }
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      #expect(open.filter { $0.hasPrefix(file.path) } == [])
    }
  #endif
}
