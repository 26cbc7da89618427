import FirestoreClient
import Foundation
import SwiftData

/// Sends what was written here: the store comes first, the server follows (guide, 4.1).
///
/// Messages of one conversation go in order, many in one commit. A message's document has its identifier and must not be
/// there before, so sending one again after a lost answer makes no second one. Nothing is kept but the store: after a
/// crash the next sync goes on from there.
public actor MessageSyncService: ModelActor {
  /// The container of the store.
  public nonisolated let modelContainer: ModelContainer
  /// Runs the actor's jobs and holds its context.
  public nonisolated let modelExecutor: any ModelExecutor
  private let database: any RemoteDatabase
  private let userID: String
  private let environment: SyncEnvironment
  private let paths: DocumentPaths

  /// As many writes as a commit takes.
  public static let maximumWrites = 500

  /// What was sent.
  public struct Report: Codable, Hashable, Sendable {
    /// Messages that are new on the server.
    public var sent = 0
    /// Changes of messages that the server had: texts, receipts.
    public var changed = 0
    /// Messages that the server refused this time.
    public var failed = 0
    /// Commits that were asked for.
    public var commits = 0

    /// Nothing yet.
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

  /// How many messages wait to be sent: pending ones, and failed ones that are tried again.
  /// - Throws: `SwiftDataError`.
  public func pendingCount() throws -> Int { try outbox.count() }

  /// Sends everything that waits.
  /// - Parameters:
  ///   - ignoringDelays: whether messages that failed go before their time, as when the network is back.
  ///   - progress: called after each commit with the number of messages done, and of those that waited.
  /// - Throws: `FirestoreError` where the server does not answer or does not know the user, and then the rest still
  ///   waits; `SwiftDataError`. What the server says of single messages is noted in them, and does not stop the others.
  /// - Complexity: a commit for each 500 writes; memory for one of them.
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

  /// Sends the messages of one conversation up to one message (guide, 4.1; earlier ones go first).
  /// - Throws: as ``processSyncQueue(ignoringDelays:progress:)``; ``SyncError/invalidData(_:)`` where there is no such
  ///   message; ``SyncError/networkError(_:)`` with the reason where the server refused it.
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
      // Fields of a conversation that are refused stay; everything else goes on.
      if messages.isEmpty { run.block(batch) } else { run.again(batch) }
    }
  }

  private func fail(
    _ messages: [OutgoingMessage], _ error: FirestoreError, isFinal: Bool, _ run: inout SendRun
  ) throws {
    try outbox.fail(messages, error.description, isFinal: isFinal)
    run.report.failed += messages.count
  }

  /// Looks at what the server has instead, and takes it into the store: own messages whose answer was lost, later changes
  /// of others, conversations that somebody else made.
  /// - Returns: whether that settled anything.
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
