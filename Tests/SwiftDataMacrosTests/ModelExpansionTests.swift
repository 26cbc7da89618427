import Testing

@Suite("What @Model adds to a class")
struct ModelExpansionTests {
  @Test("A root class gets state, initialisers, schema and the engine's members")
  func root() {
    let expansion = Expansion(
      """
      @Model
      final class Track {
        let id: UUID
        var album: Album?
        init(id: UUID) { self.id = id }
      }
      """
    )
    #expect(expansion.messages == [])
    #expect(expansion.hasLine("@exclusivity(unchecked) final var __state = SwiftData.__ModelState()"))
    #expect(expansion.hasLine("typealias __RootModel = Track"))
    #expect(
      expansion.member("nonisolated required init(__row") == """
        nonisolated required init(__row row: SwiftData.__RowReader) throws {
          self.id = try row.column(0, as: UUID.self)
          self._album = try row.slot(1)
        }
        """
    )
    #expect(
      expansion.member("nonisolated required convenience init(backingData") == """
        nonisolated required convenience init(backingData: any SwiftData.BackingData<Track>) {
          do {
            try self.init(__row: SwiftData.__backingReader(backingData, for: Self.__entity))
          } catch {
            SwiftData.__backingFailure(error)
          }
        }
        """
    )
    #expect(
      expansion.member("nonisolated final var persistentBackingData") == """
        nonisolated final var persistentBackingData: any SwiftData.BackingData<Track> {
          get {
            SwiftData.__InlineBackingData(self)
          }
          set {
            SwiftData.__copy(newValue, into: self)
          }
        }
        """
    )
    #expect(expansion.hasLine("nonisolated private static let __cachedEntity = SwiftData.__Entity(Track.self)"))
    #expect(expansion.hasLine("nonisolated static var __entity: SwiftData.__Entity {"))
    #expect(
      expansion.hasLine("extension Track: nonisolated SwiftData.PersistentModel, nonisolated SwiftData.__Observable {")
    )
    #expect(!expansion.text.contains("__offset"))
  }

  @Test("The engine's members switch over the index; a constant is never written")
  func engine() {
    let expansion = Expansion(
      """
      @Model final class Track {
        let id: UUID
        var album: Album?
        var plays: Int = 0
        init(id: UUID) { self.id = id }
      }
      """
    )
    #expect(
      expansion.member("nonisolated func __access") == """
        nonisolated func __access(_ index: Swift.Int, _ access: SwiftData.__PropertyAccess) throws {
          switch index {
          case 0:
            if access.onlyReads {
              var __constant = self.id
              try access.attribute(&__constant, index)
            }
          case 1:
            try access.slot(&_album, index)
          case 2:
            try access.attribute(&_plays, index)
          default:
            break
          }
        }
        """
    )
    #expect(expansion.text.contains("return _album.__perform(operation, self, index)"))
  }

  @Test("A subclass overrides, counts from its superclass's properties and repeats no conformance")
  func subclass() {
    let expansion = Expansion(
      """
      @Model final class Hike: Trip {
        var height: Double
        init(height: Double) {
          self.height = height
          super.init()
        }
      }
      """,
      isSubclass: true
    )
    #expect(expansion.messages == [])
    #expect(
      expansion.hasLine("nonisolated private static let __offset = Trip.__entity.__propertyCount")
    )
    #expect(
      expansion.member("nonisolated required init(__row") == """
        nonisolated required init(__row row: SwiftData.__RowReader) throws {
          self._height = try row.column(Hike.__offset + 0, as: Double.self)
          try super.init(__row: row)
        }
        """
    )
    #expect(
      expansion.member("nonisolated override func __access") == """
        nonisolated override func __access(_ index: Swift.Int, _ access: SwiftData.__PropertyAccess) throws {
          switch index - Hike.__offset {
          case 0:
            try access.attribute(&_height, index)
          default:
            try super.__access(index, access)
          }
        }
        """
    )
    #expect(expansion.text.contains("init(backingData: any SwiftData.BackingData<__RootModel>)"))
    #expect(expansion.text.contains("convenience init(backingData: any SwiftData.BackingData<Hike>)"))
    #expect(expansion.text.contains("SwiftData.__Entity(Hike.self, superentity: Trip.__entity)"))
    #expect(expansion.hasLine("nonisolated override class var __entity: SwiftData.__Entity {"))
    #expect(!expansion.text.contains("__state"))
    #expect(!expansion.text.contains("persistentBackingData"))
    #expect(!expansion.text.contains("extension"))
  }

  @Test("A root class that names a protocol counts from zero under the same name")
  func rootWithProtocol() {
    let expansion = Expansion("@Model final class Track: Named { var name: String = \"\" }")
    #expect(
      expansion.member("nonisolated private static var __offset") == """
        nonisolated private static var __offset: Swift.Int {
          0
        }
        """
    )
    #expect(expansion.text.contains("@SwiftData.__Persisted(index: 0, offset: true)"))
  }

  @Test(
    "Members are as visible as the class, and overridable where it is",
    arguments: [
      ("final class", "nonisolated static var __entity", "nonisolated func __access", "typealias"),
      ("class", "nonisolated class var __entity", "nonisolated func __access", "typealias"),
      (
        "public final class", "public nonisolated static var __entity", "public nonisolated func __access",
        "public typealias"
      ),
      (
        "package class", "package nonisolated class var __entity", "package nonisolated func __access",
        "package typealias"
      ),
      ("open class", "open nonisolated class var __entity", "open nonisolated func __access", "public typealias"),
      ("private final class", "nonisolated static var __entity", "nonisolated func __access", "typealias"),
    ]
  )
  func access(keywords: String, entity: String, accessor: String, typealiasStart: String) {
    let expansion = Expansion("@Model \(keywords) Track { var name: String = \"\" }")
    #expect(expansion.member(entity) != "", "\(expansion.text)")
    #expect(expansion.member(accessor) != "")
    #expect(expansion.member("\(typealiasStart) __RootModel") != "")
  }

  @Test("An isolated class forms its key paths where it is isolated")
  func isolated() {
    let expansion = Expansion("@MainActor @Model final class Track { var name: String = \"\" }")
    #expect(
      expansion.hasLine("@exclusivity(unchecked) nonisolated(unsafe) final var __state = SwiftData.__ModelState()"))
    #expect(
      expansion.member("@MainActor private static func __isolatedMetadata") == """
        @MainActor private static func __isolatedMetadata() -> [SwiftData.Schema.PropertyMetadata] {
          [
            SwiftData.Schema.PropertyMetadata(
              name: "name", keypath: \\Track.name, defaultValue: ("") as String)
          ]
        }
        """
    )
    #expect(expansion.text.contains("Track.__isolatedMetadata as @MainActor () -> "))
  }

  @Test("nonisolated on the class wins over an attribute; an availability attribute is no isolation")
  func notIsolated() {
    #expect(!Expansion("nonisolated @Model final class Track { var a = 1 }").text.contains("unsafe"))
    #expect(!Expansion("@available(macOS 15, *) @Model final class Track { var a = 1 }").text.contains("unsafe"))
    #expect(Expansion("@DatabaseActor @Model final class Track { var a = 1 }").text.contains("@DatabaseActor private"))
  }

  @Test("The extension is as available as the class")
  func availability() {
    let expansion = Expansion("@available(macOS 15, *) @Model final class Track { var a = 1 }")
    #expect(expansion.text.contains("@available(macOS 15, *)\nextension Track"))
  }

  @Test("A class without an initialiser gets one where everything has a default")
  func plainInitializer() {
    #expect(Expansion("@Model final class Track { var a = 1; var b: Int? }").text.contains("init() {"))
    #expect(!Expansion("@Model final class Track { var a = 1; init(a: Int) {} }").text.contains("init() {"))
    #expect(
      Expansion("@Model final class T { var a = 1; convenience init(a: Int) { self.init() } }").text
        .contains("init() {")
    )
  }

  @Test("Members in the active branches of #if count")
  func conditionalMembers() {
    let source = """
      @Model final class Track {
      #if FANCY
        var fancy: Int = 0
      #else
        var plain: Int = 0
        #Unique<Track>([\\.plain])
      #endif
      }
      """
    let fancy = Expansion(source, configuration: TestConfiguration(conditions: ["FANCY"]))
    #expect(fancy.text.contains("\"fancy\", (Int).self"))
    #expect(!fancy.text.contains("\"plain\""))
    let plain = Expansion(source, configuration: TestConfiguration(conditions: []))
    #expect(!plain.text.contains("\"fancy\""))
    #expect(plain.text.contains("\"plain\", (Int).self"))
    #expect(plain.text.contains("SwiftData.Schema.Unique<Track>([\\.plain])"))
    let unknown = Expansion(source)
    #expect(
      unknown.texts == [
        "this compiler does not tell @Model which branch of '#if' is active; members in it are not persisted"
      ]
    )
  }

  @Test(
    "What stores nothing of its own is left alone",
    arguments: [
      "static var x = 1", "class var x: Int { 1 }", "lazy var x = 1", "var x: Int { 1 }",
      "var x: Int { get { 1 } set {} }", "override var x: Int { didSet {} }", "@Transient var x = 1",
      "@Transient var x: Int?", "@Transient var x: Int { 1 }", "@SwiftData.Transient var x = 1",
      "func x() {}", "struct Inner { var x = 1 }", "enum Kind { case x }",
    ]
  )
  func leftAlone(member: String) {
    let expansion = Expansion("@Model final class Track { \(member); init() {} }")
    #expect(expansion.messages == [])
    let nothing = "schemaMetadata: [SwiftData.Schema.PropertyMetadata] {\n    []"
    #expect(expansion.text.contains(nothing), "\(expansion.text)")
    #expect(!expansion.text.contains("_x"))
  }

  @Test("Constants may share a declaration, because they need no accessors")
  func severalConstants() {
    let expansion = Expansion("@Model final class Box { let a: Int, b, c: String; init() {} }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("self.a = try row.column(0, as: Int.self)"))
    #expect(expansion.text.contains("self.b = try row.column(1, as: String.self)"))
    #expect(expansion.text.contains("self.c = try row.column(2, as: String.self)"))
  }

  @Test("Members that name a deprecated property are deprecated, so that the expansion does not warn")
  func deprecatedProperty() {
    let expansion = Expansion("@Model final class Track { @available(*, deprecated) var old: String = \"\" }")
    #expect(expansion.text.contains("@available(*, deprecated)\n  nonisolated static var schemaMetadata"))
    #expect(!expansion.text.contains("@available(*, deprecated)\n  nonisolated func __access"))
  }
}
