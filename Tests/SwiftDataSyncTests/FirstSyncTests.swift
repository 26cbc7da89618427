#if Sync
import Foundation
import SyncProtocol
import Testing

@testable import SwiftData
@testable import SwiftDataSync

@Suite("The first sync of a large zone") struct FirstSyncTests {
  private let server = SimulatedServer()
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: GrowthItem.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    // What another replica sent: 60 transactions of 50 objects.
    var random = SeededGenerator(seed: 1)
    for number in 0..<60 {
      let time = HybridTime(milliseconds: server.now + Int64(number), counter: 0, replica: 9)
      let changes = (0..<50).map { index in
        var change = RecordChange(RecordName(milliseconds: time.milliseconds, using: &random), "GrowthItem")
        change.fields["name"] = FieldWrite(.text("\(number) \(index)"), time, over: nil)
        return change
      }
      let transaction = SyncTransaction(id: UUID(), replica: 9, changes: changes)
      _ = try server.push(PushRequest(base: 0, transactions: [transaction]))
    }
  }

  private func replica(_ checkpoint: @escaping (Replica.Checkpoint) throws -> Void = { _ in }) throws -> Replica {
    try Replica(
      user: UserStore(container), now: { [server] in server.now },
      random: SeededGenerator(seed: 2), checkpoint: checkpoint)
  }

  /// How many records, values and objects a replica has in memory.
  private func held(_ replica: Replica) -> Int {
    let ledger = replica.ledger
    return ledger.records.count + ledger.aliases.count + ledger.pending.count + replica.view.states.count
  }

  @Test("A replica holds as much after the last part as after the first one")
  func flatMemory() throws {
    let zone = SyncWire.privateZone
    var (most, duringImports) = (0, [Int]())
    weak var observed: Replica?
    let replica = try replica { checkpoint in
      if checkpoint == .writing, let observed { most = max(most, held(observed)) }
    }
    observed = replica
    try replica.scan()
    var after: [Int] = []
    while case let response = server.changes(after: replica.position(zone), limit: 5, replica: 0),
      !response.entries.isEmpty
    {
      _ = try replica.didPull(response, zone: zone)
      after.append(held(replica))
      duringImports.append(most)
      most = 0
    }
    #expect(after.count == 12)
    #expect(Set(after).count == 1, "\(after)")
    #expect(after[0] < 10)
    // In the middle of a part it has the part. The first one has no row to find yet.
    #expect(Set(duringImports.dropFirst()).count == 1, "\(duringImports)")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<GrowthItem>()) == 3000)
  }

  @Test(
    "A device that makes a snapshot, and one that reads it, hold as much after the last part as after the first one")
  func snapshot() throws {
    let zone = SyncWire.privateZone
    let maker = try replica()
    while case let response = server.changes(after: maker.position(zone), limit: 5, replica: 0),
      !response.entries.isEmpty
    {
      _ = try maker.didPull(response, zone: zone)
    }
    try maker.catchUp()
    var snapshot = try #require(try maker.beginSnapshot(zone: zone))
    var (parts, making) = ([SyncTransaction](), [Int]())
    while !snapshot.isComplete {
      parts.append(try #require(try maker.nextPart(of: &snapshot, limit: 100)))
      making.append(held(maker))
    }
    #expect(parts.count == 30 && Set(making).count == 1, "\(making)")
    server.take(SnapshotInfo(through: snapshot.through, rules: snapshot.rules), parts, of: "a")
    server.deleteLog()

    let store = try ModelContainer(
      for: GrowthItem.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    let reader = try Replica(
      user: UserStore(store), now: { [server] in server.now },
      random: SeededGenerator(seed: 3))
    try reader.scan()
    var reading: [Int] = []
    while case let response = try server.changes(
      after: reader.position(zone), snapshot: reader.ledger.places.unfinishedSnapshot(zone) ?? 0, limit: 5, replica: 1),
      !response.entries.isEmpty
    {
      _ = try reader.didPull(response, zone: zone)
      reading.append(held(reader))
    }
    #expect(reading.count == 6 && Set(reading).count == 1, "\(reading)")
    #expect(try ModelContext(store).fetchCount(FetchDescriptor<GrowthItem>()) == 3000)
  }

  @Test(
    "A replica that was killed in the middle goes on where it stopped, with each object once",
    arguments: [CrashPoint.statement(0), .statement(1), .statement(2), .statement(3), .statement(4), .commit(0)])
  func resumes(_ crash: CrashPoint) throws {
    let zone = SyncWire.privateZone
    var (served, parts) = (0, 0)
    func pull(_ replica: Replica) throws {
      try replica.scan()
      while case let response = server.changes(after: replica.position(zone), limit: 5, replica: 0),
        !response.entries.isEmpty
      {
        served += response.entries.count
        parts += 1
        _ = try replica.didPull(response, zone: zone)
      }
    }
    var crashesAt: CrashPoint? = crash
    let killed = try replica { checkpoint in if parts == 6 { try crashesAt.pass(checkpoint) } }
    #expect(throws: SimulatedCrash.self) { try pull(killed) }
    parts = 100
    let replica = try replica()
    #expect(replica.position(zone) >= 25)
    try pull(replica)
    // At most the part that was under way came twice.
    #expect(served <= 65)
    let names = try ModelContext(container).fetch(FetchDescriptor<GrowthItem>()).map(\.name)
    #expect(names.count == 3000 && Set(names).count == 3000)
  }
}
#endif
