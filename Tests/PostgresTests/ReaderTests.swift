import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Suite("A reader of a PostgreSQL store for tools", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct ReaderTests {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Test("sees one snapshot at one moment, and what others saved meanwhile after it")
  func snapshot() throws {
    let store = TestStore()
    let context = ModelContext(try store.open(Note.self))
    func add(_ text: String) throws {
      context.insert(Note(text))
      try context.save()
    }
    try add("a")
    let reader = try PostgresReader(url: store.url, namespace: store.namespace)
    let count = "SELECT count(*) FROM \"Note\""
    var kept: PostgresReader?
    try reader.atOneMoment { snapshot in
      #expect(try snapshot.numbers(count) == [[1]])
      try add("b")
      #expect(try snapshot.numbers(count) == [[1]])
      kept = snapshot
    }
    #expect(try reader.numbers(count) == [[2]])
    #expect(throws: SwiftDataError.missingContainer) { try kept?.numbers(count) }
    // An error ends the transaction, so that the next statement sees what is there.
    #expect(throws: CancellationError.self) { try reader.atOneMoment { _ in throw CancellationError() } }
    try add("c")
    #expect(try reader.numbers(count) == [[3]])
  }
}
