import Foundation
import Observation

/// The sync of an inbox, as a screen shows and controls it.
@MainActor
public protocol InboxSync: AnyObject, Observable, Sendable {
  /// Whether the server is believed to be reachable.
  var isOnline: Bool { get }
  /// Whether a sync is running.
  var isSyncing: Bool { get }
  /// The number of messages that wait to be sent.
  var pendingSyncCount: Int { get }
  /// The report of the last sync, or nil before the first.
  var lastReport: SyncSession.Report? { get }
  /// The reason why the last sync was incomplete, for the user, or nil.
  var errorMessage: String? { get }
  /// Sends what waits, whatever its retry time, and receives what is new.
  func sync() async
  /// Syncs until the task is cancelled.
  /// - Parameter interval: how many seconds pass between two looks at what changed.
  func run(interval: TimeInterval) async
}

extension BackgroundSyncCoordinator: InboxSync {}
