#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("The bookkeeping file of an earlier release")
final class FormerBookkeepingTests {
  private let server = SimulatedServer()
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("former-\(UUID().uuidString)")
  private var file: URL { folder.appendingPathComponent("user.store.sync") }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func container(_ name: String) throws -> ModelContainer {
    let schema = Schema([CellUnique.self, GrowthItem.self])
    return try ModelContainer(
      for: schema,
      configurations: ModelConfiguration(
        schema: schema, url: folder.appendingPathComponent("\(name).store"), cloudKitDatabase: .none))
  }

  private func replica(_ container: ModelContainer, _ secrets: Secrets? = nil) throws -> Replica {
    try Replica(
      user: UserStore(container), secrets: secrets,
      now: { [server] in
        server.now += 1
        return server.now
      })
  }

  private func sync(_ replica: Replica) throws {
    try replica.scan()
    try replica.catchUp()
    try replica.exchange(with: server)
  }

  private func insert(_ names: [String], _ container: ModelContainer, author: String? = nil) throws {
    let context = ModelContext(container)
    context.author = author
    for name in names { context.insert(GrowthItem(name)) }
    try context.save()
  }

  private func names(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<GrowthItem>()).map(\.name).sorted()
  }

  /// Makes the file that an earlier release would have, and removes the tables.
  private func makeFormer(
    _ container: ModelContainer, intent: Data? = nil, _ change: (inout [String: Any]) -> Void = { _ in }
  ) throws {
    let store = try #require(UserStore(container).transactionStore)
    let tables = SyncTables(SyncDatabase(of: store))
    let schema = Schema([
      LedgerPage.self, LedgerObjects.self, LedgerAlias.self, LedgerReference.self, LedgerUnique.self,
      LedgerPending.self, LedgerZone.self, LedgerAsset.self, LedgerConflict.self, LedgerReplica.self,
    ])
    let former = ModelContext(
      try ModelContainer(
        for: schema, configurations: ModelConfiguration("sync", schema: schema, url: file, cloudKitDatabase: .none)))
    for row in try tables.rows(.pages) {
      let page = LedgerPage(number: Int(row[0].syncInteger!), first: row[1].syncText)
      page.records = row[2].syncData!
      former.insert(page)
    }
    for row in try tables.rows(.objects) {
      former.insert(LedgerObjects(group: row[0].syncText, names: row[1].syncData!))
    }
    for row in try tables.rows(.uniques) {
      former.insert(LedgerUnique(text: (row[1] == .null ? row[0] : row[1]).syncText, record: row[2].syncText))
    }
    for row in try tables.rows(.pending) {
      former.insert(
        LedgerPending(number: Int(row[0].syncInteger!), zone: row[1].syncText, transaction: row[2].syncData!))
    }
    for row in try tables.rows(.zones) {
      let zone = LedgerZone(name: row[0].syncText)
      zone.position = row[1].syncInteger
      former.insert(zone)
    }
    former.insert(LedgerAsset(sha256: "x", bytes: Data(repeating: 1, count: 300_000), isOutgoing: true))
    let data = try #require(try tables.rows(.replica).first?[1].syncData)
    var state = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    state["format"] = 2
    state["instance"] = nil
    state["keys"] = ["share-1": [Data([1, 2, 3]).base64EncodedString()]]
    change(&state)
    former.insert(LedgerReplica(state: try JSONSerialization.data(withJSONObject: state), intent: intent))
    try former.save()
    try store.transaction {
      for table in SyncTable.all { try store.execute("DROP TABLE _swiftdata_sync_\(table.name)", []) }
    }
  }

  private func takeOver(_ container: ModelContainer) throws -> Secrets {
    let user = UserStore(container)
    let secrets = try Secrets(at: folder.appendingPathComponent("user.store.sync.keys"))
    try FormerBookkeeping.setAside(file)
    try FormerBookkeeping.takeOver(file, user, SyncDatabase(of: try #require(user.transactionStore)), secrets)
    return secrets
  }

  @Test("is taken over once with all that it has, and kept under another name")
  func takenOver() throws {
    let (first, other) = (try container("user"), try container("other"))
    try sync(replica(first))
    try insert((0..<200).map { "\($0)" }, first)
    let long = String(repeating: "long", count: 100)
    let context = ModelContext(first)
    for code in ["short", long] { context.insert(CellUnique(code)) }
    try context.save()
    let former = try replica(first)
    try sync(former)
    try insert(["unsent"], first)
    try former.scan()
    try makeFormer(first)
    let secrets = try takeOver(first)
    #expect(secrets.keys == ["share-1": [Data([1, 2, 3])]])
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(FileManager.default.fileExists(atPath: file.path + ".old"))
    let mode = try FileManager.default.attributesOfItem(atPath: file.path + ".keys")[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let successor = try replica(first, secrets)
    #expect(successor.ledger.replica.clock.replica == former.ledger.replica.clock.replica)
    #expect(successor.pendingCount == 1 && successor.keyGeneration("share-1") == 1)
    #expect(try successor.ledger.holders().count == 2)
    let otherReplica = try replica(other)
    for replica in [successor, otherReplica, successor] { try sync(replica) }
    let expected = ((0..<200).map { "\($0)" } + ["unsent"]).sorted()
    for container in [first, other] { #expect(try names(container) == expected) }
    let log = server.log.flatMap { $0.transaction.changes.map(\.record) }
    #expect(Set(log).count == log.count)
    // Nothing is taken over twice.
    _ = try takeOver(first)
    #expect(try replica(first).pendingCount == 0)
  }

  @Test("with an import that a crash interrupted has the import come again, with each object once")
  func interrupted() throws {
    let (first, other) = (try container("user"), try container("other"))
    let (former, otherReplica) = (try replica(first), try replica(other))
    for replica in [former, otherReplica] { try sync(replica) }
    try insert(["own"], first)
    try sync(former)
    try insert(["remote"], other)
    try sync(otherReplica)
    var intent = BinaryWriter(capacity: 64)
    intent.text(SyncWire.privateZone)
    intent.fixed(UInt64(bitPattern: try #require(former.ledger.replica.seenTransaction)))
    try makeFormer(first, intent: intent.data)
    // The earlier release saved the object and did not come to its bookkeeping.
    try insert(["remote"], first, author: "sync")
    let successor = try replica(first, takeOver(first))
    for replica in [successor, otherReplica, successor] { try sync(replica) }
    for container in [first, other] { #expect(try names(container) == ["own", "remote"]) }
  }

  @Test("of a store that was restored without it brings back what the store lacks, and keeps what was saved since")
  func restored() throws {
    let (first, other) = (try container("user"), try container("other"))
    let (former, otherReplica) = (try replica(first), try replica(other))
    for replica in [former, otherReplica] { try sync(replica) }
    try insert(["kept", "lacked"], first)
    for replica in [former, otherReplica] { try sync(replica) }
    try makeFormer(first) { state in
      state["seenTransaction"] = 100
      state["seenSave"] = ["number": 100, "date": 0]
    }
    let context = ModelContext(first)
    context.author = "sync"
    for item in try context.fetch(FetchDescriptor<GrowthItem>()) where item.name == "lacked" { context.delete(item) }
    try context.save()
    try insert(["new"], first)
    let successor = try replica(first, takeOver(first))
    for replica in [successor, otherReplica, successor] { try sync(replica) }
    for container in [first, other] { #expect(try names(container) == ["kept", "lacked", "new"]) }
  }

  @Test("of another version is refused")
  func otherFormat() throws {
    let first = try container("user")
    try sync(replica(first))
    try makeFormer(first) { $0["format"] = 1 }
    #expect(throws: ReplicaError.self) { _ = try takeOver(first) }
  }
}
#endif
