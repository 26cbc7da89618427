import FirestoreProtocol
import Foundation
import Observation
import SwiftData

/// Syncs a store in the background and publishes the progress for a screen (guide, 4.3).
///
/// It is online until the server does not answer, or the reachability reports otherwise. It retries after 1, 2, 4, 8,
/// 8, … seconds with jitter. A returning network ends the wait. There is at most one sync at a time: a request during a
/// sync waits for it and for one more.
@MainActor
@Observable
public final class BackgroundSyncCoordinator {
  // MARK: - Observed State

  /// Whether the server is believed to be reachable.
  public private(set) var isOnline = true
  /// Whether a sync is running.
  public private(set) var isSyncing = false
  /// The number of messages to send (guide, 4.3): pending ones, and failed ones that are retried.
  public private(set) var pendingSyncCount = 0
  /// The report of the last sync, or nil before the first.
  public private(set) var lastReport: SyncSession.Report?
  /// The reason why the last sync was incomplete, for the user, or nil.
  public private(set) var errorMessage: String?
  /// The progress of the running sync: finished messages and all messages.
  public private(set) var progress: (done: Int, total: Int)?

  // MARK: - Dependencies

  private let session: SyncSession
  private let environment: SyncEnvironment
  private let reachability: AsyncStream<Bool>?

  // MARK: - Mutable State

  private let turns = SyncTurns(endsWithRequest: true)
  /// The number of consecutive syncs without an answer.
  private var silences = 0
  private var nap: Task<Void, Never>?
  private var isNetworkThere = true

  /// Makes the coordinator of a user's store.
  /// - Parameters:
  ///   - container: the store.
  ///   - database: the server.
  ///   - userID: the user of the store.
  ///   - environment: the clock, sleep and randomness.
  ///   - reachability: reports whether there is a network, or nil to rely on the server's answers.
  public init(
    container: ModelContainer, database: any RemoteDatabase, userID: String, reachability: AsyncStream<Bool>? = nil,
    environment: SyncEnvironment = SyncEnvironment()
  ) {
    self.session = SyncSession(container: container, database: database, userID: userID, environment: environment)
    self.environment = environment
    self.reachability = reachability
  }

  // MARK: - Sync Methods

  /// Sends pending messages and receives new ones. Failed messages wait for their retry time.
  public func processSyncQueue() async { await request(urgent: false) }

  /// Sends pending messages, including those with a later retry time, and receives new ones (guide: "Manually trigger
  /// sync").
  public func sync() async { await request(urgent: true) }

  /// Syncs repeatedly until the task is cancelled: every `interval` seconds while the server answers, and when the
  /// network returns.
  public func run(interval: TimeInterval) async {
    let monitor = Task { await watchNetwork() }
    defer { monitor.cancel() }
    var isFirst = true
    while !Task.isCancelled {
      if isNetworkThere { await request(urgent: isFirst) }
      isFirst = false
      let failures = silences
      await rest(
        failures == 0 ? interval : Backoff.delay(after: failures, random: environment.random()))
    }
  }

  /// Follows the network until the task is cancelled or the stream ends. Coming online starts a sync.
  public func watchNetwork() async {
    guard let reachability else { return }
    for await isThere in reachability {
      let wasThere = isNetworkThere
      isNetworkThere = isThere
      if !isThere {
        isOnline = false
      } else if !wasThere || !isOnline {
        silences = 0
        nap?.cancel()
        await request(urgent: true)
      }
    }
  }

  // MARK: - One at a time

  private func request(urgent: Bool) async {
    await turns.request(urgent: urgent) { await self.syncOnce(urgent: $0) }
  }

  private func syncOnce(urgent: Bool) async {
    isSyncing = true
    defer {
      isSyncing = false
      progress = nil
    }
    await countPending()
    do {
      lastReport = try await session.run(ignoringDelays: urgent) { [weak self] done, total in
        Task { @MainActor in if self?.isSyncing == true { self?.progress = (done, total) } }
      }
      isOnline = true
      silences = 0
      errorMessage = nil
    } catch is CancellationError {
    } catch {
      errorMessage = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
      let isSilent = (error as? FirestoreError).map { SyncFailure($0) == .noAnswer } ?? false
      if isSilent { isOnline = false }
      silences += 1
    }
    await countPending()
  }

  private func countPending() async {
    if let count = try? await session.messages.pendingCount() { pendingSyncCount = count }
  }

  private func rest(_ seconds: TimeInterval) async {
    let sleep = environment.sleep
    let task = Task<Void, Never> { try? await sleep(seconds) }
    nap = task
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
