import Foundation
import SyncProtocol
import Testing
import UntrustedInput

@testable import SwiftData
@testable import SyncServer

@Suite("The cost of requests to the server") struct ServerGrowthTests {
  private func transaction() -> SyncTransaction {
    var change = RecordChange(RecordName(UUID().uuidString), "Note")
    change.fields["text"] = FieldWrite(.text("a"), HybridTime(milliseconds: 1000, counter: 0, replica: 1), over: nil)
    return SyncTransaction(id: UUID(), replica: 1, changes: [change])
  }

  /// What sending one change and reading it costs in a zone with so many transactions.
  private func cost(_ count: Int) async throws -> (statements: [Int], steps: Int) {
    let folder = try TestFolder()
    let store = ZoneStore(try ZoneStore.container(at: folder.path("server.store")), ServerLimits()) {
      1_800_000_000_000
    }
    for start in stride(from: 0, to: count, by: 500) {
      let part = (start..<min(start + 500, count)).map { _ in transaction() }
      _ = try await store.push(
        PushRequest(base: 0, transactions: part), account: "ann", zone: SyncWire.privateZone)
    }
    let statements = try await store.statements(of: transaction(), after: Int64(count))
    return (statements, try await store.steps(of: transaction(), after: Int64(count) + 1))
  }

  @Test("One change costs the same number of statements, whatever the length of the zone's log")
  func oneChange() async throws {
    let (small, large) = (try await cost(10), try await cost(3000))
    #expect(small.statements == large.statements)
    // The rows that SQLite visits are as many, too.
    #expect(large.steps < small.steps + small.steps / 10, "\(small.steps) became \(large.steps)")
  }

  @Test("Whether the server wants a snapshot, and whether there is one, costs no statement of a push or of a read")
  func snapshots() async throws {
    let fixture = try SnapshotFixture()
    try await fixture.push(10)
    let zone = SyncWire.privateZone
    func cost(after sequence: Int64, knowsSnapshots: Bool) async throws -> [Int] {
      try await fixture.store.statements(
        of: transaction(), after: sequence, account: fixture.ann, knowsSnapshots: knowsSnapshots)
    }
    // The first request reads the list of the account's zones.
    _ = try await cost(after: 10, knowsSnapshots: false)
    let without = try await cost(after: 11, knowsSnapshots: false)
    #expect(try await cost(after: 12, knowsSnapshots: true) == without)
    try await fixture.snapshot([transaction(), transaction()], 13)
    #expect(try await cost(after: 13, knowsSnapshots: true) == without)
    // Parts cost as many statements as entries.
    let (log, parts) = (
      try await fixture.store.statements { store in
        _ = try store.changes(after: 13, account: fixture.ann, zone: zone, snapshot: 0)
      },
      try await fixture.store.statements { store in
        _ = try store.changes(after: 0, account: fixture.ann, zone: zone, snapshot: 0)
      }
    )
    #expect(log == parts)
    fixture.clock.advance(days: 31)
    try await fixture.compact()
    _ = try await cost(after: 14, knowsSnapshots: true)
    #expect(try await cost(after: 15, knowsSnapshots: true) == without)
  }

  @Test("A message in one share costs the same statements, rows and bytes, whatever the number of the account's shares")
  func manyShares() async throws {
    func cost(shares count: Int) async throws -> (statements: Int, steps: Int, bytes: Int) {
      let folder = try TestFolder()
      let container = try ZoneStore.container(at: folder.path("server.store"))
      let store = ZoneStore(container, ServerLimits()) { 1_800_000_000_000 }
      let zones = try await ZoneListTests.shares(count, store)
      let (statements, bytes) = try await store.message(in: zones[0]) { body in
        try SQLTrace.record(body).statements.count
      }
      return (statements, try await store.message(in: zones[0]) { try SQLTrace.steps(of: $0) }.cost, bytes)
    }
    let (few, many) = (try await cost(shares: 3), try await cost(shares: 60))
    #expect(few.statements == many.statements)
    #expect(many.steps < few.steps + few.steps / 5, "\(few.steps) became \(many.steps)")
    #expect(many.bytes < few.bytes + 20, "\(few.bytes) became \(many.bytes)")
  }
}

extension ZoneStore {
  /// The numbers of statements of a push and of the request that reads what was pushed.
  fileprivate func statements(
    of transaction: SyncTransaction, after sequence: Int64, account: String = "ann", knowsSnapshots: Bool = false
  ) throws -> [Int] {
    let zone = SyncWire.privateZone
    let sent = try SQLTrace.record {
      _ = try push(
        PushRequest(base: sequence, transactions: [transaction]), account: account, zone: zone,
        knowsSnapshots: knowsSnapshots)
    }
    var body = Data()
    let read = try SQLTrace.record {
      body = try changes(after: Untrusted(sequence), account: account, zone: zone, snapshot: knowsSnapshots ? 0 : nil)
    }
    #expect(try SyncWire.decode(ChangesResponse.self, from: body).entries.map(\.transaction) == [transaction])
    return [sent.statements.count, read.statements.count]
  }

  fileprivate func statements(_ body: @Sendable (isolated ZoneStore) throws -> Void) throws -> Int {
    try SQLTrace.record { try body(self) }.statements.count
  }

  /// A message of Ann to Bob, from sending to reading.
  /// - Returns: what it cost, and the bytes of the lists.
  fileprivate func message(in zone: String, _ measure: (() throws -> Void) throws -> Int) throws -> (
    cost: Int, bytes: Int
  ) {
    // The clients have lists from before.
    let version = try listChanges(of: "bob", since: nil).version
    let shared = try shares(of: "bob", since: nil).version
    var bytes = 0
    let cost = try measure {
      _ = try push(PushRequest(base: 0, transactions: [ZoneListTests.transaction()]), account: "ann", zone: zone)
      let list = try listChanges(of: "bob", since: version)
      #expect(list.zones.map(\.name) == [zone])
      bytes += try SyncWire.encode(list.zones).count
      bytes += try changes(after: 0, account: "bob", zone: SyncWire.privateZone, since: version).count
      bytes += try SyncWire.encode(try shares(of: "bob", since: shared)).count
    }
    return (cost, bytes)
  }

  /// The steps of SQLite's virtual machine.
  fileprivate func steps(of transaction: SyncTransaction, after sequence: Int64) throws -> Int {
    let zone = SyncWire.privateZone
    return try SQLTrace.steps {
      _ = try push(PushRequest(base: sequence, transactions: [transaction]), account: "ann", zone: zone)
      _ = try changes(after: Untrusted(sequence), account: "ann", zone: zone)
    }
  }
}
