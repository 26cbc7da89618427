import Foundation
import SwiftData
import Testing

private enum Old {
  @Model final class Item {
    var code: String
    var amount: Int = 0
    var tags: [Tag] = []
    var owner: Owner?
    init(code: String, amount: Int = 0) {
      self.code = code
      self.amount = amount
    }
  }

  @Model final class Tag {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Owner {
    var name: String
    init(name: String) { self.name = name }
  }
}

private enum NewRequired {
  @Model final class Item {
    var code: String
    var amount: Int = 0
    var price: Double
    init() {
      code = ""
      price = 0
    }
  }
}

private enum Narrow {
  @Model final class Item {
    var code: String
    var amount: Int8 = 0
    init() { code = "" }
  }
}

private enum Unique {
  @Model final class Item {
    @Attribute(.unique) var code: String
    var amount: Int = 0
    init() { code = "" }
  }
}

private enum Choice {
  enum Code: String, Codable { case a, b }
  @Model final class Item {
    var code: Code
    init() { code = .a }
  }
}

private enum OtherType {
  @Model final class Item {
    var code: Date
    init() { code = Date() }
  }
}

private enum Fraction {
  @Model final class Item {
    var amount: Double = 0
    init() {}
  }
}

private enum Precise {
  enum Size: Double, Codable { case small = 0.1, large = 2 }
  @Model final class Scale {
    var weight: Double
    var size: Size
    init(_ weight: Double, _ size: Size) { (self.weight, self.size) = (weight, size) }
  }
}

private enum Single {
  enum Size: Float, Codable { case small = 0.1, large = 2 }
  @Model final class Scale {
    var weight: Float
    var size: Precise.Size
    init() { (weight, size) = (0, .small) }
  }
}

private enum SingleRaw {
  @Model final class Scale {
    var weight: Double
    var size: Single.Size
    init() { (weight, size) = (0, .small) }
  }
}

private enum OneTag {
  @Model final class Item {
    var code: String
    @Relationship(originalName: "tags") var tag: Tag?
    @Relationship(originalName: "owner") var owners: [Owner] = []
    init() { code = "" }
  }

  @Model final class Tag {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Owner {
    var name: String
    init(name: String) { self.name = name }
  }
}

@Suite struct RefusedMigrationTests {
  private func fill(_ store: TemporaryStore, _ items: Old.Item...) throws {
    let context = ModelContext(try store.container(Old.Item.self))
    for item in items { context.insert(item) }
    try context.save()
  }

  /// The store of the old models is as it was.
  private func expectUntouched(_ store: TemporaryStore, _ codes: [String]) throws {
    let container = try store.container(Old.Item.self)
    #expect(container.migrations.isEmpty)
    let items = try ModelContext(container).fetch(FetchDescriptor<Old.Item>())
    #expect(items.map(\.code) == codes)
    #expect(
      try store.shell("SELECT count(*) FROM sqlite_master WHERE name LIKE '\\_swiftdata\\_new%' ESCAPE '\\'") == "0")
  }

  @Test("A required property without a default is refused by name where rows lack it, and accepted where none do")
  func required() throws {
    let store = try TemporaryStore()
    try fill(store, Old.Item(code: "x"))
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) { try store.container(NewRequired.Item.self) }
    #expect(error?.description.contains("Item.price") == true)
    #expect(error?.description.contains("give it a default value") == true)
    try expectUntouched(store, ["x"])

    let empty = try TemporaryStore()
    try fill(empty)
    #expect(try empty.container(NewRequired.Item.self).migrations.count == 1)
  }

  @Test("A narrower integer is refused by name and key where a value has no room, and accepted where all have")
  func narrow() throws {
    let store = try TemporaryStore()
    try fill(store, Old.Item(code: "x", amount: 127), Old.Item(code: "y", amount: 128))
    let error = #expect(throws: SwiftDataError.unreadableValue) { try store.container(Narrow.Item.self) }
    #expect(error?.description.contains("Item.amount") == true)
    #expect(error?.description.contains("key 2") == true)
    try expectUntouched(store, ["x", "y"])

    let fits = try TemporaryStore()
    try fill(fits, Old.Item(code: "x", amount: 127))
    let items = try ModelContext(try fits.container(Narrow.Item.self)).fetch(FetchDescriptor<Narrow.Item>())
    #expect(items.map(\.amount) == [127])
  }

  @Test("A uniqueness constraint over duplicates is refused with the rows named")
  func unique() throws {
    let store = try TemporaryStore()
    try fill(store, Old.Item(code: "x"), Old.Item(code: "y"), Old.Item(code: "x"))
    let error = #expect(throws: SwiftDataError.uniquenessViolation) { try store.container(Unique.Item.self) }
    #expect(error?.entity == "Item")
    #expect(error?.property == "code")
    #expect(error?.description.contains("keys 1, 3") == true)
    try expectUntouched(store, ["x", "y", "x"])
  }

