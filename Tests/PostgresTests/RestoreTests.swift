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
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.standardOutput = FileHandle.nullDevice
    try startingProcess { try process.run() }
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  @Test("refuses the saves of programs that opened the store before, and takes those of programs that open it then")
  func restored() throws {
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
    try store.sql("DROP SCHEMA \(store.namespace) CASCADE")
    try run("pg_restore", "-d", store.url, backup)
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
}
