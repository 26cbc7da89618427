import Foundation
import SwiftData
import Testing

/// What the store computes is what Swift computes over the fetched models, with unsaved changes and without.
@Suite struct AggregateLawTests {
  private static func isClose(_ left: Double, _ right: Double) -> Bool {
    left == right || left.isNaN && right.isNaN || abs(left - right) <= 1e-9 * max(abs(left), abs(right))
  }

  /// A context whose unsaved changes the aggregates have to see.
  private static func disturb(_ context: ModelContext, _ data: inout RandomData) throws {
    let items = try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)]))
    for item in items.prefix(4) {
      item.title = data.text()
      item.number = data.random.int(-4..<5)
      item.ratio = data.maybe(1.5)
    }
    context.delete(items[5])
    context.insert(data.specimen(1_000))
  }

  @Test("Over random data and descriptors", arguments: UInt64(1)...6)
  func law(seed: UInt64) throws {
    var data = RandomData(seed: seed)
    data.isNormalized = seed % 2 == 0
    let context = ModelContext(try context(saving: data.objects(40)).container)
    if seed > 4 { try Self.disturb(context, &data) }
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Specimen>())
    let drawers = try context.fetchIdentifiers(FetchDescriptor<Drawer>())
    for number in 0..<30 {
      var generator = RandomPredicate(
        seed: seed &* 7_919 &+ UInt64(number), identifiers: identifiers, drawerIdentifiers: drawers)
      var descriptor = FetchDescriptor<Specimen>()
      if number % 3 > 0 { descriptor.predicate = generator.predicate(depth: 1 + number % 3) }
      if number % 2 > 0 {
        descriptor.sortBy = [SortDescriptor(\.level, order: data.random.pick([.forward, .reverse]))]
      }
      if number % 5 == 0 { (descriptor.fetchLimit, descriptor.fetchOffset) = (7, data.random.int(0..<5)) }
      try Self.check(descriptor, context, "seed \(seed), descriptor \(number)")
      try Self.checkGroups(descriptor, context, "seed \(seed), descriptor \(number)")
    }
  }

  private static func check(_ descriptor: FetchDescriptor<Specimen>, _ context: ModelContext, _ note: String) throws {
    let models = try context.fetch(descriptor)
    let (count, small, maybe) = try context.fetch(descriptor, computing: .count, .sum(\.small), .sum(\.maybe))
    #expect(count == models.count, "\(note)")
    #expect(small == models.reduce(0) { $0 + $1.small }, "\(note)")
    #expect(maybe == models.reduce(0) { $0 + ($1.maybe ?? 0) }, "\(note)")
    let whole = models.reduce(Int128(0)) { $0 + Int128($1.number) }
    if let sum = Int(exactly: whole) {
      #expect(try context.fetch(descriptor, computing: .sum(\.number)) == sum, "\(note)")
    } else {
      #expect(throws: SwiftDataError.unreadableValue, "\(note)") {
        try context.fetch(descriptor, computing: .sum(\.number))
      }
    }
    let average = try context.fetch(descriptor, computing: .average(\.number))
    #expect(average == (models.isEmpty ? nil : Double(whole) / Double(models.count)), "\(note)")
    let (least, most) = try context.fetch(descriptor, computing: .minimum(\.huge), .maximum(\.huge))
    #expect(least == models.map(\.huge).min() && most == models.map(\.huge).max(), "\(note)")
    let (first, last) = try context.fetch(descriptor, computing: .minimum(\.title), .maximum(\.note))
    #expect(first == models.map(\.title).min() && last == models.compactMap(\.note).max(), "\(note)")
    let (low, high) = try context.fetch(descriptor, computing: .minimum(\.level), .maximum(\.address.city))
    #expect(low == models.map(\.level).min() && high == models.map(\.address.city).max(), "\(note)")
    let (cheap, dear) = try context.fetch(descriptor, computing: .minimum(\.price), .maximum(\.price))
    #expect(cheap == models.map(\.price).min() && dear == models.map(\.price).max(), "\(note)")
    let (real, due) = try context.fetch(descriptor, computing: .sum(\.real), .maximum(\.due))
    // The order of the additions is the store's, and with sums at the end of the range it decides.
    let extremes = models.contains { abs($0.real) > 1e300 }
    #expect(extremes || isClose(real, models.reduce(0) { $0 + $1.real }), "\(note)")
    let dates = models.compactMap(\.due)
    #expect(due == (dates.filter { $0 == $0 }.max() ?? dates.first) || dates.allSatisfy { $0 != $0 }, "\(note)")
    let length = #Expression<Specimen, Int> { $0.title.count + $0.words.count }
    let (sum, top) = try context.fetch(descriptor, computing: .sum(length), .maximum(length))
    let lengths = models.map { $0.title.count + $0.words.count }
    #expect(sum == lengths.reduce(0, +) && top == lengths.max(), "\(note)")
  }

  private static func checkGroups(
    _ descriptor: FetchDescriptor<Specimen>, _ context: ModelContext, _ note: String
  ) throws {
    let models = try context.fetch(descriptor)
    func expected<Key: Hashable>(_ key: (Specimen) -> Key) -> [(key: Key, models: [Specimen])] {
      let groups = Dictionary(grouping: models, by: key)
      var seen = Set<Key>()
      return models.map(key).filter { seen.insert($0).inserted }.map { ($0, groups[$0]!) }
    }
    let texts = try context.fetch(descriptor, groupedBy: \.note, computing: .count, .sum(\.small), .maximum(\.title))
    let byText = expected(\.note)
    #expect(texts.map(\.0) == byText.map(\.key), "\(note)")
    #expect(texts.map(\.1) == byText.map(\.models.count), "\(note)")
    #expect(texts.map(\.2) == byText.map { $0.models.reduce(0) { $0 + $1.small } }, "\(note)")
    #expect(texts.map(\.3) == byText.map { $0.models.map(\.title).max() }, "\(note)")
    struct Pair: Hashable {
      let mood: Tint?
      let size: Int?
    }
    let pairs = try context.fetch(descriptor, groupedBy: \.mood, \.drawer?.size, computing: .count, .minimum(\.level))
    let byPair = expected { Pair(mood: $0.mood, size: $0.drawer?.size) }
    #expect(pairs.map { Pair(mood: $0.0, size: $0.1) } == byPair.map(\.key), "\(note)")
    #expect(pairs.map(\.2) == byPair.map(\.models.count), "\(note)")
    #expect(pairs.map(\.3) == byPair.map { $0.models.map(\.level).min() }, "\(note)")
    let prices = try context.fetch(descriptor, groupedBy: \.price, computing: .count)
    #expect(prices.map(\.0) == expected(\.price).map(\.key), "\(note)")
  }
}
