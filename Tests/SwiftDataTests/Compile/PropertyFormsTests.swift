import Foundation
import SwiftData
import Testing

@Suite("Properties as real code writes them")
struct PropertyFormsTests {
  @Test("Constants come back as they were saved")
  func constants() throws {
    let store = try FormsStore(PropertyForms.self)
    let id = UUID()
    try store.save(PropertyForms(id: id, code: "k"))
    let (context, found) = try store.read(PropertyForms.self)
    let object = try #require(found.first)
    #expect(object.id == id)
    #expect(object.code == "k")
    #expect(object.state == .idle)
    #expect(object.address == nil)
    #expect((object.width, object.height) == (2, 3))
    #expect((object.nickname, object.motto) == ("n", "m"))
    _ = context
  }

  @Test("Properties with only an initial value have the type that the compiler finds, and are kept")
  func inferred() throws {
    let store = try FormsStore(PropertyForms.self)
    let object = PropertyForms(code: "k")
    object.count = 7
    object.ratio = -0.25
    object.list.append(4)
    object.table["b"] = 2
    object.link = nil
    object.parsed = 12
    object.current = .busy
    object.home.city = "Rome"
    object.mixed = [0.5]
    object.several = [.busy]
    object.cast = .max
    let values = (object.uuid, object.uuidText, object.created, object.made)
    try store.save(object)
    let (context, found) = try store.read(PropertyForms.self)
    let copy = try #require(found.first)
    #expect(copy !== object)
    #expect((copy.count, copy.negative, copy.ratio) == (7, -1, -0.25))
    #expect(copy.list == [1, 2, 3, 4])
    #expect(copy.table == ["a": 1, "b": 2])
    #expect((copy.link, copy.parsed) == (nil, 12))
    #expect((copy.current, copy.implicit, copy.several) == (.busy, .busy, [.busy]))
    #expect((copy.home, copy.other) == (FormAddress(city: "Rome"), FormAddress(street: "s")))
    #expect((copy.mixed, copy.cast, copy.sum, copy.joined) == ([0.5], .max, 86_400, "ab"))
    #expect((copy.closure, copy.closureToo) == (3, "x"))
    #expect((copy.uuid, copy.uuidText) == (values.0, values.1))
    #expect((copy.created, copy.made) == (values.2, values.3))
    _ = context
  }

  @Test("Every spelling of a type is kept")
  func spellings() throws {
    let store = try FormsStore(PropertyForms.self)
    let object = PropertyForms(code: "k")
    object.optional = "o"
    object.unwrapped = "u"
    object.longSet = [3, 1]
    object.longTable = ["x": 1]
    object.nested = [["a"], []]
    object.character = "é"
    object.optionalState = .busy
    object.states = nil
    object.addresses = ["home": FormAddress(city: "Oslo")]
    object.image = Data([1, 2])
    object.default = 5
    object.class = "c"
    object.`self` = 6
    object.row = "r"
    object.value = 1
    object.change = .busy
    try store.save(object)
    let (context, found) = try store.read(PropertyForms.self)
    let copy = try #require(found.first)
    #expect((copy.optional, copy.unwrapped) == ("o", "u"))
    #expect((copy.longSet, copy.longTable) == ([1, 3], ["x": 1]))
    #expect(copy.nested == [["a"], []])
    #expect((copy.character, copy.optionalState, copy.states) == ("é", .busy, nil))
    #expect(copy.addresses == ["home": FormAddress(city: "Oslo")])
    #expect(copy.image == Data([1, 2]))
    #expect((copy.default, copy.class, copy.`self`) == (5, "c", 6))
    #expect((copy.row, copy.value, copy.change) == ("r", 1, .busy))
    _ = context
  }

  @Test("What is computed, static, lazy or transient is not in the schema")
  func leftAlone() throws {
    let entity = try #require(Schema([PropertyForms.self]).entitiesByName["PropertyForms"])
    let names = Set(entity.storedProperties.map(\.name))
    let unpersisted = [
      "shared", "counter", "kind", "slow", "computed", "computedToo", "cache", "cached", "described", "a", "b",
      "temporary", "temporaryToo", "lastCharacter",
    ]
    // `shared` is a static and an instance property: only the latter is persisted.
    #expect(names.intersection(unpersisted) == ["shared"])
    #expect(names.isSuperset(of: ["id", "readable", "secret", "default", "class", "self", "tupleFree"]))
  }

