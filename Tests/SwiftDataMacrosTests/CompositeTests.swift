import Testing

@Suite("What @Composite adds to a struct")
struct CompositeMacroTests {
  @Test("Each stored property is coded under its name")
  func members() {
    let expansion = Expansion(
      """
      @Composite
      public struct Address: Codable {
        public var city: String
        var zip: Int? = nil, place = ""
        let constant = 1
        static let other = 2
        var computed: Int { 3 }
      }
      """
    )
    #expect(expansion.messages.isEmpty)
    #expect(expansion.text.contains("extension Address: SwiftData.__CompositeValue {"))
    #expect(expansion.text.contains("case city, zip, place"))
    #expect(expansion.text.contains("public nonisolated init(from decoder: any Swift.Decoder) throws {"))
    #expect(expansion.text.contains("self.zip = try SwiftData.__decodeMember(container, .zip, \\Self.zip)"))
    #expect(expansion.text.contains("try SwiftData.__encodeMember(self.place, &container, .place)"))
    #expect(expansion.text.contains("SwiftData.__CompositeMember(\"city\", \\Self.city, CodingKeys.city)"))
    #expect(!expansion.text.contains("self.constant") && !expansion.text.contains("self.computed"))
  }

  @Test("Properties and coding keys in the active branch of #if count")
  func conditional() {
    func expansion(_ conditions: Set<String>) -> String {
      let expansion = Expansion(
        """
        @Composite struct Address: Codable {
          var city = ""
          #if POSTAL
            var zip = ""
          #else
            var code = 0
          #endif
        }
        """, configuration: TestConfiguration(conditions: conditions))
      #expect(expansion.messages.isEmpty)
      return expansion.text
    }
    #expect(expansion(["POSTAL"]).contains("case city, zip") && !expansion(["POSTAL"]).contains("self.code"))
    #expect(expansion([]).contains("case city, code") && !expansion([]).contains("self.zip"))
    let keys = Expansion(
      """
      @Composite struct Address: Codable {
        var city = "", zip = ""
        enum CodingKeys: String, CodingKey {
          case city
          #if POSTAL
            case zip
          #endif
        }
      }
      """, configuration: TestConfiguration(conditions: ["POSTAL"]))
    #expect(keys.text.contains("self.city") && keys.text.contains("self.zip"))
  }

  @Test("The struct's own coding keys say which properties are coded")
  func keys() {
    let expansion = Expansion(
      """
      @Composite struct Address: Codable {
        var city: String
        var cache = 0
        enum CodingKeys: String, CodingKey { case city = "town" }
      }
      """
    )
    #expect(expansion.text.split(separator: "enum CodingKeys").count == 2)
    #expect(expansion.text.contains("self.city") && !expansion.text.contains("self.cache"))
  }

  @Test("A struct with coding of its own is refused, and so is what is not a struct")
  func refusals() {
    let own = Expansion(
      """
      @Composite struct Hex: Codable {
        var red: Int
        init(from decoder: any Decoder) throws { red = 1 }
        func encode(to encoder: any Encoder) throws {}
        init(from text: String) { red = 2 }
      }
      """
    )
    #expect(own.messages.map(\.line) == [3, 4])
    #expect(own.messages.allSatisfy { $0.text.contains("@Composite writes this itself") })
    let wrapped = Expansion("@Composite struct Hex: Codable { @Clamped var red: Int }")
    #expect(wrapped.messages.map(\.text).first?.contains("plain stored property") == true)
    let other = Expansion("@Composite enum Hex: Codable { case red }")
    #expect(other.messages.map(\.text) == ["@Composite can only be applied to a struct, not to an enumeration"])
  }
}
