import Foundation
import Sorted
import SwiftData
import SwiftDataSync

/// Counts what the sync brought, acknowledges it to the senders, and follows what the others acknowledged.
///
/// It reads the imports in the history of the store. How far it came is saved with what it changed, so that a crash neither
/// leaves out a message nor counts one twice.
struct Arrivals {
  let inbox: SharedInbox

  /// The arrived changes.
  struct Report {
    /// New messages of others.
    var received = 0
    /// Messages that changed.
    var updated = 0
    /// Whether there are receipts to be sent.
    var hasReceipts = false
  }

  /// The approximate number of imported changes in one save.
  private static let batch = 1_000

  /// Takes in all that came since the last call.
  /// - Parameter position: how far the history was read, so that what has no imports is not read again.
  /// - Throws: `SwiftDataError`; an error of the sync's bookkeeping.
  func takeIn(from position: inout DefaultHistoryToken?) async throws -> Report {
    var report = Report()
    while try await takeInBatch(&report, from: &position) {}
    return report
  }

  /// - Returns: whether there may be more.
  private func takeInBatch(_ report: inout Report, from position: inout DefaultHistoryToken?) async throws -> Bool {
    let (news, known) = try read(from: position)
    guard !news.isEmpty else {
      position = news.end
      return false
    }
    // Which conversations are shared is in the bookkeeping of the sync, and that is asked before the change begins.
    let shared = Set(try await inbox.engine.knownShares(of: known).keys)
    var part = Report()
    try inbox.change { context in
      part = Report()
      let messages = try news.fetch(news.messages, context) { ids in
        #Predicate<MessageEntity> { ids.contains($0.persistentModelID) }
      }
      let conversations = try self.conversations(of: messages, news, context)
      for message in messages {
        guard let conversation = conversations[message.conversationID] else { continue }
        let isShared = shared.contains(conversation.persistentModelID)
        take(message, conversation, isShared: isShared, news, &part)
      }
      for conversation in conversations.values {
        conversation.settle()
        try count(conversation, isShared: shared.contains(conversation.persistentModelID), context)
      }
      try SharedInboxEntity.of(context)?.arrivalToken = try JSONEncoder().encode(news.end)
    }
    report.received += part.received
    report.updated += part.updated
    report.hasReceipts = report.hasReceipts || part.hasReceipts
    return true
  }

  // MARK: - Reading

  /// The next imports, and the conversations that they concern.
  private func read(
    from position: DefaultHistoryToken?
  ) throws -> (news: News, conversations: [PersistentIdentifier]) {
    let context = inbox.makeContext()
    let saved = try SharedInboxEntity.of(context).map {
      try JSONDecoder().decode(DefaultHistoryToken.self, from: $0.arrivalToken)
    }
    let news = try News(context, after: [saved, position].compactMap(\.self).max(), limit: Self.batch)
    guard !news.isEmpty else { return (news, []) }
    let messages = try news.fetch(news.messages, context) { ids in
      #Predicate<MessageEntity> { ids.contains($0.persistentModelID) }
    }
    return (news, try conversations(of: messages, news, context).values.map(\.persistentModelID))
  }

  private func conversations(
    of messages: [MessageEntity], _ news: News, _ context: ModelContext
  ) throws -> [String: ConversationEntity] {
    let ids = Array(Set(messages.map(\.conversationID)))
    var found = try news.fetch(news.conversations, context) { ids in
      #Predicate<ConversationEntity> { ids.contains($0.persistentModelID) }
    }
    found += try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { ids.contains($0.id) }))
    return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
  }

  // MARK: - Taking in

  private func take(
    _ message: MessageEntity, _ conversation: ConversationEntity, isShared: Bool, _ news: News, _ report: inout Report
  ) {
    let user = inbox.userID
    let isNew = news.inserted.contains(message.persistentModelID)
    let isOwn = message.senderID == user
    if isNew { report.received += isOwn ? 0 : 1 } else { report.updated += 1 }
    if isShared {
      // From now on it counts as unread until it is read.
      if message.serverTime == 0 { message.serverTime = ServerTime.microseconds(Date()) }
      // One receipt is enough, so that a person who joins a long conversation does not acknowledge all of it.
      if !isOwn, message.deliveredTo.isEmpty, message.readBy.isEmpty {
        message.deliveredTo.append(user)
        report.hasReceipts = true
      }
    }
    if news.edited.contains(message.persistentModelID) { message.resetClassification() }
    message.followReceipts(participants: conversation.participantIDs)
  }

  /// Brings a conversation's last message and its unread count up to date.
  private func count(_ conversation: ConversationEntity, isShared: Bool, _ context: ModelContext) throws {
    let (id, user) = (conversation.id, inbox.userID)
    var newest = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.conversationID == id }, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    newest.fetchLimit = 1
    if let last = try context.fetch(newest).first {
      if conversation.lastMessageText != last.text { conversation.lastMessageText = last.text }
      if conversation.lastMessageAt != last.createdAt { conversation.lastMessageAt = last.createdAt }
      if conversation.lastMessageSenderID != last.senderID { conversation.lastMessageSenderID = last.senderID }
      if conversation.updatedAt < last.createdAt { conversation.updatedAt = last.createdAt }
    } else if conversation.updatedAt < conversation.createdAt {
      conversation.updatedAt = conversation.createdAt
    }
    guard isShared else { return }
    if conversation.serverTime == 0 { conversation.serverTime = ServerTime.microseconds(Date()) }
    // Who shared a conversation still gets what is written there after they left.
    let unread =
      conversation.hasLeft(user)
      ? 0 : try context.fetchCount(FetchDescriptor(predicate: ThreadSummary.unread(id, user)))
    if conversation.unreadCount != unread { conversation.unreadCount = unread }
  }
}

