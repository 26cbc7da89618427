#if Sync
import Foundation
import SwiftData
import SyncCore
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
  private let dropped = Mutex<String?>(nil)

  /// Keeps requests whose path contains a text from the server. The alteration makes their answers; nil ends it.
  func drop(_ path: String?) { dropped.withLock { $0 = path } }

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
    let isDropped = dropped.withLock { $0.map(request.path.contains) ?? false }
    let reply = isDropped ? SyncReply(status: 500, body: Data()) : try await server.send(request)
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
    let gate = Gate(transport)
    SyncRemote.register(
      database, transport: gate, credentials: SyncCredentials(token: "t", encryptionSecret: secret),
      servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let container = try ModelContainer(
      for: Schema(models),
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
    return (container, try await gate.pausedEngine(of: container))
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
    try await engine.syncNow()
    try insert("a", container)
    transport.alter("/push", SyncLog.PushResponse.self) { $0.time = Untrusted(time) }
    var error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("`push.time` is \(time)") == true)
    transport.alter("/pull", SyncLog.PullResponse.self) { $0.time = Untrusted(time) }
    try insert("b", container)
    error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("`pull.time` is \(time)") == true)
    transport.alter("/push", SyncLog.PushResponse.self) {
      ($0.taken, $0.refusal) = (0, SyncFailure(.clockAhead, "late", time: time))
    }
    error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("`failure.time` is \(time)") == true)
    // The next answers are good, and nothing is lost.
    transport.answer(nil)
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0 && transport.server.log.count == 2)
    await engine.stop()
  }

  @Test("refuses numbers of changes that no log has", arguments: [Int64.min, .max, -1])
  func commits(_ number: Int64) async throws {
    let (container, engine) = try await pausedEngine()
    try await engine.syncNow()
    let (other, sender) = try await pausedEngine()
    try insert("a", other)
    try await sender.syncNow()
    func expectRefusal(_ field: String, _ change: @escaping @Sendable (inout SyncLog.PullResponse) -> Void) async {
      transport.alter("/pull", SyncLog.PullResponse.self, change)
      let error = await refusal(engine)
      #expect(error?.code == .refused && error?.message.contains("`\(field)`") == true, "\(field)")
    }
    await expectRefusal("latest") { $0.latest = number }
    await expectRefusal("cursor") { $0.cursor = number }
    await expectRefusal("entries.0.commit") { response in
      response.entries = response.entries.map { SyncLog.Entry(commit: number, parts: $0.parts) }
    }
    await expectRefusal("epochs.0.start") { $0.epochs = [SyncLog.Epoch(name: UUID(), start: number)] }
    transport.answer(nil)
    try await engine.syncNow()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<EngineTrack>()) == 1)
    for engine in [engine, sender] { await engine.stop() }
  }

  @Test("refuses changes that do not follow those that it has seen")
  func order() async throws {
    let (container, engine) = try await pausedEngine()
    try await engine.syncNow()
    let (other, sender) = try await pausedEngine()
    for title in ["a", "b"] {
      try insert(title, other)
      try await sender.syncNow()
    }
    func expectRefusal(_ change: @escaping @Sendable (inout SyncLog.PullResponse) -> Void) async {
      transport.alter("/pull", SyncLog.PullResponse.self, change)
      let error = await refusal(engine)
      #expect(error?.code == .refused && error?.message.contains("do not follow each other") == true)
    }
    await expectRefusal { $0.entries.reverse() }
    await expectRefusal { $0.entries[0].commit = 0 }
    await expectRefusal { $0.entries[1].commit = $0.cursor + 1 }
    await expectRefusal { $0.latest = 0 }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<EngineTrack>()) == 0)
    transport.answer(nil)
    try await engine.syncNow()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<EngineTrack>()) == 2)
    for engine in [engine, sender] { await engine.stop() }
  }

  @Test("refuses an answer to a push that took another number of transactions", arguments: [Int.min, .max, -1, 0, 7])
  func pushedNumbers(_ number: Int) async throws {
    let (container, engine) = try await pausedEngine()
    try insert("a", container)
    transport.alter("/push", SyncLog.PushResponse.self) { $0.taken = Untrusted(number) }
    #expect(await refusal(engine)?.code == .refused)
    transport.answer(nil)
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0 && transport.server.log.count == 1)
    await engine.stop()
  }

  @Test("ends an exchange whose server has more without end", arguments: [true, false])
  func endlessPull(hasEpochs: Bool) async throws {
    let (container, engine) = try await pausedEngine()
    try await engine.syncNow()
    transport.alter("/pull", SyncLog.PullResponse.self) { response in
      if hasEpochs { response.epochs = [SyncLog.Epoch(name: UUID(), start: 0)] } else { response.latest += 1 }
    }
    let before = transport.server.requests
    let error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("does not send") == true)
    #expect(transport.server.requests - before < 40)
    transport.answer(nil)
    try insert("a", container)
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0 && transport.server.log.count == 1)
    await engine.stop()
  }

  @Test("ends an exchange whose server refuses each cursor, and shows what it showed", arguments: [true, false])
  func refusedCursors(hasMore: Bool) async throws {
    let (container, engine) = try await pausedEngine()
    try insert("a", container)
    try await engine.syncNow()
    transport.answer { request, reply in
      guard request.path.contains("/pull") else { return reply }
      let pull = try SyncWire.decode(SyncLog.PullRequest.self, from: request.body ?? Data())
      guard hasMore, pull.cursor == Untrusted(0) else {
        let failure = SyncFailure(.unknownSequence, "the log ends before the cursor")
        return SyncReply(status: failure.status, body: try SyncWire.encode(failure))
      }
      var response = try SyncWire.decode(SyncLog.PullResponse.self, from: reply.body)
      response.latest += 1
      return SyncReply(status: 200, body: try SyncWire.encode(response))
    }
    let before = transport.server.requests
    let error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains(hasMore ? "does not send" : "ends before") == true)
    #expect(transport.server.requests - before < 40)
    #expect(try ModelContext(container).fetch(FetchDescriptor<EngineTrack>()).map(\.title) == ["a"])
    transport.answer(nil)
    try await engine.syncNow()
    #expect(try ModelContext(container).fetch(FetchDescriptor<EngineTrack>()).map(\.title) == ["a"])
    #expect(engine.status.pendingChanges == 0)
    await engine.stop()
  }

  /// What a faulty server says in turn.
  enum Alternation: CaseIterable { case list, position, start, share }

  @Test("ends an exchange whose server alternates its answers", arguments: Alternation.allCases)
  func alternatingPull(_ kind: Alternation) async throws {
    let (container, engine) = try await pausedEngine()
    try insert("a", container)
    try await engine.syncNow()
    let count = Mutex(0)
    let (zone, share) = (LoopTransport.zone, ZoneName.share("1"))
    transport.alter("/pull", SyncLog.PullResponse.self) { response in
      let number = count.withLock { count in
        count += 1
        return count
      }
      // A client without a bound fails the test and does not hang.
      guard number < 300 else { return }
      response.latest += 1
      let position = "\(number % 2)"
      let name = RecordName("r")
      var record = Registers()
      record.born = Stamped(HybridTime(milliseconds: 1, counter: 0, replica: 7), "EngineTrack")
      switch kind {
      case .list, .share:
        let names = kind == .list || number.isMultiple(of: 4) ? [zone] : [zone, share]
        let zones = names.map { SyncLog.ReadableZone(name: $0, owner: LoopTransport.account, isWritable: true) }
        response.list = SyncLog.ZoneList(version: position, zones: zones, invitations: 0)
        if names.count > 1 {
          response.loads = [SyncLog.ZoneLoad(zone: share, isStart: true, records: [name: record], position: nil)]
        }
      case .position, .start:
        response.loads = [
          SyncLog.ZoneLoad(
            zone: zone, isStart: kind == .start || number == 1, records: [name: record], position: position)
        ]
      }
    }
    let error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("does not send") == true)
    #expect(count.withLock { $0 } < 80)
    transport.answer(nil)
    try await engine.syncNow()
    let tracks = try ModelContext(container).fetch(FetchDescriptor<EngineTrack>())
    #expect(tracks.map(\.title) == ["a"] && engine.status.pendingChanges == 0)
    await engine.stop()
  }

  @Test("sends what it has although the key of a share cannot be read")
  func damagedKey() async throws {
    let (container, engine) = try await pausedEngine([EngineSecret.self], secret: "secret")
    let context = ModelContext(container)
    context.insert(EngineSecret("a"))
    try context.save()
    transport.answer { request, reply in
      if request.path.hasSuffix("/share-1/keys") {
        let keys = ZoneKeys(
          generation: 1, ownerKey: Data(repeating: 9, count: AccountKey.size), wrapped: Data(repeating: 1, count: 80),
          wrappedGeneration: 1, isWrappedByOwner: true, previous: [], isStale: false, participants: [])
        return SyncReply(status: 200, body: try SyncWire.encode(keys))
      }
      guard request.path.contains("/pull") else { return reply }
      var response = try SyncWire.decode(SyncLog.PullResponse.self, from: reply.body)
      guard response.list != nil else { return reply }
      let share = SyncLog.ReadableZone(name: .share("1"), owner: "b", isWritable: true, keyGeneration: 1)
      response.list?.zones.append(share)
      response.loads.append(SyncLog.ZoneLoad(zone: share.name, isStart: true, position: nil))
      return SyncReply(status: 200, body: try SyncWire.encode(response))
    }
    let error = await refusal(engine)
    #expect(error?.code == .encryptionKey && error?.message.contains("a key of the share of b cannot be read") == true)
    #expect(transport.server.log.count == 1 && engine.status.pendingChanges == 0)
    await engine.stop()
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
    try await engine.syncNow()
    try insert("a", container)
    transport.answer { request, reply in
      guard request.path.contains("/push") else { return reply }
      let now = Int64(Date().timeIntervalSince1970 * 1000)
      return SyncReply(
        status: 200, body: try SyncWire.encode(SyncLog.PushResponse(taken: 1, refusal: nil, time: now)))
    }
    transport.drop("/push")
    let error = await refusal(engine)
    #expect(error?.code == .refused && error?.message.contains("its log lacks them") == true)
    #expect(engine.status.pendingChanges == 1)
    await engine.stop()
  }

  @Test(
    "ends an exchange that the server refuses again and again with a reason to try again",
    arguments: [SyncFailure.Code.clockAhead, .behind, .moved, .missingAsset, .forbidden])
  func endlessRefusals(_ code: SyncFailure.Code) async throws {
    let (container, engine) = try await pausedEngine()
    try insert("a", container)
    try await engine.syncNow()
    try insert("b", container)
    let time = Mutex(Int64(Date().timeIntervalSince1970 * 1000))
    transport.drop("/push")
    transport.answer { request, reply in
      guard request.path.contains("/push") else { return reply }
      // Each time is earlier than the one before, so that all changes are always too far ahead.
      let time = time.withLock { time in
        time -= 3_600_000
        return time
      }
      let refusal = SyncFailure(code, "again", time: time)
      return SyncReply(
        status: 200, body: try SyncWire.encode(SyncLog.PushResponse(taken: 0, refusal: refusal, time: time)))
    }
    let before = transport.server.requests
    let error = await refusal(engine)
    #expect(error?.code == (code == .forbidden ? .forbidden : .refused))
    #expect(transport.server.requests - before < 40)
    transport.drop(nil)
    transport.answer(nil)
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0 && transport.server.log.count == 2)
    await engine.stop()
  }

  @Test(
    "names the change that the server refuses for good, and how many wait for it",
    arguments: [(.tooLarge, false), (.tooLarge, true), (.invalid, false), (.quotaExceeded, false)]
      as [(SyncFailure.Code, Bool)])
  func refusedChange(_ code: SyncFailure.Code, isWholeRequest: Bool) async throws {
    let (container, engine) = try await pausedEngine()
    try await engine.syncNow()
    for title in ["a", "b"] {
      try insert(title, container)
      try await engine.capture()
    }
    transport.drop("/push")
    transport.answer { request, reply in
      guard request.path.contains("/push") else { return reply }
      let refusal = SyncFailure(code, "the reason")
      if isWholeRequest { return SyncReply(status: refusal.status, body: try SyncWire.encode(refusal)) }
      let now = Int64(Date().timeIntervalSince1970 * 1000)
      return SyncReply(
        status: 200, body: try SyncWire.encode(SyncLog.PushResponse(taken: 0, refusal: refusal, time: now)))
    }
    let message = try #require(await refusal(engine)).message
    #expect(message.contains("the reason") && message.contains("1 record of EngineTrack"))
    #expect(message.contains("1 later transaction waits"))
    #expect(engine.status.error?.message == message && engine.status.pendingChanges == 2)
    transport.drop(nil)
    transport.answer(nil)
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0)
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
    let (container, engine) = try await pausedEngine()
    let share = SyncLog.ReadableZone(name: .share("1"), owner: "b", isWritable: true)
    transport.alter("/pull", SyncLog.PullResponse.self) {
      guard let zones = $0.list?.zones else { return }
      $0.list?.zones = zones + [share, share] + zones
    }
    // The server of the test never sends the share.
    _ = try? await engine.syncNow()
    #expect(try await engine.knownZones() == [LoopTransport.zone, .share("1")])
    await engine.stop()
    withExtendedLifetime(container) {}
  }

  @Test("deletes a chain of 100,000 records that own one another")
  func longChain() throws {
    let container = try ModelContainer(
      for: ChainLink.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    let models = SyncModels(UserStore(container).schema)
    let (zone, time) = (ZoneName.account("a"), HybridTime(milliseconds: 1, counter: 0, replica: 7))
    let names = (0..<100_000).map { RecordName("link-\($0)") }
    var state = ZoneState()
    for (index, name) in names.enumerated() {
      var link = Registers()
      link.born = Stamped(time, "ChainLink")
      if index + 1 < names.count { link.fields["next"] = Stamped(time, .reference(Reference(names[index + 1]))) }
      state.records[name] = link
    }
    #expect(View(ZoneStates([zone: state]), models).rows.count == names.count)
    state.records[names[0]]?.dead = HybridTime(milliseconds: 2, counter: 0, replica: 7)
    #expect(View(ZoneStates([zone: state]), models).rows.isEmpty)
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
    writer.byte(6)
    writer.text("abc")
    writer.number(size)
    #expect(throws: DecodingError.self) { try RegisterValue(encoded: writer.data) }
  }
}

extension SyncEngine {
  fileprivate func knownZones() throws -> Set<ZoneName> { try replica().zones }
  fileprivate func capture() throws { try replica().capture() }
}
#endif
