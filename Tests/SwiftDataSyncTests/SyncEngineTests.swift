#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Model final class EngineTrack {
  @Attribute(.unique) var id: String = UUID().uuidString
  var title: String = ""
  var lastModified: Date = Date()
  var deviceID: String = ""
  @Attribute(.externalStorage) var cover: Data?
  init(id: String, title: String, deviceID: String = "") {
    (self.id, self.title, self.deviceID) = (id, title, deviceID)
  }
}
@Model final class EngineSecret {
  @Attribute(.allowsCloudEncryption) var text: String = ""
  init(_ text: String) { self.text = text }
}
@Model final class EngineStrict {
  var track: EngineTrack
  init(_ track: EngineTrack) { self.track = track }
}

@Suite("Containers that sync", .serialized, .timeLimit(.minutes(20)))
struct SyncEngineTests {
  private let transport = LoopTransport()
  private let database = "iCloud.com.example.\(UUID().uuidString)"

  private func container(
    _ models: [any PersistentModel.Type] = [EngineTrack.self], secret: String? = nil,
    resolvers: [any ConflictResolver] = []
  ) throws -> ModelContainer {
    // Other suites of the process make containers meanwhile, whose database is automatic.
    SyncRemote.register(
      database, transport: transport, credentials: SyncCredentials(token: "t", encryptionSecret: secret),
      resolvers: resolvers, servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    return try ModelContainer(
      for: Schema(models),
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
  }

  private func engine(_ container: ModelContainer) throws -> SyncEngine { try #require(container.syncEngines.first) }

  private func titles(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<EngineTrack>(sortBy: [SortDescriptor(\.title)])).map(\.title)
  }

  private func insert(_ title: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(EngineTrack(id: title, title: title))
    try context.save()
  }

  /// Waits as long as it takes, because the machine may be busy. The time limit of the suite ends a wait without a result.
  private func wait(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test("Two containers of one database show each other's objects without a further call")
  func background() async throws {
    let (one, other) = (try container(), try container())
    try insert("a", one)
    try insert("b", other)
    try await wait { try titles(one) == ["a", "b"] && titles(other) == ["a", "b"] }
    try await engine(one).stop()
    try await engine(other).stop()
  }

  @Test("The first request for news is answered at once, also after a pause")
  func firstWait() async throws {
    let container = try container()
    try await wait { transport.waits.count == 2 }
    #expect(transport.waits == [0, 25])
    try await engine(container).pause()
    try await engine(container).resume()
    try await wait { transport.waits.count == 4 }
    #expect(transport.waits == [0, 25, 0, 25])
    try await engine(container).stop()
  }

  @Test("A large save gets through a slow line")
  func slowLine() async throws {
    let one = try container()
    let engine = try engine(one)
    // The sync in the background would ask for what was just sent.
    await engine.pause()
    try await engine.syncNow()
    transport.setLine(bytesPerSecond: 24_000)
    try saveMegabytes(one)
    try await engine.syncNow()
    #expect(engine.status.pendingChanges == 0 && transport.log.count == 1)
    await engine.stop()
  }

  @Test("Large changes arrive over a slow line, the next ones without a timeout, also after other small answers")
  func slowAnswers() async throws {
    let one = try container()
    let engine = try engine(one)
    await engine.pause()
    // What a store has before it syncs is divided.
    try await engine.syncNow()
    for _ in 0..<2 {
      try saveMegabytes(one)
      try await engine.syncNow()
    }
    await engine.stop()
    let client = SyncClient(transport: transport, credentials: SyncCredentials(token: "t"))
    let epoch = try #require(try await client.pull(SyncLog.PullRequest(cursor: 0, epoch: nil, known: [])).epochs?.last)
    func count(after commit: Int64) async throws -> Int {
      let request = SyncLog.PullRequest(cursor: commit, epoch: epoch.name, known: [LoopTransport.zone])
      return try await client.pull(request).entries.count
    }
    // The first answer has 5 MB, the next one 2.5 MB: 210 and 105 seconds.
    transport.setLine(bytesPerSecond: 24_000)
    // How large an answer is shows only when it does not arrive in time.
    for _ in 0..<3 { await #expect(throws: URLError.self) { try await count(after: 0) } }
    #expect(try await count(after: 0) == 2)
    for _ in 0..<5 { _ = try? await client.shares() }
    #expect(try await count(after: 1) == 1)
    // Small answers bring the usual time back, so that the client notices a dead connection soon.
    for _ in 0..<3 { #expect(try await count(after: 2) == 0) }
    await #expect(throws: URLError.self) { try await count(after: 0) }
  }

  /// Saves objects that take at least 100 seconds on a line of 24,000 bytes a second.
  private func saveMegabytes(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for number in 0..<400 {
      context.insert(EngineTrack(id: UUID().uuidString, title: String(repeating: "\(number) ", count: 1250)))
    }
    try context.save()
  }

  @Test("A database that no server is registered for does not sync, and its rules are CloudKit's")
  func unregistered() throws {
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: EngineTrack.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private("iCloud.nobody")))
    }
  }

  @Test("A model that cannot sync is an error when the container opens, which names the property and the remedy")
  func rules() throws {
    let strict = #expect(throws: SwiftDataError.self) { try container([EngineStrict.self]) }
    #expect(strict?.description.contains("EngineStrict.track") == true)
    #expect(strict?.description.contains("optional") == true)
    let secret = #expect(throws: SwiftDataError.self) { try container([EngineSecret.self]) }
    #expect(secret?.description.contains("EngineSecret.text") == true)
  }

  @Test("Without a network every save is kept; the status says so, and all is sent when the network is back")
  func offline() async throws {
    let one = try container()
    let engine = try engine(one)
    try await engine.syncNow()
    // In the background it would exchange between the two saves.
    await engine.pause()
    transport.setOffline(true)
    try insert("a", one)
    try insert("b", one)
    await #expect(throws: SyncError.self) { try await engine.syncNow() }
    // What several saves changed travels together.
    #expect(engine.status.error?.code == .offline && engine.status.pendingChanges == 1)
    transport.setOffline(false)
    try await engine.syncNow()
    #expect(engine.status.error == nil && engine.status.pendingChanges == 0 && engine.status.lastSync != nil)
    #expect(transport.log.count == 1)
    await engine.stop()
  }

  @Test("Before the first answer each save waits once, also if the engine opened the store before it")
  func offlineFromTheStart() async throws {
    let one = try container()
    let engine = try engine(one)
    transport.setOffline(true)
    await #expect(throws: SyncError.self) { try await engine.syncNow() }
    #expect(engine.status.pendingChanges == 0)
    for count in 1...2 {
      try insert("\(count)", one)
      await #expect(throws: SyncError.self) { try await engine.syncNow() }
      #expect(engine.status.pendingChanges == count)
    }
    await engine.stop()
  }

  @Test("An answer that was lost changes nothing: the transaction is in the log once")
  func lostAnswer() async throws {
    let one = try container()
    let engine = try engine(one)
    try await engine.syncNow()
    await engine.pause()
    try insert("a", one)
    transport.loseAnswers(3)
    await engine.resume()
    try await wait { engine.status.pendingChanges == 0 && transport.log.count == 1 }
    await engine.stop()
  }

  @Test("A paused engine uses no network, also if it paused in the middle of a request, and resumes")
  func pause() async throws {
    let one = try container()
    let engine = try engine(one)
    try await engine.syncNow()
    // An exchange that began before the save does not have it.
    await engine.pause()
    transport.setLatency(.seconds(30))
    try insert("a", one)
    await engine.resume()
    // The request for news and an exchange.
    try await wait { transport.underWay == 2 }
    await engine.pause()
    #expect(engine.status.isPaused && transport.underWay == 0)
    try insert("b", one)
    let before = transport.requests
    try await Task.sleep(for: .milliseconds(200))
    #expect(transport.requests == before && transport.underWay == 0 && transport.log.isEmpty)
    transport.setLatency(.zero)
    await engine.resume()
    try await wait { transport.log.count == 2 }
    await engine.stop()
  }

  @Test("An engine that is paused right after its container was opened stays paused")
  func pauseAtOnce() async throws {
    for _ in 0..<20 {
      let one = try container()
      let engine = try engine(one)
      await engine.pause()
      // Its background task may have begun before.
      let before = transport.requests
      try insert("a", one)
      try await Task.sleep(for: .milliseconds(20))
      #expect(engine.status.isPaused && transport.requests == before)
      await engine.stop()
    }
  }

  @Test("Events tell of set-up, import and export, as a sequence and as notifications")
  func events() async throws {
    let one = try container()
    let engine = try engine(one)
    let events = await engine.events
    try insert("a", one)
    let other = try container()
    try await self.engine(other).syncNow()
    try insert("b", other)
    var kinds = Set<SyncEvent.Kind>()
    for await event in events where event.succeeded {
      kinds.insert(event.kind)
      if kinds.isSuperset(of: [.import, .export]) { break }
    }
    #expect(kinds.contains(.import) && kinds.contains(.export))
    await engine.stop()
    try await self.engine(other).stop()
  }

  @Test("A refused account is an error of the status that says what to do")
  func refused() async throws {
    transport.refuse(SyncFailure(.unauthorized, "sign in again"))
    let one = try container()
    let engine = try engine(one)
    try insert("a", one)
    await #expect(throws: SyncError.self) { try await engine.syncNow() }
    #expect(engine.status.error?.code == .unauthorized)
    #expect(try titles(one) == ["a"])
    await engine.stop()
  }

  @Test("An engine that a busy server asked to wait sends nothing meanwhile, unless the program asks for it")
  func askedToWait() async throws {
    transport.refuse(SyncFailure(.rateLimited, "too many requests", retryAfter: 3600))
    let one = try container()
    let engine = try engine(one)
    try await wait { engine.status.error != nil }
    let before = transport.requests
    try insert("a", one)
    // Otherwise the engine would try again within half a second.
    try await Task.sleep(for: .seconds(1))
    #expect(transport.requests == before)
    transport.refuse(nil)
    try await engine.syncNow()
    #expect(transport.log.count == 1 && engine.status.error == nil)
    await engine.stop()
  }

  @Test("Large values travel as assets and arrive unchanged")
  func assets() async throws {
    let (one, other) = (try container(), try container())
    let cover = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let context = ModelContext(one)
    let track = EngineTrack(id: "a", title: "a")
    track.cover = cover
    context.insert(track)
    try context.save()
    try await engine(one).syncNow()
    try await engine(other).syncNow()
    #expect(try ModelContext(other).fetch(FetchDescriptor<EngineTrack>()).first?.cover == cover)
    #expect(transport.assets.count == 1)
    try await engine(one).stop()
    try await engine(other).stop()
  }

  @Test("The server never sees an encrypted attribute; a replica with another secret shows its default")
  func encryption() async throws {
    let one = try container([EngineSecret.self], secret: "correct horse")
    let other = try container([EngineSecret.self], secret: "correct horse")
    let stranger = try container([EngineSecret.self], secret: "battery staple")
    let context = ModelContext(one)
    context.insert(EngineSecret("the launch code"))
    try context.save()
    for container in [one, other, stranger] { try await engine(container).syncNow() }
    func texts(_ container: ModelContainer) throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<EngineSecret>()).map(\.text)
    }
    #expect(try texts(other) == ["the launch code"])
    #expect(try texts(stranger) == [""])
    #expect(!transport.log.isEmpty && transport.logBytes.range(of: Data("launch".utf8)) == nil)
    for container in [one, other, stranger] { try await engine(container).stop() }
  }

