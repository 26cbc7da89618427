#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Synchronization
import Testing
import UntrustedInput

@testable import SwiftDataSync

/// A server in memory behind the client's requests, with faults on demand. It serves one account.
final class LoopTransport: SyncTransport {
  static let account = "a"
  static let zone = ZoneName.account(ExactText(account))

  private struct State {
    let server = ZoneServer()
    /// What the server was when it had so many commits.
    var copies: [ZoneServer.Copy] = []
    /// The assets by their names, also those that are not complete.
    var assets: [String: Data] = [:]
    /// The sizes that they will have.
    var totals: [String: Int] = [:]
    var isOffline = false
    var losesAnswers = 0
    var failure: SyncFailure?
    var waitFailure: SyncFailure?
    var cutsDownloads = false
    var mostDownloads = Int.max
    var uploads = 0
    var mostUploads = Int.max
    var downloads = 0
    var requests = 0
    var waits: [Double] = []
    var underWay = 0
    var latency = Duration.zero
    var line: Double?

    init() { copies = [server.copy()] }
  }

  private let state = Mutex(State())

  /// The transactions that the server has.
  var log: [SyncLog.Transaction] {
    state.withLock { state in
      state.server.log.map { entry in
        SyncLog.Transaction(
          id: entry.id ?? UUID(),
          parts: entry.parts.compactMapValues { if case .change(let records) = $0 { records } else { nil } })
      }
    }
  }
  /// The bytes of the log as the server has them.
  var logBytes: Data { log.reduce(Data()) { $0 + $1.encoded } }
  var assets: [String: Data] { state.withLock { $0.assets } }
  var requests: Int { state.withLock { $0.requests } }
  /// The requests to send assets, and to ask for what the server has of them.
  var uploads: Int { state.withLock { $0.uploads } }
  /// The requests for chunks of assets.
  var downloads: Int { state.withLock { $0.downloads } }
  /// How long the requests that waited for news may wait.
  var waits: [Double] { state.withLock { $0.waits } }
  /// The requests without an answer.
  var underWay: Int { state.withLock { $0.underWay } }
  func setLatency(_ latency: Duration) { state.withLock { $0.latency = latency } }
  /// Lets only what the line can carry in the time of its request through. No time passes.
  func setLine(bytesPerSecond line: Double) { state.withLock { $0.line = line } }
  func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }
  func loseAnswers(_ count: Int) { state.withLock { $0.losesAnswers = count } }
  func refuse(_ failure: SyncFailure?) { state.withLock { $0.failure = failure } }
  /// Refuses the requests that wait for news.
  func refuseWaits(_ failure: SyncFailure?) { state.withLock { $0.waitFailure = failure } }
  /// Cuts the connection at every second chunk of an asset.
  func cutDownloads() { state.withLock { $0.cutsDownloads = true } }

  /// Lets only so many chunks of assets through.
  func loseDownloads(after count: Int) { state.withLock { $0.mostDownloads = count } }

  /// Refuses further parts of assets, as a server does that answers so many requests in a second.
  func refuseUploads(after count: Int) { state.withLock { ($0.uploads, $0.mostUploads) = (0, count) } }

  /// Becomes what it was when the log was shorter, with the assets of that time.
  /// - Parameter isNoticed: whether the server begins an epoch.
  func restore(to count: Int, isNoticed: Bool = true) {
    state.withLock { state in
      state.server.restore(state.copies[count], isNoticed: isNoticed)
      state.copies = Array(state.copies.prefix(count)) + [state.server.copy()]
      let names = Set(
        state.server.log.flatMap { entry in
          entry.parts.values.flatMap { part -> [String] in
            guard case .change(let records) = part else { return [] }
            return records.values.flatMap { $0.assets.map(\.sha256) }
          }
        })
      state.assets = state.assets.filter { names.contains($0.key) }
    }
  }

  /// Folds the log, as a server does after 30 days. A client that has not seen all of it gets the zone whole.
  func fold() {
    state.withLock { state in
      state.server.compact(Self.zone, upTo: state.server.commit, floor: state.server.commit)
      state.copies = Array(repeating: state.server.copy(), count: Int(state.server.commit) + 1)
    }
  }

  func send(_ request: SyncRequest) async throws -> SyncReply {
    guard let line = state.withLock({ $0.line }) else { return try await sendAtOnce(request) }
    let seconds = Double(request.body?.count ?? 0) / line
    if seconds > request.timeout / .seconds(1) { throw URLError(.timedOut) }
    let reply = try await sendAtOnce(request)
    if seconds + Double(reply.body.count) / line > request.timeout / .seconds(1) { throw URLError(.timedOut) }
    return reply
  }

  private func sendAtOnce(_ request: SyncRequest) async throws -> SyncReply {
    state.withLock { $0.underWay += 1 }
    defer { state.withLock { $0.underWay -= 1 } }
    // A request that is cancelled before it arrives is not counted.
    try await Task.sleep(for: state.withLock { $0.latency })
    if request.path == "/v2/log/wait" { return try await wait(request) }
    let (reply, isLost) = try state.withLock { state -> (SyncReply, Bool) in
      state.requests += 1
      if state.isOffline { throw URLError(.cannotConnectToHost) }
      if let failure = state.failure { return (try Self.refusal(failure), false) }
      if request.method == "GET", request.path.contains("offset=") {
        state.downloads += 1
        if state.downloads > state.mostDownloads || (state.cutsDownloads && state.downloads.isMultiple(of: 2)) {
          throw URLError(.networkConnectionLost)
        }
      }
      if request.path.contains("/assets/"), !request.path.contains("?offset=") || request.method == "PUT" {
        state.uploads += 1
        if state.uploads > state.mostUploads { return (try Self.refusal(SyncFailure(.rateLimited, "wait")), false) }
      }
      let reply: SyncReply
      do {
        reply = SyncReply(status: 200, body: try Self.answer(request, &state))
      } catch let failure as SyncFailure {
        return (try Self.refusal(failure), false)
      }
      let isLost = state.losesAnswers > 0
      if isLost { state.losesAnswers -= 1 }
      return (reply, isLost)
    }
    if isLost { throw URLError(.networkConnectionLost) }
    return reply
  }

  private func wait(_ request: SyncRequest) async throws -> SyncReply {
    let wait = try SyncWire.decode(SyncLog.WaitRequest.self, from: request.body ?? Data())
    let failure = state.withLock { state in
      state.waits.append(wait.seconds.clamped(to: 0...60))
      return state.waitFailure
    }
    if let failure { return try Self.refusal(failure) }
    func isChanged() -> Bool {
      state.withLock { Untrusted($0.server.commit) != wait.cursor || $0.server.epoch != wait.epoch }
    }
    while wait.seconds != 0, !isChanged() { try await Task.sleep(for: .milliseconds(10)) }
    return SyncReply(status: 200, body: try SyncWire.encode(SyncLog.WaitResponse(isChanged: isChanged())))
  }

  private static func refusal(_ failure: SyncFailure) throws -> SyncReply {
    SyncReply(status: failure.status, body: try SyncWire.encode(failure))
  }

  private static func answer(_ request: SyncRequest, _ state: inout State) throws -> Data {
    let server = state.server
    server.now = Int64(Date().timeIntervalSince1970 * 1000)
    let parts = URLComponents(string: request.path)
    let name = parts?.path.split(separator: "/").last.map(String.init) ?? ""
    func number(_ name: String) -> Int { parts?.queryItems?.first { $0.name == name }?.value.flatMap { Int($0) } ?? 0 }
    switch (request.method, parts?.path) {
    case ("POST", "/v2/log/push"):
      let push = try SyncWire.decode(SyncLog.PushRequest.self, from: request.body ?? Data())
      let response = try server.push(push, from: account)
      while state.copies.count <= Int(server.commit) { state.copies.append(server.copy()) }
      return try SyncWire.encode(response)
    case ("POST", "/v2/log/pull"):
      let pull = try SyncWire.decode(SyncLog.PullRequest.self, from: request.body ?? Data())
      if pull.epoch == server.epoch, pull.cursor > Untrusted(server.commit) {
        throw SyncFailure(.unknownSequence, "the log ends before the cursor")
      }
      return try SyncWire.encode(server.pull(pull, by: account, limit: 10))
    case ("POST", "/v2/shares"):
      let root = try SyncWire.decode(CreateShareRequest.self, from: request.body ?? Data()).root
      let zone = ZoneName.share(ExactText(root.text))
      server.shares[zone] = ZoneServer.Share(owner: account, root: root)
      return try SyncWire.encode(
        ShareInfo(
          zone: zone.text, owner: account, root: root, title: "", permission: .readWrite, hasAccepted: true,
          participants: []))
    case ("GET", "/v2/shares"): return try SyncWire.encode(SharesResponse(version: "1", shares: []))
    case ("PUT", _):
      if state.assets[name]?.count ?? 0 == number("offset") {
        state.assets[name, default: Data()] += request.body ?? Data()
      }
      let bytes = state.assets[name] ?? Data()
      state.totals[name] = number("total")
      if bytes.count == number("total") { try server.put(name, bytes, zone: zone, account: account) }
      return try SyncWire.encode(AssetState(size: Int64(bytes.count), isComplete: bytes.count == number("total")))
    case ("GET", _) where parts?.queryItems?.contains(where: { $0.name == "state" }) == true:
      let size = state.assets[name]?.count ?? 0
      return try SyncWire.encode(AssetState(size: Int64(size), isComplete: size > 0 && size == state.totals[name]))
    default:
      let bytes = try server.asset(name, zone: zone, account: account)
      return bytes.dropFirst(number("offset")).prefix(SyncWire.chunkSize).map { $0 }.withUnsafeBytes { Data($0) }
    }
  }
}

