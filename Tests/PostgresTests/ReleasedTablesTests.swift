import Foundation
import MigrationCases
import PostgresServers
import SwiftData
import Testing

@testable import SwiftDataPostgres

/// A failure says that the format of the tables changed: give the new format another number, move the file of the former one to
/// `Tests/MigrationCases/Former` with a test that opens it, and run `scripts/fixtures`.
@Suite(
  "The tables that the newest release wrote", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct ReleasedTablesTests {
  private static let newest = "Released/postgres.sql.gz"
  /// Without the identifiers of the saves that were deleted from the history. The next deletion by the owner adds their column.
  private static let former = "Former/postgres2.sql.gz"
  private static func file(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../MigrationCases/\(name)")
      .standardizedFileURL
  }
  private static var isWriting: Bool { ProcessInfo.processInfo.environment["WRITE_FIXTURES"] != nil }

  /// What `pg_dump` says about a store, without the name of its schema.
  private func dump(_ store: TestStore) throws -> String {
    let text = try ServerScript.run(
      [
        "pg_dump", "--inserts", "--no-owner", "--no-privileges", "--schema", store.namespace, "--dbname", store.url,
      ])
    let settings = ["--", "SET ", "SELECT pg_catalog.set_config", "\\", "CREATE SCHEMA"]
    let lines = text.split(separator: "\n").filter { line in !settings.contains { line.hasPrefix($0) } }
    return lines.joined(separator: "\n").replacing("\(store.namespace).", with: "") + "\n"
  }

  /// The tables, rows, indices and constraints. Times, programs, random identifiers and the functions are left out.
  private func format(_ store: TestStore) throws -> [Substring] {
    for table in ["_swiftdata_history", "_swiftdata_history_gone"] {
      try store.sql("UPDATE \(table) SET timestamp = 0, program = '', process = ''")
    }
    let identifier = try Regex("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
    let function = try Regex("CREATE FUNCTION .*?\\$_?(swift)?\\$;\n").dotMatchesNewlines()
    return try dump(store).replacing(function, with: "").replacing(identifier, with: "IDENTIFIER")
      .split(separator: "\n").sorted()
  }

  private func released(_ name: String) throws -> TestStore {
    let store = TestStore()
    let connection = try PostgresConnection(url: store.url, namespace: store.namespace)
    try connection.script("CREATE SCHEMA \(store.namespace.quotedIdentifier)")
    // A function may call one that comes later in the file.
    try connection.script("SET check_function_bodies = false")
    try connection.script(try ServerScript.run(["gzip", "-dc", Self.file(name).path]))
    return store
  }

  @Test("keep all values, relationships, orders, words and the history", arguments: [newest, former])
  func opened(file: String) throws {
    let store = try released(file)
    let container = try store.open(Released.models)
    #expect(container.migrations.isEmpty)
    let found = try Released.describe(ModelContext(container))
    for (line, expected) in zip(found, Released.contents) { #expect(line == expected) }
    #expect(found.count == Released.contents.count)
    #expect(try Released.change(container) == Released.changed)
    let saves = try store.sql("SELECT 1 FROM _swiftdata_history").count
    try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let kept = try store.sql("SELECT 1 FROM _swiftdata_history_gone WHERE save IS NOT NULL").count
    #expect(kept == saves + (file == Self.newest ? 1 : 0))
  }

  @Test("are those of a store that is written now")
  func format() throws {
    let new = TestStore()
    try Released.fill(try new.open(Released.models))
    if Self.isWriting {
      let plain = Self.file(Self.newest).deletingPathExtension()
      try dump(new).write(to: plain, atomically: true, encoding: .utf8)
      _ = try ServerScript.run(["gzip", "-fn9", plain.path])
    }
    let old = try format(try released(Self.newest))
    #expect(try format(new).difference(from: old).isEmpty)
    #expect(old.count > 100)
  }
}
