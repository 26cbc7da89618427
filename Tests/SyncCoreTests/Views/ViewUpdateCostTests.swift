import Foundation
import SyncCore
import SyncProtocol
import Testing

/// Records that count what is read: each call, and each element that it returns.
private final class CountedRecords: RowSource {
  let base: MemoryRecords
  private(set) var reads = 0

  init(_ base: MemoryRecords) { self.base = base }

  private func counted<Element>(_ found: [Element]) -> [Element] {
    reads += 1 + found.count
    return found
  }

  func registers(of key: RecordKey) -> Registers? {
    reads += 1
    return base.registers(of: key)
  }
  func row(showing key: RecordKey) -> RecordKey? {
    reads += 1
    return base.row(showing: key)
  }
  func zones(knowing name: RecordName) -> [ZoneName] { counted(base.zones(knowing: name)) }
  func zones(leadingTo name: RecordName) -> [ZoneName] { counted(base.zones(leadingTo: name)) }
  func holders(of name: RecordName, in zone: ZoneName) -> [RecordName] { counted(base.holders(of: name, in: zone)) }
  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) -> [RecordName] {
    counted(base.holders(of: name, in: zone, by: property))
  }
  func records(with value: UniqueValue) -> [RecordKey] { counted(base.records(with: value)) }
  func records(shownBy row: RecordKey) -> [RecordKey] { counted(base.records(shownBy: row)) }
}

/// What an update reads depends on what changes, not on the number of records.
@Suite("The cost of an incremental view")
struct ViewUpdateCostTests {
  private static let ann = SyncGroup.ann
  private static let share = ZoneName.share("share0")
  private static let sizes = [100, 200, 400, 800]

  private static func project(_ index: Int) -> RecordName { TraceTables.name(1_000_000 + index) }
  private static func task(_ index: Int) -> RecordName { TraceTables.name(2_000_000 + index) }
  private static func person(_ index: Int) -> RecordName { TraceTables.name(3_000_000 + index) }
  private static func badge(_ index: Int) -> RecordName { TraceTables.name(4_000_000 + index) }
  private static let time = HybridTimes.time(1)
  private static let later = HybridTimes.time(2)

  private static func task(of project: RecordName, at time: HybridTime = time) -> Registers {
    .born(
      "Task", at: time, ["name": .text("a"), "project": .reference(Reference(project)), "place:project": .text("8")])
  }

  /// A project with many tasks, many projects with three tasks each, many people with a badge each, and a share.
  private static func records(_ count: Int) -> MemoryRecords {
    var states = ZoneStates([ann: ZoneState(), share: ZoneState()])
    for index in 0..<count {
      states[ann].join(task(index), task(of: project(0)))
      states[ann].join(
        project(index), .born("Project", at: time, ["title": .text("a"), "code": .integer(Int64(index))]))
      for child in 0..<3 { states[ann].join(task(500_000 + 3 * index + child), task(of: project(1 + index))) }
      states[ann].join(person(index), .born("Person", at: time, ["email": .integer(Int64(index))]))
      states[ann].join(badge(index), .born("Badge", at: time, ["person": .reference(Reference(person(index)))]))
      states[share].join(task(5_000_000 + index), .born("Task", at: time))
    }
    var records = MemoryRecords(states, TestModels.new)
    for (key, row) in View(states, TestModels.new).groups.row { records.show(key, by: row) }
    return records
  }

  private typealias Changes = [RecordKey: Registers]

  /// What comes, by name.
  private static let cases: [(name: String, changes: @Sendable (Int) -> [RecordKey: Registers])] = [
    ("a field", { count in [RecordKey(ann, task(count / 2)): .fields(["name": .text("b")], at: later)] }),
    ("a new record", { _ in [RecordKey(share, task(9_000_000)): .born("Task", at: later)] }),
    ("a member of a long list comes", { _ in [RecordKey(ann, task(9_000_000)): task(of: project(0), at: later)] }),
    ("a member of a long list dies", { _ in [RecordKey(ann, task(7)): dead] }),
    (
      "the owner of a long list changes",
      { _ in [RecordKey(ann, project(0)): .fields(["title": .text("b")], at: later)] }
    ),
    ("an owner of three dies", { count in [RecordKey(ann, project(count / 2)): dead] }),
    ("a unique value", { count in [RecordKey(ann, person(1)): .fields(["email": .integer(Int64(-1))], at: later)] }),
    ("a unique value of two", { _ in [RecordKey(ann, person(1)): .fields(["email": .integer(2)], at: later)] }),
    (
      "a one-to-one has another source",
      { _ in [RecordKey(ann, badge(1)): .fields(["person": .reference(Reference(person(2)))], at: later)] }
    ),
    (
      "an object moves",
      { _ in
        var departure = Registers()
        departure.home = Home(moves: 1, time: later, zone: share)
        let key = RecordKey(ann, badge(3))
        let moved = Registers.born("Badge", at: time, ["person": .reference(Reference(person(3), hint: ann))])
        return [key: departure, RecordKey(share, key.name): moved.joining(departure)]
      }
    ),
  ]

  private static let dead: Registers = {
    var registers = Registers()
    registers.dead = later
    return registers
  }()

  @Test("does not depend on the number of records")
  func constant() throws {
    var reads: [String: [Int]] = [:]
    for count in Self.sizes {
      let records = Self.records(count)
      for (name, changes) in Self.cases {
        let counted = CountedRecords(records)
        let changes = changes(count).reduce(into: [RecordKey: Registers?]()) { result, change in
          result[change.key] = .some((records.states[change.key] ?? Registers()).joining(change.value))
        }
        let update = try ViewUpdate(counted, TestModels.new, changes: changes)
        #expect(update.registers.count == changes.count)
        reads[name, default: []].append(counted.reads)
      }
    }
    for (name, reads) in reads { #expect(Set(reads).count == 1 && reads[0] < 130, "\(name): \(reads)") }
    if ProcessInfo.processInfo.environment["SYNC_RUNS"] != nil { print(reads.sorted { $0.key < $1.key }) }
  }

  @Test("grows with the rows that change: all members of a list go with their owner")
  func growing() throws {
    for count in Self.sizes {
      let records = Self.records(count)
      let counted = CountedRecords(records)
      let owner = RecordKey(Self.ann, Self.project(0))
      let update = try ViewUpdate(
        counted, TestModels.new, changes: [owner: (records.states[owner] ?? Registers()).joining(Self.dead)])
      #expect(update.deleted.count == count + 1)
      #expect(counted.reads < 30 * count)
    }
  }

  @Test("An entry lays only the unsent transactions again that read what it changes")
  func outbox() throws {
    for count in Self.sizes {
      let records = Self.records(count)
      var outbox = LaidOutbox(TestModels.new)
      let saves = (0..<count).map { index in
        LocalTransaction(
          time: Self.later,
          changes: [RecordKey(Self.ann, Self.person(index)): .fields(["name": .text("n")], at: Self.later)])
      }
      _ = try outbox.update(records, appended: saves, writable: [Self.ann])
      let counted = CountedRecords(records)
      let key = RecordKey(Self.ann, Self.person(3))
      let change = (records.states[key] ?? Registers()).joining(.fields(["email": .integer(-1)], at: Self.later))
      let update = try outbox.update(counted, changes: [key: change], writable: [Self.ann])
      #expect(update.laid == [saves[3].id])
      #expect(Array(update.shown.keys) == [key] && counted.reads < 20)
    }
  }
}
