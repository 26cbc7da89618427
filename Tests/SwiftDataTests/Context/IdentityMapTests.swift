import Foundation
import Observation
import SwiftData
import Testing

private enum Registered {
  @Model final class Stone {
    var number: Int

    init(_ number: Int) { self.number = number }
  }
}

@Suite struct IdentityMapTests {
  /// Enough for the map to drop what is gone, several times.
  private static let count = 10_000

  private static func stone(_ number: Int, _ context: ModelContext) throws -> Registered.Stone {
    try #require(
      try context.fetch(FetchDescriptor<Registered.Stone>(predicate: #Predicate { $0.number == number })).first)
  }

  @Test("A held object stays the one of its row, however many others come and go")
  func heldObjects() throws {
    let writer = try memoryContext(Registered.Stone.self)
    for number in 0..<Self.count { writer.insert(Registered.Stone(number)) }
    try writer.save()
    let context = ModelContext(writer.container)
    let held = try [0, 17, 4_999, 9_983, 9_984].map { try Self.stone($0, context) }
    for _ in 0..<3 {
      #expect(try context.fetch(FetchDescriptor<Registered.Stone>()).count == Self.count)
    }
    for stone in held { #expect(try Self.stone(stone.number, context) === stone) }
    let all = try context.fetch(FetchDescriptor<Registered.Stone>(sortBy: [SortDescriptor(\.number)]))
    for stone in held { #expect(all[stone.number] === stone) }
  }

  @Test("An observer hears of a change to an object that it was the first to read")
  func firstReadUnderTracking() throws {
    let writer = try memoryContext(Registered.Stone.self)
    for number in 0..<3 { writer.insert(Registered.Stone(number)) }
    try writer.save()
    let context = ModelContext(writer.container)
    let stones = try context.fetch(FetchDescriptor<Registered.Stone>(sortBy: [SortDescriptor(\.number)]))
    // Read by nobody, read before, and read by another observer before.
    _ = stones[1].number
    _ = withObservationTracking({ stones[2].number }, onChange: {})
    for stone in stones {
      let changes = Changes()
      withObservationTracking({ _ = stone.number }, onChange: { changes.note() })
      #expect(changes.count == 0)
      stone.number += 10
      #expect(changes.count == 1)
    }
  }

  @Test("An object read outside of any tracking tells nobody of its changes")
  func untrackedReads() throws {
    let writer = try memoryContext(Registered.Stone.self)
    for number in 0..<2 { writer.insert(Registered.Stone(number)) }
    try writer.save()
    let stones = try ModelContext(writer.container).fetch(
      FetchDescriptor<Registered.Stone>(sortBy: [SortDescriptor(\.number)]))
    let changes = Changes()
    withObservationTracking({ _ = stones[0].number }, onChange: { changes.note() })
    _ = stones[1].number
    stones[1].number = 7
    #expect(changes.count == 0)
  }

  /// What an observer heard.
  private final class Changes: @unchecked Sendable {
    // @unchecked because the tests change objects on the thread that reads the count.
    private(set) var count = 0
    func note() { count += 1 }
  }
}
