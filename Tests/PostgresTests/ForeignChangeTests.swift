import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Model private final class Note {
  var number: Int
  var text: String
  var remark: String?
  init(_ number: Int, _ text: String, _ remark: String? = nil) {
    (self.number, self.text, self.remark) = (number, text, remark)
  }
}

@Suite("What SQL changes", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct ForeignChangeTests {
  private let store = TestStore()
  private func open() throws -> ModelContext { ModelContext(try store.open(Note.self)) }

  @Test("wins over the original of a text that the server has in another form")
  func originals() throws {
    let context = try open()
    // Neither is in normal form C, so that the row keeps the originals.
    context.insert(Note(1, "cafe\u{301}", "e\u{301}\0"))
    context.insert(Note(2, "cafe\u{301}", "e\u{301}"))
    try context.save()
    try store.sql("UPDATE \"Note\" SET text = 'corrected' WHERE number = 1")
    try store.sql("UPDATE \"Note\" SET remark = NULL WHERE number = 2")
    let notes = try open().fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.number)]))
    #expect(notes.map(\.text) == ["corrected", "cafe\u{301}"])
    #expect(notes[1].text.unicodeScalars.elementsEqual("cafe\u{301}".unicodeScalars))
    #expect(notes[0].remark?.unicodeScalars.elementsEqual("e\u{301}\0".unicodeScalars) == true)
    #expect(notes[1].remark == nil)
    let found = try open().fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.text == "corrected" }))
    #expect(found.map(\.text) == ["corrected"])
  }

  @Test("by a trigger that drops new rows is an error, and nothing is saved", arguments: [2, 1_500])
  func dropped(count: Int) throws {
    let context = try open()
    try store.sql(
      "CREATE FUNCTION drop_two() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$BEGIN IF NEW.number = 1 THEN RETURN NULL; END IF; RETURN NEW; END$$")
    try store.sql("CREATE TRIGGER drop_two BEFORE INSERT ON \"Note\" FOR EACH ROW EXECUTE FUNCTION drop_two()")
    for number in 0..<count { context.insert(Note(number, "a")) }
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == SwiftDataError.unwritableValue.code)
    #expect("\(error as Any)".contains("trigger"))
    #expect(try store.sql("SELECT 1 FROM \"Note\"").count == 0)
    try store.sql("DROP TRIGGER drop_two ON \"Note\"")
    try context.save()
    #expect(try store.sql("SELECT 1 FROM \"Note\"").count == count)
  }
}
