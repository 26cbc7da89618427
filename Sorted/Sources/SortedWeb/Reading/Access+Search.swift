import Foundation
import Sorted
import SwiftData

extension Access {
  /// A page of the messages that a query finds, the newest first.
  struct SearchResult {
    var messages: [MessageEntity] = []
    /// Of all pages; nil for a later page, and where more messages have the words than are counted.
    var total: Int?
    var hasMore = false
  }

  /// Finds a page of messages.
  ///
  /// The full-text index names the messages with all words, and a fetch by these names applies the conditions. Where more
  /// than ``maximumCandidates`` messages have the words, the newest messages are read until a page is full: such words are
  /// frequent, so few messages are read in vain.
  /// - Parameter last: the last message of the page before.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: at most eight statements in the first case, whatever the size of the store.
  func search(
    _ query: SearchQuery, _ filter: ListFilter, limit: Int, after last: MessageEntity? = nil
  ) throws -> SearchResult {
    let places = try conversationIDs(query)
    guard places?.isEmpty != true else { return SearchResult(total: 0) }
    let conditions = conditions(query, filter, conversations: places)
    guard !query.terms.isEmpty else { return try page(conditions, limit, after: last) }
    let found = try work.inbox.search(MessageEntity.self, query.indexText, limit: Self.maximumCandidates + 1)
    guard found.count <= Self.maximumCandidates else {
      return try scan(query, conditions, limit, after: last)
    }
    let ids = found.map(\.model.id)
    guard !ids.isEmpty else { return SearchResult(total: 0) }
    return try page(#Predicate { ids.contains($0.id) && conditions.evaluate($0) }, limit, after: last)
  }

  /// As many messages as the full-text index names.
  static let maximumCandidates = 500

  /// How many messages a scan reads at a time.
  private static let batch = 200

  private func page(
    _ predicate: Predicate<MessageEntity>, _ limit: Int, after last: MessageEntity?
  ) throws -> SearchResult {
    let total = try last == nil ? work.inbox.fetchCount(FetchDescriptor(predicate: predicate)) : nil
    let found = try fetch(predicate, limit + 1, after: last)
    return SearchResult(
      messages: try withoutHidden(found.prefix(limit)), total: total, hasMore: found.count > limit)
  }

  /// Reads the newest messages until a page is full. The store leaves out those that lack a word, whole or as a part of
  /// another one.
  private func scan(
    _ query: SearchQuery, _ conditions: Predicate<MessageEntity>, _ limit: Int, after last: MessageEntity?
  ) throws -> SearchResult {
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
    return SearchResult(messages: try withoutHidden(found.prefix(limit)), total: nil, hasMore: found.count > limit)
  }

  private func fetch(
    _ predicate: Predicate<MessageEntity>, _ limit: Int, after last: MessageEntity?
  ) throws -> [MessageEntity] {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    descriptor.fetchLimit = limit
    return try last.map { try work.inbox.fetch(descriptor, after: $0) } ?? work.inbox.fetch(descriptor)
  }

  /// The conversations to look in; nil for all there are.
  private func conversationIDs(_ query: SearchQuery) throws -> [String]? {
    guard let name = query.conversation else {
      return viewer.isOwner ? nil : try work.inbox.fetch(everything, selecting: \.id)
    }
    return try work.inbox.fetch(FetchDescriptor(predicate: conversations(containing: name)), selecting: \.id)
  }

  private func withoutHidden(_ messages: ArraySlice<MessageEntity>) throws -> [MessageEntity] {
    let (user, ids) = (viewer.userID, messages.map(\.id))
    let hidden = Set(
      try work.own.fetch(
        FetchDescriptor<HiddenMessageEntity>(
          predicate: #Predicate { $0.userID == user && ids.contains($0.messageID) })
      ).map(\.messageID))
    return messages.filter { !hidden.contains($0.id) }
  }

  // MARK: - Conditions

  private func conditions(
    _ query: SearchQuery, _ filter: ListFilter, conversations: [String]?
  ) -> Predicate<MessageEntity> {
    let (kind, place) = (kinds(filter), place(query, conversations))
    return #Predicate<MessageEntity> { place.evaluate($0) && kind.evaluate($0) }
  }

  /// A judgement is for the reader, so a kind finds messages of others only.
  func kinds(_ filter: ListFilter) -> Predicate<MessageEntity> {
    guard filter.readsMessages else { return #Predicate { _ in true } }
    let (user, owner) = (viewer.userID, viewer.isOwner ? LocalUser.placeholder : viewer.userID)
    let (category, sentiment, score) = (filter.category, filter.sentiment, filter.opportunity ?? 0)
    let (anyCategory, anySentiment, anyScore) = (category == nil, sentiment == nil, filter.opportunity == nil)
    return #Predicate { (message: MessageEntity) in
      message.senderID != user && message.senderID != owner && (anyCategory || message.category == category)
        && (anySentiment || message.sentiment == sentiment) && (anyScore || (message.opportunityScore ?? -1) >= score)
    }
  }

  private func place(_ query: SearchQuery, _ conversations: [String]?) -> Predicate<MessageEntity> {
    let (ids, anywhere) = (conversations ?? [], conversations == nil)
    let (name, anybody) = (query.sender.map { $0 == "me" ? viewer.userID : $0 } ?? "", query.sender == nil)
    let (start, end) = (query.after ?? .distantPast, query.before ?? .distantFuture)
    let anyFile = !query.hasFile
    return #Predicate { (message: MessageEntity) in
      (anywhere || ids.contains(message.conversationID)) && (anybody || message.senderID == name)
        && message.createdAt >= start && message.createdAt < end && (anyFile || !message.attachments.isEmpty)
    }
  }
}
