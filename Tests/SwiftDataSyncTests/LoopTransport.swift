#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Synchronization
import Testing
import UntrustedInput

@testable import SwiftDataSync

/// A server in memory behind the client's requests, with faults on demand.
final class LoopTransport: SyncTransport {
  private struct State: Sendable {
    var log: [LogEntry] = []
    var assets: [String: Data] = [:]
    /// The sizes of the assets, also of those that are not complete.
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
    var snapshotWanted: Int64?
    var snapshotParts = 0
    var requests = 0
    var waits: [Double] = []
    var underWay = 0
    var latency = Duration.zero
    var line: Double?
  }

  private let state = Mutex(State())

  var log: [LogEntry] { state.withLock { $0.log } }
  var assets: [String: Data] { state.withLock { $0.assets } }
  var requests: Int { state.withLock { $0.requests } }
  /// The parts of snapshots that it refused.
  var snapshotParts: Int { state.withLock { $0.snapshotParts } }
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
  /// Asks for a snapshot with each answer, and refuses its parts.
  func refuseSnapshots(replacing bytes: Int64) { state.withLock { $0.snapshotWanted = bytes } }
  /// Cuts the connection at every second chunk of an asset.
  func cutDownloads() { state.withLock { $0.cutsDownloads = true } }

  /// Lets only so many chunks of assets through.
  func loseDownloads(after count: Int) { state.withLock { $0.mostDownloads = count } }

  /// Refuses further parts of assets, as a server does that answers so many requests in a second.
  func refuseUploads(after count: Int) { state.withLock { ($0.uploads, $0.mostUploads) = (0, count) } }

  /// Becomes what it was when the log was shorter.
  func restore(to count: Int) {
    state.withLock { state in
      state.log = Array(state.log.prefix(count))
      let names = Set(state.log.flatMap { $0.transaction.assets.map(\.sha256) })
      state.assets = state.assets.filter { names.contains($0.key) }
    }
  }

  func send(_ request: SyncRequest) async throws -> SyncReply {
    guard let line = state.withLock({ $0.line }) else { return try await sendAtOnce(request) }
    let seconds = Double(request.body?.count ?? 0) / line
    if seconds > request.timeout { throw URLError(.timedOut) }
    let reply = try await sendAtOnce(request)
    if seconds + Double(reply.body.count) / line > request.timeout { throw URLError(.timedOut) }
    return reply
  }

  private func sendAtOnce(_ request: SyncRequest) async throws -> SyncReply {
    state.withLock { $0.underWay += 1 }
    defer { state.withLock { $0.underWay -= 1 } }
    // A request that is cancelled before it arrives is not counted.
    try await Task.sleep(for: state.withLock { $0.latency })
    if request.path == "/v1/wait" {
      let wait = try SyncWire.decode(WaitRequest.self, from: request.body ?? Data())
      let failure = state.withLock { state in
        state.waits.append(wait.seconds.clamped(to: 0...60))
        return state.waitFailure
      }
      if let failure { return SyncReply(status: failure.status, body: try SyncWire.encode(failure)) }
      let seen = wait.positions[SyncWire.privateZone]?.clamped(to: SyncWire.sequenceNumbers) ?? 0
      while wait.seconds != 0, state.withLock({ Int64($0.log.count) }) <= seen {
        try await Task.sleep(for: .milliseconds(10))
      }
      let latest = state.withLock { Int64($0.log.count) }
      return SyncReply(
        status: 200, body: try SyncWire.encode(WaitResponse(latest: [SyncWire.privateZone: latest], zones: [])))
    }
    let (reply, isLost) = try state.withLock { state -> (SyncReply, Bool) in
      state.requests += 1
      if state.isOffline { throw URLError(.cannotConnectToHost) }
      if let failure = state.failure {
        return (SyncReply(status: failure.status, body: try SyncWire.encode(failure)), false)
      }
      if request.path.contains("/snapshot?") {
        state.snapshotParts += 1
        let failure = SyncFailure(.quotaExceeded, "there is no room")
        return (SyncReply(status: failure.status, body: try SyncWire.encode(failure)), false)
      }
      if request.method == "GET", request.path.contains("offset=") {
        state.downloads += 1
        if state.downloads > state.mostDownloads || (state.cutsDownloads && state.downloads.isMultiple(of: 2)) {
          throw URLError(.networkConnectionLost)
        }
      }
      if request.path.contains("/assets/"), !request.path.contains("?offset=") || request.method == "PUT" {
        state.uploads += 1
        if state.uploads > state.mostUploads {
          let failure = SyncFailure(.rateLimited, "wait")
          return (SyncReply(status: failure.status, body: try SyncWire.encode(failure)), false)
        }
      }
      let reply: SyncReply
      do {
        reply = SyncReply(status: 200, body: try Self.answer(request, &state))
      } catch let failure as SyncFailure {
        return (SyncReply(status: failure.status, body: try SyncWire.encode(failure)), false)
      }
      let isLost = state.losesAnswers > 0
      if isLost { state.losesAnswers -= 1 }
      return (reply, isLost)
    }
    if isLost { throw URLError(.networkConnectionLost) }
    return reply
  }

