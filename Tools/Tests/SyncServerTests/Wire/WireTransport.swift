import Foundation
import SwiftData
import SyncProtocol
import Synchronization
import Testing

@testable import SwiftDataSync
@_spi(Wire) @testable import SyncServer

/// A way to a server in this process. A test changes the answers of one route.
final class WireTransport: SyncTransport {
  typealias Change = @Sendable (SyncReply) throws -> SyncReply

  private struct State {
    var change: (route: String, body: Change)?
    var seen: [String: Data] = [:]
    var waits = 0
    var isClosed = false
  }

  private let service: SyncService
  private let state = Mutex(State())

  init(_ service: SyncService) { self.service = service }

  /// The last answer of each route.
  var seen: [String: Data] { state.withLock { $0.seen } }
  /// The number of answered requests that wait for changes.
  var waits: Int { state.withLock { $0.waits } }

  func change(_ route: SyncRoute, _ body: @escaping Change) { state.withLock { $0.change = (route.name, body) } }
  func reset() { state.withLock { ($0.change, $0.waits) = (nil, 0) } }

  /// Pauses the engine of a container that the body makes. An engine starts with its container, so no request reaches the server until it
  /// is paused.
  func pausedEngine(_ body: () throws -> ModelContainer) async throws -> (ModelContainer, SyncEngine) {
    state.withLock { $0.isClosed = true }
    defer { state.withLock { $0.isClosed = false } }
    let container = try body()
    let engine = try #require(container.syncEngines.first)
    await engine.pause()
    return (container, engine)
  }

  func send(_ request: SyncRequest) async throws -> SyncReply {
    guard !state.withLock({ $0.isClosed }) else { throw URLError(.notConnectedToInternet) }
    var parts = request.path.prefix { $0 != "?" }.split(separator: "/").map { String($0) }
    if parts.first == "v2" { parts.removeFirst() }
    let route = SyncRoute.all.first { $0.method == request.method && $0.parameters(parts) != nil }
    try Task.checkCancellation()
    let (status, body) = await service.answer(
      request.method, request.path, headers: request.headers, body: request.body ?? Data())
    let reply = SyncReply(status: status, body: body)
    let change = state.withLock { state -> Change? in
      if let route, status == 200 { state.seen[route.name] = body }
      if route?.label == "wait" { state.waits += 1 }
      return state.change?.route == route?.name ? state.change?.body : nil
    }
    return try change?(reply) ?? reply
  }
}

/// What a client does so that it reads the answer of a route.
struct WireClient {
  let transport: WireTransport
  let world: WireWorld

  /// A store of Ann's, or of an account of its own, whose engine works only when it is asked to.
  private func engine(_ account: String) async throws -> (ModelContainer, SyncEngine) {
    let token = try await world.token(of: account)
    SwiftDataSync.SyncRemote.register(
      account, transport: transport, credentials: SyncCredentials(token: token, encryptionSecret: "secret"),
      servesAutomatic: false)
    defer { SwiftDataSync.SyncRemote.unregister(account) }
    return try await transport.pausedEngine {
      try ModelContainer(
        for: SealedDiary.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(account)))
    }
  }

  private func save(_ container: ModelContainer) throws -> PersistentIdentifier {
    let context = ModelContext(container)
    let diary = SealedDiary("diary")
    context.insert(diary)
    diary.pages = [SealedPage(1, "sealed")]
    try context.save()
    return diary.persistentModelID
  }

  /// Puts objects into the log of an account that ``use(_:)`` reads.
  func prepare() async throws {
    let (container, engine) = try await engine("reader")
    _ = try save(container)
    try await engine.syncNow()
    await engine.stop()
  }

  /// Calls what reads the answer of a route.
  /// - Throws: what the answer deserves; an error for a route without a use: a new route needs one.
  func use(_ route: SyncRoute) async throws {
    let client = SyncClient(
      transport: transport, credentials: SyncCredentials(token: try await world.token(of: world.account(.ann))))
    let zone = world.zone
    switch route.name {
    case "GET /health", "GET /metrics": break
    case "POST /log/pull": try await exchange("reader", saves: false)
    case "POST /log/push": try await exchange(UUID().uuidString, saves: true)
    case "POST /log/wait": try await listen()
    case "GET /shares/{zone}/keys", "POST /shares/{zone}/keys", "PUT /shares/key", "POST /shares": try await share()
    case "PUT /zones/{zone}/assets/{sha256}":
      let bytes = Data(UUID().uuidString.utf8)
      try await client.upload(bytes, sha256: UserStore.sha256(bytes), zone: world.share)
    case "GET /zones/{zone}/assets/{sha256}":
      _ = try await client.download(
        sha256: UserStore.sha256(WireWorld.asset), size: WireWorld.asset.count, zone: world.share)
    case "GET /shares": _ = try await client.shares().shares?.map(SyncShare.init)
    case "POST /shares/accept": _ = SyncShare(try await client.accept(link: world.link))
    case "POST /shares/{zone}/accept":
      let credentials = SyncCredentials(token: try await world.token(of: world.account(.bob)))
      _ = SyncShare(try await SyncClient(transport: transport, credentials: credentials).accept(zone: zone))
    case "POST /shares/{zone}/invitations":
      _ = try await client.invite(InviteRequest(account: "fay", permission: .readOnly), to: zone)
    case "DELETE /shares/{zone}": try await client.endShare(try await anotherShare(client))
    case "DELETE /shares/{zone}/participants/{account}":
      let share = try await anotherShare(client)
      _ = try await client.invite(InviteRequest(account: "fay", permission: .readOnly), to: share)
      try await client.removeParticipant("fay", from: share)
    default: throw SyncFailure(.notFound, "\(route.name) has no use in WireTransport.swift")
    }
  }

  private func anotherShare(_ client: SyncClient) async throws -> String {
    try await client.createShare(CreateShareRequest(root: RecordName("other"), title: "")).zone
  }

  /// Does something with an engine, and stops it in any case.
  private func with(
    _ account: String, _ body: (ModelContainer, SyncEngine) async throws -> Void
  ) async throws {
    let (container, engine) = try await engine(account)
    let result: Result<Void, any Error>
    do { result = .success(try await body(container, engine)) } catch { result = .failure(error) }
    await engine.stop()
    try result.get()
  }

  private func exchange(_ account: String, saves: Bool) async throws {
    try await with(account) { container, engine in
      if saves { _ = try save(container) }
      try await engine.syncNow()
      try await engine.syncNow()
    }
  }

  private func share() async throws {
    try await with(UUID().uuidString) { container, engine in
      let share = try await engine.share(try save(container), title: "share")
      try await engine.invite("fay", to: share.id)
      try await engine.syncNow()
    }
  }

  private func listen() async throws {
    try await with("reader") { _, engine in
      try await engine.syncNow()
      await engine.resume()
      // An engine that cannot read an answer says so and asks again later.
      while transport.waits < 2, engine.status.error == nil {
        try await Task.sleep(for: .milliseconds(50))
        guard transport.waits == 1 else { continue }
        // The answer may ask for a long pause, which this ends.
        await engine.pause()
        await engine.resume()
      }
    }
  }
}
