import Testing

@Suite("How a property is stored, from the spelling of its type or value")
struct StorageTests {
  private func storage(_ declaration: String) -> String {
    let expansion = Expansion("class C { @__Persisted(index: 0) \(declaration) }")
    let start = "@exclusivity(unchecked) private final var _x"
    let line = expansion.text.split(separator: "\n").first { $0.contains(start) }
    return line.map { String($0.drop { $0 == " " }.dropFirst(start.count)) } ?? expansion.text
  }

  @Test(
    "Attributes by name are stored as themselves",
    arguments: [
      "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Float",
      "Double", "TimeInterval", "Decimal", "String", "Date", "UUID", "URL", "Data", "Foundation.Date", "Swift.String",
      "Swift.Character", "String?", "Optional<Int>", "[String]", "[String]?", "[[Int]]", "Array<Date>", "[Int?]",
      "Set<Color>", "[String: Color]", "Dictionary<String, Color>", "Set<UUID>?", "[[String: Color]]",
    ]
  )
  func direct(type: String) { #expect(storage("var x: \(type)") == ": \(type)") }

  @Test(
    "Every other type is stored in a slot",
    arguments: [
      "Color", "Color?", "[Color]", "[Color]?", "Optional<Color>", "Array<Color>", "Character", "My.Date", "(Int)",
      "Box<Int>", "Foundation.Locale", "Measurement<UnitLength>",
    ]
  )
  func slot(type: String) { #expect(storage("var x: \(type)") == ": SwiftData.__Slot<\(type)>") }

  @Test("An implicitly unwrapped optional is stored as an optional")
  func unwrapped() {
    #expect(storage("var x: [Tag]!") == ": SwiftData.__Slot<[Tag]?>")
    #expect(storage("var x: String!") == ": String?")
  }

  @Test("A property with @Attribute is stored as itself, one with @Relationship in a slot")
  func markers() {
    #expect(storage("@Attribute(.unique) var x: Color") == ": Color")
    #expect(storage("@Attribute(.transformable(by: T.self)) var x: NSColor?") == ": NSColor?")
    #expect(storage("@Relationship var x: Color?") == ": SwiftData.__Slot<Color?>")
  }

  @Test(
    "The type follows from a literal or a call that cannot fail",
    arguments: [
      ("1", "Swift.Int"), ("-1", "Swift.Int"), ("1.5", "Swift.Double"), ("-1.5", "Swift.Double"),
      ("true", "Swift.Bool"), ("\"a\"", "Swift.String"), ("\"a\\(1)\"", "Swift.String"), ("[1, 2]", "[Swift.Int]"),
      ("[[\"a\"]]", "[[Swift.String]]"), ("[\"a\": 1]", "[Swift.String: Swift.Int]"), ("Date()", "Date"),
      ("Date(timeIntervalSinceNow: 1)", "Date"), ("Date.now", "Date"), ("UUID()", "UUID"),
      ("UUID().uuidString", "Swift.String"), ("Data()", "Data"), ("String()", "String"), ("[String]()", "[String]"),
      ("[String: Color]()", "[String: Color]"), ("Set<Color>()", "Set<Color>"), ("3 as Int64", "Int64"),
      ("nil as String?", "Swift.Optional<String>"),
    ]
  )
  func inferred(value: String, type: String) { #expect(storage("var x = \(value)") == ": \(type)") }

  @Test("An optional with an initial value is spelled so that Swift does not set it to nil after that value")
  func optionalWithValue() {
    #expect(storage("var x: Bool? = true") == ": Swift.Optional<Bool>")
    #expect(storage("var x: Bool? = nil") == ": Bool?")
    #expect(storage("var x: Bool?") == ": Bool?")
  }

  @Test("An inferred array of models, or a cast to one, is a slot")
  func inferredSlot() {
    #expect(storage("var x = [Tag]()") == ": SwiftData.__Slot<[Tag]>")
    #expect(storage("var x = nil as Tag?") == ": SwiftData.__Slot<Tag?>")
  }

  @Test(
    "Where the type is no certainty, storage is declared with the same value",
    arguments: [
      "URL(string: \"x\")", "Int(\"3\")", "UUID(uuidString: \"\")", "Color.red", "[Photo]?.some([])", "1 + 2",
      "make()", "Color()", "[1, 2.5]", "x as? Int", "Decimal(string: \"1\")",
    ]
  )
  func uncertain(value: String) { #expect(storage("var x = \(value)") == " = SwiftData.__Slot(\(value))") }
}
