import Foundation
import SwiftData

/// Finds messages, the newest first: the rules that the command line and the pages share.
package struct MessageSearch {
  /// A page of the messages that a query finds.
  package struct Page {
    /// The newest first.
    package var messages: [MessageEntity] = []
    /// Of all pages; nil for a later page, and where more than ``maximumCandidates`` messages have the words.
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

  /// As many messages as the full-text index names.
  package static let maximumCandidates = 500

  /// How many messages a scan reads at a time.
  private static let batch = 200

  /// Finds a page of messages.
  ///
  /// The full-text index names the messages with all words, and a fetch by these names applies the conditions. Where more
  /// than ``maximumCandidates`` messages have the words, the newest messages are read until a page is full: such words are
  /// frequent, so few messages are read in vain.
  /// - Parameters:
  ///   - query: the words and conditions.
  ///   - limit: the most messages of a page.
  ///   - last: the last message of the page before.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: at most seven statements in the first case, whatever the size of the store.
  package func page(_ query: MessageQuery, limit: Int, after last: MessageEntity? = nil) throws -> Page {
    let places = try conversationIDs(query)
    guard places?.isEmpty != true else { return Page(total: 0) }
    let conditions = conditions(query, conversations: places)
    guard !query.terms.isEmpty else { return try page(conditions, limit, after: last) }
    let found = try context.search(MessageEntity.self, query.indexText, limit: Self.maximumCandidates + 1)
    guard found.count <= Self.maximumCandidates else { return try scan(query, conditions, limit, after: last) }
    let ids = found.map(\.model.id)
    guard !ids.isEmpty else { return Page(total: 0) }
    return try page(#Predicate { ids.contains($0.id) && conditions.evaluate($0) }, limit, after: last)
  }

  private func page(_ predicate: Predicate<MessageEntity>, _ limit: Int, after last: MessageEntity?) throws -> Page {
    let total = try last == nil ? context.fetchCount(FetchDescriptor(predicate: predicate)) : nil
    let found = try fetch(predicate, limit + 1, after: last)
    return Page(messages: Array(found.prefix(limit)), total: total, hasMore: found.count > limit)
  }

  /// Reads the newest messages until a page is full. The store leaves out those that lack a word, whole or as a part of
  /// another one.
  private func scan(
    _ query: MessageQuery, _ conditions: Predicate<MessageEntity>, _ limit: Int, after last: MessageEntity?
  ) throws -> Page {
    let words = query.words.sorted { $0.count > $1.count }
    let (first, second) = (words[0], words.count > 1 ? words[1] : words[0])
    let predicate = #Predicate<MessageEntity> {
      conditions.evaluate($0) && $0.text.localizedStandardContains(first) && $0.text.localizedStandardContains(second)
    }
    var found: [MessageEntity] = []
    var position = last
    while found.count <= limit {
      let batch = try fetch(predicate, Self.batch, after: position)
      found += batch.filter { query.matches($0.text) }
      guard batch.count == Self.batch else { break }
      position = batch.last
    }
    return Page(messages: Array(found.prefix(limit)), total: nil, hasMore: found.count > limit)
  }

  private func fetch(
    _ predicate: Predicate<MessageEntity>, _ limit: Int, after last: MessageEntity?
  ) throws -> [MessageEntity] {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    descriptor.fetchLimit = limit
    return try last.map { try context.fetch(descriptor, after: $0) } ?? context.fetch(descriptor)
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

  func conditions(_ query: MessageQuery, conversations: [String]?) -> Predicate<MessageEntity> {
    let (ids, anywhere) = (conversations ?? [], conversations == nil)
    let (names, anyone) = (query.sender.map { $0 == "me" ? readers : [$0] } ?? [], query.sender == nil)
    let (start, end) = (query.after ?? .distantPast, query.before ?? .distantFuture)
    let (anyFile, condition) = (!query.hasFile, condition)
    let place = #Predicate<MessageEntity> {
      (anywhere || ids.contains($0.conversationID)) && (anyone || names.contains($0.senderID))
    }
    return #Predicate {
      place.evaluate($0) && $0.createdAt >= start && $0.createdAt < end && (anyFile || !$0.attachments.isEmpty)
        && condition.evaluate($0)
    }
  }
}

extension InboxService {
  /// A page of found messages.
  public struct SearchResult {
    /// The newest matches up to the limit, newest first.
    public let messages: [MessageEntity]
    /// The number of matches; nil for a later page, and where more than 500 messages have the words.
    public let total: Int?
    /// Whether older matches follow.
    public let hasMore: Bool
  }

  /// Finds messages by words in any order, the newest first.
  ///
  /// A word also finds longer words that begin with it; case and accents do not matter. Quotation marks find a phrase.
  /// `from:bob`, `in:festival`, `before:2026-01-31`, `after:2026-01-31` and `has:file` narrow the search; `from:me` finds the
  /// messages of the store's user.
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
