import Foundation
import Sorted
import SwiftData

/// How the sync stands, in words.
struct StatusLine: Equatable, Sendable {
  let statusText: String
  /// `offline`, `syncing`, `error`, `pending` or `ok`: which look it has.
  let kind: String
  let detail: String?
  let canRetry: Bool
  let failedCount: Int

  /// The words of the seeds.
  static let offlineText = "You're offline. Changes will sync when online."

  init(pending: Int, failed: Int, sync: SyncState?, lastError: String?) {
    failedCount = failed
    let waiting = pending == 1 ? "1 message waits" : "\(pending) messages wait"
    let failedText = failed == 1 ? "1 message was not sent" : "\(failed) messages were not sent"
    // A sync of another program says how it went in the store.
    let problem = sync?.error ?? lastError
    if let sync, !sync.isOnline {
      (kind, statusText) = ("offline", Self.offlineText)
      detail = pending > 0 ? waiting : nil
    } else if let sync, sync.isSyncing {
      (kind, statusText, detail) = ("syncing", "Syncing…", pending > 0 ? waiting : nil)
    } else if failed > 0 {
      (kind, statusText, detail) = ("error", failedText, problem)
    } else if let problem {
      (kind, statusText, detail) = ("error", "The last sync did not finish", problem)
    } else if pending > 0 {
      (kind, statusText) = ("pending", "\(waiting) to be sent")
      detail = sync == nil ? "No sync server is connected." : nil
    } else {
      (kind, statusText, detail) = ("ok", sync == nil ? "Stored on this computer" : "Up to date", nil)
    }
    canRetry = failed > 0 || (sync != nil && kind != "syncing" && kind != "ok")
  }

  /// - Throws: `SwiftDataError`.
  init(_ work: Work, sync: SyncState?) throws {
    let (pendingStatus, failedStatus) = (SyncStatus.pending, SyncStatus.failed)
    let pending = try work.inbox.fetchCount(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.syncStatus == pendingStatus }))
    let failed = try work.inbox.fetchCount(
      FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.syncStatus == failedStatus }))
    let lastError = try SyncStateEntity.of(work.inbox)?.lastError
    self.init(pending: pending, failed: failed, sync: sync, lastError: lastError)
  }
}

/// How the sync of this program stands.
struct SyncState: Equatable, Sendable {
  var isOnline: Bool
  var isSyncing: Bool
  var error: String?

  @MainActor
  init(_ coordinator: BackgroundSyncCoordinator) {
    isOnline = coordinator.isOnline
    isSyncing = coordinator.isSyncing
    error = coordinator.errorMessage
  }
}