  /// The resolver of the seeds: the newer modification stays, whole.
  private struct NewestTrack: ConflictResolver {
    func resolve(local: EngineTrack, remote: EngineTrack) {
      if remote.lastModified > local.lastModified {
        local.title = remote.title
        local.lastModified = remote.lastModified
        local.deviceID = remote.deviceID
      }
    }
  }

  @Test("A resolver of a model decides its conflicts, on all replicas", arguments: [true, false])
  func resolver(_ remoteIsNewer: Bool) async throws {
    let resolvers: [any ConflictResolver] = [NewestTrack()]
    let (one, other) = (try container(resolvers: resolvers), try container(resolvers: resolvers))
    try insert("t", one)
    for container in [one, other] { try await engine(container).syncNow() }
    for container in [one, other] { try await engine(container).pause() }
    func edit(_ container: ModelContainer, _ title: String, _ seconds: Double) throws {
      let context = ModelContext(container)
      let track = try #require(try context.fetch(FetchDescriptor<EngineTrack>()).first)
      (track.title, track.deviceID) = (title, title)
      track.lastModified = Date(timeIntervalSinceReferenceDate: seconds)
      try context.save()
    }
    try edit(one, "one", remoteIsNewer ? 2000 : 1000)
    try edit(other, "other", remoteIsNewer ? 1000 : 2000)
    try await engine(one).syncNow()
    for _ in 0..<2 { for container in [other, one] { try await engine(container).syncNow() } }
    let expected = remoteIsNewer ? "one" : "other"
    #expect(try titles(one) == [expected] && titles(other) == [expected])
    for container in [one, other] { try await engine(container).stop() }
  }

