import FirestoreClient
import Foundation
import SwiftData

/// One sync of a store from its beginning to its end: send, receive, and send what receiving brought about (that messages
/// have arrived). What the command line and the coordinator share.
public struct SyncSession: Sendable {
  private let container: ModelContainer
  private let userID: String
  private let environment: SyncEnvironment
  /// Sends.
  public let messages: MessageSyncService
  /// Receives.
  public let conversations: ConversationSyncService

  /// What a sync did.
  public struct Report: Codable, Hashable, Sendable {
    /// What was sent.
    public var outgoing = MessageSyncService.Report()
    /// What was received.
    public var incoming = ConversationSyncService.Report()
    /// Messages that still wait to be sent.
    public var pending = 0

    /// Nothing yet.
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
  ///   - ignoringDelays: whether messages that failed go before their time.
  ///   - progress: of sending: messages done, messages altogether.
  /// - Throws: ``SyncError/busy(_:)``, ``SyncError/otherUser(_:)``; `FirestoreError` where the server does not answer, which
  ///   is also noted in the store; `SwiftDataError`.
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
