import Foundation
import Observation
import Sorted
import SwiftData
import SwiftDataSync

/// Syncs a shared inbox in the background and publishes the progress for a screen.
///
/// A sync runs when the server has changes, when a program saved to the store, and when a caller asks for it. There is at most
/// one at a time: a request during a sync waits for it and for one more.
@MainActor
@Observable
public final class SharedInboxCoordinator: InboxSync {
  // MARK: - Observed State

  /// Whether the server is believed to be reachable.
  public private(set) var isOnline = true
  /// Whether a sync is running.
  public private(set) var isSyncing = false
  /// The number of messages that wait to be sent.
  public private(set) var pendingSyncCount = 0
  /// The report of the last sync, or nil before the first.
  public private(set) var lastReport: SyncSession.Report?
  /// The reason why the last sync was incomplete, for the user, or nil.
  public private(set) var errorMessage: String?

  // MARK: - Mutable State

  private let inbox: SharedInbox
  private let session: SharedInboxSession
  private let turns = SyncTurns(endsWithRequest: false)
  private var failures = 0
  private var nap: Task<Void, Never>?
  /// The place up to which the history was looked at.
  private var seen: DefaultHistoryToken?

  /// Makes the coordinator of an inbox.
  public init(_ inbox: SharedInbox) {
    self.inbox = inbox
    session = SharedInboxSession(inbox)
  }

  /// Sends what waits, whatever its retry time, and receives what is new.
  public func sync() async { await request(urgent: true) }

  /// Syncs until the task is cancelled: at once, when the server has changes, and when another program saved to the store,
  /// which it looks for every `interval` seconds.
  public func run(interval: TimeInterval) async {
    let listening = Task { await followServer() }
    defer { listening.cancel() }
    await request(urgent: true)
    while !Task.isCancelled {
      await rest(failures == 0 ? interval : Backoff.delay(after: failures, random: .random(in: 0..<1)))
      if Task.isCancelled { break }
      let isDue = (try? hasNews()) ?? true
      if isDue || failures > 0 { await request(urgent: false) }
    }
    await inbox.close()
  }

  /// Takes in what the sync in the background brings, and looks at invitations when the server tells of some.
  private func followServer() async {
    for await event in await inbox.engine.events where event.end != nil && event.error == nil {
      switch event.kind {
      case .import where event.transactions > 0, .sharing: await request(urgent: false)
      case .export where failures > 0: nap?.cancel()
      default: break
      }
    }
  }

  /// Whether another program, or another part of this one, saved something since the last look; or a message's retry is due.
  private func hasNews() throws -> Bool {
    let context = inbox.makeContext()
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let seen { descriptor.predicate = #Predicate { $0.token > seen } }
    let newest = try context.currentHistoryToken()
    defer { seen = newest }
    guard seen != nil else { return true }
    if newest != seen {
      let own = [SharedInbox.author, SyncEngine.author]
      if try context.fetchHistory(descriptor).contains(where: { !own.contains($0.author ?? "") }) { return true }
    }
    return try !Departures(inbox: inbox).waiting(ignoringDelays: false).isEmpty
  }

  // MARK: - One at a time

  private func request(urgent: Bool) async {
    await turns.request(urgent: urgent) { await self.syncOnce(urgent: $0) }
  }

  private func syncOnce(urgent: Bool) async {
    isSyncing = true
    defer { isSyncing = false }
    countPending()
    do {
      lastReport = try await session.run(ignoringDelays: urgent)
      (isOnline, failures, errorMessage) = (true, 0, nil)
    } catch is CancellationError {
    } catch {
      let failure = error as? SwiftDataSync.SyncError
      errorMessage = failure?.message ?? (error as? any LocalizedError)?.errorDescription ?? "\(error)"
      isOnline = failure?.code != .offline
      failures += 1
    }
    countPending()
  }

  private func countPending() {
    if let count = try? Departures(inbox: inbox).count() { pendingSyncCount = count }
  }

  private func rest(_ seconds: TimeInterval) async {
    let task = Task<Void, Never> { try? await Task.sleep(for: .seconds(seconds)) }
    nap = task
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
