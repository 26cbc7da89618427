import Foundation
import SwiftData
import SyncProtocol
import Testing
import UntrustedInput

@testable import SyncServer

@Suite("Deleting the log that a snapshot replaced") struct CompactionTests {
  private let parts = (0..<3).map { SnapshotFixture.transaction("part \($0)") }

  @Test(
    "The log, its bytes and the assets that nothing names are gone after the retention, and not before",
    arguments: TestStore.available)
  func retention(_ kind: TestStore) async throws {
    let fixture = try SnapshotFixture(kind)
    let old = try await fixture.put(asset: "old")
    try await fixture.push([SnapshotFixture.transaction(asset: old, size: 3)])
    try await fixture.push(1200)
    try await fixture.snapshot(parts, 1201)
    let later = SnapshotFixture.transaction("later")
    try await fixture.push([later], base: 1201)
    let before = try await fixture.state()
    fixture.clock.advance(days: 29.9)
    #expect(try await fixture.compact() == nil)
    #expect(try await fixture.state() == before)
    fixture.clock.advance(days: 0.2)
    let done = try #require(try await fixture.compact())
    #expect(done.entries == 1201 && done.assets == 1)
    let after = try await fixture.state()
    #expect(after.entries == 1 && after.taken == 1201 && after.parts == 3)
    #expect(after.latest == 1202 && after.compacted == 1201 && !after.isCompacting)
    #expect(after.size == Int64(later.encoded.count) && after.logSize == after.size)
    #expect(done.bytes == before.size - after.size)
    #expect(try await !fixture.hasAsset(old))
    #expect(try await fixture.store.chunks == 0)
    #expect(try await fixture.readAll() == parts + [later])
    // There is nothing more to do.
    #expect(try await fixture.compact() == nil)
  }

  @Test("An asset stays that the snapshot or a later entry names, and one that was sent less than a day ago")
  func assets() async throws {
    let fixture = try SnapshotFixture()
    var names: [String: String] = [:]
    for name in ["in the snapshot", "in a later entry", "nowhere", "in the old log"] {
      names[name] = try await fixture.put(asset: name)
    }
    try await fixture.push([SnapshotFixture.transaction(asset: names["in the old log"]!, size: 14)])
    try await fixture.push(5)
    try await fixture.snapshot(parts + [SnapshotFixture.transaction(asset: names["in the snapshot"]!, size: 15)], 6)
    try await fixture.push([SnapshotFixture.transaction(asset: names["in a later entry"]!, size: 16)], base: 6)
    fixture.clock.advance(days: 31)
    names["fresh"] = try await fixture.put(asset: "fresh")
    // It is sent again, because a change that names it follows.
    _ = try await fixture.put(asset: "nowhere")
    #expect(try await fixture.compact()?.assets == 1)
    for (name, hash) in names {
      #expect(try await fixture.hasAsset(hash) == (name != "in the old log"), "\(name)")
    }
    // The next snapshot frees what nothing names still.
    try await fixture.push(5, base: 7)
    try await fixture.snapshot(parts, 12)
    fixture.clock.advance(days: 31)
    #expect(try await fixture.compact()?.assets == 4)
    #expect(try await fixture.state().size == 0)
  }

