import Foundation
import SwiftData

/// Finds messages, the newest first: the rules that the command line and the pages share.
package struct MessageSearch {
  /// A page of the messages that a query finds.
  package struct Page {
    /// The newest first.
    package var messages: [MessageEntity] = []
    /// The number of matches on all pages. It is nil for a later page, and if more than ``maximumCount`` messages have the words.
    package var total: Int?
    /// Whether older ones follow.
    package var hasMore = false
  }

  let context: ModelContext
  let readers: Set<String>
  let scope: Predicate<ConversationEntity>?
  let condition: Predicate<MessageEntity>
  let hasCondition: Bool

  /// - Parameters:
  ///   - context: what it searches.
  ///   - readers: the identifiers of the person who searches, for `from:me`.
  ///   - scope: the conversations to look in; nil for all there are.
  ///   - condition: what a message must fulfil besides the query.
  package init(
    context: ModelContext, readers: Set<String>, scope: Predicate<ConversationEntity>? = nil,
    condition: Predicate<MessageEntity>? = nil
  ) {
    self.context = context
    self.readers = readers
    self.scope = scope
    self.condition = condition ?? #Predicate { _ in true }
    hasCondition = condition != nil
  }

  /// Counting stops here, because to count frequent words takes longer than to find a page of them.
  package static let maximumCount = 500

  /// Finds a page of messages.
  /// - Parameters:
  ///   - query: the words and conditions.
  ///   - limit: the most messages of a page.
  ///   - last: the last message of the page before.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: at most nine statements on SQLite, whatever the size of the store.
  package func page(_ query: MessageQuery, limit: Int, after last: MessageEntity? = nil) throws -> Page {
    let places = try conversationIDs(query)
    guard places?.isEmpty != true else { return Page(total: 0) }
    let conditions = try conditions(query, conversations: places)
    var newest = FetchDescriptor(predicate: conditions, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    // One more says whether older ones follow.
    newest.fetchLimit = limit == .max ? nil : limit + 1
    let found: [MessageEntity]
    if !query.terms.isEmpty {
      found = try context.fetch(newest, matching: query.indexText, after: last)
    } else if let last {
      found = try context.fetch(newest, after: last)
    } else {
      found = try context.fetch(newest)
    }
    return Page(
      messages: Array(found.prefix(limit)), total: try last == nil ? count(query, conditions) : nil,
      hasMore: found.count > limit)
  }

  private func count(_ query: MessageQuery, _ conditions: Predicate<MessageEntity>) throws -> Int? {
    var all = FetchDescriptor(predicate: conditions)
    if query.terms.isEmpty { return try context.fetchCount(all) }
    all.fetchLimit = Self.maximumCount + 1
    let count = try context.fetchCount(all, matching: query.indexText)
    return count > Self.maximumCount ? nil : count
  }

  // MARK: - Conditions

  /// The conversations whose name, or the name of one of their people, contains a text.
  package static func conversations(containing text: String) -> Predicate<ConversationEntity> {
    #Predicate { (conversation: ConversationEntity) in
      conversation.displayName?.localizedStandardContains(text) == true
        || conversation.participantIDs.contains { $0.localizedStandardContains(text) }
    }
  }

  /// The conversations to look in; nil for all there are.
  func conversationIDs(_ query: MessageQuery) throws -> [String]? {
    let named = query.conversation.map { Self.conversations(containing: $0) }
    let predicate: Predicate<ConversationEntity>
    switch (scope, named) {
    case (nil, nil): return nil
    case (let scope?, nil): predicate = scope
    case (nil, let named?): predicate = named
    case (let scope?, let named?): predicate = #Predicate { scope.evaluate($0) && named.evaluate($0) }
    }
    return try context.fetch(FetchDescriptor(predicate: predicate), selecting: \.id)
  }

  /// The identifiers that the sender of a query may be: the identifier in any case, and the identifiers of people with the words in their names.
  private func senders(_ query: MessageQuery) throws -> Set<String>? {
    guard let name = query.sender else { return nil }
    guard name.lowercased() != "me" else { return readers }
    var profiles = FetchDescriptor<UserEntity>(predicate: #Predicate { $0.displayName.localizedStandardContains(name) })
    profiles.fetchLimit = Self.maximumSenders
    let named = try context.fetch(profiles, selecting: \.id)
    var conversations = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate { $0.participantIDs.contains { $0.localizedStandardContains(name) } },
      sortBy: [SortDescriptor(\.lastMessageAt, order: .reverse)])
    conversations.fetchLimit = Self.maximumSenders
    conversations.propertiesToFetch = [\.participantIDs]
    let wanted = name.lowercased()
    let people = try context.fetch(conversations).flatMap(\.participantIDs).filter { $0.lowercased() == wanted }
    return Set([name] + named + people)
  }

  /// The number of profiles and of conversations that a search looks through for a sender's name.
  private static let maximumSenders = 500

  func conditions(_ query: MessageQuery, conversations: [String]?) throws -> Predicate<MessageEntity> {
    let (ids, anywhere) = (conversations ?? [], conversations == nil)
    let (names, anyone) = (try senders(query) ?? [], query.sender == nil)
    let (start, end) = (query.after ?? .distantPast, query.before ?? .distantFuture)
    let anyFile = !query.hasFile
    var condition = condition
    for word in query.excluded {
      let former = condition
      condition = #Predicate { former.evaluate($0) && !$0.text.localizedStandardContains(word) }
    }
    let rest = condition
    let place = #Predicate<MessageEntity> {
      (anywhere || ids.contains($0.conversationID)) && (anyone || names.contains($0.senderID))
    }
    return #Predicate {
      place.evaluate($0) && $0.createdAt >= start && $0.createdAt < end && (anyFile || !$0.attachments.isEmpty)
        && rest.evaluate($0)
    }
  }
}

extension InboxService {
  /// A page of found messages.
  public struct SearchResult {
    /// The newest matches up to the limit, newest first.
    public let messages: [MessageEntity]
    /// The number of matches; nil for a later page, and if more than 500 messages have the words and meet the conditions.
    public let total: Int?
    /// Whether older matches follow.
    public let hasMore: Bool
  }

  /// Finds messages by words in any order, the newest first.
  ///
  /// A word also finds longer words that begin with it; case and accents do not matter. Quotation marks find a phrase.
  /// `-word` leaves messages out. `from:bob`, `in:festival`, `on:2026-01-31`, `before:yesterday`, `after:2026-01-31` and `has:file` narrow
  /// the search; `from:me` finds the messages of the store's user.
  /// - Parameters:
  ///   - text: the words and conditions.
  ///   - limit: the most messages of a page.
  ///   - last: the last message of the page before; nil for the first page.
  ///   - calendar: what a day is.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for an empty text and a condition that cannot be read; `SwiftDataError`.
  public func search(
    _ text: String, limit: Int = 50, after last: MessageEntity? = nil, calendar: Calendar = .current
  ) throws -> SearchResult {
    let query = try MessageQuery(text, calendar: calendar)
    guard !query.isEmpty else { throw DataLayerError.invalidData("the text to search for is empty") }
    let search = MessageSearch(context: context, readers: [try LocalUser.id(in: context), LocalUser.placeholder])
    let page = try search.page(query, limit: max(0, limit), after: last)
    return SearchResult(messages: page.messages, total: page.total, hasMore: page.hasMore)
  }
}
