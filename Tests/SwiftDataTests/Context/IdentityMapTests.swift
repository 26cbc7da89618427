import Foundation
import Observation
import SwiftData
import Testing

private enum Registered {
  @Model final class Stone {
    var number: Int

    init(_ number: Int) { self.number = number }
  }

  @Model final class Mayfly {
    var number: Int
    // nonisolated(unsafe) because one test sets it and ends the objects, on one thread.
    nonisolated(unsafe) static var onEnd: ((Mayfly) -> Void)?

    init(_ number: Int) { self.number = number }

    deinit { Self.onEnd?(self) }
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

  @Test("An object that is ending is not found any more, not even by its own deinit")
  func endingObjects() throws {
    let writer = try memoryContext(Registered.Mayfly.self)
    writer.insert(Registered.Mayfly(7))
    try writer.save()
    let context = ModelContext(writer.container)
    var found: Registered.Mayfly?
    var isTheEndingOne: Bool?
    defer { Registered.Mayfly.onEnd = nil }
    Registered.Mayfly.onEnd = { mayfly in
      Registered.Mayfly.onEnd = nil
      let other = try? context.fetch(FetchDescriptor<Registered.Mayfly>()).first
      isTheEndingOne = other === mayfly
      if isTheEndingOne == false { found = other }
    }
    #expect(try context.fetch(FetchDescriptor<Registered.Mayfly>()).count == 1)
    #expect(isTheEndingOne == false)
    #expect(found?.number == 7)
    // The end of the first object left the entry of the second alone.
    #expect(try context.fetch(FetchDescriptor<Registered.Mayfly>()).first === found)
  }

  @Test("Another thread may release objects last while their context fetches their rows")
  func releasesElsewhere() throws {
    let writer = try memoryContext(Registered.Stone.self)
    for number in 0..<64 { writer.insert(Registered.Stone(number)) }
    try writer.save()
    let context = ModelContext(writer.container)
    let pile = Pile()
    let releaser = Thread { while pile.drop() {} }
    releaser.start()
    defer { pile.close() }
    for _ in 0..<500 {
      let stones = try context.fetch(FetchDescriptor<Registered.Stone>(sortBy: [SortDescriptor(\.number)]))
      #expect(stones.map(\.number) == Array(0..<64))
      let again = try context.fetch(FetchDescriptor<Registered.Stone>(sortBy: [SortDescriptor(\.number)]))
      #expect(zip(stones, again).allSatisfy { $0 === $1 })
      pile.put(stones)
    }
  }

  /// Objects that another thread releases.
  // @unchecked because the lock guards the objects, and the other thread only releases them.
  private final class Pile: @unchecked Sendable {
    private let condition = NSCondition()
    private var stones: [Registered.Stone] = []
    private var isClosed = false

    func put(_ more: [Registered.Stone]) {
      condition.withLock { stones = more }
      condition.signal()
    }

    func close() {
      condition.withLock { isClosed = true }
      condition.signal()
    }

    /// Waits for objects and releases them. Returns false after the last.
    func drop() -> Bool {
      var dropped = [Registered.Stone]()
      condition.lock()
      while stones.isEmpty, !isClosed { condition.wait() }
      swap(&dropped, &stones)
      let goesOn = !isClosed
      condition.unlock()
      return goesOn
    }
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
