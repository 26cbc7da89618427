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
    let keys = zip(places(list, [a: "5", b: "5"]), list).map { ($0, $1) }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { ($0.0, $0.1) < ($1.0, $1.1) })
  }

  /// A list whose members have the places that a change of the order wrote.
  private func places(_ list: [RecordKey], _ old: [RecordKey: ExactText]) -> [ExactText] {
    var count = 0
    let changes = ListOrder.changes(list, place: { old[$0] }) {
      count += 1
      return ListEnd.place(HybridTime(milliseconds: 9, counter: 0, replica: 1), count)
    }
    let new = Dictionary(uniqueKeysWithValues: changes)
    return list.map { new[$0] ?? old[$0]! }
  }

  @Test("A reversed list gets places that are longer by the logarithm of its length only")
  func reversedList() {
    let rows = (0..<2000).map { row("r\($0)") }
    let time = HybridTime(milliseconds: 8, counter: 0, replica: 1)
    let old = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1, ListEnd.place(time, $0)) })
    for list in [rows.reversed(), Array(rows[1999...] + rows[..<1999]), Array(rows[1000...] + rows[..<1000])] {
      let new = places(list, old)
      #expect(new == new.sorted() && Set(new).count == list.count)
      #expect(new.allSatisfy { $0.text.utf8.count <= 45 })
    }
  }

  @Test(
    "A place that another replica made badly, or behind all moments, lets a list have any order",
    arguments: ["zz", "", "10", "ffffffff", "é"])
  func badPlaces(_ bad: ExactText) {
    let rows = (0..<400).map { row("r\($0)") }
    let old: [RecordKey: ExactText] = [rows[0]: bad, rows[1]: "2"]
    for list in [rows, rows.reversed()] {
      let new = places(list, old)
      #expect(new == new.sorted() && Set(new).count == list.count)
      #expect(new.allSatisfy { $0.text.utf8.count <= 40 })
    }
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
