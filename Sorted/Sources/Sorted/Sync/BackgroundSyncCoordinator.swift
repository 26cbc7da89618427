import FirestoreClient
import Foundation
import Observation
import SwiftData

/// Syncs a store in the background and says how that goes, for a screen to show (guide, 4.3).
///
/// It is online until the server does not answer, or the network says otherwise. While the server does not answer it is
/// asked again after 1, 2, 4, 8, 8, … seconds and some more by chance; a network that comes back ends the waiting. There is
/// never more than one sync at a time: whoever asks for another one waits for the one that runs, and for one more after it.
@MainActor
@Observable
public final class BackgroundSyncCoordinator {
  // MARK: - Observed State

  /// Whether the server can be reached, as far as is known.
  public private(set) var isOnline = true
  /// Whether a sync is running.
  public private(set) var isSyncing = false
  /// How many messages wait to be sent (guide, 4.3): pending ones, and failed ones that are tried again.
  public private(set) var pendingSyncCount = 0
  /// What the last sync did; nil before the first one.
  public private(set) var lastReport: SyncSession.Report?
  /// Why the last sync did not come to its end, for the user to read; nil where it did.
  public private(set) var errorMessage: String?
  /// How far the queue has come in the sync that is running: messages done, messages altogether.
  public private(set) var progress: (done: Int, total: Int)?

  // MARK: - Dependencies

  private let session: SyncSession
  private let environment: SyncEnvironment
  private let reachability: AsyncStream<Bool>?

  // MARK: - Mutable State

  private var running: Task<Void, Never>?
  private var isAnotherWanted = false
  private var isNextUrgent = false
  /// Syncs in a row that got no answer.
  private var silences = 0
  private var nap: Task<Void, Never>?
  private var isNetworkThere = true

  /// Makes the coordinator of a user's store.
  /// - Parameter reachability: says each time whether there is a network; nil leaves that to the server's answers.
  public init(
    container: ModelContainer, database: any RemoteDatabase, userID: String, reachability: AsyncStream<Bool>? = nil,
    environment: SyncEnvironment = SyncEnvironment()
  ) {
    self.session = SyncSession(container: container, database: database, userID: userID, environment: environment)
    self.environment = environment
    self.reachability = reachability
  }

  // MARK: - Sync Methods

  /// Sends what waits and receives what is new. Failed messages whose time has not come stay.
  public func processSyncQueue() async { await request(urgent: false) }

  /// Sends what waits, also what would be tried again later, and receives what is new (guide: "Manually trigger sync").
  public func sync() async { await request(urgent: true) }

  /// Syncs again and again until the task is cancelled: each `interval` seconds while there are answers, and as soon as
  /// the network comes back.
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

  /// Follows the network until the task is cancelled or the network's messages end; coming online starts a sync.
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
    isNextUrgent = isNextUrgent || urgent
    if let running {
      // What was written after it had begun may not be in it.
      isAnotherWanted = true
      return await running.value
    }
    let task = Task {
      repeat {
        isAnotherWanted = false
        let isUrgent = isNextUrgent
        isNextUrgent = false
        await syncOnce(urgent: isUrgent)
      } while isAnotherWanted
      running = nil
    }
    running = task
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
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
