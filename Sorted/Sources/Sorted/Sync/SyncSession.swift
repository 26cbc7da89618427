import FirestoreProtocol
import Foundation
import SwiftData

/// A complete sync of a store: send, receive, then send the resulting delivery receipts. The command line and the
/// coordinator use it.
public struct SyncSession: Sendable {
  private let container: ModelContainer
  private let userID: String
  private let environment: SyncEnvironment
  /// The sending service.
  public let messages: MessageSyncService
  /// The receiving service.
  public let conversations: ConversationSyncService

  /// The result of a sync.
  public struct Report: Codable, Hashable, Sendable {
    /// The result of sending.
    public var outgoing = MessageSyncService.Report()
    /// The result of receiving.
    public var incoming = ConversationSyncService.Report()
    /// The number of messages that are still pending.
    public var pending = 0

    /// Makes an empty report.
    public init() {}
  }

  /// Makes a sync of a user's store.
  public init(
    container: ModelContainer, database: any RemoteDatabase, userID: String,
    environment: SyncEnvironment = SyncEnvironment()
  ) {
    self.container = container
    self.userID = userID
    self.environment = environment
    self.messages = MessageSyncService(
      modelContainer: container, database: database, userID: userID, environment: environment)
    self.conversations = ConversationSyncService(
      modelContainer: container, database: database, userID: userID, environment: environment)
  }

  /// Sends and receives everything.
  /// - Parameters:
  ///   - ignoringDelays: whether to retry failed messages before their time.
  ///   - progress: called while sending with the numbers of finished and of all messages.
  /// - Throws: ``SyncError/busy(_:)``, ``SyncError/otherUser(_:)``; `FirestoreError` if the server does not answer,
  ///   which is also recorded in the store; `SwiftDataError`.
  public func run(
    ignoringDelays: Bool = false, progress: (@Sendable (Int, Int) -> Void)? = nil
  ) async throws -> Report {
    let lock = try SyncLock(of: container)
    defer { withExtendedLifetime(lock) {} }
    try LocalUser.claim(ModelContext(container), for: userID)
    do {
      var report = Report()
      report.outgoing = try await messages.processSyncQueue(ignoringDelays: ignoringDelays, progress: progress)
      report.incoming = try await conversations.syncChangedConversations()
      report.outgoing += try await messages.processSyncQueue()
      report.pending = try await messages.pendingCount()
      try note(nil)
      return report
    } catch let error as FirestoreError {
      try note(error.description)
      throw error
    }
  }

  private func note(_ error: String?) throws {
    let context = ModelContext(container)
    let now = environment.now()
    if let error {
      try context.update(
        model: SyncStateEntity.self, set: .assign(\.lastError, error), .assign(\.lastErrorAt, now))
    } else {
      try context.update(
        model: SyncStateEntity.self, set: .assign(\.lastError, nil as String?), .assign(\.lastErrorAt, nil as Date?),
        .assign(\.lastSyncAt, now))
    }
  }
}

extension MessageSyncService.Report {
  static func += (left: inout Self, right: Self) {
    left.sent += right.sent
    left.changed += right.changed
    left.failed += right.failed
    left.commits += right.commits
  }
}
