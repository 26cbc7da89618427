import Testing

@testable import SwiftData

@Suite("The property that each property of a class continues")
struct PropertyMatchesTests {
  private func formers(
    _ formers: [(String, [String]?)], _ presents: [(String, String?)]
  ) -> [String: String] {
    PropertyMatches(
      formers.map { .init(name: $0.0, formerNames: $0.1) }, presents.map { .init(name: $0.0, originalName: $0.1) }
    ).formers
  }

  @Test("An original name is followed, whatever other names there are")
  func followed() {
    let old: [(String, [String]?)] = [("a", []), ("b", [])]
    #expect(formers(old, [("a", "b")]) == ["a": "b"])
    #expect(formers(old, [("a", "b"), ("b", "a")]) == ["a": "b", "b": "a"])
    #expect(formers(old, [("x", "a"), ("a", "b")]) == ["x": "a", "a": "b"])
    #expect(formers(old, [("x", "a"), ("a", nil), ("b", nil)]) == ["x": "a", "b": "b"])
  }

  @Test("A rename that was done is not done again")
  func once() {
    #expect(formers([("a", ["b"]), ("b", ["a"])], [("a", "b"), ("b", "a")]) == ["a": "a", "b": "b"])
    #expect(formers([("x", ["a"]), ("a", ["b"])], [("y", "a"), ("a", "b")]) == ["y": "x", "a": "a"])
  }

  @Test("A property whose original name the store never had is new, unless the store does not say")
  func never() {
    #expect(formers([("a", [])], [("a", "never")]) == [:])
    #expect(formers([("a", nil)], [("a", "never")]) == ["a": "a"])
  }

  @Test("Two properties that name one are a conflict")
  func conflict() {
    let matches = PropertyMatches(
      [.init(name: "a", formerNames: [])],
      [.init(name: "x", originalName: "a"), .init(name: "y", originalName: "a")])
    #expect(matches.conflicts.map(\.former) == ["a"])
    #expect(matches.conflicts.map(\.presents) == [["x", "y"]])
  }
}

@Suite("Names in the database")
struct TableNamesTests {
  @Test("Ordinary names are those of the program")
  func ordinary() {
    #expect(TableNames.table(ofClass: "Book_2") == "Book_2")
    #expect(TableNames.column("title_Ä", of: "Book", isRoot: true, among: ["title_Ä"]) == "title_Ä")
    #expect(TableNames.column("guests", of: "Party", isRoot: false, among: ["guests"]) == "Party.guests")
    #expect(TableNames.position(of: "shelf") == "shelf#position")
    #expect(TableNames.index(of: "Book", ["title", "year"], "unique") == "Book#title,year#unique")
  }

  @Test("Names that a database or the store has, and marks in backticks, are escaped")
  func escaped() {
    #expect(TableNames.table(ofClass: "item") == "item^")
    #expect(TableNames.table(ofClass: "_swiftdata") == "%5Fswiftdata")
    #expect(TableNames.table(ofClass: "SQLite_x") == "%53QLite_x")
    #expect(TableNames.column("_PK", of: "A", isRoot: true, among: ["_PK"]) == "%5FPK")
    #expect(TableNames.column("a.b", of: "A", isRoot: true, among: ["a.b"]) == "a%2Eb")
    #expect(TableNames.column("100%", of: "A", isRoot: true, among: ["100%"]) == "100%25")
    let names = ["url", "URL", "Url"]
    #expect(
      names.map { TableNames.column($0, of: "A", isRoot: true, among: names) } == ["url", "URL^111", "Url^100"])
  }

  @Test("A long name fits, and has a hash of the whole name")
  func long() {
    let names = (0..<100).map { String(repeating: "long", count: 20) + "\($0)" }
    let fitted = Set(names.map { TableNames.table(ofClass: "A" + $0) })
    #expect(fitted.count == 100)
    #expect(fitted.allSatisfy { $0.utf8.count <= TableNames.limit && $0.contains("~") })
  }

  /// Random names of few letters meet often. None of their names in the database may be equal, even without case.
  @Test("No two things of a class hierarchy have one name, whatever the program's names are")
  func distinct() {
    var random = SystemRandomNumberGenerator()
    let letters = Array("aA._#^@~%,x1")
    func word() -> String {
      String((0..<Int.random(in: 1...4, using: &random)).map { _ in letters.randomElement(using: &random)! })
    }
    for _ in 0..<500 {
      // Classes that differ by the case of later letters only are refused.
      var classes = [String: String]()
      for _ in 0..<4 {
        let name = word()
        classes[name.prefix(1) + name.dropFirst().lowercased()] = name
      }
      var found = [String]()
      let tables = classes.values.map { TableNames.table(ofClass: $0) }
      for (index, name) in classes.values.sorted().enumerated() {
        let properties = Array(Set((0..<5).map { _ in word() }))
        let columns = properties.map { TableNames.column($0, of: name, isRoot: index == 0, among: properties) }
        found += columns + columns.map(TableNames.position)
      }
      #expect(Set(tables.map { $0.lowercased() }).count == tables.count, "\(classes)")
      #expect(Set(found.map { $0.lowercased() }).count == found.count, "\(classes) \(found)")
    }
  }
}
