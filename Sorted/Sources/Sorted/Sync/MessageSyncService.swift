import FirestoreProtocol
import Foundation
import SwiftData

/// Sends local messages: the store is written first, the server follows (guide, 4.1).
///
/// Messages of one conversation are sent in order, many per commit. A document has the message's identifier and must
/// not exist, so repeating a commit after a lost answer makes no duplicate. The store has all state, so the next sync
/// after a crash continues.
public actor MessageSyncService: ModelActor {
  /// The container of the store.
  public nonisolated let modelContainer: ModelContainer
  /// The executor with the actor's context.
  public nonisolated let modelExecutor: any ModelExecutor
  private let database: any RemoteDatabase
  private let userID: String
  private let environment: SyncEnvironment
  private let paths: DocumentPaths

  /// The maximum number of writes in a commit.
  public static let maximumWrites = 500

  /// The result of sending.
  public struct Report: Codable, Hashable, Sendable {
    /// The number of messages that are new on the server.
    public var sent = 0
    /// The number of changes to messages that the server had: texts, receipts.
    public var changed = 0
    /// The number of messages that the server refused this time.
    public var failed = 0
    /// The number of commits.
    public var commits = 0

    /// Makes an empty report.
    public init() {}
  }

  /// Makes the service of a user's store.
  public init(
    modelContainer: ModelContainer, database: any RemoteDatabase, userID: String,
    environment: SyncEnvironment = SyncEnvironment()
  ) {
    self.modelContainer = modelContainer
    self.modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    self.database = database
    self.userID = userID
    self.environment = environment
    self.paths = DocumentPaths(root: database.root)
  }

  private var outbox: Outbox { Outbox(context: modelContext, userID: userID, environment: environment) }

  /// The number of messages to send: pending ones, and failed ones that are retried.
  /// - Throws: `SwiftDataError`.
  public func pendingCount() throws -> Int { try outbox.count() }

  /// Sends everything pending.
  /// - Parameters:
  ///   - ignoringDelays: whether to retry failed messages before their time, as after the network returned.
  ///   - progress: called after each commit with the numbers of finished and of all messages.
  /// - Throws: `FirestoreError` if the server does not answer or rejects the user; the rest stays pending.
  ///   `SwiftDataError`. Errors of single messages are recorded in them and do not stop the others.
  /// - Complexity: one commit per 500 writes, and memory for one of them.
  @discardableResult
  public func processSyncQueue(
    ignoringDelays: Bool = false, progress: (@Sendable (Int, Int) -> Void)? = nil
  ) async throws -> Report {
    var run = SendRun(dueAt: ignoringDelays ? nil : environment.now(), queue: try outbox.conversations())
    let total = progress == nil ? 0 : try outbox.count()
    while let batch = try run.nextBatch(outbox) {
      try await send(batch, &run)
      let done = run.report.sent + run.report.changed + run.report.failed
      progress?(min(done, total), total)
      try Task.checkCancellation()
    }
    for id in run.touched { try ThreadSummary.refresh(id, userID: userID, modelContext) }
    return run.report
  }

  /// Sends the messages of one conversation up to one message (guide, 4.1). Earlier ones go first.
  /// - Throws: as ``processSyncQueue(ignoringDelays:progress:)``; ``SyncError/invalidData(_:)`` if there is no such
  ///   message; ``SyncError/networkError(_:)`` with the reason if the server refused it.
  public func syncMessageToFirestore(_ id: String) async throws {
    func message() throws -> MessageEntity {
      guard
        let found = try modelContext.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id })).first
      else { throw SyncError.invalidData("there is no message \(id)") }
      return found
    }
    var run = SendRun(dueAt: nil, queue: [try message().conversationID])
    while try message().isPendingSync, let batch = try run.nextBatch(outbox) { try await send(batch, &run) }
    let outcome = try message()
    if outcome.syncStatus == .failed { throw SyncError.networkError(outcome.syncError ?? "it was not sent") }
  }

  // MARK: - One commit

  private func send(_ batch: [OutgoingSlice], _ run: inout SendRun) async throws {
    let messages = batch.flatMap(\.messages)
    do {
      run.report.commits += 1
      let commit = try await database.commit(batch.flatMap { $0.writes(paths) })
      let time = ServerTime.microseconds(commit.commitTime)
      for slice in batch {
        try outbox.accept(slice, at: time)
        run.touched.insert(slice.conversation.id)
      }
      run.report.sent += messages.count { $0.isNew }
      run.report.changed += messages.count { !$0.isNew }
      run.widen()
    } catch let error as FirestoreError {
      try await handle(error, batch, &run)
    }
  }

  private func handle(_ error: FirestoreError, _ batch: [OutgoingSlice], _ run: inout SendRun) async throws {
    let messages = batch.flatMap(\.messages)
    switch SyncFailure(error) {
    case .noAnswer:
      try outbox.noteAttempt(messages)
      throw error
    case .stranger:
      try fail(messages, error, isFinal: true, &run)
      throw error
    case .retryable:
      try fail(messages, error, isFinal: false, &run)
      run.block(batch)
    case .conflict:
      run.conflicts += 1
      if try await reconcile(batch, &run) || run.conflicts <= 5 { return run.again(batch) }
      try fail(messages, error, isFinal: false, &run)
      run.block(batch)
    case .final:
      if run.narrow(batch) { return }
      try fail(messages, error, isFinal: true, &run)
      // Refused fields of a conversation stay pending; everything else continues.
      if messages.isEmpty { run.block(batch) } else { run.again(batch) }
    }
  }

  private func fail(
    _ messages: [OutgoingMessage], _ error: FirestoreError, isFinal: Bool, _ run: inout SendRun
  ) throws {
    try outbox.fail(messages, error.description, isFinal: isFinal)
    run.report.failed += messages.count
  }

  /// Reads the server's versions and merges them: own messages whose answer was lost, later changes of others,
  /// conversations that another user created.
  /// - Returns: whether that resolved anything.
  private func reconcile(_ batch: [OutgoingSlice], _ run: inout SendRun) async throws -> Bool {
    var isSettled = false
    for slice in batch {
      let id = slice.conversation.id
      let names = [paths.conversation(id)] + slice.messages.map { paths.message($0.content.id, in: id) }
      let documents = try await database.documents(names)
      if let document = documents[0] {
        try ConversationInbox(context: modelContext).take(document, conversationID: id)
        isSettled = isSettled || slice.conversation.serverTime != document.serverTime
      } else if slice.conversation.serverTime > 0 {
        try outbox.forget(id)
        isSettled = true
      }
      let found = documents.dropFirst().compactMap { $0.flatMap { RemoteMessage($0, conversationID: id) } }
      let outcome = try MessageInbox(context: modelContext, userID: userID).take(found, conversationID: id)
      let there = Set(found.map(\.id)).subtracting(outcome.strangers)
      run.report.sent += slice.messages.count { $0.isNew && there.contains($0.content.id) }
      isSettled = isSettled || outcome.updated > 0
      let strangers = slice.messages.filter { outcome.strangers.contains($0.content.id) }
      let gone = zip(slice.messages, documents.dropFirst()).filter { !$0.0.isNew && $0.1 == nil }.map(\.0)
      if !strangers.isEmpty {
        let error = FirestoreError(.alreadyExists, "the server has another message with this identifier")
        try fail(strangers, error, isFinal: true, &run)
      }
      if !gone.isEmpty {
        try fail(gone, FirestoreError(.notFound, "the server has the message no longer"), isFinal: true, &run)
      }
      isSettled = isSettled || !strangers.isEmpty || !gone.isEmpty
      run.touched.insert(id)
    }
    return isSettled
  }
}
