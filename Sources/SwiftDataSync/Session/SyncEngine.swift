public import Foundation
import Logging
import SwiftData
import SyncProtocol
import Synchronization

/// Syncs one store in the background: sends what the program saves, and brings what others saved.
///
/// A container makes one for each of its configurations that names a database with a server. It works until ``stop()``, or
/// until the container is gone.
public actor SyncEngine {
  /// Posted when a step of the sync begins and when it ends. The object is the engine; the user info has the ``SyncEvent``
  /// under `"event"`.
  public static let eventChanged = Notification.Name("SyncEngine.eventChanged")
  /// Posted when the store has all that the server has, and the server all that the store has.
  public static let didComplete = Notification.Name("CloudKitSyncDidComplete")

  /// How the sync is doing.
  public nonisolated let status = SyncStatus()
  /// The name of the configuration whose store it syncs.
  public nonisolated let configuration: String
  nonisolated let storeIdentifier: String

  let client: SyncClient
  private let opening: ReplicaOpening
  private let conflictRetention: Double
  let logger = Logger(label: "SwiftData.Sync")

  // MARK: - Mutable State
  // Of the actor.

  private var opened: Replica?
  /// Asks for an exchange. A stream ends with the task that reads it, so each start makes a new one.
  private var signals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  /// The exchange that runs and those that wait for it, in order.
  private var exchanges: [Task<Void, any Error>] = []
  private var tasks: [Task<Void, Never>] = []
  /// The request that waits for news of the server.
  private var longPoll: Task<WaitResponse, any Error>?
  /// What ``followServer()`` waits for while the engine is paused or has no replica, or after an error.
  private var sleeper: Task<Void, any Error>?
  /// How often ``resume()`` was called. It may come before ``followServer()`` begins to wait.
  private var resumptions = 0
  private var observer: ObserverToken?
  var subscribers: [UUID: AsyncStream<SyncEvent>.Continuation] = [:]
  private var backoff = Backoff()
  private var notBefore = Date.distantPast
  /// Whether the server has the public key of the account. See `SyncEngine+Keys.swift`.
  var hasPublishedKey = false
  var uploaded = UploadedAssets()
  var known = KnownZones()
  var knownShares: KnownShares?
  /// How many bytes of log a snapshot would replace, for zones of which the server wants one.
  var snapshotsWanted: [String: Int64] = [:]
  /// The snapshot that is being sent.
  var snapshotUpload: Task<Void, Never>?
  /// When the next snapshot may be made.
  var snapshotsNotBefore = Date.distantPast

  init(_ opening: ReplicaOpening, _ registration: SyncServer.Registration) {
    self.opening = opening
    (configuration, storeIdentifier) = (opening.name, opening.storeIdentifier)
    client = SyncClient(transport: registration.transport, credentials: registration.credentials)
    conflictRetention = registration.conflictRetention
  }

  // MARK: - Control

  /// Syncs in the background from now on. A container's engine is started already.
  public func start() {
    guard tasks.isEmpty else { return }
    status.setPaused(false)
    launch()
  }

  /// Begins the work of an engine that may have been paused since its container was opened.
  func launch() {
    guard tasks.isEmpty else { return }
    signals = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    observer = ObserverToken(opening.storeIdentifier) { [continuation = signals.continuation] in continuation.yield() }
    signals.continuation.yield()
    tasks = [
      Task { [weak self] in await self?.followProgram() },
      Task { [weak self] in await self?.followServer() },
    ]
  }

  /// Ends the sync and closes its bookkeeping. What was not sent yet is sent after the next ``start()``.
  public func stop() async {
    let running = tasks
    tasks = []
    for task in running { task.cancel() }
    for exchange in exchanges { exchange.cancel() }
    snapshotUpload?.cancel()
    observer = nil
    for task in running { await task.value }
    await snapshotUpload?.value
    opened = nil
    opening.close()
    for subscriber in subscribers.values { subscriber.finish() }
    subscribers = [:]
  }

  /// Stops using the network until ``resume()``: call it if the network is metered or absent. Saves are kept and sent
  /// later. It returns when no request is under way.
  public func pause() async {
    status.setPaused(true)
    longPoll?.cancel()
    let running = exchanges
    for exchange in running { exchange.cancel() }
    snapshotUpload?.cancel()
    for exchange in running { _ = await exchange.result }
    await snapshotUpload?.value
    _ = await longPoll?.result
  }

  /// Uses the network again.
  public func resume() {
    status.setPaused(false)
    (backoff, notBefore) = (Backoff(), .distantPast)
    signals.continuation.yield()
    resumptions += 1
    sleeper?.cancel()
  }

  /// Exchanges all changes with the server now.
  /// - Throws: ``SyncError``. The sync in the background tries again.
  public func syncNow() async throws { try await sync(sendingOnly: false) }

  /// - Parameter isSending: whether to send only. If others sent something meanwhile, it comes too.
  private func sync(sendingOnly isSending: Bool) async throws {
    let previous = exchanges.last
    let task = Task {
      _ = await previous?.result
      try Task.checkCancellation()
      try await self.exchange(sendingOnly: isSending)
    }
    exchanges.append(task)
    defer { exchanges.removeAll { $0 == task } }
    status.setSyncing(true)
    defer {
      status.setSyncing(false)
      status.setUploading(false)
      status.setProgress(nil)
    }
    do {
      try await task.value
      (backoff, notBefore) = (Backoff(), .distantPast)
      status.setError(nil)
      // The exchange reached the server, so ``followServer()`` need not wait any longer.
      sleeper?.cancel()
      status.setLastSync(Date())
      NotificationCenter.default.post(name: Self.didComplete, object: self)
    } catch is CancellationError {
      throw SyncError(code: .offline, message: "the sync was paused or stopped")
    } catch {
      let wrapped = SyncError(error)
      status.setError(wrapped)
      logger.warning("\(configuration): \(wrapped.message)")
      throw wrapped
    }
  }

  /// The steps of the sync from now on.
  public var events: AsyncStream<SyncEvent> {
    let id = UUID()
    return AsyncStream(bufferingPolicy: .bufferingNewest(1000)) { continuation in
      subscribers[id] = continuation
      continuation.onTermination = { _ in Task { await self.unsubscribe(id) } }
    }
  }

  private func unsubscribe(_ id: UUID) { subscribers[id] = nil }

  /// The values that lost conflicts and are still kept, the oldest first.
  /// - Throws: an error of the store beside the user's.
  public func conflicts() throws -> [SyncConflict] { try replica().conflicts() }

  // MARK: - In the background

  private func followProgram() async {
    for await _ in signals.stream {
      if Task.isCancelled { return }
      if opening.isAbandoned { return abandon() }
      let wait = notBefore.timeIntervalSinceNow
      if wait > 0 { continue }
      await attempt()
    }
  }

  /// Ends the sync of a container that the program released.
  private func abandon() {
    (observer, opened) = (nil, nil)
    opening.close()
    Self.forget(self, opening.coreIdentity)
    signals.continuation.finish()
  }

  private func attempt() async {
    guard !status.isPaused else { return }
    do { try await sync(sendingOnly: isInformed) } catch { retryLater(error) }
  }

  /// Whether the request that waits for news says what others saved, so that a save need not ask for it.
  private var isInformed: Bool { longPoll != nil && opened != nil && status.lastSync != nil && status.error == nil }

  /// Asks for another try after a pause.
  private func retryLater(_ error: any Error) {
    let delay = backoff.next(least: (error as? SyncError)?.retryAfter, jitter: Double.random(in: 0...1))
    notBefore = Date().addingTimeInterval(delay)
    Task { [continuation = signals.continuation] in
      try? await Task.sleep(for: .seconds(delay + 0.001))
      continuation.yield()
    }
  }

  private func followServer() async {
    var (failures, invitations) = (Backoff(longest: 60), 0)
    // Whether the status says that the server cannot be listened to.
    var isCutOff = false
    // The first answer comes at once, also after an error: then the status need not wait for news to say that the server is back.
    var isConnected = false
    while !Task.isCancelled, !opening.isAbandoned {
      let resumed = resumptions
      do {
        guard !status.isPaused, let replica = opened else {
          await sleep(seconds: 25)
          continue
        }
        let request = known.request(replica, seconds: isConnected ? 25 : 0, invitations: invitations)
        let response = try await wait(request)
        isConnected = true
        if status.isPaused { continue }
        if try isCutOff || hasNews(response, request) { try await syncNow() }
        isCutOff = false
        failures.reset()
        // Another process may have saved, which this one does not hear of.
        if opened?.hasUnseenSaves == true { signals.continuation.yield() }
        if let count = response.invitations, count != invitations {
          invitations = count
          end(begin(.sharing), nil)
        }
      } catch {
        isConnected = false
        // The answer to the next request says all that there is to be done again.
        known.forget()
        if status.isPaused { continue }
        if Task.isCancelled { break }
        // A failed exchange has set the status already. One failed wait is no error: proxies close connections that wait long.
        if !(error is SyncError), failures.failures > 0 {
          status.setError(SyncError(error))
          isCutOff = true
        }
        let failure = error as? SyncFailure
        let delay = failures.next(least: failure?.retryAfter, jitter: Double.random(in: 0...1))
        let isWoken = resumptions == resumed ? await sleep(seconds: delay) : true
        if isWoken { failures.reset() }
      }
    }
    if opening.isAbandoned { abandon() }
  }

  /// Whether an answer has something that the replica does not have. If not, the replica has the list of the answer.
  private func hasNews(_ response: WaitResponse, _ request: WaitRequest) throws -> Bool {
    let replica = try replica()
    // What this engine sent meanwhile is no news.
    if response.latest.contains(where: { $0.value > replica.position($0.key) }) { return true }
    if response.isPartial != true, !response.zones.isEmpty {
      if !replica.hasTaken(response.zones) || response.hasKeys(newerThan: replica.keyGenerations) { return true }
    }
    // Unless an exchange brought a list meanwhile.
    guard known.version == request.version else { return false }
    if request.version != nil, response.isPartial != true {
      // Another server process answered, at once, since it does not know the list. The next request says all, so that any of them waits.
      known.forget()
    } else if response.version != nil {
      known.note(response.zones, isPartial: response.isPartial)
      known.didTake(response.version)
    }
    return false
  }

  /// Waits until the time is over, or until ``resume()``, a successful exchange or a new replica cancels ``sleeper``.
  /// - Returns: whether ``sleeper`` was cancelled.
  @discardableResult
  private func sleep(seconds: Double) async -> Bool {
    let sleep = Task { try await Task.sleep(for: .seconds(seconds)) }
    sleeper = sleep
    defer { sleeper = nil }
    return await withTaskCancellationHandler {
      await (try? sleep.value) == nil
    } onCancel: {
      sleep.cancel()
    }
  }

  /// Waits until the server has something new. ``pause()`` and ``stop()`` end the request.
  private func wait(_ request: WaitRequest) async throws -> WaitResponse {
    let poll = Task { [client] in try await client.wait(request) }
    longPoll = poll
    defer { longPoll = nil }
    return try await withTaskCancellationHandler {
      try await poll.value
    } onCancel: {
      poll.cancel()
    }
  }

  // MARK: - An exchange

  func replica() throws -> Replica {
    if let opened { return opened }
    let replica = try event(.setUp) { _ in try opening.open() }
    opened = replica
    known = KnownZones()
    client.expect(account: replica.ledger.replica.account)
    sleeper?.cancel()
    try replica.ledger.dropConflicts(before: Date().addingTimeInterval(-conflictRetention))
    return replica
  }

  private func exchange(sendingOnly isSending: Bool) async throws {
    let replica = try replica()
    do {
      replica.unavailable = []
      try replica.scanPart()
      try await catchUp(replica)
      var refused: SyncError?
      if !isSending {
        try await pull(replica, SyncWire.privateZone)
        client.expect(account: replica.ledger.replica.account)
        refused = try await exchangeKeys(replica)
        // The server tells of changes that come after that answer. A server that was restored from a copy may be behind.
        for share in replica.shares where replica.position(share.name) != known.newest[share.name] {
          try await pullShare(replica, share)
        }
        try await fetching(replica) { try replica.finishMoves() }
        try await catchUp(replica)
      }
      try await push(replica, SyncWire.privateZone)
      // An account can have many shares, and mostly there is nothing to send to them.
      for share in replica.shares where replica.mayHaveUnsent(zone: share.name) {
        if let error = try await pushShare(replica, share) { refused = error }
      }
      status.setPending(replica.pendingCount)
      if let refused { throw refused }
      try makeSnapshot(replica)
    } catch {
      status.setPending(replica.pendingCount)
      // What the ledger has in memory may be half of something.
      if !(error is SyncFailure), !(error is URLError), !(error is SyncError) { opened = nil }
      throw error
    }
  }
}