  @Test("A sweep keeps an asset that a push references meanwhile")
  func pushMeanwhile() async throws {
    let fixture = try SnapshotFixture()
    let (asset, other) = (try await fixture.put(asset: "asset"), try await fixture.put(asset: "other"))
    try await fixture.push(6)
    try await fixture.snapshot(parts, 6)
    fixture.clock.advance(days: 31)
    _ = try await fixture.store.beginCompaction(fixture.key)
    var sweep = try #require(try await fixture.store.beginSweep(fixture.key, after: ""))
    while try await fixture.store.scanMore(&sweep) {}
    #expect(sweep.unreferenced == [asset, other])
    let push = SnapshotFixture.transaction(asset: asset, size: 5)
    try await fixture.push([push], base: 6)
    var result = CompactionResult(zone: fixture.key)
    while try await fixture.store.deleteUnreferenced(&sweep, &result) {}
    #expect(try await fixture.hasAsset(asset))
    #expect(try await !fixture.hasAsset(other))
    // And one that was sent again.
    let third = try await fixture.put(asset: "third")
    fixture.clock.advance(days: 2)
    sweep = try #require(try await fixture.store.beginSweep(fixture.key, after: ""))
    while try await fixture.store.scanMore(&sweep) {}
    #expect(sweep.unreferenced == [third])
    _ = try await fixture.put(asset: "third")
    while try await fixture.store.deleteUnreferenced(&sweep, &result) {}
    #expect(try await fixture.hasAsset(third))
    // A snapshot that came meanwhile may name others.
    fixture.clock.advance(days: 2)
    sweep = try #require(try await fixture.store.beginSweep(fixture.key, after: ""))
    try await fixture.snapshot([SnapshotFixture.transaction(asset: third, size: 5)], 7)
    await #expect(throws: ZoneStore.SnapshotReplaced.self) {
      while try await fixture.store.scanMore(&sweep) {}
    }
    await #expect(throws: ZoneStore.SnapshotReplaced.self) {
      _ = try await fixture.store.deleteUnreferenced(&sweep, &result)
    }
    #expect(try await fixture.hasAsset(third))
  }

  @Test("What a killed server began to delete, the next one ends", arguments: 0..<4)
  func killed(after steps: Int) async throws {
    let fixture = try SnapshotFixture()
    let asset = try await fixture.put(asset: "asset")
    try await fixture.push([SnapshotFixture.transaction(asset: asset, size: 5)])
    try await fixture.push(1100)
    try await fixture.snapshot(parts, 1101)
    fixture.clock.advance(days: 31)
    var result = CompactionResult(zone: fixture.key)
    #expect(try await fixture.store.beginCompaction(fixture.key))
    for _ in 0..<steps { _ = try await fixture.store.deleteEntries(fixture.key, &result) }
    let middle = try await fixture.state()
    #expect(middle.isCompacting && middle.entries == 1101 - result.entries && middle.taken == result.entries)
    // Readers are not harmed.
    #expect(try await fixture.readAll() == parts)
    #expect(await refusal { _ = try await fixture.changes(after: 3, snapshot: nil) } == .compacted)
    let next = try fixture.another()
    let rest = try #require(try await fixture.compact(next))
    #expect(rest.entries == 1101 - result.entries && rest.assets == 1)
    let end = try await fixture.state()
    #expect(end.entries == 0 && end.taken == 1101 && end.size == 0 && end.logSize == 0 && !end.isCompacting)
  }

  @Test("A server that is killed while it deletes assets leaves the rest to the next one")
  func killedSweep() async throws {
    let fixture = try SnapshotFixture()
    for index in 0..<150 { _ = try await fixture.put(asset: "asset \(index)") }
    try await fixture.push(6)
    try await fixture.snapshot(parts, 6)
    fixture.clock.advance(days: 31)
    var result = CompactionResult(zone: fixture.key)
    _ = try await fixture.store.beginCompaction(fixture.key)
    while try await fixture.store.deleteEntries(fixture.key, &result) {}
    var sweep = try #require(try await fixture.store.beginSweep(fixture.key, after: ""))
    while try await fixture.store.scanMore(&sweep) {}
    #expect(try await fixture.store.deleteUnreferenced(&sweep, &result))
    #expect(result.assets == 100)
    #expect(try await fixture.compact(try fixture.another())?.assets == 50)
    let end = try await fixture.state()
    #expect(end.size == 0 && !end.isCompacting)
  }

  @Test("A device is not told of a log whose beginning another server deletes while it is read")
  func readMeanwhile() async throws {
    let fixture = try SnapshotFixture()
    try await fixture.push(6)
    // As if the zone had been read before the other server began.
    try await fixture.store.loseEntries(fixture.key, through: 3)
    #expect(await refusal { _ = try await fixture.changes(after: 0) } == .unavailable)
    #expect(await refusal { _ = try await fixture.changes(after: 2, snapshot: nil) } == .unavailable)
    #expect(try await fixture.changes(after: 3).entries.map(\.sequence) == [4, 5, 6])
  }

  @Test("Several servers on one database delete at once, while devices push", arguments: TestStore.available)
  func severalServers(_ kind: TestStore) async throws {
    let fixture = try SnapshotFixture(kind)
    let named = try await fixture.put(asset: "named")
    for index in 0..<150 { _ = try await fixture.put(asset: "asset \(index)") }
    try await fixture.push(1500)
    try await fixture.snapshot(parts, 1500)
    fixture.clock.advance(days: 31)
    let servers = try (0..<2).map { _ in try fixture.another() }
    let key = fixture.key
    let deleted = try await withThrowingTaskGroup(of: CompactionResult?.self) { group in
      for server in servers { group.addTask { try await server.compact(key) } }
      group.addTask {
        for _ in 0..<20 {
          try await fixture.push([SnapshotFixture.transaction(asset: named, size: 5)], base: 1500)
        }
        return nil
      }
      return try await group.compactMap(\.self).reduce(into: [CompactionResult]()) { $0.append($1) }
    }
    // Each entry and asset was deleted once.
    #expect(deleted.reduce(0) { $0 + $1.entries } == 1500)
    #expect(deleted.reduce(0) { $0 + $1.assets } >= 150)
    let state = try await fixture.state()
    #expect(state.entries == 20 && state.taken == 1500 && state.latest == 1520 && !state.isCompacting)
    #expect(try await fixture.readAll().count == 23)
    let kept: Int64 = try await fixture.hasAsset(named) ? 5 : 0
    #expect(state.size == state.logSize + kept)
  }

  @Test("The server still tells an account which of its transactions it took, and no other account")
  func known() async throws {
    let fixture = try SnapshotFixture()
    let store = fixture.store
    let share = try await store.createShare(
      CreateShareRequest(root: RecordName("root"), title: ""), account: fixture.ann
    ).zone
    _ = try await store.invite(InviteRequest(account: "bob", permission: .readWrite), to: share, account: fixture.ann)
    _ = try await store.accept(zone: share, account: "bob")
    let (anns, bobs) = (
      (0..<3).map { _ in SnapshotFixture.transaction() }, (0..<3).map { _ in SnapshotFixture.transaction() }
    )
    try await fixture.push(anns, to: share)
    try await fixture.push(bobs, by: "bob", to: share)
    try await fixture.put(parts[0], 0, 5, to: share)
    try await fixture.finish(1, 5, to: share)
    func known(_ account: String, through: Int64? = nil) async throws -> [UUID] {
      let request = KnownRequest(transactions: (anns + bobs).map(\.id) + [UUID()], through: through)
      return try await store.receivedTransactions(request, account: account, zone: share).transactions
    }
    let (before, first) = (bobs.map(\.id), Array(bobs.prefix(2).map(\.id)))
    #expect(try await known("bob") == before)
    #expect(try await known("bob", through: 5) == first)
    #expect(try await known("bob", through: 3).isEmpty)
    fixture.clock.advance(days: 31)
    let done = try await store.compact(ServerZone.key(fixture.ann, share))
    #expect(done.entries == 5)
    #expect(try await known("bob") == before)
    #expect(try await known("bob", through: 5) == first)
    #expect(try await known(fixture.ann) == anns.map(\.id))
    #expect(try await known("carol").isEmpty)
    #expect(try await known("bob", through: 4) == Array(first.prefix(1)))
    #expect(try await known("bob", through: 3).isEmpty)
  }

  @Test("Identities of more transactions than one object holds are kept")
  func manyIdentities() async throws {
    let fixture = try SnapshotFixture()
    var sent: [UUID] = []
    for _ in 0..<5 {
      let transactions = (0..<900).map { _ in SnapshotFixture.transaction() }
      sent += transactions.map(\.id)
      try await fixture.push(transactions)
    }
    try await fixture.snapshot(parts, 4500)
    fixture.clock.advance(days: 31)
    #expect(try await fixture.compact()?.entries == 4500)
    #expect(try await fixture.state().taken == 4500)
    for start in stride(from: 0, to: 4500, by: 900) {
      let some = Array(sent[start..<start + 900])
      let known = try await fixture.store.receivedTransactions(
        KnownRequest(transactions: some), account: fixture.ann, zone: fixture.zone)
      #expect(known.transactions == some)
    }
  }

  @Test("A push of a device that has not seen the deleted log is refused, because that log may have what it sends")
  func oldBase() async throws {
    let fixture = try SnapshotFixture()
    let sent = (0..<6).map { _ in SnapshotFixture.transaction() }
    try await fixture.push(sent)
    try await fixture.snapshot(parts, 6)
    #expect(try await fixture.push(sent, base: 5).sequences == [1, 2, 3, 4, 5, 6])
    fixture.clock.advance(days: 31)
    try await fixture.compact()
    #expect(await refusal { try await fixture.push(sent, base: 5) } == .compacted)
    #expect(try await fixture.push([SnapshotFixture.transaction()], base: 6).sequences == [7])
  }

  @Test("Deleting the old log makes room in a full zone, and the refusal says so")
  func quota() async throws {
    var limits = SnapshotFixture.limits
    limits.zoneSize = 2000
    let fixture = try SnapshotFixture(limits: limits)
    var count: Int64 = 0
    var failure: SyncFailure?
    while failure == nil {
      do {
        try await fixture.push(1, base: count)
        count += 1
      } catch { failure = error as? SyncFailure }
    }
    #expect(failure?.code == .quotaExceeded && failure?.message.contains("30 days after a device") == true)
    #expect(try await fixture.changes(after: count).snapshotWanted != nil)
    try await fixture.snapshot([parts[0]], count)
    fixture.clock.advance(days: 31)
    try await fixture.compact()
    #expect(try await fixture.push(1, base: count).sequences == [Untrusted(count + 1)])
  }

  @Test("A zone of an older server, which did not count the bytes of the log, has them counted")
  func olderServer() async throws {
    let fixture = try SnapshotFixture()
    _ = try await fixture.put(asset: String(repeating: "x", count: 5000))
    try await fixture.push(6)
    let size = try await fixture.state().size
    try await fixture.store.forgetLogSize(fixture.key)
    #expect(try await fixture.changes(after: 6).snapshotWanted == Untrusted(size))
    try await fixture.snapshot(parts, 6)
    let later = try await fixture.push(1, base: 6).sequences
    let entry = try #require(try await fixture.changes(after: 6).entries.first)
    fixture.clock.advance(days: 31)
    try await fixture.compact()
    #expect(try await fixture.state().logSize == Int64(entry.transaction.encoded.count) && later == [7])
  }

  @Test("Snapshots and compactions do not wake the requests that wait for changes")
  func noNews() async throws {
    let fixture = try SnapshotFixture()
    try await fixture.push(6)
    let version = try await fixture.store.listChanges(of: fixture.ann, since: nil).version
    let watch = ZoneWatch(await fixture.store.container, author: "another process")
    await watch.begin()
    let cursor = await watch.cursor
    let waiter = Task { await watch.wait(for: [fixture.key], since: cursor, seconds: 3600) }
    while await watch.count == 0 { await Task.yield() }
    try await fixture.snapshot(parts, 6)
    fixture.clock.advance(days: 31)
    try await fixture.compact()
    try await Task.sleep(for: .milliseconds(400))
    #expect(await watch.wakeCount == 0)
    let changes = try await fixture.store.listChanges(of: fixture.ann, since: version)
    #expect(changes.isPartial && changes.zones.isEmpty)
    // A push is.
    try await fixture.push(1, base: 6)
    await waiter.value
    #expect(await watch.wakeCount == 1)
    #expect(try await fixture.store.listChanges(of: fixture.ann, since: version).zones.map(\.latest) == [7])
    await watch.end()
  }
}

extension ZoneStore {
  /// The number of parts of assets.
  fileprivate var chunks: Int { get throws { try ModelContext(container).fetchCount(FetchDescriptor<ServerChunk>()) } }

  fileprivate func forgetLogSize(_ key: String) throws {
    try transaction { context in try zone(key, context)?.logSize = 0 }
  }

  fileprivate func loseEntries(_ key: String, through last: Int64) throws {
    let context = ModelContext(container)
    try context.delete(
      model: ServerEntry.self, where: #Predicate<ServerEntry> { $0.zone == key && $0.sequence <= last })
    try context.save()
  }
}
