import Foundation
import SwiftData
import Testing

/// A fetch returns objects in the order of `sorted(using:)`.
@Suite
struct SortTests {
  /// Every kind of property that Foundation lets a descriptor name, and paths.
  private static var keys: [(SortOrder) -> SortDescriptor<Specimen>] {
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
      { SortDescriptor(\.alias, order: $0) },
    ]
  }

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
