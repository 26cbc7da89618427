import Foundation
import SwiftData
import Testing

private enum BookStacks {
  @Model final class Shelf {
    var name = ""
    @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
    init() {}
  }

  @Model final class Volume {
    var number: Int
    var shelf: Shelf?
    init(_ number: Int) { self.number = number }
  }
}

/// Edits of a long list. `GROWTH=100000 swift test --traits Sync --filter LongListTests` does the same with so many targets.
@Suite("Edits of a long list") struct LongListTests {
  private typealias Shelf = BookStacks.Shelf
  private typealias Volume = BookStacks.Volume

  private static var length: Int { ProcessInfo.processInfo.environment["GROWTH"].flatMap(Int.init) ?? 4_000 }

  private static func stored(_ count: Int) throws -> (ModelContext, Shelf) {
    let context = try Growth.context(Shelf.self)
    let shelf = Shelf()
    context.insert(shelf)
    shelf.volumes = (0..<count).map { Volume($0) }
    try context.save()
    return (context, shelf)
  }

  enum Edit: CaseIterable {
    case append, appendByInverse, remove, insert, move, swap, removeByInverse, delete

    fileprivate func apply(to shelf: BookStacks.Shelf, _ context: ModelContext, _ round: Int) {
      let middle = shelf.volumes.count / 2 + round * 3
      switch self {
      case .append: shelf.volumes.append(BookStacks.Volume(-round))
      case .appendByInverse: BookStacks.Volume(-round).shelf = shelf
      case .remove: shelf.volumes.remove(at: middle)
      case .insert: shelf.volumes.insert(BookStacks.Volume(-round), at: middle)
      case .move: shelf.volumes.insert(shelf.volumes.remove(at: 7), at: middle)
      case .swap: shelf.volumes.swapAt(3, middle)
      case .removeByInverse: shelf.volumes[middle].shelf = nil
      case .delete: context.delete(shelf.volumes[middle])
      }
    }
  }

  @Test("An edit and its save look at no other targets, however many there are", arguments: Edit.allCases)
  func edits(_ edit: Edit) throws {
    func run(_ count: Int) throws -> (work: WorkCounter, statements: Int) {
      let (context, shelf) = try Self.stored(count)
      // The first edits make what is kept beside the list, and give it positions.
      for round in 1...6 {
        edit.apply(to: shelf, context, round)
        try context.save()
      }
      var statements = 0
      let work = try Growth.work(of: context) {
        for round in 7...12 {
          edit.apply(to: shelf, context, round)
          statements += try SQLTrace.record { try context.save() }.statements.count
        }
      }
      #expect(ContextInvariants(of: context.state).violations() == [])
      let stored = try ModelContext(context.container).fetch(FetchDescriptor<Shelf>())[0].volumes
      #expect(stored.map(\.number) == shelf.volumes.map(\.number))
      return (work, statements)
    }
    let (small, large) = (try run(Self.length / 8), try run(Self.length))
    // Addresses are compared a block of memory at a time, as an array moves them.
    #expect(large.work.elements <= small.work.elements + 12)
    #expect(large.work.listed + large.work.evaluated + large.work.registered <= 60)
    #expect(large.statements == small.statements)
  }

  @Test("A list is what an array would be after random edits, saves and rollbacks", arguments: 0..<8)
  func agreement(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let (context, shelf) = try Self.stored(random.int(20..<200))
    if random.chance(1, in: 2) { context.state.tuning = .smallest }
    var (expected, saved) = (shelf.volumes, shelf.volumes)
    for step in 0..<150 {
      let place = expected.isEmpty ? 0 : random.int(0..<expected.count)
      switch random.int(0..<12) {
      case 0:
        expected.append(Volume(step))
        shelf.volumes.append(expected.last!)
      case 1:
        expected.append(Volume(step))
        expected.last!.shelf = shelf
      case 2 where !expected.isEmpty: #expect(shelf.volumes.remove(at: place) === expected.remove(at: place))
      case 3:
        expected.insert(Volume(step), at: place)
        shelf.volumes.insert(expected[place], at: place)
      case 4 where !expected.isEmpty:
        let to = random.int(0..<expected.count)
        expected.insert(expected.remove(at: place), at: to)
        shelf.volumes.insert(shelf.volumes.remove(at: place), at: to)
      case 5 where !expected.isEmpty:
        let other = random.int(0..<expected.count)
        expected.swapAt(place, other)
        shelf.volumes.swapAt(place, other)
      case 6 where !expected.isEmpty: expected.remove(at: place).shelf = nil
      case 7 where !expected.isEmpty: context.delete(expected.remove(at: place))
      case 8 where random.chance(1, in: 3):
        expected.shuffle(using: &random)
        shelf.volumes = expected
      case 9 where !expected.isEmpty:
        // Replaces and appends in one access.
        let new = [Volume(step), Volume(-step)]
        func change(_ volumes: inout [Volume]) {
          volumes[place] = new[0]
          volumes.append(new[1])
        }
        change(&expected)
        change(&shelf.volumes)
        // Of a long list only the save is sure to notice.
        try context.save()
        saved = expected
      case 10 where random.chance(1, in: 3):
        context.rollback()
        expected = saved
      case 11:
        try context.save()
        saved = expected
        let stored = try ModelContext(context.container).fetch(FetchDescriptor<Shelf>())[0]
        #expect(stored.volumes.map(\.number) == expected.map(\.number), "seed \(seed), step \(step)")
      default: break
      }
      #expect(shelf.volumes.map(\.number) == expected.map(\.number), "seed \(seed), step \(step)")
      if step.isMultiple(of: 10) {
        #expect(ContextInvariants(of: context.state).violations() == [], "seed \(seed), step \(step)")
      }
    }
  }
}
