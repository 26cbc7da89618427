import FirestoreProtocol
import Foundation
import SwiftData

/// Receives the server's conversations and messages into the store, from which the app reads (guide, 4.2).
///
/// It finds changes by the server's times, never by a client's clock. A commit that changes a conversation also writes
/// `users/{uid}/conversations/{id}` of each participant. One query therefore finds the changed conversations, and one
/// query per conversation its changed messages. The store keeps the cursors. Each query starts slightly before its
/// cursor, to catch documents that the server showed late. Known documents are skipped.
public actor ConversationSyncService: ModelActor {
  /// The container of the store.
  public nonisolated let modelContainer: ModelContainer
  /// The executor with the actor's context.
  public nonisolated let modelExecutor: any ModelExecutor
  private let database: any RemoteDatabase
  private let userID: String
  private let environment: SyncEnvironment
  private let paths: DocumentPaths

  /// The overlap of a query with the previous one: 10 s, in microseconds.
  static let overlap: Int64 = 10_000_000
  /// The number of documents per request.
  static let pageSize = 300

  /// The result of receiving.
  public struct Report: Codable, Hashable, Sendable {
    /// The number of new messages.
    public var received = 0
    /// The number of changed messages.
    public var updated = 0
    /// The number of local changes that later ones replaced (``SyncConflictEntity``).
    public var conflicts = 0
    /// The names of skipped documents: those that are not messages or conversations, and messages whose identifier
    /// another local message has.
    public var unreadable: [String] = []

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

  // MARK: - What is new

  /// Receives the changes since the last time.
  /// - Throws: `FirestoreError`, `SwiftDataError`. Received changes stay, and the next call continues.
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

  /// Receives all conversations of the user, regardless of cursors (guide, 4.2).
  /// - Throws: as ``syncChangedConversations()``; ``SyncError/otherUser(_:)`` for another user's name.
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

  /// The conversations of unprocessed notices.
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

  /// The position of a query.
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

  /// The next documents of a collection in the order of the server's times, or nil at the end.
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
