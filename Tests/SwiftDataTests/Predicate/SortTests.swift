import Foundation
import SwiftData
import Testing

/// A fetch returns objects in the order of `sorted(using:)`.
@Suite
struct SortTests {
  /// Every kind of property that Foundation lets a descriptor name, and paths.
  static let keys: [@Sendable (SortOrder) -> SortDescriptor<Specimen>] =
    [
      { SortDescriptor(\.title, order: $0) }, { SortDescriptor(\.note, order: $0) },
      { SortDescriptor(\.letter, order: $0) }, { SortDescriptor(\.number, order: $0) },
      { SortDescriptor(\.maybe, order: $0) }, { SortDescriptor(\.tiny, order: $0) },
      { SortDescriptor(\.huge, order: $0) }, { SortDescriptor(\.small, order: $0) },
      { SortDescriptor(\.real, order: $0) }, { SortDescriptor(\.ratio, order: $0) },
      { SortDescriptor(\.single, order: $0) }, { SortDescriptor(\.price, order: $0) },
      { SortDescriptor(\.stamp, order: $0) }, { SortDescriptor(\.due, order: $0) },
      { SortDescriptor(\.code, order: $0) }, { SortDescriptor(\.level, order: $0) },
      { SortDescriptor(\.serial, order: $0) },
      { SortDescriptor(\.title, comparator: .lexical, order: $0) },
      { SortDescriptor(\.note, comparator: .lexical, order: $0) },
      { SortDescriptor(\.address.city, order: $0) }, { SortDescriptor(\.address.place.y, order: $0) },
      { SortDescriptor(\.address.place.x, order: $0) }, { SortDescriptor(\.address.zip, order: $0) },
      { SortDescriptor(\.address.shout, order: $0) }, { SortDescriptor(\.home?.zip, order: $0) },
      { SortDescriptor(\.drawer?.name, order: $0) }, { SortDescriptor(\.drawer?.size, order: $0) },
      { SortDescriptor(\.drawer?.cabinet?.row, order: $0) },
      { SortDescriptor(\.drawer?.cabinet?.sticker.text, order: $0) },
      { SortDescriptor(\.drawer?.cabinet?.sticker.weight, order: $0) },
      { SortDescriptor(\.title, comparator: .localizedStandard, order: $0) },
      { SortDescriptor(\.title, comparator: .localized, order: $0) },
      { SortDescriptor(\.note, comparator: .localizedStandard, order: $0) },
      { SortDescriptor(\.drawer?.name, comparator: .localized, order: $0) },
      { SortDescriptor(\.address.city, comparator: .localizedStandard, order: $0) },
      { SortDescriptor(\.flag, order: $0) }, { SortDescriptor(\.answer, order: $0) },
      { SortDescriptor(\.drawer?.isLocked, order: $0) },
      { SortDescriptor(\.mood, order: $0) }, { SortDescriptor(\.tone, order: $0) },
      { SortDescriptor(\.persistentModelID, order: $0) },
      { SortDescriptor(\.drawer?.persistentModelID, order: $0) },
      { SortDescriptor(\.drawer?.cabinet?.persistentModelID, order: $0) },
      { SortDescriptor(\.drawer?.cabinet?.sticker.label.size.x, order: $0) },
      { SortDescriptor(\.drawer?.cabinet?.sticker.label.city, comparator: .localizedStandard, order: $0) },
    ]

  @Test("A fetch has the order of sorted(using:)", arguments: UInt64(1)...4)
  func order(seed: UInt64) throws {
    var data = RandomData(seed: seed)
    data.isNormalized = seed % 2 == 0
    data.hasNaN = false
    let reader = ModelContext(try context(saving: data.objects(40)).container)
    let all = try reader.fetch(FetchDescriptor<Specimen>())
    #expect(all.count == 40)
    for number in 0..<60 {
      let count = 1 + number % 3
      let keys = (0..<count).map { _ in data.random.pick(Self.keys)(data.random.pick([.forward, .reverse])) }
      let found = try reader.fetch(FetchDescriptor<Specimen>(sortBy: keys)).map(\.serial)
      let names = keys.map { "\($0.keyPath!) \($0.order)" }.joined(separator: ", ")
      #expect(found == all.sorted(using: keys).map(\.serial), "seed \(seed): \(names)")
    }
    for key in Self.keys {
      let found = try reader.fetch(FetchDescriptor<Specimen>(sortBy: [key(.forward)])).map(\.serial)
      #expect(found == all.sorted(using: key(.forward)).map(\.serial), "seed \(seed): \(key(.forward).keyPath!)")
    }
  }

  @Test("Unsaved changes are sorted as what is stored", arguments: UInt64(1)...2)
  func pending(seed: UInt64) throws {
    var data = RandomData(seed: seed)
    data.hasNaN = false
    let reader = ModelContext(try context(saving: data.objects(30)).container)
    // Before any change the order of what is equal is that of insertion.
    try data.change(reader)
    let all = try reader.fetch(FetchDescriptor<Specimen>())
    for key in Self.keys {
      for order in [SortOrder.forward, .reverse] {
        let found = try reader.fetch(FetchDescriptor<Specimen>(sortBy: [key(order)])).map(\.serial)
        #expect(found == all.sorted(using: key(order)).map(\.serial), "seed \(seed): \(key(order).keyPath!)")
      }
    }
  }