  @Test("Transient properties have their defaults, or a placeholder, after a fetch")
  func transient() throws {
    let store = try FormsStore(PropertyForms.self)
    let object = PropertyForms(code: "k")
    object.temporaryToo = ["y"]
    #expect(object.temporary == 7)
    try store.save(object)
    let (context, found) = try store.read(PropertyForms.self)
    #expect(found.first?.temporary == 0)
    #expect(found.first?.temporaryToo == ["x"])
    _ = context
  }

  @Test("Private and read-only properties change inside the class and are kept")
  func access() throws {
    let store = try FormsStore(PropertyForms.self)
    let object = PropertyForms(marked: 3)
    #expect(object.touch() == "s!1two1b")
    try store.save(object)
    let (context, found) = try store.read(PropertyForms.self)
    #expect(found.first?.marked == 3)
    #expect(found.first?.touch() == "s!!1two1b")
    _ = context
  }

  @Test("Properties may have names that the engine, Swift or SQL uses")
  func names() throws {
    let store = try FormsStore(NameForms.self)
    let object = NameForms()
    object.description = "d"
    object.isDeleted = true
    object.hasChanges = 2
    object.order = 3
    object.rowid = 4
    object.oid = 5
    object.table = [1]
    object.where = "w"
    object.größe = 1.5
    object.🐢 = 6
    object.error = NameForms()
    try store.save(object)
    let (context, found) = try store.read(NameForms.self)
    #expect(found.count == 2)
    let copy = try #require(found.first { $0.error != nil })
    #expect((copy.description, copy.isDeleted, copy.hasChanges) == ("d", true, 2))
    #expect((copy.order, copy.rowid, copy.oid, copy.table) == (3, 4, 5, [1]))
    #expect((copy.where, copy.größe, copy.🐢) == ("w", 1.5, 6))
    #expect(copy.error?.values.first === copy)
    #expect(try context.fetchCount(FetchDescriptor<NameForms>(predicate: #Predicate { $0.rowid == 4 })) == 1)
  }

  @Test("Transformable, codable and ephemeral attributes are kept as their options say")
  func codings() throws {
    let store = try FormsStore(CodingForms.self)
    let object = CodingForms()
    object.tint = PropertyTint(hex: 255)
    object.state = .busy
    object.number = 9
    object.date = Date(timeIntervalSinceReferenceDate: 5)
    object.draft = "text"
    try store.save(object)
    #expect(object.draft == "text")
    let (context, found) = try store.read(CodingForms.self)
    let copy = try #require(found.first)
    #expect((copy.tint, copy.required) == (PropertyTint(hex: 255), PropertyTint(hex: 1)))
    #expect((copy.state, copy.number, copy.date) == (.busy, 9, object.date))
    #expect(copy.draft == "none")
    _ = context
  }
}

@Suite("Observers of a model's own properties")
struct ObservedFormsTests {
  @Test("didSet and willSet see the old and the new value, in order")
  func values() {
    let object = ObservedForms()
    object.name = "n"
    object.count = 2
    object.count = 2
    object.state = .busy
    #expect(
      object.log == [
        "didSet  n", "willSet 2 0", "didSet 0 2", "willSet 2 2", "will busy idle", "did idle busy",
      ]
    )
  }

  @Test("An observer that assigns to its own property is not called again")
  func clamping() {
    let object = ObservedForms()
    object.clamped = 99
    #expect(object.clamped == 10)
    object.clamped = 3
    #expect(object.clamped == 3)
  }

  @Test("Observers run on a change, not when an object is read from a store")
  func notOnFetch() throws {
    let store = try FormsStore(ObservedForms.self)
    let object = ObservedForms()
    object.touched = Date(timeIntervalSinceReferenceDate: 1)
    object.clamped = 4
    #expect(object.touches == 1)
    try store.save(object)
    let (context, found) = try store.read(ObservedForms.self)
    let copy = try #require(found.first)
    #expect(copy.touched == object.touched)
    #expect(copy.touches == 0)
    copy.touched = nil
    #expect(copy.touches == 1)
    #expect(copy.log == ["touches"])
    _ = context
  }
}
