import ChildProcesses
import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Model private final class Note {
  @Attribute(.unique) var key: String
  var text: String
  init(_ key: String, _ text: String) { (self.key, self.text) = (key, text) }
}

@Suite("A restored store", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct RestoreTests {
  private let store = TestStore()

  /// Runs a program of PostgreSQL.
  private func run(_ name: String, _ arguments: String...) throws {
    try #require(try ChildProcess(name, arguments, output: .nothing).wait() == .exit(0))
  }

  /// What is done with the tables before the rows of the backup are put back.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case schema, rows, rowsByPsql, deletedRows, oneTable
    var testDescription: String { rawValue }
  }

  private var tables: [String] {
    get throws {
      let found = try store.sql(
        "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = $1::text", [.text(store.namespace)])
      return (0..<found.count).compactMap { found.text($0, 0) }
    }
  }

  private func restore(_ backup: String, _ way: Way) throws {
    switch way {
    case .schema:
      try store.sql("DROP SCHEMA \(store.namespace) CASCADE")
      try run("pg_restore", "--exit-on-error", "-d", store.url, backup)
    case .rows:
      try store.sql("TRUNCATE \(tables.joined(separator: ", "))")
      try run("pg_restore", "--exit-on-error", "--data-only", "--disable-triggers", "-d", store.url, backup)
    case .rowsByPsql:
      try store.sql("TRUNCATE \(tables.joined(separator: ", "))")
      let script = backup + ".sql"
      defer { try? FileManager.default.removeItem(atPath: script) }
      try run("pg_restore", "--data-only", "-f", script, backup)
      try run("psql", "-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", "-d", store.url, "-f", script)
    case .deletedRows:
      for table in try tables { try store.sql("DELETE FROM \(table)") }
      try run("pg_restore", "--exit-on-error", "--data-only", "-d", store.url, backup)
    case .oneTable:
      try store.sql("TRUNCATE \"Note\"")
      try run("pg_restore", "--exit-on-error", "--data-only", "-t", "Note", "-d", store.url, backup)
    }
  }

  @Test(
    "refuses the saves of programs that opened the store before, and takes those of programs that open it then",
    arguments: Way.allCases)
  func restored(_ way: Way) throws {
    let container = try store.open(Note.self)
    let context = ModelContext(container)
    context.insert(Note("a", "1"))
    try context.save()
    let backup = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).dump").path
    defer { try? FileManager.default.removeItem(atPath: backup) }
    try run("pg_dump", "-Fc", "-n", store.namespace, "-f", backup, store.url)
    // The backup lacks this row, and the restored store gives its key to another one.
    let lost = Note("lost", "2")
    context.insert(lost)
    try context.save()
    try restore(backup, way)
    let new = ModelContext(try store.open(Note.self))
    try store.sql("SELECT setval('\"Note#keys\"', 1, false)")
    try store.sql(
      "INSERT INTO \"Note\" (_pk, key, text) VALUES ($1::bigint, 'other', '3')", [.integer(lost.__state.key)])
    lost.text = "4"
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == SwiftDataError.staleObject.code)
    #expect("\(error as Any)".contains("new container"))
    let inserting = ModelContext(container)
    inserting.insert(Note("b", "5"))
    #expect(throws: SwiftDataError.staleObject) { try inserting.save() }
    let other = try #require(try new.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.key)])).last)
    #expect(other.key == "other" && other.text == "3")
    other.text = "6"
    try new.save()
    #expect(try ModelContext(store.open(Note.self)).fetch(FetchDescriptor<Note>()).map(\.text).sorted() == ["1", "6"])
  }

  @Test("is not seen in what the server does to the files of its tables, and saves go on")
  func maintenance() throws {
    let context = ModelContext(try store.open(Note.self))
    let note = Note("a", "0")
    context.insert(note)
    try context.save()
    let tables = try tables
    for (number, statement) in ["VACUUM FULL", "VACUUM FREEZE", "ANALYZE", "REINDEX TABLE"].enumerated() {
      for table in tables { try store.sql("\(statement) \(table)") }
      note.text = "\(number + 1)"
      #expect(throws: Never.self) { try context.save() }
    }
    try store.sql("CLUSTER _swiftdata_metadata USING _swiftdata_metadata_pkey")
    note.text = "5"
    #expect(throws: Never.self) { try context.save() }
    #expect(try store.sql("SELECT text FROM \"Note\"").text(0, 0) == "5")
  }

  @Test("is seen in the tables that an earlier version of the library made, once an opening changed them")
  func earlierTables() throws {
    _ = try store.open(Note.self)
    try store.sql("DROP FUNCTION swiftdata_emptied CASCADE")
    try store.sql("UPDATE _swiftdata_metadata SET value = '4' WHERE key = 'functions'")
    let context = ModelContext(try store.open(Note.self))
    try store.sql("TRUNCATE \"Note\"")
    context.insert(Note("a", "1"))
    #expect(throws: SwiftDataError.staleObject) { try context.save() }
  }
}
