#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Synchronization
import Testing
import UntrustedInput

@testable import SwiftDataSync

@Model final class ChainLink {
  var name: String = ""
  @Relationship(deleteRule: .cascade, inverse: \ChainLink.previous) var next: ChainLink?
  var previous: ChainLink?
  init() {}
}

/// A server whose answers a test changes on their way.
final class AlteringTransport: SyncTransport {
  typealias Alteration = @Sendable (SyncRequest, SyncReply) throws -> SyncReply

  let server = LoopTransport()
  private let alteration = Mutex<Alteration?>(nil)

  /// Changes the answers to requests whose path contains a text.
  func alter<Message: Codable & Sendable>(
    _ path: String, _ type: Message.Type, _ change: @escaping @Sendable (inout Message) -> Void
  ) {
    answer { request, reply in
      guard request.path.contains(path) else { return reply }
      var message = try SyncWire.decode(Message.self, from: reply.body)
      change(&message)
      return SyncReply(status: 200, body: try SyncWire.encode(message))
    }
  }

  func answer(_ alteration: Alteration?) { self.alteration.withLock { $0 = alteration } }

  func send(_ request: SyncRequest) async throws -> SyncReply {
    let reply = try await server.send(request)
    return try alteration.withLock { $0 }?(request, reply) ?? reply
  }
}

/// B4: a faulty or hostile server ends no client. An exchange with it ends with an error that names the answer and the field.
@Suite("B4: a client and the answers of a hostile server", .serialized, .timeLimit(.minutes(20)))
struct HostileAnswerTests {
  private let transport = AlteringTransport()