extension LoopTransport {
  /// A container of tracks that syncs over this transport. Its engine exchanges changes only when a test asks for it.
  /// - Parameter transport: another way to this server; nil is none.
  func pausedEngine(over transport: (any SyncTransport)? = nil) async throws -> (ModelContainer, SyncEngine) {
    let database = "iCloud.com.example.\(UUID().uuidString)"
    // Other suites of the process make containers meanwhile, whose database is automatic.
    let gate = Gate(transport ?? self)
    SyncRemote.register(database, transport: gate, credentials: SyncCredentials(token: "t"), servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let container = try ModelContainer(
      for: EngineTrack.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
    return (container, try await gate.pausedEngine(of: container))
  }
}

/// A way to a server that is closed until the engine is paused. An engine starts with its container, so it may have begun an exchange
/// before a test can pause it.
final class Gate: SyncTransport {
  private let transport: any SyncTransport
  private let isOpen = Mutex(false)

  init(_ transport: any SyncTransport) { self.transport = transport }

  /// Pauses the engine of a container, and opens the gate.
  func pausedEngine(of container: ModelContainer) async throws -> SyncEngine {
    let engine = try #require(container.syncEngines.first)
    await engine.pause()
    isOpen.withLock { $0 = true }
    return engine
  }

  func send(_ request: SyncRequest) async throws -> SyncReply {
    guard isOpen.withLock({ $0 }) else { throw URLError(.notConnectedToInternet) }
    return try await transport.send(request)
  }
}
#endif
