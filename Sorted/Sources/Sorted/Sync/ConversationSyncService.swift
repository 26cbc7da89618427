import FirestoreClient
import Foundation
import SwiftData

/// Brings the server's conversations and messages into the store: whoever reads, reads the store, at once (guide, 4.2).
///
/// News are found by the server's own times, never by a client's clock. A commit that touches a conversation also touches
/// `users/{uid}/conversations/{id}` of everybody in it, so one question tells what is new; then only the messages that
/// changed are asked for. How far that has come is kept in the store. Each question looks back a little further than the
/// last one went, so that what the server showed late is not missed; what is known already is passed over.
public actor ConversationSyncService: ModelActor {
  /// The container of the store.
  public nonisolated let modelContainer: ModelContainer
  /// Runs the actor's jobs and holds its context.
  public nonisolated let modelExecutor: any ModelExecutor
  private let database: any RemoteDatabase
  private let userID: String
  private let environment: SyncEnvironment
  private let paths: DocumentPaths

  /// How far each question looks back behind the last answer: 10 s, in microseconds.
  static let overlap: Int64 = 10_000_000
  /// How many documents are asked for at a time.
  static let pageSize = 300

  /// What was received.
  public struct Report: Codable, Hashable, Sendable {
    /// Messages that were not here.
    public var received = 0
    /// Messages that were here and changed.
    public var updated = 0
    /// Changes made here that later ones replaced (``SyncConflictEntity``).
    public var conflicts = 0
    /// Documents that are no messages or conversations, or messages with the identifier of another one that is here, by
    /// name; they are passed over.
    public var unreadable: [String] = []

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

  // MARK: - What is new

  /// Receives what changed since the last time.
  /// - Throws: `FirestoreError`, `SwiftDataError`; what was received until then stays, and the next call goes on there.
  /// - Complexity: one request where nothing is new; one for each 300 conversations with news, and one or more for each of
  ///   them.
  @discardableResult
  public func syncChangedConversations() async throws -> Report {
    var report = Report()
    let start = try SyncStateEntity.of(modelContext)?.noticeCursor ?? 0
    var page = Page(after: start)
    while let notices = try await next(&page, "conversations", of: paths.user(userID)) {
      let news = try unknown(notices)
      let documents = news.isEmpty ? [] : try await database.documents(news.map { paths.conversation($0.id) })
      for (notice, document) in zip(news, documents) {
        try await follow(notice.id, document, notice.document, &report)
      }
      try saveCursor(page.newest)
    }
    return report
  }

  /// Receives all conversations of the user, whatever is known of them (guide, 4.2).
  /// - Throws: as ``syncChangedConversations()``; ``SyncError/otherUser(_:)`` for the name of somebody else.
  @discardableResult
  public func syncAllConversations(userID: String) async throws -> Report {
    guard userID == self.userID else { throw SyncError.otherUser(self.userID) }
    var report = Report()
    var token: String?
    repeat {
      let page = try await database.list(
        "conversations", of: paths.user(userID), pageSize: Self.pageSize, pageToken: token)
      for notice in page.documents {
        let id = Self.identifier(notice)
        let document = try await database.documents([paths.conversation(id)])[0]
        try await follow(id, document, notice, &report)
      }
      token = page.nextPageToken
    } while token != nil
    return report
  }

  /// Receives one conversation and its messages (guide, 4.2).
  /// - Throws: as ``syncChangedConversations()``; ``SyncError/documentNotFound(_:)``.
  public func syncConversationFromFirestore(conversationID: String) async throws {
    let name = paths.conversation(conversationID)
    guard let document = try await database.documents([name])[0] else {
      throw SyncError.documentNotFound("conversation \(conversationID)")
    }
    var report = Report()
    try await follow(conversationID, document, nil, &report)
  }

  /// The conversations of notices that were not followed yet.
  private func unknown(_ notices: [FirestoreDocument]) throws -> [(id: String, document: FirestoreDocument)] {
    let all = notices.map { (id: Self.identifier($0), document: $0) }
    let ids = all.map(\.id)
    let stored = try modelContext.fetch(
      FetchDescriptor<ConversationEntity>(predicate: #Predicate { ids.contains($0.id) }))
    let times = Dictionary(stored.map { ($0.id, $0.noticeTime) }, uniquingKeysWith: max)
    let deleted = try SyncStateEntity.of(modelContext)?.deletedNotices ?? [:]
    return all.filter { times[$0.id] != $0.document.serverTime && deleted[$0.id] != $0.document.serverTime }
  }

  private static func identifier(_ notice: FirestoreDocument) -> String {
    notice.fields["conversationID"]?.text ?? DocumentPaths.identifier(notice.name)
  }

  // MARK: - One conversation

  private func follow(
    _ id: String, _ document: FirestoreDocument?, _ notice: FirestoreDocument?, _ report: inout Report
  ) async throws {
    guard let document, !id.isEmpty else {
      report.unreadable.append(notice?.name ?? id)
      return
    }
    let conflicts = try conflictCount()
    try ConversationInbox(context: modelContext).take(document, notice: notice, conversationID: id)
    report.conflicts += try conflictCount() - conflicts
    try await receiveMessages(id, &report)
    try ThreadSummary.refresh(id, userID: userID, modelContext)
    if let time = notice?.serverTime {
      try modelContext.update(
        model: ConversationEntity.self, where: #Predicate { $0.id == id }, set: .assign(\.noticeTime, time))
    }
  }

  private func conflictCount() throws -> Int { try modelContext.fetchCount(FetchDescriptor<SyncConflictEntity>()) }

  private func receiveMessages(_ id: String, _ report: inout Report) async throws {
    let start =
      try modelContext.fetch(
        FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id })
      ).first?.messageCursor ?? 0
    var page = Page(after: start)
    while let documents = try await next(&page, "messages", of: paths.conversation(id)) {
      let messages = documents.compactMap { document -> RemoteMessage? in
        let message = RemoteMessage(document, conversationID: id)
        if message == nil { report.unreadable.append(document.name) }
        return message
      }
      let outcome = try MessageInbox(context: modelContext, userID: userID).take(messages, conversationID: id)
      report.received += outcome.received
      report.updated += outcome.updated
      report.conflicts += outcome.conflicts
      report.unreadable += outcome.strangers.map { paths.message($0, in: id) }
      let newest = page.newest
      try modelContext.update(
        model: ConversationEntity.self, where: #Predicate { $0.id == id && $0.messageCursor < newest },
        set: .assign(\.messageCursor, newest))
    }
  }

  // MARK: - Questions

  /// Where a question has come to.
  private struct Page {
    let start: Int64
    /// The greatest `updatedAt` so far.
    var newest: Int64
    var last: (time: FirestoreValue, name: String)?
    var isOver = false

    init(after cursor: Int64) {
      start = max(0, cursor - ConversationSyncService.overlap)
      newest = cursor
    }
  }

  /// The next documents of a collection, in the order of the server's times; nil at the end.
  private func next(
    _ page: inout Page, _ collection: String, of parent: String
  ) async throws -> [FirestoreDocument]? {
    guard !page.isOver else { return nil }
    try Task.checkCancellation()
    let query = FirestoreQuery(
      collection,
      where: .field("updatedAt", .greaterThanOrEqual, .timestamp(ServerTime.timestamp(page.start))),
      orderBy: [.init("updatedAt"), .init("__name__")],
      startAt: page.last.map { FirestoreQuery.Cursor([$0.time, .reference($0.name)], before: false) },
      limit: Self.pageSize)
    let documents = try await database.run(query, of: parent)
    page.isOver = documents.count < Self.pageSize
    guard let last = documents.last else { return nil }
    if let time = last.fields["updatedAt"] { page.last = (time, last.name) } else { page.isOver = true }
    page.newest = max(page.newest, last.fields["updatedAt"]?.time.map(ServerTime.microseconds) ?? 0)
    return documents
  }

  private func saveCursor(_ cursor: Int64) throws {
    try modelContext.update(
      model: SyncStateEntity.self, where: #Predicate { $0.noticeCursor < cursor },
      set: .assign(\.noticeCursor, cursor))
  }
}
