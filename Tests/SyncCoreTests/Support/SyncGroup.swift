import Foundation
import SyncCore
import SyncProtocol

/// A replica: a program's rows, and next to them what sync keeps. `Replica` of the model, as far as the named cases need it.
struct TestReplica {
  let account: ZoneName
  var models: SyncModels
  var rows: [RecordKey: Row] = [:]
  var edits: [RowEdit] = []
  var owners: [RecordKey: RecordKey] = [:]
  private(set) var base: ZoneStates
  private(set) var outbox: [LocalTransaction] = []
  private(set) var lost: [DroppedChange] = []
  private(set) var cursor: Int64 = 0
  private var writable: Set<ZoneName>
  private var roots = Set<RecordKey>()
  private var clock = HybridTime.zero
  private let session: UInt64

  init(_ account: ZoneName, _ models: SyncModels, session: UInt64) {
    (self.account, self.models, self.session) = (account, models, session)
    (base, writable) = (ZoneStates([account: ZoneState()]), [account])
  }

  var rebased: Rebase { Rebase(base, outbox: outbox, models: models, writable: writable, roots: roots) }

  mutating func capture(now: Int64, moves: [LocalTransaction.Move] = []) {
    guard !edits.isEmpty || !moves.isEmpty else { return }
    clock =
      now > clock.milliseconds
      ? HybridTime(milliseconds: now, counter: 0, replica: session)
      : HybridTime(milliseconds: clock.milliseconds, counter: clock.counter + 1, replica: session)
    let capture = Capture(View(rebased.states, models), rows, edits, at: clock)
    var transaction = LocalTransaction(time: clock, changes: capture.changes)
    (transaction.moves, transaction.owners) = (moves, owners)
    if !transaction.changes.isEmpty || !moves.isEmpty { outbox.append(transaction) }
    (edits, owners) = ([], [:])
    show()
  }

  /// Brings the rows to the view, and gives up what cannot be sent.
  mutating func show() {
    let rebase = rebased
    lost += rebase.dropped
    outbox = rebase.remaining(of: outbox)
    rows = View(rebase.states, models).rows
  }

  mutating func take(_ answer: TestServer.Pulled) {
    let states = answer.zones.keys.map { ($0, answer.whole[$0] ?? base[$0]) }
    base = ZoneStates(Dictionary(uniqueKeysWithValues: states))
    for entry in answer.log { base.reduce(entry) }
    (cursor, roots) = (answer.cursor, answer.roots)
    writable = Set(answer.zones.filter(\.value).keys)
    for record in base.zones.values.flatMap(\.records.values) {
      let times = record.fields.values.map(\.time) + record.edges.values.flatMap { $0.values.map(\.added) }
      clock = max(clock, ([record.born?.time, record.dead].compactMap(\.self) + times).max() ?? .zero)
    }
    outbox.removeAll { answer.taken.contains($0.id) }
    show()
  }
}

/// Replicas and a server: `Group` of the model's cases. `set`, `insert` and `delete` are what a program saves.
final class SyncGroup {
  static let ann = ZoneName.account("ann")
  static let bob = ZoneName.account("bob")
  var server = TestServer()
  var replicas: [TestReplica]
  private var names = 0

  init(_ accounts: ZoneName..., older: Int? = nil) {
    replicas = accounts.enumerated().map { index, account in
      TestReplica(account, index == older ? TestModels.old : TestModels.new, session: UInt64(index + 1))
    }
  }

  func pull(_ index: Int) {
    let replica = replicas[index]
    let answer = server.pull(
      replica.account, cursor: replica.cursor, known: Set(replica.base.zones.keys), unsent: replica.outbox.map(\.id))
    replicas[index].take(answer)
  }

  @discardableResult func push(_ index: Int) -> [TestServer.Answer] {
    let (account, cursor) = (replicas[index].account, replicas[index].cursor)
    var before = Set<UUID>()
    return replicas[index].rebased.transactions.map { transaction in
      defer { before.insert(transaction.id) }
      return server.push(transaction, from: account, cursor: cursor, before: before)
    }
  }

  /// Exchanges everything.
  func sync(_ indices: Int...) {
    for _ in 0..<3 {
      for index in indices.isEmpty ? Array(replicas.indices) : indices {
        pull(index)
        for _ in 0..<10 where !replicas[index].outbox.isEmpty {
          push(index)
          pull(index)
        }
      }
    }
  }

  func insert(
    _ index: Int, _ entity: WireName, _ values: [(ExactText, RowValue)] = []
  ) -> RecordKey {
    names += 1
    let key = RecordKey(replicas[index].account, TraceTables.name(names))
    var row = Row(entity)
    for property in replicas[index].models.classes[entity] ?? [] {
      switch property.kind {
      case .attribute: row.values[property.name] = .value(.null)
      case .toOne, .inverseToOne: row.values[property.name] = .toOne(nil)
      case .list, .members, .inverseMembers: row.values[property.name] = .toMany([])
      }
    }
    replicas[index].rows[key] = row
    replicas[index].edits.append(.insert(key))
    for (name, value) in values { assign(index, key, name, value) }
    replicas[index].capture(now: server.now)
    return key
  }

  /// Changes a row without saving.
  func assign(_ index: Int, _ key: RecordKey, _ name: ExactText, _ value: RowValue) {
    replicas[index].rows[key]?.values[name] = value
    replicas[index].edits.append(.set(key, name))
  }

  func set(_ index: Int, _ key: RecordKey, _ name: ExactText, _ value: RowValue) {
    server.now += 1000
    assign(index, key, name, value)
    replicas[index].capture(now: server.now)
  }

  /// Deletes a row, and with it what a cascade deletes.
  func delete(_ index: Int, _ key: RecordKey, cascading: [RecordKey] = []) {
    server.now += 1000
    for gone in [key] + cascading {
      replicas[index].edits.append(.delete(gone))
      replicas[index].rows[gone] = nil
    }
    for child in cascading { replicas[index].owners[child] = key }
    replicas[index].capture(now: server.now)
  }

  func share(_ index: Int, _ key: RecordKey, _ members: [ZoneName: Bool] = [:]) -> ZoneName {
    let zone = ZoneName.share(ExactText("share\(server.shares.count)"))
    server.shares[zone] = .init(owner: replicas[index].account, root: key.name, members: members)
    pull(index)
    replicas[index].capture(now: server.now, moves: [.init(key, to: zone)])
    sync()
    return zone
  }

  func rows(_ index: Int, _ entity: WireName) -> [RecordKey: Row] {
    replicas[index].rows.filter { $0.value.entity == entity }
  }

  func value(_ index: Int, _ key: RecordKey, _ name: ExactText) -> RowValue? { replicas[index].rows[key]?.values[name] }
  func lost(_ index: Int) -> [DroppedChange.Reason] { replicas[index].lost.map(\.reason) }
}

extension RowValue {
  static func text(_ text: ExactText) -> RowValue { .value(.text(text)) }
  static func number(_ number: Int64) -> RowValue { .value(.integer(number)) }
}