  @Test("What lost a conflict can be asked for")
  func conflicts() async throws {
    let (one, other) = (try container(), try container())
    try insert("t", one)
    for container in [one, other] { try await engine(container).syncNow() }
    for container in [one, other] { try await engine(container).pause() }
    for (container, title) in [(one, "one"), (other, "other")] {
      let context = ModelContext(container)
      try context.fetch(FetchDescriptor<EngineTrack>()).first?.title = title
      try context.save()
      try await Task.sleep(for: .milliseconds(5))
    }
    try await engine(one).syncNow()
    for _ in 0..<2 { for container in [other, one] { try await engine(container).syncNow() } }
    let lost = try await engine(one).conflicts() + engine(other).conflicts()
    #expect(lost.contains { $0.entity == "EngineTrack" && $0.property == "title" })
    for container in [one, other] { try await engine(container).stop() }
  }

  private func failure(ofToken error: any Error) async -> SyncError? {
    let client = SyncClient(transport: LoopTransport(), credentials: SyncCredentials { throw error })
    do {
      _ = try await client.pull(SyncLog.PullRequest(cursor: 0, epoch: nil, known: []))
      return nil
    } catch {
      return SyncError(error)
    }
  }

  @Test("A token function that cannot reach its server is offline, and one that has no token is unauthorized")
  func tokenFunction() async throws {
    struct SignedOut: Error {}
    #expect(await failure(ofToken: URLError(.notConnectedToInternet))?.code == .offline)
    let refused = await failure(ofToken: SignedOut())
    #expect(refused?.code == .unauthorized && refused?.message.contains("SignedOut") == true)
    #expect(await failure(ofToken: SyncFailure(.rateLimited, "wait"))?.code != .unauthorized)
  }

  @Test(
    "The error of a server that is not set up says what to change",
    arguments: [
      (URLError.Code.secureConnectionFailed, "http"), (.serverCertificateUntrusted, "certificate"),
      (.cannotFindHost, "name"),
    ])
  func misconfigured(code: URLError.Code, word: String) {
    let error = SyncError(URLError(code))
    #expect(error.code == .offline && error.message.contains(word))
  }
}
#endif