  @Test("A text becomes an enum where every row is one of its cases")
  func choice() throws {
    let store = try TemporaryStore()
    try fill(store, Old.Item(code: "a"), Old.Item(code: "b"))
    let items = try ModelContext(try store.container(Choice.Item.self)).fetch(FetchDescriptor<Choice.Item>())
    #expect(items.map(\.code) == [.a, .b])

    let other = try TemporaryStore()
    try fill(other, Old.Item(code: "a"), Old.Item(code: "c"))
    let error = #expect(throws: SwiftDataError.unreadableValue) { try other.container(Choice.Item.self) }
    #expect(error?.description.contains("Item.code") == true)
    try expectUntouched(other, ["a", "c"])
  }

  @Test("A type that cannot read the old values is refused, with both types named, even in an empty table")
  func otherType() throws {
    let store = try TemporaryStore()
    try fill(store, Old.Item(code: "x"))
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) { try store.container(OtherType.Item.self) }
    #expect(error?.description.contains("its type was String and is Date") == true)
    let preview = try ModelContainer.migrationPreview(
      for: OtherType.Item.self, configurations: ModelConfiguration(url: store.url))
    #expect(preview.first?.refusals.map(\.property) == ["code"])
    try expectUntouched(store, ["x"])
  }

  @Test("Integers become doubles where each is exact")
  func fraction() throws {
    let store = try TemporaryStore()
    try fill(store, Old.Item(code: "x", amount: 1 << 53))
    let items = try ModelContext(try store.container(Fraction.Item.self)).fetch(FetchDescriptor<Fraction.Item>())
    #expect(items.map(\.amount) == [0x1p53])

    let large = try TemporaryStore()
    try fill(large, Old.Item(code: "x", amount: (1 << 53) + 1))
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) { try large.container(Fraction.Item.self) }
    #expect(error?.description.contains("Item.amount") == true)
    try expectUntouched(large, ["x"])
  }

  @Test("Doubles become floats where each is exact")
  func single() throws {
    func make(_ weight: Double, _ size: Precise.Size) throws -> TemporaryStore {
      let store = try TemporaryStore()
      let context = ModelContext(try store.container(Precise.Scale.self))
      context.insert(Precise.Scale(0.5, .large))
      context.insert(Precise.Scale(weight, size))
      try context.save()
      return store
    }
    let exact = ModelContext(try make(.nan, .small).container(Single.Scale.self))
    let half: Float = 0.5
    #expect(try exact.fetchCount(FetchDescriptor<Single.Scale>(predicate: #Predicate { $0.weight == half })) == 1)
    #expect(
      try ModelContext(make(.infinity, .large).container(SingleRaw.Scale.self)).fetchCount(
        FetchDescriptor<SingleRaw.Scale>(predicate: #Predicate { $0.size == .large })) == 2)

    let store = try make(0.1, .large)
    let error = #expect(throws: SwiftDataError.unreadableValue) { try store.container(Single.Scale.self) }
    #expect(error?.description.contains("Scale.weight") == true)
    #expect(error?.description.contains("key 2") == true)
    #expect(error?.description.contains("0.1") == true)
    #expect(try ModelContext(store.container(Precise.Scale.self)).fetch(FetchDescriptor<Precise.Scale>()).count == 2)
    let raw = try make(1, .small)
    let size = #expect(throws: SwiftDataError.unreadableValue) { try raw.container(SingleRaw.Scale.self) }
    #expect(size?.description.contains("Scale.size") == true)
  }

  @Test("A to-many becomes a to-one, and a to-one a to-many, where nothing is lost")
  func relationships() throws {
    let store = try TemporaryStore()
    let item = Old.Item(code: "x")
    item.tags = [Old.Tag(name: "t")]
    item.owner = Old.Owner(name: "o")
    try fill(store, item, Old.Item(code: "y"))
    let items = try ModelContext(try store.container(OneTag.Item.self)).fetch(FetchDescriptor<OneTag.Item>())
    #expect(items.map(\.tag?.name) == ["t", nil])
    #expect(items.map { $0.owners.map(\.name) } == [["o"], []])

    let two = try TemporaryStore()
    let tagged = Old.Item(code: "x")
    tagged.tags = [Old.Tag(name: "t"), Old.Tag(name: "u")]
    try fill(two, tagged)
    let error = #expect(throws: SwiftDataError.unknownDataStoreSchema) { try two.container(OneTag.Item.self) }
    #expect(error?.description.contains("Item.tag") == true)
    #expect(error?.description.contains("key 1 has 2") == true)
    try expectUntouched(two, ["x"])
  }
}