extension MessageEntity {
  /// Raises the status to what the others' receipts say, once the server has the message.
  func followReceipts(participants: [String]) {
    guard status != .sending else { return }
    var next = MessageMerge.status(readBy: readBy, senderID: senderID, participants: participants)
    if deliveredTo.contains(where: { $0 != senderID }) { next = max(next, .delivered) }
    if next > status { status = next }
  }
}

/// The objects that imports changed.
private struct News {
  private(set) var inserted: Set<PersistentIdentifier> = []
  private(set) var updated: Set<PersistentIdentifier> = []
  /// The messages whose text is another one.
  private(set) var edited: Set<PersistentIdentifier> = []
  private(set) var conversations: Set<PersistentIdentifier> = []
  /// The newest transaction that was read.
  private(set) var end: DefaultHistoryToken?
  private var hasImports = false

  var isEmpty: Bool { !hasImports }
  var messages: Set<PersistentIdentifier> { inserted.union(updated) }

  /// Reads imports until there are about as many changes as the limit.
  init(_ context: ModelContext, after token: DefaultHistoryToken?, limit: Int) throws {
    end = token
    while inserted.count + updated.count + conversations.count < limit {
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      if let end { descriptor.predicate = #Predicate { $0.token > end } }
      descriptor.fetchLimit = 100
      let transactions: [DefaultHistoryTransaction]
      do {
        transactions = try context.fetchHistory(descriptor)
      } catch let error as SwiftDataError where error.code == SwiftDataError.historyTokenExpired.code {
        try readAll(context)
        return
      }
      guard let last = transactions.last else { return }
      end = last.token
      for transaction in transactions where transaction.author == SyncEngine.author { add(transaction) }
    }
  }

  private mutating func add(_ transaction: DefaultHistoryTransaction) {
    hasImports = true
    for change in transaction.changes {
      let identifier = change.changedPersistentIdentifier
      switch (change, identifier.entityName) {
      case (.insert, "MessageEntity"): inserted.insert(identifier)
      case (.update(let update), "MessageEntity"):
        updated.insert(identifier)
        if let update = update as? DefaultHistoryUpdate<MessageEntity>,
          update.updatedAttributes.contains(where: { $0 == \MessageEntity.text })
        {
          edited.insert(identifier)
        }
      case (.insert, "ConversationEntity"), (.update, "ConversationEntity"): conversations.insert(identifier)
      default: break
      }
    }
  }

  /// The history does not go back that far: every message that was not counted may have come.
  private mutating func readAll(_ context: ModelContext) throws {
    end = try context.currentHistoryToken()
    hasImports = true
    inserted = Set(
      try context.fetchIdentifiers(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.serverTime == 0 })))
    conversations = Set(try context.fetchIdentifiers(FetchDescriptor<ConversationEntity>()))
  }

  /// Objects by their identifiers; those that are gone again are left out.
  func fetch<M: PersistentModel>(
    _ identifiers: Set<PersistentIdentifier>, _ context: ModelContext, _ named: ([PersistentIdentifier]) -> Predicate<M>
  ) throws -> [M] {
    let all = Array(identifiers)
    return try stride(from: 0, to: all.count, by: 500).flatMap { start in
      try context.fetch(FetchDescriptor(predicate: named(Array(all[start..<min(start + 500, all.count)]))))
    }
  }
}
