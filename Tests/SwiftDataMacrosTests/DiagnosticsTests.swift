import SwiftDiagnostics
import Testing

@Suite("What @Model says about misuse")
struct DiagnosticsTests {
  /// A source, where and how it is refused, and its repairs with the source after each.
  struct Case: Sendable, CustomTestStringConvertible {
    let source: String
    let line: Int
    let column: Int
    var severity = DiagnosticSeverity.error
    let message: String
    var repairs: [String: String] = [:]
    var isSubclass = false
    var testDescription: String { message }
  }

  @Test("Misuse is refused where it is written, once, with its repairs", arguments: types + shapes + markers)
  func diagnoses(_ expected: Case) throws {
    let expansion = Expansion(expected.source, isSubclass: expected.isSubclass)
    try #require(expansion.messages.count == 1, "\(expansion.messages)")
    let message = expansion.messages[0]
    #expect(message.text == expected.message)
    #expect(message.severity == expected.severity)
    #expect("\(message.line):\(message.column)" == "\(expected.line):\(expected.column)")
    #expect(expansion.repaired == expected.repairs)
  }

  static let types = [
    Case(
      source: "@Model struct S { var a = 1 }",
      line: 1,
      column: 1,
      message: "@Model can only be applied to a class, not to a structure",
      repairs: ["replace 'struct' with 'final class'": "@Model final class S { var a = 1 }"]
    ),
    Case(
      source: "@Model enum E { case a }",
      line: 1,
      column: 1,
      message: "@Model can only be applied to a class, not to an enumeration"
    ),
    Case(
      source: "@Model actor A {}",
      line: 1,
      column: 1,
      message: "@Model can only be applied to a class, not to an actor"
    ),
    Case(
      source: "@Model class G<T> { var a = 1 }",
      line: 1,
      column: 15,
      message: "a model class cannot be generic: it is one entity of the schema"
    ),
    Case(
      source: """
        @Model class Track {
          var title: String
          var plays = 3
          let id: UUID
          var album: Album?
          @Transient var cache = 1
        }
        """,
      line: 1,
      column: 14,
      message: "@Model requires an initializer be provided for 'Track'",
      repairs: [
        "add an initializer": """
        @Model class Track {
          var title: String
          var plays = 3
          let id: UUID
          var album: Album?
          @Transient var cache = 1

          init(title: String, id: UUID, album: Album? = nil) {
            self.title = title
            self.id = id
            self.album = album
          }
        }
        """
      ]
    ),
    Case(
      source: "@Model class Hike: Trip { var height = 1.0 }",
      line: 1,
      column: 14,
      severity: .warning,
      message: "'Hike' inherits no initializer, because @Model adds one of its own; declare one that calls super.init",
      isSubclass: true
    ),
    Case(
      source: """
        @Model public class Hike: Trip {
          var height: Double
        }
        """,
      line: 1,
      column: 21,
      message: "@Model requires an initializer be provided for 'Hike'",
      repairs: [
        "add an initializer": """
        @Model public class Hike: Trip {
          var height: Double

          public init(height: Double) {
            self.height = height
            super.init(<#arguments#>)
          }
        }
        """
      ],
      isSubclass: true
    ),
  ]

  private static func inClass(_ member: String) -> String {
    """
    @Model class C {
      \(member)
      init() {}
    }
    """
  }

  static let shapes =
    [
      Case(
        source: inClass("private var a: Int, b = 2, c, d: String?"),
        line: 2,
        column: 3,
        message: "a persisted property needs a declaration of its own: Swift gives accessors to single variables only",
        repairs: [
          "declare each property by itself":
            inClass("private var a: Int\n  private var b = 2\n  private var c: String?\n  private var d: String?")
        ]
      ),
      Case(
        source: inClass("var (a, b) = (1, 2)"),
        line: 2,
        column: 7,
        message: "a persisted property is one name; declare each property by itself"
      ),
      Case(
        source: inClass("@Published var a = 1"),
        line: 2,
        column: 3,
        message: "a persisted property cannot have the wrapper @Published; remove it or mark the property @Transient",
        repairs: ["mark the property @Transient": inClass("@Transient @Published var a = 1")]
      ),
      Case(
        source: inClass("let a = UUID()"),
        line: 2,
        column: 3,
        severity: .warning,
        message: "a constant with an initial value is not persisted: a stored value could not be read back into it",
        repairs: [
          "replace 'let' with 'var'": inClass("var a = UUID()"),
          "mark the property @Transient": inClass("@Transient let a = UUID()"),
        ]
      ),
      Case(
        source: inClass("@Transient var a: Int"),
        line: 2,
        column: 18,
        message: "the transient property 'a' needs a default value: "
          + "nothing else sets it when an object is read from a store",
        repairs: ["add a default value": inClass("@Transient var a: Int = <#default#>")]
      ),
      Case(
        source: inClass("@Attribute(.transient) var a: Color"),
        line: 2,
        column: 30,
        message: "the transient property 'a' needs a default value: "
          + "nothing else sets it when an object is read from a store",
        repairs: ["add a default value": inClass("@Attribute(.transient) var a: Color = <#default#>")]
      ),
    ] + unsupported

