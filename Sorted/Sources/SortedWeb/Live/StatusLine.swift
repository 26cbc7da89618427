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
  static let offlineText: Phrase = "You're offline. Changes will sync when online."

  /// - Parameter isRemote: whether people use the store of another computer.
  init(pending: Int, failed: Int, sync: SyncState?, lastError: String?, isRemote: Bool = false) {
    failedCount = failed
    let waiting: Phrase = pending == 1 ? "1 message waits" : "\(pending) messages wait"
    let failedText: Phrase = failed == 1 ? "1 message was not sent" : "\(failed) messages were not sent"
    let waitingText: Phrase = pending == 1 ? "1 message waits to be sent" : "\(pending) messages wait to be sent"
    let statusText: Phrase
    // A sync of another program says how it went in the store.
    let problem = (sync?.error ?? lastError).map(DataLayerText.translated)
    if let sync, !sync.isOnline {
      (kind, statusText) = ("offline", Self.offlineText)
      detail = pending > 0 ? waiting.text : nil
    } else if let sync, sync.isSyncing {
      (kind, statusText, detail) = ("syncing", "Syncing…", pending > 0 ? waiting.text : nil)
    } else if failed > 0 {
      (kind, statusText, detail) = ("error", failedText, problem)
    } else if let problem {
      (kind, statusText, detail) = ("error", "The last sync did not finish", problem)
    } else if pending > 0 {
      (kind, statusText) = ("pending", waitingText)
      detail = sync == nil ? String(translated: "No sync server is connected.") : nil
    } else {
      (kind, statusText, detail) = ("ok", sync == nil && !isRemote ? "Stored on this computer" : "Up to date", nil)
    }
    self.statusText = statusText.text
    canRetry = failed > 0 || (sync != nil && kind != "syncing" && kind != "ok")
  }

  /// What of the viewer's own waits: messages of others are theirs to send.
  init(_ waiting: WaitingMessages, _ viewer: Viewer, sync: SyncState?) {
    let (pending, failed) = waiting.counts(of: viewer)
    self.init(
      pending: pending, failed: failed, sync: sync, lastError: viewer.isOwner ? waiting.lastError : nil,
      isRemote: waiting.isRemote)
  }
}

/// How many messages of whom wait for the sync server. Without one, what is stored is sent, and nothing waits.
struct WaitingMessages: Equatable, Sendable {
  private var pending: [String: Int] = [:]
  private var failed: [String: Int] = [:]
  var lastError: String?
  /// Whether people use the store of another computer.
  private(set) var isRemote = false

  /// - Throws: `SwiftDataError`.
  init(_ work: Work) throws {
    isRemote = work.setting.hasAccounts
    guard try work.isSynced() else { return }
    pending = try Self.count(.pending, work)
    failed = try Self.count(.failed, work)
    lastError = try SyncStateEntity.of(work.inbox)?.lastError
  }

  private static func count(_ status: SyncStatus, _ work: Work) throws -> [String: Int] {
    let waiting = FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.syncStatus == status })
    return Dictionary(
      try work.inbox.fetch(waiting, groupedBy: \.senderID, computing: .count).map { ($0.0, $0.1) }, uniquingKeysWith: +)
  }

  func counts(of viewer: Viewer) -> (pending: Int, failed: Int) {
    let names = viewer.isOwner ? [viewer.userID, LocalUser.placeholder] : [viewer.userID]
    func sum(_ counts: [String: Int]) -> Int { Set(names).reduce(0) { $0 + counts[$1, default: 0] } }
    return (sum(pending), sum(failed))
  }
}

extension Work {
  /// Whether messages go on to a sync server: this program's, or another one's on the same store.
  func isSynced() throws -> Bool { try setting.hasSync || SyncStateEntity.of(inbox) != nil }
}

/// How the sync of this program stands.
struct SyncState: Equatable, Sendable {
  var isOnline: Bool
  var isSyncing: Bool
  var error: String?

  @MainActor
  init(_ coordinator: any InboxSync) {
    isOnline = coordinator.isOnline
    isSyncing = coordinator.isSyncing
    error = coordinator.errorMessage
  }
}
