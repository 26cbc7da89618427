import Foundation
import GRDB
import SwiftData
import Testing

/// Names that SQL would take for something else, where Swift lets them be.
private enum Odd {
  @Model final class Select {
    var `where`: String
    var group: Int = 0
    @Attribute(originalName: "odd'\";--") var order: String = ""
    @Relationship(inverse: \Table.from) var values: [Table] = []
    init(_ text: String) { self.where = text }
  }

  @Model final class Table {
    var text: String
    var from: Select?
    init(_ text: String) { self.text = text }
  }
}

@Model private final class SearchedNote {
  @Attribute(.spotlight) var text: String
  init(_ text: String) { self.text = text }
}

/// Values never become a part of SQL's text, and names only as quoted identifiers.
@Suite struct InjectionTests {
  static let hostile: [String] = [
    "'", "\"", "'; DROP TABLE \"Table\"; --", "\0", "a\0b", "%_\\", "?1", ":a", "$x", "/*", "--", "`", "[x]",
    "\u{202E}",
    // With a combining mark, a quote is another character for Swift, and a quote for SQL.
    "'\u{301}", "\"\u{301}; DROP TABLE", "a\\\u{301}", "`\u{338}", "a\0\u{301}",
    "x' OR '1'='1", "\\'", "{\"a\":1}", "$.a", "\n", "é", "e\u{301}", "👩‍👩‍👧", String(repeating: "'", count: 1000),
  ]

  @Test("Any text is stored, found and changed as it is, and is in no statement", arguments: hostile)
  func texts(_ text: String) throws {
    let context = try memoryContext(Odd.Select.self)
    let marked = "sentinel\(text)lenitnes"
    let (_, statements) = try SQLTrace.record {
      let object = Odd.Select(marked)
      object.order = text
      object.values = [Odd.Table(marked)]
      context.insert(object)
      try context.save()
      try find(marked, text, ModelContext(context.container))
      try change(marked, ModelContext(context.container))
    }
    #expect(statements.count > 8)
    #expect(!statements.contains { $0.contains("sentinel") || $0.contains("lenitnes") })
  }

  private func find(_ marked: String, _ text: String, _ context: ModelContext) throws {
    let list = [marked, text]
    let predicates: [Predicate<Odd.Select>] = [
      #Predicate { $0.where == marked }, #Predicate { $0.where.contains(marked) },
      #Predicate { $0.where.hasPrefix(marked) }, #Predicate { $0.order == text },
      #Predicate { $0.where.localizedStandardContains(marked) }, #Predicate { list.contains($0.where) },
      #Predicate { object in object.values.contains { $0.text == marked } },
    ]
    for predicate in predicates {
      let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.where)]))
      #expect(found.map(\.where) == [marked])
      let order = found.first?.order ?? "none"
      #expect(order.unicodeScalars.elementsEqual(text.unicodeScalars))
    }
  }

  private func change(_ marked: String, _ context: ModelContext) throws {
    let changed = try context.update(
      model: Odd.Select.self, where: #Predicate { $0.where == marked }, set: .assign(\.order, marked + "2"))
    #expect(changed == 1)
    try context.delete(model: Odd.Table.self, where: #Predicate { $0.text == marked })
    try context.save()
    let object = try context.fetch(FetchDescriptor<Odd.Select>()).first
    #expect(object?.values.isEmpty == true && object?.order == marked + "2")
  }

  @Test(
    "A name is one identifier, or one text, whatever is in it",
    arguments: hostile.filter { !$0.unicodeScalars.contains("\0") })
  func names(_ name: String) throws {
    try DatabaseQueue().write { database in
      try database.execute(
        sql: "CREATE TABLE \(("t" + name).quotedIdentifier) (_pk INTEGER PRIMARY KEY, \(name.quotedIdentifier) TEXT)")
      try database.execute(
        sql: "INSERT INTO \(("t" + name).quotedIdentifier) (\(name.quotedIdentifier)) VALUES (?)", arguments: ["x"])
      let row = try Row.fetchOne(
        database,
        sql: "SELECT \(name.quotedIdentifier), \(name.quotedLiteral) FROM \(("t" + name).quotedIdentifier)"
          + " WHERE \(name.quotedIdentifier) = 'x'")
      #expect(row?[0] == "x")
      #expect((row?[1] as String?)?.unicodeScalars.elementsEqual(name.unicodeScalars) == true)
    }
  }

  @Test("A literal of SQL is read back as the text that it was made of", arguments: hostile)
  func literals(_ text: String) {
    #expect(text.quotedLiteral.unquotedLiteral?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
  }

  @Test("A search takes any text", arguments: hostile)
  func searches(_ text: String) throws {
    let context = try memoryContext(SearchedNote.self)
    context.insert(SearchedNote("words \(text) words"))
    try context.save()
    #expect(try context.search(SearchedNote.self, matching: "words\(text)words").count <= 1)
    #expect(try context.search(SearchedNote.self, matching: "\"words \(text) words\"").count <= 1)
  }

  @Test(
    "No source replaces a quote or another sign of a language by characters, which misses one with a combining mark")
  func replacements() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let sign = /replac(?:ing|ingOccurrences)\((?:of: )?"(?:\\["\\]|['&<>%])/
    var (files, found) = (0, [String]())
    for folder in ["Sources", "Sorted/Sources", "Tools/Sources"] {
      let all = FileManager.default.enumerator(
        at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
      for file in all?.allObjects as? [URL] ?? [] where file.pathExtension == "swift" {
        files += 1
        for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        where !line.contains(".literal") && line.contains(sign) { found.append("\(file.lastPathComponent): \(line)") }
      }
    }
    #expect(files > 400)
    #expect(found.isEmpty, "Add options: .literal to \(found.joined(separator: "\n"))")
  }

  @Test("No source puts anything between SQL's quotes but through the two functions that quote")
  func sources() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
    // Types of Swift and names of our own, which no one else chooses; and a name that is escaped on the spot.
    let allowed = ["type.swiftName", "type)'", "ServerNames."]
    let words = ["SELECT", "INSERT", "UPDATE", "DELETE", "WHERE", "json", "nextval", "content=", "SQLFragment"]
    var (files, found) = (0, [String]())
    for folder in ["SwiftData", "SwiftDataPostgres"] {
      let all = FileManager.default.enumerator(
        at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
      for file in all?.allObjects as? [URL] ?? [] where file.pathExtension == "swift" {
        files += 1
        for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
          guard words.contains(where: line.contains), line.contains("'\\(") else { continue }
          if !allowed.contains(where: line.contains) { found.append("\(file.lastPathComponent): \(line)") }
        }
      }
    }
    #expect(files > 150)
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }
}
