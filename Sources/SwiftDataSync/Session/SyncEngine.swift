#if Sync
public import Foundation
import Logging
import SwiftData
import SyncProtocol
import Synchronization
import UntrustedInput

/// Syncs one store in the background: sends the program's saves, and receives the saves of other devices.
///
/// A container makes one for each of its configurations that names a database with a server. It works until ``stop()``, or
/// until the container is gone.
public actor SyncEngine {
  /// Posted when a step of the sync begins and when it ends. The object is the engine; the user info has the ``SyncEvent``
  /// under `"event"`.
  public static let eventChanged = Notification.Name("SyncEngine.eventChanged")
  /// Posted when the store has all that the server had when an exchange began, and the server all that the store had.
  public static let didComplete = Notification.Name("CloudKitSyncDidComplete")

  /// The state of the sync.
  public nonisolated let status = SyncStatus()
  /// The name of the configuration whose store it syncs.
  public nonisolated let configuration: String
  nonisolated let storeIdentifier: String

  let client: SyncClient
  let opening: ReplicaOpening
  private let conflictRetention: Duration
  let logger = Logger(label: "SwiftData.Sync")

  // MARK: - Mutable State
  // Of the actor.

  var opened: ZoneReplica?
  /// Asks for an exchange. A stream ends with the task that reads it, so each start makes a new one.
  var signals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  /// The exchange that runs and those that wait for it, in order.
  private(set) var exchanges: [Task<Void, any Error>] = []
  /// Nil without a tracer.
  private let spans = Spans()
  private(set) var tasks: [Task<Void, Never>] = []
  /// Whether ``stop()`` was called after ``start()``. The first ``launch()`` may come after it.
  private var isStopped = false
  /// The ``stop()`` that is under way.
  private var ending: Task<Void, Never>?
  /// Whether ``start()`` was called since ``ending`` began. The engine starts when it is over.
  private var startsAgain = false
  /// The request that waits for changes on the server.
  var longPoll: Task<SyncLog.WaitResponse, any Error>?
  /// The task that ``followServer()`` waits for while the engine is paused or has no replica, or after an error.
  var sleeper: Task<Void, any Error>?
  /// How often ``resume()`` was called. It may come before ``followServer()`` begins to wait.
  var resumptions = 0
  private var observer: ObserverToken?
  var subscribers: [UUID: AsyncStream<SyncEvent>.Continuation] = [:]
  private var backoff = Backoff()
  /// When the next try may begin. The clock on the wall may be set back, which would make a pause of a day.
  private var notBefore = ContinuousClock.now
  /// When old conflicts were last removed from the log.
  private var conflictsDropped: ContinuousClock.Instant?
  /// Whether the server has the public key of the account. See `SyncEngine+Keys.swift`.
  var hasPublishedKey = false
  var uploaded = UploadedAssets()
  /// The shares, as the server listed them last, with the name of the list.
  var knownShares: (version: String?, shares: [SyncShare])?

  init(_ opening: ReplicaOpening, _ registration: SyncRemote.Registration) {
    self.opening = opening
    (configuration, storeIdentifier) = (opening.name, opening.storeIdentifier)
    client = SyncClient(transport: registration.transport, credentials: registration.credentials)
    conflictRetention = registration.conflictRetention
  }

  // MARK: - Control

  /// Syncs in the background from now on. A container's engine is started already.
  public func start() {
    guard tasks.isEmpty else { return }
    isStopped = false
    status.setPaused(false)
    launch()
  }

  /// Begins the work of an engine that may have been paused or stopped since its container was opened.
  func launch() {
    guard tasks.isEmpty, !isStopped else { return }
    guard ending == nil else {
      startsAgain = true
      return
    }
    signals = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    // The next try after a former error would ask by the former signals.
    (backoff, notBefore) = (Backoff(), .now)
    observer = ObserverToken(opening.storeIdentifier) { [continuation = signals.continuation] in continuation.yield()
    }
    signals.continuation.yield()
    tasks = [
      Task { [weak self] in await self?.followProgram() },
      Task { [weak self] in await self?.followServer() },
    ]
  }

  /// Ends the sync and closes its bookkeeping. The engine sends unsent changes after the next ``start()``.
  ///
  /// It returns when all work of the engine has ended. An engine that is started meanwhile starts after that.
  public func stop() async {
    (startsAgain, isStopped) = (false, true)
    if ending == nil { ending = Task { await self.end() } }
    await ending?.value
  }

  private func end() async {
    let running = tasks
    tasks = []
    for task in running { task.cancel() }
    observer = nil
    await endExchanges()
    for task in running { await task.value }
    opened = nil
    opening.close()
    for subscriber in subscribers.values { subscriber.finish() }
    subscribers = [:]
    ending = nil
    guard startsAgain else { return }
    startsAgain = false
    launch()
  }

  /// Ends the exchanges, which write to the bookkeeping until they are over.
  private func endExchanges() async {
    while let exchange = exchanges.last {
      for exchange in exchanges { exchange.cancel() }
      _ = await exchange.result
      exchanges.removeAll { $0 == exchange }
    }
  }

  /// Waits until no exchange runs.
  func waitForExchanges() async {
    while let exchange = exchanges.last {
      _ = await exchange.result
      // The result is there before the one who asked for the exchange has removed it. To wait for it again would not let others run.
      exchanges.removeAll { $0 == exchange }
    }
  }

  /// Stops using the network until ``resume()``: call it if the network is metered or absent. The engine sends saves
  /// later. It returns when no request is running.
  public func pause() async {
    status.setPaused(true)
    longPoll?.cancel()
    let running = exchanges
    for exchange in running { exchange.cancel() }
    for exchange in running { _ = await exchange.result }
    _ = await longPoll?.result
  }

  /// Uses the network again.
  public func resume() {
    status.setPaused(false)
    (backoff, notBefore) = (Backoff(), .now)
    signals.continuation.yield()
    resumptions += 1
    sleeper?.cancel()
  }

  /// Sends what the program saved before the call, and takes in what the server has. The sync in the background exchanges what the program
  /// and other devices write meanwhile, so they do not hold this call up.
  /// - Throws: ``SyncError``. The sync in the background tries again.
  public func syncNow() async throws { try await sync(sendingOnly: false) }

  /// - Parameter isSending: whether to send only. If others sent something meanwhile, it comes too.
  private func sync(sendingOnly isSending: Bool) async throws {
    guard ending == nil else { throw Self.ended }
    let previous = exchanges.last
    let task = Task {
      _ = await previous?.result
      try Task.checkCancellation()
      guard let spans = self.spans else { return try await self.exchange(sendingOnly: isSending) }
      try await spans.span("sync", .client, ["swiftdata.store": .text(self.configuration)]) {
        try await self.exchange(sendingOnly: isSending)
      }
    }
    exchanges.append(task)
    status.setSyncing(true)
    defer {
      exchanges.removeAll { $0 == task }
      // The next exchange may have begun already.
      status.setSyncing(!exchanges.isEmpty)
    }
    do {
      try await task.value
      (backoff, notBefore) = (Backoff(), .now)
      status.setError(nil)
      // The exchange reached the server, so ``followServer()`` need not wait any longer.
      sleeper?.cancel()
      status.setLastSync(Date())
      NotificationCenter.default.post(name: Self.didComplete, object: self)
    } catch is CancellationError {
      throw Self.ended
    } catch {
      let wrapped = SyncError(error)
      status.setError(wrapped)
      logger.warning("\(configuration): \(wrapped.message)")
      throw wrapped
    }
  }

  private static let ended = SyncError(
    code: .offline, message: "the sync was paused or stopped; call resume() or start()")

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
  /// - Throws: an error of the bookkeeping.
  public func conflicts() throws -> [SyncConflict] { try replica().conflicts() }

  // MARK: - In the background

  private func followProgram() async {
    for await _ in signals.stream {
      if Task.isCancelled { return }
      if opening.isAbandoned { return await abandon() }
      if notBefore > .now { continue }
      await attempt()
    }
  }

  /// Ends the sync of a container that the program released.
  func abandon() async {
    observer = nil
    await endExchanges()
    opened = nil
    opening.close()
    Self.forget(self, opening.coreIdentity)
    signals.continuation.finish()
  }

  private func attempt() async {
    guard !status.isPaused else { return }
    do { try await sync(sendingOnly: isInformed) } catch { retryLater(error) }
  }

  /// Whether a waiting request reports saves of other devices, so that a save does not have to ask for them.
  private var isInformed: Bool { longPoll != nil && opened != nil && status.lastSync != nil && status.error == nil }

  /// Asks for another try after a pause.
  private func retryLater(_ error: any Error) {
    let delay = backoff.next(least: (error as? SyncError)?.retryAfter, jitter: Double.random(in: 0...1))
    notBefore = .now + .seconds(delay)
    Task { [continuation = signals.continuation] in
      try? await Task.sleep(for: .seconds(delay + 0.001))
      continuation.yield()
    }
  }

  // MARK: - An exchange

  func replica() throws -> ZoneReplica {
    if let opened { return opened }
    guard ending == nil else { throw Self.ended }
    let replica = try event(.setUp) { _ in try opening.open() }
    opened = replica
    client.expect(account: replica.store.replica.account)
    sleeper?.cancel()
    return replica
  }

  private func exchange(sendingOnly isSending: Bool) async throws {
    let replica = try replica()
    do {
      replica.unavailable = []
      try await fetching(replica) {
        try replica.capturePart()
        try replica.catchUp()
      }
      // A replica that has not pulled yet has no cursor to send.
      if !isSending || replica.waitRequest(seconds: 0) == nil { try await pull(replica) }
      // The pull said what time it is.
      if conflictsDropped.map({ ContinuousClock.now - $0 > .seconds(3600) }) ?? true {
        try replica.dropConflicts(olderThan: conflictRetention)
        conflictsDropped = .now
      }
      var refused = try await exchangeKeys(replica)
      try await push(replica)
      try status.setPending(replica.unsentCount())
      if refused == nil, try replica.shareWithoutKey() != nil {
        refused = SyncError(
          code: .encryptionKey,
          message:
            "the key of the share has not arrived; changes of encrypted attributes are sent when the owner's device"
            + " has synced")
      }
      if let undone = reportUndone(replica) { throw undone }
      if let refused { throw refused }
    } catch {
      if let count = try? replica.unsentCount() { status.setPending(count) }
      // The replica may have half of a step in memory, or another engine wrote to its tables. Then it is opened again.
      let isOfReplica = (error as? SyncError).map { $0.code == .busy } ?? true
      if isOfReplica, !(error is SyncFailure), !(error is URLError), !(error is UntrustedInputError) { opened = nil }
      throw error
    }
  }
}
#endif
