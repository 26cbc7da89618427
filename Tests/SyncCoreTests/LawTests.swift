import Foundation
import SyncCore
import SyncProtocol
import Testing

/// What holds for all registers, states and views. A seed determines each input.
@Suite("Laws of the sync core")
struct LawTests {
  private static let isLong = ProcessInfo.processInfo.environment["TEST_ALL"] != nil
  private static let seeds = 0..<(isLong ? 1000 : 50)

  @Test("The join of registers is commutative, associative and idempotent")
  func join() {
    for seed in 0..<(Self.isLong ? 10_000 : 500) {
      var random = RandomLog(seed: seed)
      let name = random.name()
      let (a, b, c) = (random.registers(name, dead: 25), random.registers(name, dead: 25), random.registers(name))
      #expect(a.joining(b) == b.joining(a), "seed \(seed)")
      #expect(a.joining(b).joining(c) == a.joining(b.joining(c)), "seed \(seed)")
      #expect(
        a.joining(b).joining(b) == a.joining(b) && Registers().joining(a).joining(a) == Registers().joining(a),
        "seed \(seed)")
    }
  }

  @Test("Writes of one time and a deletion give one state in every order")
  func ties() {
    for seed in 0..<(Self.isLong ? 10_000 : 500) {
      var random = RandomLog(seed: seed)
      let time = HybridTimes.time(1)
      let (one, two) = (
        Registers.fields(["title": random.value()], at: time), Registers.fields(["title": random.value()], at: time)
      )
      var dead = Registers()
      dead.dead = time
      let state = one.joining(two).joining(dead)
      #expect(two.joining(one).joining(dead) == state, "seed \(seed)")
      #expect(dead.joining(one).joining(two) == state, "seed \(seed)")
      #expect(one.joining(dead).joining(two) == state, "seed \(seed)")
    }
  }

  @Test("The order of values is total, and null is the least value and references are the greatest")
  func order() {
    var random = RandomLog(seed: 1)
    let values = (0..<60).map { _ in random.value() }
    for left in values {
      #expect(left == .null || .null < left)
      #expect(left.reference != nil || left < .reference(Reference(TraceTables.name(0))))
      for right in values { #expect([left < right, right < left, left == right].count { $0 } == 1) }
    }
  }

  @Test("A state does not depend on the order, the grouping and the repetition of the log's entries")
  func fold() {
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      let entries = random.entries(30)
      let state = RandomLog.states(entries)
      let repeated = (entries + entries.shuffled(using: &random).prefix(10)).shuffled(using: &random)
      #expect(RandomLog.states(repeated) == state, "seed \(seed)")
      let cut = random.below(30)
      var grouped = RandomLog.states(entries[cut...])
      for (zone, part) in RandomLog.states(entries[..<cut]).zones { grouped[zone].join(part) }
      #expect(grouped == state, "seed \(seed)")
    }
  }

  @Test("A view is a function of the states, whatever the order in which they were filled")
  func view() {
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      let entries = random.entries(30)
      let (one, two) = (RandomLog.states(entries), RandomLog.states(entries.shuffled(using: &random)))
      for models in [TestModels.new, TestModels.old] {
        #expect(View(one, models).rows == View(two, models).rows, "seed \(seed)")
      }
    }
  }

  @Test("Saving all rows as they are shown changes no row")
  func viewOfAView() {
    var shown = 0
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      var states = RandomLog.states(random.entries(30))
      let view = View(states, TestModels.new)
      let edits = view.rows.flatMap { key, row in row.values.keys.map { RowEdit.set(key, $0) } }
      let capture = Capture(view, view.rows, edits, at: HybridTimes.time(100))
      for (key, registers) in capture.changes { states[key.zone].join(key.name, registers) }
      #expect(View(states, TestModels.new).rows == view.rows, "seed \(seed)")
      shown += view.rows.count
    }
    #expect(shown > Self.seeds.count)
  }

  @Test("What the server may forget changes no view, and a record is forgotten that is dead and led to by no record")
  func compaction() {
    var forgotten = 0
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      for (zone, state) in RandomLog.states(random.entries(30, dead: 20)).zones {
        let names = state.forgettable(among: Set(state.records.keys), in: zone)
        var less = state
        less.forget(names)
        for models in [TestModels.new, TestModels.old] {
          let (before, after) = (View(ZoneStates([zone: state]), models), View(ZoneStates([zone: less]), models))
          #expect(before.rows == after.rows, "seed \(seed)")
        }
        forgotten += names.count
      }
    }
    #expect(forgotten > 0)
  }

  @Test("A rebase of nothing is nothing")
  func rebaseOfNothing() {
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      let states = RandomLog.states(random.entries(30))
      let rebase = Rebase(states, outbox: [], models: TestModels.new, writable: Set(RandomLog.zones))
      #expect(rebase.states == states && rebase.transactions.isEmpty && rebase.dropped.isEmpty)
    }
  }

  @Test("A rebase over disjoint edits keeps both")
  func disjoint() {
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      let entries = random.entries(30, dead: 0)
      let base = RandomLog.states(entries)
      let here = base.zones.flatMap { zone, state in
        state.records.filter { $0.value.isHere(zone) }.keys.map { RecordKey(zone, $0) }
      }
      .sorted()
      let (theirs, own) = (
        here.enumerated().filter { $0.offset % 2 == 0 }, here.enumerated().filter { $0.offset % 2 == 1 }
      )
      var remote = base
      for (_, key) in theirs {
        remote[key.zone].join(key.name, .fields(["name": .integer(1)], at: HybridTimes.time(50)))
      }
      let changes = own.map { ($0.element, Registers.fields(["name": .integer(2)], at: HybridTimes.time(40))) }
      let transaction = LocalTransaction(
        time: HybridTimes.time(40), changes: Dictionary(uniqueKeysWithValues: changes))
      let rebase = Rebase(remote, outbox: [transaction], models: TestModels.new, writable: Set(RandomLog.zones))
      #expect(rebase.dropped.isEmpty && rebase.remaining(of: [transaction]) == [transaction], "seed \(seed)")
      var expected = remote
      for (key, registers) in changes { expected[key.zone].join(key.name, registers) }
      #expect(rebase.states == expected, "seed \(seed)")
    }
  }

  @Test("When the log has what a rebase sends, it shows what the rebase showed")
  func acknowledged() {
    var (sent, moved) = (0, 0)
    for seed in Self.seeds {
      var random = RandomLog(seed: seed)
      random.isHonest = seed.isMultiple(of: 2)
      let base = RandomLog.states(random.entries(30))
      var outbox: [LocalTransaction] = []
      for step in 0..<3 {
        let state = Rebase(base, outbox: outbox, models: TestModels.new, writable: Set(RandomLog.zones)).states
        outbox.append(random.save(View(state, TestModels.new), at: HybridTimes.time(Int64(100 + step))))
      }
      let later = random.entries(5).map { ZoneStates.Entry(commit: 30 + $0.commit, parts: $0.parts) }
      var states = base
      for entry in later { states.reduce(entry) }
      let rebase = Rebase(states, outbox: outbox, models: TestModels.new, writable: Set(RandomLog.zones))
      for (index, transaction) in rebase.transactions.enumerated() {
        states.reduce(ZoneStates.Entry(commit: Int64(40 + index), parts: transaction.parts.mapValues { .change($0) }))
        sent += transaction.parts.isEmpty ? 0 : 1
        moved += transaction.parts.values.joined().count { $0.value.home != nil }
      }
      #expect(View(states, TestModels.new).rows == View(rebase.states, TestModels.new).rows, "seed \(seed)")
      let again = Rebase(states, outbox: [], models: TestModels.new, writable: Set(RandomLog.zones))
      #expect(again.transactions.isEmpty)
    }
    #expect(sent > 2 * Self.seeds.count && moved > 5, "\(sent) transactions, \(moved) moves")
  }
}
