import Foundation
import Sorted
import SwiftData

/// A stretch of a conversation, the newest message last.
struct ThreadStretch {
  var messages: [SeenMessage]
  var hasOlder: Bool
  var hasNewer: Bool
}

/// Reads a conversation a stretch at a time: a few statements, however many messages there are.
struct ThreadReader {
  static let pageSize = InboxService.pageSize

  let context: ModelContext
  let conversationID: String
  /// What the reader deleted.
  let sight: Sight

  func newest() throws -> ThreadStretch {
    let found = try fetch(.reverse, Self.pageSize + 1)
    return ThreadStretch(
      messages: found.prefix(Self.pageSize).reversed(), hasOlder: found.count > Self.pageSize, hasNewer: false)
  }

  func before(_ message: MessageEntity, count: Int = pageSize) throws -> ThreadStretch {
    let found = try fetch(.reverse, count + 1, after: message)
    return ThreadStretch(messages: found.prefix(count).reversed(), hasOlder: found.count > count, hasNewer: true)
  }

  func after(_ message: MessageEntity, count: Int = pageSize) throws -> ThreadStretch {
    let found = try fetch(.forward, count + 1, after: message)
    return ThreadStretch(messages: Array(found.prefix(count)), hasOlder: true, hasNewer: found.count > count)
  }

  func around(_ message: MessageEntity) throws -> ThreadStretch {
    let older = try before(message, count: Self.pageSize / 2)
    // The message comes with those that follow the one before it, so that its attachments come with theirs.
    let count = Self.pageSize / 2 + 1
    let rest = try fetch(.forward, count + 1, after: older.messages.last?.entity)
    return ThreadStretch(
      messages: older.messages + rest.prefix(count), hasOlder: older.hasOlder, hasNewer: rest.count > count)
  }

  /// All from one time to another, or to the newest, or as many of them as a page may have, the newest.
  func between(_ first: Date, _ last: Date?) throws -> ThreadStretch {
    let end = max(first, last ?? .distantFuture)
    let seen = sight.condition(in: conversationID)
    var all = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { seen.evaluate($0) && $0.createdAt >= first && $0.createdAt <= end })
    all.sortBy = [SortDescriptor(\.createdAt, order: .reverse)]
    all.fetchLimit = Self.maximumStretch + 1
    all.relationshipKeyPathsForPrefetching = [\.attachments]
    let found = sight.seen(try context.fetch(all))
    return ThreadStretch(
      messages: found.prefix(Self.maximumStretch).reversed(), hasOlder: found.count > Self.maximumStretch,
      hasNewer: last != nil)
  }

  /// What of a range is watched beside the newest messages: the newest ``maximumStretch`` of it. Nil where the newest messages have all of
  /// it.
  func watchedRange(_ first: Date, _ last: Date?) throws -> ClosedRange<Date>? {
    var edge = Self.watched(conversationID)
    edge.fetchOffset = Self.watchedCount - 1
    edge.fetchLimit = 1
    edge.relationshipKeyPathsForPrefetching = []
    guard let oldest = try context.fetch(edge).first?.createdAt, first < oldest else { return nil }
    let (id, last) = (conversationID, max(first, last ?? .distantFuture))
    edge.predicate = #Predicate<MessageEntity> { $0.conversationID == id && $0.createdAt <= last }
    edge.fetchOffset = Self.maximumStretch
    let cut = try context.fetch(edge).first?.createdAt ?? .distantPast
    return max(first, cut)...last
  }

  // MARK: - What is unread

  /// The first message of others that the reader has not read, however many follow.
  /// - Parameters:
  ///   - viewer: the reader.
  ///   - place: the reader's place.
  ///   - unread: how many messages the reader has not read, for the owner of the store.
  /// - Complexity: one statement on an index; none if nothing is unread.
  func firstUnread(_ viewer: Viewer, _ place: PlaceEntity?, _ unread: Int) throws -> SeenMessage? {
    guard unread > 0 else { return nil }
    let (names, seen) = (viewer.names, sight.condition(in: conversationID))
    if viewer.isOwner {
      let others = #Predicate<MessageEntity> { seen.evaluate($0) && !names.contains($0.senderID) }
      var last = Self.descriptor(others, .reverse, 1)
      last.fetchOffset = unread - 1
      return sight.seen(try context.fetch(last)).first
    }
    let since = place?.readUpTo ?? .distantPast
    let others = #Predicate<MessageEntity> {
      seen.evaluate($0) && $0.createdAt > since && !names.contains($0.senderID)
    }
    return sight.seen(try context.fetch(Self.descriptor(others, .forward, 1))).first
  }

  // MARK: - What is watched for live updates

  /// The newest messages of a conversation, watched once for all pages.
  static func watched(_ id: String) -> FetchDescriptor<MessageEntity> {
    ThreadReader.descriptor(#Predicate { $0.conversationID == id }, .reverse, watchedCount)
  }

  /// Those further up are watched for the pages that show them.
  static let watchedCount = 100
  /// As many as a page is told about beside the newest.
  static let maximumStretch = 2_000

  static func range(_ id: String, _ dates: ClosedRange<Date>) -> FetchDescriptor<MessageEntity> {
    let (first, last) = (dates.lowerBound, dates.upperBound)
    return FetchDescriptor(
      predicate: #Predicate { $0.conversationID == id && $0.createdAt >= first && $0.createdAt <= last })
  }

  private func fetch(_ order: SortOrder, _ limit: Int, after message: MessageEntity? = nil) throws -> [SeenMessage] {
    let next = Self.descriptor(sight.condition(in: conversationID), order, limit)
    return sight.seen(try message.map { try context.fetch(next, after: $0) } ?? context.fetch(next))
  }

  private static func descriptor(
    _ condition: Predicate<MessageEntity>, _ order: SortOrder, _ limit: Int
  ) -> FetchDescriptor<MessageEntity> {
    var descriptor = FetchDescriptor(predicate: condition, sortBy: [SortDescriptor(\.createdAt, order: order)])
    descriptor.fetchLimit = limit
    descriptor.relationshipKeyPathsForPrefetching = [\.attachments]
    return descriptor
  }
}