  private static func answer(_ request: SyncRequest, _ state: inout State) throws -> Data {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    let parts = URLComponents(string: request.path)
    func number(_ name: String) -> Int { parts?.queryItems?.first { $0.name == name }?.value.flatMap { Int($0) } ?? 0 }
    if request.path.contains("/push") {
      let push = try SyncWire.decode(PushRequest.self, from: request.body ?? Data())
      guard push.base.value(in: 0...Int64(state.log.count)) != nil else {
        throw SyncFailure(.unknownSequence, "the log is shorter")
      }
      for transaction in push.transactions where !state.log.contains(where: { $0.transaction.id == transaction.id }) {
        for asset in transaction.assets where state.assets[asset.sha256]?.count != asset.size {
          throw SyncFailure(.missingAsset, "the asset \(asset.sha256) is not here; send it before the transaction")
        }
      }
      let sequences = push.transactions.map { transaction -> Int64 in
        if let known = state.log.first(where: { $0.transaction.id == transaction.id }) { return known.sequence }
        let sequence = Int64(state.log.count) + 1
        state.log.append(LogEntry(sequence: sequence, account: "a", transaction: transaction))
        return sequence
      }
      return try SyncWire.encode(
        PushResponse(sequences: sequences, time: now, snapshotWanted: state.snapshotWanted))
    }
    if request.path.contains("/changes") {
      guard number("after") <= state.log.count else { throw SyncFailure(.unknownSequence, "the log is shorter") }
      let entries = Array(state.log.dropFirst(number("after")).prefix(10))
      var response = ChangesResponse(entries: entries, latest: Int64(state.log.count), compacted: 0, time: now)
      response.snapshotWanted = state.snapshotWanted.map(Untrusted.init(_:))
      return try SyncWire.encode(response)
    }
    let name = parts?.path.split(separator: "/").last.map(String.init) ?? ""
    if request.method == "PUT" {
      if state.assets[name]?.count ?? 0 == number("offset") {
        state.assets[name, default: Data()] += request.body ?? Data()
      }
      let size = state.assets[name]?.count ?? 0
      state.totals[name] = number("total")
      return try SyncWire.encode(AssetState(size: Int64(size), isComplete: size == number("total")))
    }
    if parts?.queryItems?.contains(where: { $0.name == "state" }) == true {
      let size = state.assets[name]?.count ?? 0
      return try SyncWire.encode(AssetState(size: Int64(size), isComplete: size > 0 && size == state.totals[name]))
    }
    let bytes = state.assets[name] ?? Data()
    return bytes.dropFirst(number("offset")).prefix(SyncWire.chunkSize).map { $0 }.withUnsafeBytes { Data($0) }
  }
}

extension LoopTransport {
  /// A container of tracks that syncs over this transport. Its engine exchanges changes only when a test asks for it.
  func pausedEngine() async throws -> (ModelContainer, SyncEngine) {
    let database = "iCloud.com.example.\(UUID().uuidString)"
    // Other suites of the process make containers meanwhile, whose database is automatic.
    SyncServer.register(
      database, transport: self, credentials: SyncCredentials(token: "t"), servesAutomatic: false)
    defer { SyncServer.unregister(database) }
    let container = try ModelContainer(
      for: EngineTrack.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
    let engine = try #require(container.syncEngines.first)
    await engine.pause()
    return (container, engine)
  }
}
#endif
