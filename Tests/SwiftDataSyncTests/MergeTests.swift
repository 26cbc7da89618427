#if Sync
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("Clocks, places and names")
struct MergeTests {
  @Test("A clock's moments ascend, also where the wall clock goes back and where its counter is full")
  func clock() {
    var clock = HybridClock(replica: 7)
    var last = HybridTime.zero
    for now in [100, 100, 50, 99, 200, 10] + [Int64](repeating: 10, count: 70_000) {
      let time = clock.next(now)
      #expect(time > last)
      last = time
    }
    #expect(last.milliseconds == 201)
  }

  @Test("A moment is later than every moment that was seen, and texts of moments sort as they do")
  func witness() {
    var clock = HybridClock(replica: 1)
    let other = HybridTime(milliseconds: 5_000, counter: 3, replica: 9)
    clock.witness(other)
    let own = clock.next(10)
    #expect(own > other && own.description > other.description)
    #expect(HybridTime(own.description) == own)
    #expect(HybridTime("x") == nil)
  }

  @Test("There is always a key between two others, before the first and after the last")
  func keys() {
    var generator = SeededGenerator(seed: 3)
    var keys = [FractionalKey.between(nil, nil)]
    for _ in 0..<2000 {
      let place = Int.random(in: 0...keys.count, using: &generator)
      let key = FractionalKey.between(place > 0 ? keys[place - 1] : nil, place < keys.count ? keys[place] : nil)
      keys.insert(key, at: place)
    }
    #expect(keys == keys.sorted())
    #expect(Set(keys).count == keys.count)
    #expect(keys.allSatisfy { !$0.hasSuffix("0") })
  }

  private func row(_ name: String) -> RecordKey { RecordKey(.account("a"), RecordName(name)) }

  @Test("A member that was moved gets a new place, and the others keep theirs")
  func moves() {
    let rows = (0..<6).map { row("r\($0)") }
    let places: [RecordKey: ExactText] = Dictionary(uniqueKeysWithValues: zip(rows, ["1", "2", "3", "4", "5", "6"]))
    let moved = [rows[0], rows[4], rows[1], rows[2], rows[3], rows[5]]
    let changes = ListOrder.changes(moved, place: { places[$0] }, end: { "9" })
    #expect(changes.map(\.0) == [rows[4]])
    #expect(changes[0].1 > "1" && changes[0].1 < "2")
  }

  @Test("Two members with one place get two places when one of them moves between")
  func equalPlaces() {
    let (a, b, c) = (row("a"), row("b"), row("c"))
    let list = [a, c, b]
    let places: [RecordKey: ExactText] = [a: "5", b: "5"]
    let changes = ListOrder.changes(list, place: { places[$0] }, end: { "9" })
    let new = Dictionary(uniqueKeysWithValues: changes)
    let keys = list.map { (new[$0] ?? places[$0]!, $0) }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { ($0.0, $0.1) < ($1.0, $1.1) })
  }

  @Test("A wait is longer after each failure, has a limit and differs from client to client")
  func backoff() {
    var (low, high) = (Backoff(), Backoff())
    let waits = (0..<20).map { _ in (low.next(jitter: 0), high.next(jitter: 1)) }
    #expect(waits[0] == (0.25, 0.5) && waits[3] == (2, 4))
    #expect(waits.allSatisfy { $0.1 <= 300 && $0.0 < $0.1 })
    #expect(low.next(least: 1000, jitter: 0) == 1000)
  }
}
#endif
