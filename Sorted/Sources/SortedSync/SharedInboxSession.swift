import Foundation
import Sorted
import SwiftData
import SwiftDataSync

/// A complete sync of a shared inbox: send, invite, receive, then send the resulting receipts. The command line and the
/// coordinator use it.
public actor SharedInboxSession {
  private let inbox: SharedInbox
  /// The history token up to which the session has looked for imports.
  private var position: DefaultHistoryToken?
  /// The conversations that were compared with the shares on the server.
  private var compared: ConversationShares.Compared?

  /// Makes the sync of an inbox.
  public init(_ inbox: SharedInbox) { self.inbox = inbox }

  /// Exchanges everything with the server.
  /// - Parameter ignoringDelays: whether to retry failed messages before their time.
  /// - Throws: an error of SwiftDataSync, which is also recorded in the store; `SwiftDataError`.
  public func run(ignoringDelays: Bool = false) async throws -> SyncSession.Report {
    do {
      let report = try await exchange(ignoringDelays: ignoringDelays)
      try note(nil)
      return report
    } catch let error as SwiftDataSync.SyncError {
      // Where another process syncs the store, that one knows how the sync stands.
      if error.code != .busy { try note(error.message) }
      throw error
    }
  }

  private func exchange(ignoringDelays: Bool) async throws -> SyncSession.Report {
    let departures = Departures(inbox: inbox)
    var report = SyncSession.Report()
    var came = try await takeIn()
    let waiting = try departures.waiting(ignoringDelays: ignoringDelays)
    let conversations = try departures.changedConversations()
    try departures.attachFiles(of: waiting)
    try await inbox.engine.syncNow()
    let written = Set(waiting.filter(\.isNew).map(\.conversationID))
    let outcome = try await reconcile(waiting: written)
    report.outgoing = try departures.note(waiting, problems: outcome.problems)
    try departures.note(conversations: conversations)
    let later = try await takeIn()
    came.received += later.received
    came.updated += later.updated
    if came.hasReceipts || later.hasReceipts { try await inbox.engine.syncNow() }
    (report.incoming.received, report.incoming.updated) = (came.received, came.updated)
    report.pending = try departures.count()
    return report
  }

  private func reconcile(waiting: Set<String>) async throws -> ConversationShares.Outcome {
    // If it fails, the next one looks at all conversations.
    var compared = self.compared
    self.compared = nil
    let outcome = try await ConversationShares(inbox: inbox).reconcile(waiting: waiting, since: &compared)
    self.compared = compared
    return outcome
  }

  private func takeIn() async throws -> Arrivals.Report {
    var end = position
    let report = try await Arrivals(inbox: inbox).takeIn(from: &end)
    position = end
    return report
  }

  /// Records how it went, for `sorted status` and the pages.
  private func note(_ error: String?) throws {
    let now = Date()
    try inbox.change { context in
      guard let state = try SyncStateEntity.of(context) else { return }
      if let error {
        guard state.lastError != error else { return }
        (state.lastError, state.lastErrorAt) = (error, now)
      } else if state.lastError != nil || now.timeIntervalSince(state.lastSyncAt ?? .distantPast) > 1 {
        (state.lastError, state.lastErrorAt, state.lastSyncAt) = (nil, nil, now)
      }
    }
  }
}
