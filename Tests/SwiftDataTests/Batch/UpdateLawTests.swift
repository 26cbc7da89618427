import Foundation
import SwiftData
import Testing

/// A batch update gives what assigning to all matching objects in memory gives.
@Suite struct UpdateLawTests {
  /// An assignment, and the same in Swift.
  private typealias Change = (batch: ModelContext.Assignment<Specimen>, swift: (Specimen) -> Void)

  private static func value<V>(_ keyPath: ReferenceWritableKeyPath<Specimen, V>, _ value: V) -> Change {
    (.assign(keyPath, value), { $0[keyPath: keyPath] = value })
  }

  private static func copy<V>(
    _ keyPath: ReferenceWritableKeyPath<Specimen, V>, _ expression: Expression<Specimen, V>
  ) -> Change {
    (.assign(keyPath, expression), { $0[keyPath: keyPath] = (try? expression.evaluate($0)) ?? $0[keyPath: keyPath] })
  }

  private static func copy<V>(
    _ keyPath: ReferenceWritableKeyPath<Specimen, V?>, _ expression: Expression<Specimen, V>
  ) -> Change {
    (.assign(keyPath, expression), { $0[keyPath: keyPath] = (try? expression.evaluate($0)) ?? $0[keyPath: keyPath] })
  }

  private static func changes(_ data: inout RandomData) -> [Change] {
    let (other, high) = (data.specimen(0), Rank.high)
    return [
      value(\.title, other.title), value(\.note, other.note), value(\.letter, other.letter),
      value(\.number, other.number), value(\.huge, other.huge), value(\.real, other.real), value(\.ratio, other.ratio),
      value(\.single, other.single), value(\.price, other.price), value(\.flag, other.flag),
      value(\.answer, other.answer), value(\.stamp, other.stamp), value(\.due, other.due), value(\.code, other.code),
      value(\.link, other.link), value(\.bytes, other.bytes), value(\.level, other.level), value(\.mood, other.mood),
      value(\.shape, other.shape), value(\.address, other.address), value(\.home, other.home),
      value(\.words, other.words), value(\.numbers, other.numbers), value(\.ranks, other.ranks),
      value(\.places, other.places), value(\.scores, other.scores), value(\.weight, other.weight),
      copy(\.title, #Expression<Specimen, String> { $0.note ?? $0.address.city }),
      copy(\.note, #Expression<Specimen, String?> { $0.drawer?.name }),
      copy(\.small, #Expression<Specimen, Int> { $0.title.count * 2 - $0.small }),
      copy(\.maybe, #Expression<Specimen, Int?> { $0.drawer?.size }),
      copy(\.flag, #Expression<Specimen, Bool> { $0.small > 0 && $0.note != nil }),
      copy(\.real, #Expression<Specimen, Double> { $0.ratio ?? 0.5 }),
      copy(\.home, #Expression<Specimen, Postal> { $0.home ?? $0.address }),
      copy(\.words, #Expression<Specimen, [String]> { $0.words }),
      copy(\.code, #Expression<Specimen, UUID> { $0.code }),
      copy(\.price, #Expression<Specimen, Decimal> { $0.price }),
      copy(\.level, #Expression<Specimen, Rank> { $0.flag ? high : $0.level }),
      copy(\.huge, #Expression<Specimen, UInt64> { $0.huge }),
    ]
  }

  private static func describe(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)])).map { item in
      var text = "\(item.serial) \(item.letter) \(item.number) \(item.small) \(item.maybe as Any) \(item.huge)"
      text += " \(item.real) \(item.ratio as Any) \(item.single) \(item.price) \(item.flag) \(item.answer as Any)"
      text += " \(item.stamp.timeIntervalSinceReferenceDate) \(item.due?.timeIntervalSinceReferenceDate as Any)"
      text += " \(item.code) \(item.link as Any) \(Array(item.bytes)) \(item.level) \(item.mood as Any) \(item.shape)"
      text += " \(item.address) \(item.home as Any) \(item.words) \(item.numbers.sorted()) \(item.ranks) \(item.places)"
      text += " \(item.scores.sorted { $0.key < $1.key }) \(item.weight) \(item.drawer?.name as Any)"
      // By code points, since equal texts may differ in them.
      return (text + item.title + (item.note ?? "-")).unicodeScalars.map { String($0.value) }.joined(separator: " ")
    }
  }

  @Test("Over random data, predicates and assignments", arguments: UInt64(1)...12)
  func law(seed: UInt64) throws {
    var data = RandomData(seed: seed)
    data.isNormalized = seed % 2 == 0
    let objects = data.objects(30)
    let batch = ModelContext(try context(saving: objects).container)
    let identifiers = try batch.fetchIdentifiers(FetchDescriptor<Drawer>())
    let specimens = try batch.fetchIdentifiers(FetchDescriptor<Specimen>())
    for number in 0..<25 {
      var generator = RandomPredicate(
        seed: seed &* 31 &+ UInt64(number), identifiers: specimens, drawerIdentifiers: identifiers)
      let predicate = number % 4 == 0 ? nil : generator.predicate(depth: 2)
      let change = data.random.pick(Self.changes(&data))
      let isDirty = seed > 8 && number % 2 == 0
      let expected = ModelContext(batch.container)
      for context in [batch, expected] where isDirty {
        let items = try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.serial)]))
        items[number % 20].title = "changed \(number)"
        items[(number + 3) % 20].drawer = items[number % 20].drawer
      }
      let models = try expected.fetch(FetchDescriptor(predicate: predicate))
      for model in models { change.swift(model) }
      let wanted = try Self.describe(expected)
      expected.rollback()
      let count = try batch.update(model: Specimen.self, where: predicate, set: change.batch)
      #expect(count == models.count, "seed \(seed), update \(number)")
      #expect(try Self.describe(batch) == wanted, "seed \(seed), update \(number), in the context")
      try batch.save()
      #expect(
        try Self.describe(ModelContext(batch.container)) == wanted, "seed \(seed), update \(number), in the store")
    }
  }
}
