import Foundation
import Sorted
import SwiftData

/// A stretch of a conversation, the newest message last.
struct ThreadStretch {
  var messages: [MessageEntity]
  var hasOlder: Bool
  var hasNewer: Bool
}

/// Reads a conversation a stretch at a time: a few statements, however many messages there are.
struct ThreadReader {
  static let pageSize = InboxService.pageSize

  let context: ModelContext
  let conversationID: String
  /// Messages that the reader deleted for themselves.
  var hidden: Set<String> = []

  func newest() throws -> ThreadStretch {
    let found = try context.fetch(descriptor(.reverse, Self.pageSize + 1))
    return ThreadStretch(
      messages: found.prefix(Self.pageSize).reversed(), hasOlder: found.count > Self.pageSize, hasNewer: false)
  }

  func before(_ message: MessageEntity, count: Int = pageSize) throws -> ThreadStretch {
    let found = try context.fetch(descriptor(.reverse, count + 1), after: message)
    return ThreadStretch(messages: found.prefix(count).reversed(), hasOlder: found.count > count, hasNewer: true)
  }

  func after(_ message: MessageEntity, count: Int = pageSize) throws -> ThreadStretch {
    let found = try context.fetch(descriptor(.forward, count + 1), after: message)
    return ThreadStretch(messages: Array(found.prefix(count)), hasOlder: true, hasNewer: found.count > count)
  }

  func around(_ message: MessageEntity) throws -> ThreadStretch {
    let older = try before(message, count: Self.pageSize / 2)
    // The message comes with those that follow the one before it, so that its attachments come with theirs.
    let count = Self.pageSize / 2 + 1
    let next = descriptor(.forward, count + 1)
    let rest = try older.messages.last.map { try context.fetch(next, after: $0) } ?? context.fetch(next)
    return ThreadStretch(
      messages: older.messages + rest.prefix(count), hasOlder: older.hasOlder, hasNewer: rest.count > count)
  }

  /// All from one time to another, or to the newest, or as many of them as a page may have, the newest.
  func between(_ first: Date, _ last: Date?) throws -> ThreadStretch {
    var all = Self.range(conversationID, first...max(first, last ?? .distantFuture), without: hidden)
    all.sortBy = [SortDescriptor(\.createdAt, order: .reverse)]
    all.fetchLimit = Self.maximumStretch + 1
    all.relationshipKeyPathsForPrefetching = [\.attachments]
    let found = try context.fetch(all)
    return ThreadStretch(
      messages: found.prefix(Self.maximumStretch).reversed(), hasOlder: found.count > Self.maximumStretch,
      hasNewer: last != nil)
  }

  /// What of a range is watched beside the newest messages; nil where these have all of it.
  func watchedRange(_ first: Date, _ last: Date?) throws -> ClosedRange<Date>? {
    var edge = Self.watched(conversationID)
    edge.fetchOffset = Self.watchedCount - 1
    edge.fetchLimit = 1
    edge.relationshipKeyPathsForPrefetching = []
    guard let oldest = try context.fetch(edge).first?.createdAt, first < oldest else { return nil }
    edge.fetchOffset = Self.maximumStretch
    let cut = try context.fetch(edge).first?.createdAt ?? .distantPast
    let last = last ?? Date.distantFuture
    return last < cut ? first...last : max(first, cut)...last
  }

  // MARK: - What is watched for live updates

  /// The newest messages of a conversation, watched once for all pages.
  static func watched(_ id: String) -> FetchDescriptor<MessageEntity> {
    ThreadReader.descriptor(id, .reverse, watchedCount, without: [])
  }

  /// Those further up are watched for the pages that show them.
  static let watchedCount = 100
  /// As many as a page is told about beside the newest.
  static let maximumStretch = 2_000

  static func range(
    _ id: String, _ dates: ClosedRange<Date>, without hidden: Set<String> = []
  ) -> FetchDescriptor<MessageEntity> {
    let (first, last) = (dates.lowerBound, dates.upperBound)
    guard hidden.isEmpty else {
      return FetchDescriptor(
        predicate: #Predicate {
          $0.conversationID == id && $0.createdAt >= first && $0.createdAt <= last && !hidden.contains($0.id)
        })
    }
    return FetchDescriptor(
      predicate: #Predicate { $0.conversationID == id && $0.createdAt >= first && $0.createdAt <= last })
  }

  private func descriptor(_ order: SortOrder, _ limit: Int) -> FetchDescriptor<MessageEntity> {
    Self.descriptor(conversationID, order, limit, without: hidden)
  }

  private static func descriptor(
    _ id: String, _ order: SortOrder, _ limit: Int, without hidden: Set<String>
  ) -> FetchDescriptor<MessageEntity> {
    var descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.conversationID == id }, sortBy: [SortDescriptor(\.createdAt, order: order)])
    if !hidden.isEmpty { descriptor.predicate = #Predicate { $0.conversationID == id && !hidden.contains($0.id) } }
    descriptor.fetchLimit = limit
    descriptor.relationshipKeyPathsForPrefetching = [\.attachments]
    return descriptor
  }
}
