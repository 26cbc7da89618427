import Testing

@Suite("The schema metadata that @Model writes")
struct MetadataTests {
  private func metadata(_ members: String) -> Expansion {
    Expansion("@Model final class C { \(members); init() {} }")
  }

  @Test("Properties come in the order of the source, constraints behind them")
  func order() {
    let expansion = Expansion(
      """
      @Model final class Track {
        #Index<Track>([\\.title], [\\.title, \\.plays])
        #Unique<Track>([\\.title, \\.plays])
        var title: String = ""
        var plays = 3
      }
      """
    )
    #expect(
      expansion.member("nonisolated static var schemaMetadata") == """
        nonisolated static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
          [
            SwiftData.__describedProperty(
              "title", (String).self, \\Track.title, nil, false, ("") as String,
              nil),
            SwiftData.__describedProperty(
              "plays", (Swift.Int).self, \\Track.plays, nil, false, (3),
              nil),
            SwiftData.Schema.PropertyMetadata(
              name: "__unique0", keypath: \\Track.title, metadata: SwiftData.Schema.Unique<Track>([\\.title, \\.plays])),
            SwiftData.Schema.PropertyMetadata(
              name: "__index0", keypath: \\Track.title, metadata: SwiftData.Schema.Index<Track>([\\.title], [\\.title, \\.plays]))
          ]
        }
        """
    )
  }

  @Test("An attribute that is written twice has the options and the labels of both, each once")
  func repeatedAttribute() {
    let twice = "@Attribute(.unique, originalName: \"old\") @Attribute(.spotlight, .unique, originalName: \"older\")"
    let once = metadata("\(twice) var a: Int = 1")
    #expect(once.text.contains(" SwiftData.Schema.Attribute(.unique, .spotlight, originalName: \"old\")"))
    let transformed = metadata("@Attribute(.spotlight) @Attribute(.transformable(by: T.self)) var a: T = T()")
    #expect(transformed.text.contains(" SwiftData.Schema.Attribute(.spotlight, .transformable(by: T.self))"))
  }

  @Test("A property that is no model is an attribute beside @Relationship")
  func relationshipOnAttribute() {
    let expansion = metadata("@Relationship(deleteRule: .cascade) var a: [Data] = []")
    #expect(!expansion.text.contains("Schema.Relationship"))
    #expect(expansion.text.contains("\"a\", ([Data]).self"))
  }

  @Test("Kinds of indices are passed on")
  func kinds() {
    let expansion = Expansion(
      """
      @Model final class Place {
        #Index<Place>(.binary([\\.name]), .rtree([\\Place.x]))
        #Index<Place>([\\Place.x])
        var name: String = ""
        var x = 0.0
      }
      """
    )
    #expect(expansion.text.contains("Schema.Index<Place>(.binary([\\.name]), .rtree([\\Place.x]))"))
    #expect(expansion.text.contains("name: \"__index0\", keypath: \\Place.name"))
    #expect(expansion.text.contains("name: \"__index1\", keypath: \\Place.x"))
  }

  @Test(
    "A default value is written with the type that an implicit member needs",
    arguments: [
      ("var x: Int = 3", "(3) as Int"), ("var x: State = .idle", "(.idle) as State"), ("var x = 3", "(3)"),
      ("var x: [Tag] = []", "([]) as [Tag]"), ("var x: [Tag]! = []", "([]) as [Tag]?"),
      ("var x: Int? = nil", "(nil) as Int?"),
    ]
  )
  func defaults(property: String, value: String) {
    #expect(metadata(property).text.contains("false, \(value),"), "\(metadata(property).text)")
  }

  @Test("A relationship has no default value in the metadata")
  func relationshipDefault() {
    #expect(metadata("@Relationship var x: Tag? = Tag()").text.contains("false, nil,"))
  }

  @Test("A variable of a known type is its name and type; overloads tell the kind of another type")
  func knownTypes() {
    #expect(metadata("var x: Int?").text.contains("SwiftData.__property(\"x\", (Int?).self, \\C.x)"))
    #expect(metadata("var x: Tag?").text.contains("\\C.x, SwiftData.__kind((Tag?).self), false, nil,"))
  }

  @Test("A `let` is constant in the metadata, because its key path is made later")
  func constants() {
    #expect(metadata("let x: Int").text.contains("\"x\", (Int).self, \\C.x, nil, true, nil,"))
  }

  @Test(
    "A member named like a type may hide a type, so the key paths tell the types",
    arguments: ["var Tag: String?", "func Tag() {}", "static var `Tag` = 1"]
  )
  func hiddenTypes(member: String) {
    let text = metadata("\(member); var x: Tag?").text
    #expect(text.contains("name: \"x\", keypath: \\C.x)"), "\(text)")
    #expect(!text.contains("(Tag?).self"))
  }

  @Test("The key path of a property whose type is not written tells the type")
  func unwrittenTypes() {
    #expect(metadata("var x = makeTag()").text.contains("name: \"x\", keypath: \\C.x, defaultValue: (makeTag())"))
  }

  @Test(
    "The arguments of @Attribute are passed on",
    arguments: [
      ("@Attribute(.unique) var x: Int = 0", "SwiftData.Schema.Attribute(.unique)"),
      ("@Attribute var x: Int = 0", "SwiftData.Schema.Attribute()"),
      ("@Attribute() var x: Int = 0", "SwiftData.Schema.Attribute()"),
      ("@SwiftData.Attribute(.spotlight) var x: Int = 0", "SwiftData.Schema.Attribute(.spotlight)"),
      ("@Attribute(originalName: \"y\") var x: Int = 0", "SwiftData.Schema.Attribute(originalName: \"y\")"),
      (
        "@Attribute(.indexed, .originalName(\"y\")) var x: Int = 0",
        "SwiftData.Schema.Attribute(.indexed, .originalName(\"y\"))"
      ),
      (
        "@Attribute(.unique, originalName: \"y\", hashModifier: \"2\") var x: Int = 0",
        "SwiftData.Schema.Attribute(.unique, originalName: \"y\", hashModifier: \"2\")"
      ),
    ]
  )
  func attributes(property: String, expected: String) {
    #expect(metadata(property).text.contains(" \(expected))"), "\(metadata(property).text)")
  }

  @Test(
    "The arguments of @Relationship are passed on in the order of the initialiser",
    arguments: [
      ("@Relationship var x: [Tag] = []", "()"),
      (
        "@Relationship(deleteRule: .cascade, inverse: \\Tag.c) var x: [Tag] = []",
        "(deleteRule: .cascade, inverse: \\Tag.c)"
      ),
      ("@Relationship(.unique, deleteRule: .deny) var x: [Tag] = []", "(.unique, deleteRule: .deny)"),
      (
        "@Relationship(deleteRule: .none, inverse: \\Tag.c, minimum: 1, maximum: 3) var x: [Tag] = []",
        "(deleteRule: .none, minimumModelCount: 1, maximumModelCount: 3, inverse: \\Tag.c)"
      ),
    ]
  )
  func relationships(property: String, expected: String) {
    #expect(metadata(property).text.contains(" SwiftData.Schema.Relationship\(expected))"))
  }

  @Test("A transformable attribute goes through its transformer, a codable one through JSON")
  func codings() {
    let transformable = metadata("@Attribute(.transformable(by: T.self)) var x: Color?")
    #expect(transformable.text.contains("self._x = try row.transformable(0, as: Color?.self)"))
    #expect(transformable.text.contains("try access.transformable(&_x, index)"))
    let codable = metadata("@Attribute(.codable) var x: Color = .red")
    #expect(codable.text.contains("self._x = try row.codable(0, as: Color.self)"))
    #expect(codable.text.contains("try access.codable(&_x, index)"))
  }

  @Test("@Attribute(.transient) is not persisted; without a default it is decoded to its placeholder")
  func transientOption() {
    let expansion = metadata("@Attribute(.transient) var x: Int; @Attribute(.transient) var y: Int = 3")
    #expect(expansion.messages == [])
    #expect(!expansion.text.contains("PropertyMetadata("))
    #expect(expansion.text.contains("self.x = SwiftData.__placeholder(Int.self)!"))
    #expect(!expansion.text.contains("self.y"))
  }
}
