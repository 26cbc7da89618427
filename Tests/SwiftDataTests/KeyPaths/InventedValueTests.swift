import Foundation
import Synchronization
import Testing

@testable import SwiftData

/// A program whose getters and decoders count each object and value that it did not make.
private enum Program {
  static let strangers = Mutex<[String]>([])

  static func meet(_ what: String, isOwn: Bool) {
    if !isOwn { strangers.withLock { $0.append(what) } }
  }

  /// Coded as `#ff8000`. It trusts what it finds.
  struct Hex: Codable, Equatable, Hashable {
    var name: String
    var red: Int

    init(_ red: Int) { (name, self.red) = ("own", red) }

    var isDark: Bool {
      meet("Hex.isDark", isOwn: name == "own")
      return red < 100
    }

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      meet("Hex.init(from: \(text))", isOwn: text.hasPrefix("#") && Int(text.dropFirst()) != nil)
      (name, red) = ("own", Int(text.dropFirst()) ?? 0)
    }

    func encode(to encoder: any Encoder) throws {
      meet("Hex.encode", isOwn: name == "own")
      var container = encoder.singleValueContainer()
      try container.encode("#\(red)")
    }
  }

  enum Kind: Codable, Equatable {
    case text(String)
    case none

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      meet("Kind.init(from: \(text))", isOwn: text.hasPrefix("kind "))
      self = .text(String(text.dropFirst(5)))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      guard case .text(let text) = self else { return try container.encode("kind ") }
      try container.encode("kind " + text)
    }
  }

  @Composite
  struct Size: Codable, Equatable, Hashable {
    var width: Int
    var hex: Hex
  }

  @Model final class Shelf {
    var mark: String
    var color: Hex
    var kind: Kind
    @Relationship(inverse: \Item.shelf) var items: [Item] = []
    init(_ red: Int) { (mark, color, kind) = ("own", Hex(red), .text("shelf")) }

    var shade: Int {
      meet("Shelf.shade", isOwn: mark == "own")
      return color.red
    }
  }

  @Model class Item {
    #Index<Item>([\.size.width], [\.number])
    #Unique<Item>([\.number, \.size.width])
    var mark: String
    var number: Int
    var color: Hex
    var other: Hex?
    let kind: Kind
    var size: Size
    var shelf: Shelf
    init(_ number: Int, _ shelf: Shelf) {
      (mark, self.number, color, kind) = ("own", number, Hex(number * 50), .text("\(number)"))
      (size, self.shelf) = (Size(width: -number, hex: Hex(number)), shelf)
    }

    var shade: Int {
      meet("Item.shade", isOwn: mark == "own")
      return color.red
    }
    var home: Shelf? {
      meet("Item.home", isOwn: mark == "own")
      return shelf
    }
  }

  @Model final class Extra: Item {
    var more: Hex
    override init(_ number: Int, _ shelf: Shelf) {
      more = Hex(number)
      super.init(number, shelf)
    }
  }
}

@Suite("The library runs no getter and no decoder of the program on what the program did not make", .serialized)
struct InventedValueTests {
  private typealias Item = Program.Item
  private typealias Shelf = Program.Shelf

  private func open(_ store: TemporaryStore) throws -> ModelContext {
    ModelContext(try store.container(Item.self, Program.Extra.self, Shelf.self))
  }

  private func fill(_ context: ModelContext) throws {
    let shelves = [Shelf(10), Shelf(200)]
    for number in 0..<6 {
      let shelf = shelves[number % 2]
      context.insert(number % 2 == 0 ? Item(number, shelf) : Program.Extra(number, shelf))
    }
    try context.save()
  }

  private func expectNoStrangers(sourceLocation: SourceLocation = #_sourceLocation) {
    let strangers = Program.strangers.withLock { strangers in
      defer { strangers = [] }
      return strangers
    }
    #expect(strangers == [], sourceLocation: sourceLocation)
  }

  @Test("when a container opens, describes its schema, and migrates")
  func opening() throws {
    let store = try TemporaryStore()
    try fill(try open(store))
    let context = try open(store)
    #expect(try context.fetchCount(FetchDescriptor<Item>()) == 6)
    let schema = Schema([Item.self, Program.Extra.self, Shelf.self])
    let color = schema.entitiesByName["Item"]?.attributesByName["size"]
    #expect((color as? Schema.CompositeAttribute)?.properties.map(\.name) == ["width", "hex"])
    try schema.save(to: store.folder.appendingPathComponent("schema.json"))
    expectNoStrangers()
  }