  @Test("Numbers in texts sort by their value where the order is localizedStandard")
  func localizedStandard() throws {
    let context = try context(
      saving: ["a10", "a9", "B1", "b1", "A2"].enumerated().map { serial, title in
        let specimen = Specimen(serial: serial)
        specimen.title = title
        return specimen
      })
    func titles(_ comparator: String.LocalizedComparator) throws -> [String] {
      try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Specimen.title, comparator: comparator)])).map(\.title)
    }
    #expect(try titles(.localizedStandard).prefix(3) == ["A2", "a9", "a10"])
    #expect(try titles(.localizedStandard).firstIndex(of: "a9")! < titles(.localizedStandard).firstIndex(of: "a10")!)
    var reversed = String.LocalizedComparator.localized
    reversed.order = .reverse
    #expect(try titles(reversed).first == titles(.localized).last)
    let copy = try JSONDecoder().decode(String.LocalizedComparator.self, from: JSONEncoder().encode(reversed))
    #expect(copy == reversed)
  }

  @Test("Pages of an order with many ties never overlap")
  func pages() throws {
    var data = RandomData(seed: 5)
    let context = try context(saving: data.objects(40))
    for order in [SortOrder.forward, .reverse] {
      var descriptor = FetchDescriptor(sortBy: [SortDescriptor(\Specimen.flag, order: order)])
      let all = try context.fetch(descriptor).map(\.serial)
      var pages = [Int]()
      descriptor.fetchLimit = 7
      for page in 0..<6 {
        descriptor.fetchOffset = page * 7
        pages += try context.fetch(descriptor).map(\.serial)
      }
      #expect(pages == all)
      #expect(Set(pages).count == 40)
    }
  }

  @Test("A model of the main actor sorts by its properties") @MainActor
  func mainActor() throws {
    let context = try memoryContext(Placard.self)
    for (line, isOpen) in [("b", true), ("a10", false), ("a9", true)] {
      context.insert(Placard(line: line, isOpen: isOpen))
    }
    try context.save()
    func lines(_ sort: SortDescriptor<Placard>...) throws -> [String] {
      try context.fetch(FetchDescriptor(sortBy: sort)).map(\.line)
    }
    #expect(try lines(SortDescriptor(\.line)) == ["a10", "a9", "b"])
    #expect(try lines(SortDescriptor(\Placard.line, order: .reverse)) == ["b", "a9", "a10"])
    #expect(try lines(SortDescriptor(\.line, comparator: .lexical, order: .reverse)) == ["b", "a9", "a10"])
    #expect(try lines(SortDescriptor(\.line, comparator: .localizedStandard)) == ["a9", "a10", "b"])
    #expect(
      try lines(SortDescriptor(\.isOpen), SortDescriptor(\.note, order: .reverse), SortDescriptor(\.line)) == [
        "a10", "a9", "b",
      ])
  }

  @Test("A sort leads through the same relationship several times")
  func ancestors() throws {
    let context = try memoryContext(Ancestor.self)
    let names = ["d", "a", "c", "b", "e", "f"]
    let all = names.map(Ancestor.init)
    all.forEach(context.insert)
    for (index, ancestor) in all.enumerated() {
      ancestor.parent = index == 0 ? nil : all[index - 1]
      ancestor.heir = all[index * 5 % 6]
    }
    try context.save()
    let sorts: [SortDescriptor<Ancestor>] = [
      SortDescriptor(\.parent?.parent?.name), SortDescriptor(\.parent?.parent?.name, order: .reverse),
      SortDescriptor(\.parent?.parent?.parent?.name), SortDescriptor(\.parent?.heir?.parent?.name),
      SortDescriptor(\.parent?.parent?.persistentModelID), SortDescriptor(\.heir?.heir?.persistentModelID),
    ]
    for sort in sorts {
      let found = try ModelContext(context.container).fetch(FetchDescriptor(sortBy: [sort, SortDescriptor(\.name)]))
      #expect(found.map(\.name) == all.sorted(using: [sort, SortDescriptor(\.name)]).map(\.name), "\(sort.keyPath!)")
    }
  }

  @Test("Order, limit and filter work together across a relationship")
  func limit() throws {
    var data = RandomData(seed: 11)
    let context = try context(saving: data.objects(40))
    let all = try context.fetch(FetchDescriptor<Specimen>())
    let sort = [SortDescriptor(\Specimen.drawer?.name, order: .reverse), SortDescriptor(\Specimen.serial)]
    var descriptor = FetchDescriptor<Specimen>(predicate: #Predicate { $0.drawer?.cabinet?.row == 1 }, sortBy: sort)
    let expected = all.filter { $0.drawer?.cabinet?.row == 1 }.sorted(using: sort).map(\.serial)
    #expect(expected.count > 4)
    #expect(try context.fetch(descriptor).map(\.serial) == expected)
    #expect(try context.fetchCount(descriptor) == expected.count)
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.serial) == Array(expected[1..<3]))
  }
}

@MainActor @Model
final class Placard {
  var line: String
  var note: String?
  var isOpen: Bool

  init(line: String, isOpen: Bool) {
    self.line = line
    self.isOpen = isOpen
  }
}

@Model
final class Ancestor {
  var name: String
  var parent: Ancestor?
  @Relationship(inverse: \Ancestor.parent) var children: [Ancestor] = []
  var heir: Ancestor?

  init(name: String) { self.name = name }
}