  private static let unsupported = [
    ("(Int, Int)?", "a tuple"), ("[() -> Void]", "a function"), ("Any", "an existential"),
    ("any Equatable", "an existential"), ("[any Equatable]", "an existential"), ("some Equatable", "an opaque type"),
    ("Int.Type", "a metatype"), ("(@Sendable () -> Void)?", "a function"),
  ].map { type, kind in
    Case(
      source: inClass("var a: \(type)"),
      line: 2,
      column: 10,
      message: "\(kind) cannot be persisted; use a Codable type, @Attribute(.transformable(by:)) or @Transient"
    )
  }

  static let markers = [
    Case(
      source: inClass("@Relationship var a: String = \"\""),
      line: 2,
      column: 3,
      severity: .warning,
      message: "@Relationship has no meaning here: 'String' is neither a model nor an array of models",
      repairs: ["remove '@Relationship'": inClass("var a: String = \"\"")]
    ),
    Case(
      source: inClass("@Relationship var a: Set<C> = []"),
      line: 2,
      column: 24,
      message: "a to-many relationship is an array; it holds each object once and keeps their order"
    ),
    Case(
      source: inClass("@Relationship let a: C"),
      line: 2,
      column: 17,
      message: "a relationship must be a variable: the other side changes it too",
      repairs: ["replace 'let' with 'var'": inClass("@Relationship var a: C")]
    ),
    Case(
      source: inClass("@Relationship @Attribute var a: C?"),
      line: 2,
      column: 17,
      message: "a property is either an attribute or a relationship, not both",
      repairs: [
        "remove '@Attribute'": inClass("@Relationship var a: C?"),
        "remove '@Relationship'": inClass("@Attribute var a: C?"),
      ]
    ),
    Case(
      source: inClass("@Attribute(.unique) @Attribute var a: Int = 1"),
      line: 2,
      column: 23,
      severity: .warning,
      message: "@Attribute is written twice, and all of its arguments count; write them in one",
      repairs: ["remove '@Attribute'": inClass("@Attribute(.unique) var a: Int = 1")]
    ),
    Case(
      source: inClass("@Relationship @Relationship var a: C?"),
      line: 2,
      column: 17,
      message: "@Relationship is written twice; write its arguments in one",
      repairs: ["remove '@Relationship'": inClass("@Relationship var a: C?")]
    ),
    Case(
      source: inClass("@Attribute(.unique, .unique) var a: Int = 1"),
      line: 2,
      column: 23,
      message: "the option .unique is written twice"
    ),
    Case(
      source: inClass("@Attribute(.unique) var a: Int { 3 }"),
      line: 2,
      column: 3,
      severity: .warning,
      message: "@Attribute has no meaning here: a static, lazy or computed property is not persisted",
      repairs: ["remove '@Attribute'": inClass("var a: Int { 3 }")]
    ),
    Case(
      source: inClass("@Attribute(.unique) override var a: Int { didSet {} }"),
      line: 2,
      column: 3,
      severity: .warning,
      message: "@Attribute has no meaning here: an override stores nothing",
      repairs: ["remove '@Attribute'": inClass("override var a: Int { didSet {} }")]
    ),
    Case(
      source: inClass("@Attribute(.transformable(by: T.self)) var a = make()"),
      line: 2,
      column: 46,
      message: "'a' needs a type annotation; the options of @Attribute do not imply a type"
    ),
    Case(
      source: inClass("@Attribute func a() {}"),
      line: 2,
      column: 3,
      severity: .warning,
      message: "@Attribute has no meaning here: this is not a property"
    ),
  ]

  @Test("Several problems of one class are all reported, in the order of the source")
  func several() {
    let expansion = Expansion(
      """
      @Model class C {
        var a: Int, b: Int
        var c: Any
        @Transient var d: Int
        var e: String = ""
        init() {}
      }
      """
    )
    #expect(expansion.messages.map(\.line) == [2, 3, 4])
    #expect(expansion.text.contains("\"e\", ("))
  }
}