  @Test("when it fetches, counts, groups, adds up, selects, explains and deletes")
  func queries() throws {
    let store = try TemporaryStore()
    try fill(try open(store))
    let context = try open(store)
    let predicates: [Predicate<Item>] = [
      #Predicate { $0.color.red > 100 }, #Predicate { $0.color.isDark }, #Predicate { $0.size.width < -2 },
      #Predicate { $0.size.hex.red == 3 }, #Predicate { $0.other?.red == 1 }, #Predicate { $0.shade > 100 },
      #Predicate { $0.home?.mark == "own" }, #Predicate { $0.shelf.color.isDark }, #Predicate { $0.shelf.shade > 1 },
      #Predicate { $0.shelf.items.contains { $0.color.red > 100 } },
      #Predicate { ($0 as? Program.Extra)?.more.red == 3 },
    ]
    let sorts: [SortDescriptor<Item>] = [
      SortDescriptor(\.color.red), SortDescriptor(\.color.name), SortDescriptor(\.size.width),
      SortDescriptor(\.size.hex.red), SortDescriptor(\.other?.red), SortDescriptor(\.shade),
      SortDescriptor(\.home?.mark), SortDescriptor(\.shelf.color.red), SortDescriptor(\.shelf.shade),
      SortDescriptor(\.color.isDark), SortDescriptor(\.number, order: .reverse),
    ]
    for unsaved in [false, true] {
      if unsaved { context.insert(Item(9, try #require(try context.fetch(FetchDescriptor<Shelf>()).first))) }
      for predicate in predicates {
        let descriptor = FetchDescriptor(predicate: predicate)
        _ = try? context.fetch(descriptor)
        _ = try? context.fetchCount(descriptor)
        _ = try? context.explain(descriptor)
      }
      for sort in sorts {
        var descriptor = FetchDescriptor<Item>(sortBy: [sort])
        _ = try? context.fetch(descriptor)
        _ = try? context.explain(descriptor)
        descriptor.fetchLimit = 2
        _ = try? context.fetchIdentifiers(descriptor)
      }
      let all = FetchDescriptor<Item>()
      _ = try? context.fetch(all, computing: .sum(\.color.red)) as Int
      _ = try? context.fetch(all, computing: .sum(\.shade)) as Int
      _ = try? context.fetch(all, computing: .maximum(\.size.width))
      _ = try? context.fetch(all, groupedBy: \.color.isDark, computing: .count)
      _ = try? context.fetch(all, groupedBy: \.shade, computing: .count)
      _ = try? context.fetch(all, sectionBy: \.size.hex)
      _ = try? context.fetch(all, selecting: \.color, \.size.hex.red)
      _ = try? context.fetch(all, selecting: \.shelf.shade)
    }
    try context.delete(model: Item.self, where: #Predicate { $0.color.red > 100 })
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Item>()) == 3)
    expectNoStrangers()
  }

  @Test("when an object stands in for a row that is gone, and when a value is set by its cell")
  func standIns() throws {
    let store = try TemporaryStore()
    let writer = try open(store)
    try fill(writer)
    let context = try open(store)
    let first = try #require(try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)])).first)
    let shelf = try #require(try writer.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.color.red)])).first)
    let gone = shelf.persistentModelID
    _ = try store.shell("PRAGMA foreign_keys = OFF; DELETE FROM Shelf WHERE _pk = 1;")
    // A required to-one whose row is gone, and an identifier whose row is gone.
    #expect(first.shelf.items.isEmpty)
    let standIn = try #require(ModelContext(context.container).model(for: gone) as? Shelf)
    #expect(standIn.color.red == 0 && standIn.mark == "")
    let color = try #require(Item.__entity.property(named: "color"))
    #expect(throws: SwiftDataError.unreadableValue) { try ModelCells.set(first, color, .integer(1)) }
    #expect(!first.hasChanges)
    try ModelCells.set(first, color, .text("\"#7\""))
    #expect(first.color.red == 7 && first.hasChanges)
    #expect(try ModelCells.cell(of: first, color) == .text("\"#7\""))
    expectNoStrangers()
  }
}
