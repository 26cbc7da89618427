import Foundation
import Sorted
import SwiftData

/// A page of the list of conversations: pinned ones first, then the latest.
struct ConversationList {
  static let pageSize = 50
  /// More than anybody pins.
  private static let maximumPinned = 200

  struct Page {
    var conversations: [ConversationEntity]
    var places: [String: PlaceEntity]
    /// Whether older ones follow.
    var hasMore: Bool
  }

  let access: Access
  let filter: ListFilter

  /// - Parameter last: the last conversation of the page before; nil for the first page.
  func page(after last: ConversationEntity? = nil) throws -> Page {
    let places = try places()
    return access.viewer.isOwner ? try owned(places, after: last) : try shared(places, after: last)
  }

  /// Where a conversation belongs for whoever looks.
  static func kinds(_ state: ConversationState) -> [ListFilter.Kind] {
    guard !state.isArchived else { return [.archived] }
    return [.all] + (state.unread > 0 ? [.unread] : []) + (state.isPinned ? [.pinned] : [])
  }

  private func places() throws -> [String: PlaceEntity] {
    let user = access.viewer.userID
    let found = try access.work.own.fetch(FetchDescriptor<PlaceEntity>(predicate: #Predicate { $0.userID == user }))
    return Dictionary(found.map { ($0.conversationID, $0) }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: - The owner's: the store decides

  private func owned(_ places: [String: PlaceEntity], after last: ConversationEntity?) throws -> Page {
    let context = access.work.inbox
    var pinned: [ConversationEntity] = []
    if last == nil {
      var descriptor = try descriptor(pinned: true)
      descriptor.fetchLimit = Self.maximumPinned
      pinned = try context.fetch(descriptor)
    }
    var rest: [ConversationEntity] = []
    if filter.kind != .pinned {
      var descriptor = try descriptor(pinned: false)
      descriptor.fetchLimit = Self.pageSize + 1
      rest = try last.map { try context.fetch(descriptor, after: $0) } ?? context.fetch(descriptor)
    }
    let visible = (pinned + rest.prefix(Self.pageSize)).filter { !Access.isHidden($0, places[$0.id]) }
    return Page(conversations: visible, places: places, hasMore: rest.count > Self.pageSize)
  }

  private func descriptor(pinned isPinned: Bool) throws -> FetchDescriptor<ConversationEntity> {
    let (isArchived, isUnread) = (filter.kind == .archived, filter.kind == .unread)
    let newestFirst = [SortDescriptor(\ConversationEntity.lastMessageAt, order: .reverse)]
    guard filter.readsMessages else {
      return FetchDescriptor(
        predicate: #Predicate { (conversation: ConversationEntity) in
          conversation.isPinned == isPinned && conversation.isArchived == isArchived
            && (!isUnread || conversation.unreadCount > 0)
        }, sortBy: newestFirst)
    }
    let ids = try messageMatches()
    return FetchDescriptor(
      predicate: #Predicate { (conversation: ConversationEntity) in
        conversation.isPinned == isPinned && conversation.isArchived == isArchived
          && (!isUnread || conversation.unreadCount > 0) && ids.contains(conversation.id)
      }, sortBy: newestFirst)
  }

  /// The conversations that have a message of the kind that is asked for.
  private func messageMatches() throws -> [String] {
    let (category, sentiment, opportunity) = (filter.category, filter.sentiment, filter.opportunity)
    let (anyCategory, anySentiment, anyScore) = (category == nil, sentiment == nil, opportunity == nil)
    let score = opportunity ?? 0
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { (message: MessageEntity) in
        (anyCategory || message.category == category) && (anySentiment || message.sentiment == sentiment)
          && (anyScore || (message.opportunityScore ?? -1) >= score)
      })
    return try access.work.inbox.fetch(descriptor, groupedBy: \.conversationID, .count).map(\.0)
  }

  // MARK: - One of several people's: what they keep is in another store

  private func shared(_ places: [String: PlaceEntity], after last: ConversationEntity?) throws -> Page {
    let matches = filter.readsMessages ? Set(try messageMatches()) : nil
    let all = try access.work.inbox.fetch(access.everything).filter { conversation in
      let place = places[conversation.id]
      guard !Access.isHidden(conversation, place), matches?.contains(conversation.id) != false else { return false }
      switch filter.kind {
      case .all: return place?.isArchived != true
      case .archived: return place?.isArchived == true
      case .pinned: return place?.isArchived != true && place?.isPinned == true
      case .unread:
        let state = try? ConversationState(conversation, place, access)
        return place?.isArchived != true && (state?.unread ?? 0) > 0
      }
    }
    let sorted = all.map { (places[$0.id]?.isPinned == true, $0.lastMessageAt ?? .distantPast, $0) }
      .sorted { $0.0 != $1.0 ? $0.0 : $0.1 > $1.1 }.map(\.2)
    let start = last.flatMap { last in sorted.firstIndex { $0.id == last.id } }.map { $0 + 1 } ?? 0
    let page = sorted.dropFirst(start).prefix(Self.pageSize)
    return Page(conversations: Array(page), places: places, hasMore: sorted.count > start + Self.pageSize)
  }
}

/// How a conversation stands for whoever looks.
struct ConversationState {
  var isPinned: Bool
  var isMuted: Bool
  var isArchived: Bool
  var unread: Int

  /// Nobody counts further.
  private static let maximumUnread = 100

  init(_ conversation: ConversationEntity, _ place: PlaceEntity?, _ access: Access) throws {
    if access.viewer.isOwner {
      isPinned = conversation.isPinned
      isMuted = conversation.isMuted
      isArchived = conversation.isArchived
      unread = conversation.unreadCount
    } else {
      isPinned = place?.isPinned ?? false
      isMuted = place?.isMuted ?? false
      isArchived = place?.isArchived ?? false
      unread = try Self.unread(conversation, since: place?.readUpTo, access)
    }
  }

  private static func unread(_ conversation: ConversationEntity, since: Date?, _ access: Access) throws -> Int {
    let since = since ?? .distantPast
    guard let last = conversation.lastMessageAt, last > since else { return 0 }
    let (id, user) = (conversation.id, access.viewer.userID)
    var descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.conversationID == id && $0.createdAt > since && $0.senderID != user })
    descriptor.fetchLimit = maximumUnread
    return try access.work.inbox.fetchCount(descriptor)
  }
}
