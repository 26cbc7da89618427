import Foundation
import SwiftData
import Testing

/// Cells that somebody else wrote and that do not fit their property.
@Suite struct UnreadableValueTests {
  struct Garbage: Sendable, CustomTestStringConvertible {
    let table: String
    let property: String
    let cell: String
    var testDescription: String { "\(property) = \(cell)" }
  }

  static let garbage = [
    ("Numbers", "bool", "'yes'"), ("Numbers", "bool", "7"), ("Numbers", "int", "'twelve'"), ("Numbers", "int", "1.5"),
    ("Numbers", "int", "x'00'"), ("Numbers", "int8", "300"), ("Numbers", "int16", "-40000"),
    ("Numbers", "int32", "3000000000"), ("Numbers", "uint8", "-1"), ("Numbers", "uint16", "70000"),
    ("Numbers", "uint32", "-1"), ("Numbers", "optionalInt8", "300"), ("Numbers", "int64", "1e30"),
    ("Numbers", "uint64", "'no'"), ("Numbers", "float", "1e300"), ("Numbers", "float", "'wide'"),
    ("Numbers", "double", "'wide'"), ("Numbers", "double", "x'01'"), ("Numbers", "optionalDouble", "''"),
    ("Numbers", "decimal", "'12abc'"), ("Numbers", "decimal", "''"), ("Numbers", "decimal", "'x'"),
    ("Numbers", "optionalDecimal", "'1,5'"), ("Texts", "character", "''"), ("Texts", "character", "'ab'"),
    ("Texts", "string", "x'ff'"), ("Texts", "url", "''"), ("Texts", "color", "'blue'"), ("Texts", "level", "5"),
    ("Texts", "level", "'low'"), ("Texts", "optionalColor", "'RED'"), ("Texts", "optionalLevel", "0"),
    ("Others", "date", "'today'"), ("Others", "date", "x'00'"), ("Others", "uuid", "x'0102'"),
    ("Others", "uuid", "'550E8400-E29B-41D4-A716-446655440000'"), ("Others", "optionalUUID", "''"),
    ("Others", "data", "'text'"), ("Others", "data", "'../../../etc/passwd'"), ("Others", "optionalData", "5"),
    ("Others", "plain", "'north'"), ("Others", "shape", "'{}'"), ("Others", "shape", "'{\"circle\":{}}'"),
    ("Others", "address", "'{\"street\":1}'"), ("Others", "flags", "'x'"),
    ("Others", "optionalShape", "''"), ("Others", "shape", "x'ff'"), ("Collections", "ints", "'[1.5]'"),
    ("Collections", "ints", "'{}'"), ("Collections", "strings", "'[null]'"), ("Collections", "set", "'1'"),
    ("Collections", "colors", "'[\"blue\"]'"), ("Collections", "byNumber", "'{\"x\":\"y\"}'"),
    ("Collections", "uints", "'[-1]'"), ("Collections", "optionalStrings", "'[1]'"),
    ("Collections", "nested", "'[[[]]]'"),
    ("Collections", "ints", "'\(String(repeating: "[", count: 5_000))'"),
  ].map(Garbage.init)

  @Test("A cell that does not fit is an error that names entity and property, and nothing traps", arguments: garbage)
  func unreadable(_ garbage: Garbage) throws {
    let store = try TemporaryStore()
    let container = try store.container(
      Values.Numbers.self, Values.Texts.self, Values.Others.self, Values.Collections.self)
    let context = ModelContext(container)
    context.insert(Values.Numbers())
    context.insert(Values.Texts())
    context.insert(Values.Others())
    context.insert(Values.Collections())
    try context.save()
    let (table, property) = (garbage.table, garbage.property)
    #expect(try store.shell("UPDATE \(table) SET \"\(property)\" = \(garbage.cell)") == "")
    let reader = ModelContext(container)
    let error = #expect(throws: SwiftDataError.self) {
      switch table {
      case "Numbers": _ = try reader.fetch(FetchDescriptor<Values.Numbers>())
      case "Texts": _ = try reader.fetch(FetchDescriptor<Values.Texts>())
      case "Others": _ = try reader.fetch(FetchDescriptor<Values.Others>())
      default: _ = try reader.fetch(FetchDescriptor<Values.Collections>())
      }
    }
    #expect(error?.code.description == "unreadableValue")
    #expect(error?.entity == table)
    #expect(error?.property == property)
  }

  @Test("Whole numbers are read as Double and Date, numbers as text")
  func leniency() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Values.Numbers.self, Values.Others.self))
    context.insert(Values.Numbers())
    context.insert(Values.Others())
    try context.save()
    _ = try store.shell(
      "UPDATE Numbers SET double = 3, float = '2.5', int = '12', decimal = 1.25; UPDATE Others SET date = 5")
    let reader = ModelContext(context.container)
    let numbers = try #require(try reader.fetch(FetchDescriptor<Values.Numbers>()).first)
    #expect(
      numbers.double == 3 && numbers.float == 2.5 && numbers.int == 12 && numbers.decimal == Decimal(string: "1.25"))
    #expect(try reader.fetch(FetchDescriptor<Values.Others>()).first?.date.timeIntervalSinceReferenceDate == 5)
  }

  @Test("A null in a required column is an error, where the table allowed it")
  func nullInRequired() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Values.Texts.self))
    context.insert(Values.Texts())
    try context.save()
    #expect(try store.shell("UPDATE Texts SET string = NULL").contains("NOT NULL"))
    // Somebody who rebuilds the table can do it.
    _ = try store.shell(
      "CREATE TABLE copy AS SELECT * FROM Texts; DROP TABLE Texts; ALTER TABLE copy RENAME TO Texts; UPDATE Texts SET string = NULL"
    )
    let error = #expect(throws: SwiftDataError.self) {
      _ = try ModelContext(context.container).fetch(FetchDescriptor<Values.Texts>())
    }
    #expect(error?.property == "string")
    #expect(error?.description.contains("not optional") == true)
  }

  @Test("Rows before and after an unreadable one can still be fetched by a predicate")
  func others() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Values.Texts.self))
    for name in ["a", "b", "c"] {
      let text = Values.Texts()
      text.string = name
      context.insert(text)
    }
    try context.save()
    _ = try store.shell("UPDATE Texts SET color = 'blue' WHERE string = 'b'")
    let reader = ModelContext(context.container)
    #expect(throws: SwiftDataError.self) { try reader.fetch(FetchDescriptor<Values.Texts>()) }
    let rest = FetchDescriptor<Values.Texts>(predicate: #Predicate { $0.string != "b" })
    #expect(try reader.fetch(rest).map(\.string) == ["a", "c"])
    #expect(try reader.fetchCount(FetchDescriptor<Values.Texts>()) == 3)
  }
}
