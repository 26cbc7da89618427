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
    var unread: UnreadCounts
    /// Whether older ones follow.
    var hasMore: Bool
    /// The conversations that belong to the list of spam alone.
    var spam = Set<String>()
  }

  /// What a page of spam is called, beside the names of ``ListFilter/Kind``.
  static let spamKind = "spam"

  let access: Access
  let filter: ListFilter

  /// - Parameter last: the last conversation of the page before; nil for the first page.
  func page(after last: ConversationEntity? = nil) throws -> Page {
    let places = try places()
    let spam = try AssistInbox(context: access.work.inbox).spamConversations(for: access.viewer.userID)
    var page =
      access.viewer.isOwner ? try owned(places, spam, after: last) : try shared(places, spam, after: last)
    page.spam = Set(spam)
    if filter.order == .opportunity { try order(&page) }
    return page
  }

  /// The most promising first. Such a page has no page after it: the rest promises less than the first fifty.
  private func order(_ page: inout Page) throws {
    let scores = try AssistInbox(context: access.work.inbox).opportunities(for: access.viewer.userID)
    page.conversations = page.conversations.filter { scores[$0.id] != nil }
      .sorted { (scores[$0.id] ?? 0, $0.id) > (scores[$1.id] ?? 0, $1.id) }
    page.hasMore = false
  }

  /// The conversations of the viewer that promise most.
  private func mostPromising() throws -> [String] {
    var scores = try AssistInbox(context: access.work.inbox).opportunities(for: access.viewer.userID)
    if !access.viewer.isOwner {
      let ids: [String] = try access.work.inbox.fetch(access.everything, selecting: \.id)
      let seen = Set(ids)
      scores = scores.filter { seen.contains($0.key) }
    }
    return scores.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(Self.pageSize).map(\.key)
  }

  /// The conversations to leave out: spam, unless it is asked for or everything is that has a kind of message.
  private func unwanted(_ spam: [String]) -> [String] {
    filter.category == .spam || filter.kind == .archived ? [] : spam
  }

  /// The lists that a conversation belongs to for the viewer.
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

  private func owned(
    _ places: [String: PlaceEntity], _ spam: [String], after last: ConversationEntity?
  ) throws -> Page {
    let context = access.work.inbox
    var pinned: [ConversationEntity] = []
    if last == nil {
      var descriptor = try descriptor(pinned: true, without: [])
      descriptor.fetchLimit = Self.maximumPinned
      pinned = try context.fetch(descriptor)
    }
    var rest: [ConversationEntity] = []
    if filter.kind != .pinned {
      var descriptor = try descriptor(pinned: false, without: unwanted(spam))
      descriptor.fetchLimit = Self.pageSize + 1
      rest = try last.map { try context.fetch(descriptor, after: $0) } ?? context.fetch(descriptor)
    }
    let visible = (pinned + rest.prefix(Self.pageSize)).filter { !Access.isHidden($0, places[$0.id]) }
    return Page(
      conversations: visible, places: places, unread: try UnreadCounts(visible, places, access),
      hasMore: rest.count > Self.pageSize)
  }

  private func descriptor(pinned isPinned: Bool, without spam: [String]) throws -> FetchDescriptor<ConversationEntity> {
    let (isArchived, isUnread) = (filter.kind == .archived, filter.kind == .unread)
    let newestFirst = [SortDescriptor(\ConversationEntity.lastMessageAt, order: .reverse)]
    guard filter.readsMessages else {
      return FetchDescriptor(
        predicate: #Predicate { (conversation: ConversationEntity) in
          conversation.isPinned == isPinned && conversation.isArchived == isArchived
            && (!isUnread || conversation.unreadCount > 0) && !spam.contains(conversation.id)
        }, sortBy: newestFirst)
    }
    let ids = try messageMatches()
    return FetchDescriptor(
      predicate: #Predicate { (conversation: ConversationEntity) in
        conversation.isPinned == isPinned && conversation.isArchived == isArchived
          && (!isUnread || conversation.unreadCount > 0) && ids.contains(conversation.id)
          && !spam.contains(conversation.id)
      }, sortBy: newestFirst)
  }

  /// The conversations that have a message of the kind that is asked for.
  private func messageMatches() throws -> [String] {
    if filter.order == .opportunity { return try mostPromising() }
    let descriptor = FetchDescriptor<MessageEntity>(predicate: access.kinds(filter))
    return try access.work.inbox.fetch(descriptor, groupedBy: \.conversationID, .count).map(\.0)
  }

  // MARK: - One of several people's: what they keep is in another store

  private func shared(
    _ places: [String: PlaceEntity], _ spam: [String], after last: ConversationEntity?
  ) throws -> Page {
    let unwanted = Set(unwanted(spam))
    let matches = filter.readsMessages ? Set(try messageMatches()) : nil
    let all = try access.work.inbox.fetch(access.everything).filter { conversation in
      let place = places[conversation.id]
      guard !Access.isHidden(conversation, place), matches?.contains(conversation.id) != false,
        place?.isPinned == true || !unwanted.contains(conversation.id)
      else { return false }
      switch filter.kind {
      case .all, .unread: return place?.isArchived != true
      case .archived: return place?.isArchived == true
      case .pinned: return place?.isArchived != true && place?.isPinned == true
      }
    }
    let sorted = all.map { (places[$0.id]?.isPinned == true, $0.lastMessageAt ?? .distantPast, $0) }
      .sorted { $0.0 != $1.0 ? $0.0 : $0.1 > $1.1 }.map(\.2)
    let start = last.flatMap { last in sorted.firstIndex { $0.id == last.id } }.map { $0 + 1 } ?? 0
    var rest = sorted[start...]
    if filter.kind == .unread { rest = try unread(rest, places)[...] }
    let page = Array(rest.prefix(Self.pageSize))
    return Page(
      conversations: page, places: places, unread: try UnreadCounts(page, places, access),
      hasMore: rest.count > Self.pageSize)
  }

  /// The first conversations with unread messages, as many as a page shows and one more.
  /// - Complexity: a statement for as many conversations as a page has in which the viewer wrote last and has not read since;
  ///   of all others it is known.
  private func unread(
    _ conversations: ArraySlice<ConversationEntity>, _ places: [String: PlaceEntity]
  ) throws -> [ConversationEntity] {
    let user = access.viewer.userID
    var found: [ConversationEntity] = []
    var candidates = conversations.filter {
      ($0.lastMessageAt ?? .distantPast) > (places[$0.id]?.readUpTo ?? .distantPast)
    }[...]
    while found.count <= Self.pageSize, !candidates.isEmpty {
      let batch = candidates.prefix(Self.pageSize + 1)
      let counts = try UnreadCounts(batch.filter { $0.lastMessageSenderID == user }, places, access)
      found += batch.filter { $0.lastMessageSenderID != user || counts[$0] > 0 }
      candidates = candidates.dropFirst(batch.count)
    }
    return Array(found.prefix(Self.pageSize + 1))
  }
}

/// The state of a conversation for the viewer.
struct ConversationState {
  var isPinned: Bool
  var isMuted: Bool
  var isArchived: Bool
  var unread: Int

  init(_ conversation: ConversationEntity, _ place: PlaceEntity?, _ viewer: Viewer, unread: Int) {
    self.unread = unread
    if viewer.isOwner {
      isPinned = conversation.isPinned
      isMuted = conversation.isMuted
      isArchived = conversation.isArchived
    } else {
      isPinned = place?.isPinned ?? false
      isMuted = place?.isMuted ?? false
      isArchived = place?.isArchived ?? false
    }
  }
}