  /// A store with an unsent object. Its engine exchanges changes only when a test asks for it.
  private func pausedEngine(
    _ models: [any PersistentModel.Type] = [EngineTrack.self], secret: String? = nil
  ) async throws -> (ModelContainer, SyncEngine) {
    let database = "iCloud.com.example.\(UUID().uuidString)"
    SyncServer.register(
      database, transport: transport, credentials: SyncCredentials(token: "t", encryptionSecret: secret),
      servesAutomatic: false)
    defer { SyncServer.unregister(database) }
    let container = try ModelContainer(
      for: Schema(models),
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
    let engine = try #require(container.syncEngines.first)
    await engine.pause()
    return (container, engine)
  }

  private func insert(_ title: String, _ container: ModelContainer, cover: Data? = nil) throws {
    let context = ModelContext(container)
    let track = EngineTrack(id: title, title: title)
    track.cover = cover
    context.insert(track)
    try context.save()
  }

  /// What an exchange throws.
  private func refusal(_ engine: SyncEngine) async -> SyncError? {
    await #expect(throws: SyncError.self) { try await engine.syncNow() }
  }

  @Test("refuses the time of an answer that no clock has", arguments: [Int64.min, .max, -1])
  func times(_ time: Int64) async throws {
    let (container, engine) = try await pausedEngine()
    try insert("a", container)
    transport.alter("/push", PushResponse.self) { $0.time = Untrusted(time) }
    var error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("`push.time` is \(time)") == true)
    transport.alter("/changes", ChangesResponse.self) { $0.time = Untrusted(time) }
    try insert("b", container)
    error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("`changes.time` is \(time)") == true)
    transport.answer { request, reply in
      guard request.path.contains("/push") else { return reply }
      return SyncReply(status: 400, body: try SyncWire.encode(SyncFailure(.clockAhead, "late", time: time)))
    }
    error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("`failure.time` is \(time)") == true)
    // The next answers are good, and nothing is lost.
    transport.answer(nil)
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0 && transport.server.log.count == 2)
    await engine.stop()
  }

  @Test("refuses sequence numbers that no log has", arguments: [Int64.min, .max, -1])
  func sequenceNumbers(_ number: Int64) async throws {
    let (container, engine) = try await pausedEngine()
    let (other, sender) = try await pausedEngine()
    try insert("a", other)
    try await sender.syncNow()
    transport.alter("/changes", ChangesResponse.self) { $0.latest = Untrusted(number) }
    var error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("`changes.latest` is \(number)") == true)
    transport.alter("/changes", ChangesResponse.self) { response in
      response.entries = response.entries.map {
        LogEntry(sequence: number, account: $0.account, transaction: $0.transaction)
      }
    }
    error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("entries.0.sequence") == true)
    transport.alter("/changes", ChangesResponse.self) {
      $0.zones = [ZoneInfo(name: SyncWire.privateZone, owner: "a", isWritable: true, latest: number)]
    }
    error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("zones.0.latest") == true)
    transport.alter("/changes", ChangesResponse.self) { $0.snapshot = SnapshotInfo(through: number, rules: "") }
    error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("snapshot.through") == true)
    transport.answer(nil)
    try await engine.syncNow()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<EngineTrack>()) == 1)
    for engine in [engine, sender] { await engine.stop() }
  }

  @Test("takes in what the log has after an answer to a push with other numbers", arguments: [Int64.min, .max, 0, 7])
  func pushedNumbers(_ number: Int64) async throws {
    let (container, engine) = try await pausedEngine()
    try insert("a", container)
    transport.alter("/push", PushResponse.self) { $0.sequences = [Untrusted(number)] }
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0 && transport.server.log.count == 1)
    await engine.stop()
  }

  @Test("refuses generations of keys that no share has", arguments: [Int.min, .max, -1, 0, 3])
  func generations(_ generation: Int) throws {
    let keys = ZoneKeys(
      generation: generation, ownerKey: nil, wrapped: Data([1]), wrappedGeneration: generation, isWrappedByOwner: false,
      previous: [], isStale: false, participants: [])
    #expect(throws: (any Error).self) { try Replica.all(keys, newest: ZoneKey(Data(count: 32)), "share-1") }
  }

  @Test("waits a day at most where the server asks for more", arguments: [1e300, .greatestFiniteMagnitude, 86_401])
  func retryAfter(_ seconds: Double) async throws {
    let failure = SyncFailure(.rateLimited, "wait", retryAfter: seconds)
    #expect(SyncError(failure).retryAfter == 86_400)
    let (container, engine) = try await pausedEngine()
    transport.server.refuse(failure)
    await engine.resume()
    try insert("a", container)
    while engine.status.error == nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(engine.status.error?.code == .offline)
    await engine.stop()
  }

  @Test("ends an exchange whose changes the server accepts and does not keep")
  func lostChanges() async throws {
    let (container, engine) = try await pausedEngine()
    try insert("a", container)
    transport.alter("/push", PushResponse.self) { $0.sequences = [9] }
    transport.answer { request, reply in
      guard request.path.contains("/push") || request.path.contains("/changes") else { return reply }
      let now = Int64(Date().timeIntervalSince1970 * 1000)
      let isPush = request.path.contains("/push")
      return SyncReply(
        status: 200,
        body: isPush
          ? try SyncWire.encode(PushResponse(sequences: [9], time: now))
          : try SyncWire.encode(ChangesResponse(entries: [], latest: 0, compacted: 0, time: now)))
    }
    let error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("does not have them") == true)
    #expect(engine.status.pendingChanges == 1)
    await engine.stop()
  }

  @Test(
    "ends an exchange that the server refuses again and again with a reason to try again",
    arguments: [SyncFailure.Code.clockAhead, .compacted, .unknownSequence, .missingAsset])
  func endlessRefusals(_ code: SyncFailure.Code) async throws {
    let (container, engine) = try await pausedEngine()
    try insert("a", container)
    try await engine.syncNow()
    try insert("b", container)
    let time = Mutex(Int64(Date().timeIntervalSince1970 * 1000))
    transport.answer { request, _ in
      // Each time is earlier than the one before, so that all changes are always too far ahead.
      let time = time.withLock { time in
        time -= 3_600_000
        return time
      }
      return SyncReply(status: 400, body: try SyncWire.encode(SyncFailure(code, "again", time: time)))
    }
    let before = transport.server.requests
    #expect(await refusal(engine)?.code == .refused)
    #expect(transport.server.requests - before < 40)
    transport.answer(nil)
    try await engine.syncNow()
    await engine.stop()
  }

  @Test("ends the upload of an asset of which the server says that it has none", arguments: [Int64.min, .max, 0])
  func endlessUpload(_ size: Int64) async throws {
    let (container, engine) = try await pausedEngine()
    try await engine.syncNow()
    try insert("a", container, cover: Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) }))
    transport.alter("/assets/", AssetState.self) { $0 = AssetState(size: size, isComplete: false) }
    #expect(await refusal(engine)?.code == .refused)
    #expect(transport.server.requests < 20)
    transport.answer(nil)
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0)
    await engine.stop()
  }

  @Test("takes one of two zones with one name")
  func zonesTwice() async throws {
    let (container, engine) = try await pausedEngine([EngineSecret.self], secret: "secret")
    let share = ZoneInfo(name: "share-1", owner: "b", isWritable: true, latest: 0)
    transport.alter("/changes", ChangesResponse.self) {
      let own = ZoneInfo(name: SyncWire.privateZone, owner: "a", isWritable: true, latest: 0)
      $0.zones = [own, share, share, own]
    }
    // Whether the server of the test, which has no keys, fails the exchange does not matter.
    _ = try? await engine.syncNow()
    let generations = try await engine.generations()
    #expect(generations == ["share-1": 0])
    await engine.stop()
    withExtendedLifetime(container) {}
  }

  @Test("deletes a chain of 100,000 records that own one another")
  func longChain() throws {
    let group = try ReplicaGroup([ChainLink.self], count: 1)
    let replica = group.replicas[0]
    let fold = replica.makeFold(over: replica.ledger)
    let time = HybridTime(milliseconds: 1, counter: 0, replica: 7)
    let names = (0..<100_000).map { RecordName("link-\($0)") }
    let changes = names.indices.map { index in
      var change = RecordChange(names[index], "ChainLink")
      let next: FieldValue = index + 1 < names.count ? .record(names[index + 1]) : .null
      change.fields["next"] = FieldWrite(next, time, over: nil)
      return change
    }
    try fold.apply(changes, zone: SyncWire.privateZone)
    var deletion = RecordChange(names[0], "ChainLink")
    deletion.deleted = HybridTime(milliseconds: 2, counter: 0, replica: 7)
    try fold.apply([deletion], zone: SyncWire.privateZone)
    #expect(fold.deleted.count == names.count)
    #expect(try fold.isAlive(names[names.count - 1]) == false)
  }

  @Test("makes a place between places of a million digits")
  func longPlaces() {
    let low = String(repeating: "8", count: 1_000_000)
    let key = FractionalKey.between(low, low + "8")
    #expect(low < key && key < low + "8")
    #expect(FractionalKey.between(low, nil) > low)
  }

  @Test("refuses an asset of an impossible size", arguments: [UInt64.max, 1 << 63, 1 << 41])
  func assetSizes(_ size: UInt64) throws {
    var writer = BinaryWriter()
    writer.byte(7)
    writer.text("abc")
    writer.number(size)
    #expect(throws: DecodingError.self) { try FieldValue(encoded: writer.data) }
  }
}

extension SyncEngine {
  fileprivate func generations() throws -> [String: Int]? { try replica().keyGenerations }
}
#endif
