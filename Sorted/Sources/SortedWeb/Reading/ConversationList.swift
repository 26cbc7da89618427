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
    let standings: Standings
    let sight: Sight
    var unread: UnreadCounts
    /// Whether older ones follow.
    var hasMore: Bool
    /// The last conversation that was looked at: older ones follow after it.
    let last: ConversationEntity?
    /// How the list is sorted, if that was asked for.
    var sorting: Sorting?
    /// All conversations of one of several people; nil for a person who uses the store alone.
    var everything: [ConversationEntity]?
    /// The opportunities of a list that is ordered by them, by conversation.
    var scores: [String: Int] = [:]
  }

  /// What a page of spam is called, beside the names of ``ListFilter/Kind``.
  static let spamKind = "spam"

  let access: Access
  let filter: ListFilter

  /// - Parameters:
  ///   - last: the last conversation of the page before; nil for the first page.
  ///   - isSorted: whether what needs an answer leads the list.
  func page(after last: ConversationEntity? = nil, isSorted: Bool = false) throws -> Page {
    let standings = try access.standings()
    let sorting = isSorted || filter.kind == .waiting ? try Sorting(access, standings) : nil
    let leads = !filter.readsMessages && filter.kind == .all ? sorting?.leads ?? [] : []
    var page: Page
    if let sorting, filter.kind == .waiting {
      page = try self.page(of: sorting.waiting, standings)
      if !access.isAlone { page.everything = try access.work.inbox.fetch(access.everything) }
    } else if access.isAlone && !isSpam {
      page = try stored(standings, after: last, leads)
    } else {
      page = try kept(standings, after: last, leads)
    }
    if filter.order == .opportunity { try order(&page) }
    page.sorting = sorting
    return page
  }

  /// A page of some conversations, with none after it.
  private func page(of conversations: [ConversationEntity], _ standings: Standings) throws -> Page {
    let ids = conversations.map(\.id)
    let sight = try access.sight(of: ids, ids.compactMap { standings.places[$0] })
    return Page(
      conversations: conversations, standings: standings, sight: sight,
      unread: try UnreadCounts(conversations, standings.places, sight, access), hasMore: false, last: nil)
  }

  /// Whether it is the list of what is set aside, and no other.
  private var isSpam: Bool { filter.category == .spam }

  /// The most promising first. Such a page has no page after it: the rest promises less than the first fifty.
  private func order(_ page: inout Page) throws {
    let scores = try AssistInbox(context: access.work.inbox).opportunities(for: access.viewer.userID)
    page.conversations = page.conversations.filter { scores[$0.id] != nil }
      .sorted { (scores[$0.id] ?? 0, $0.id) > (scores[$1.id] ?? 0, $1.id) }
    page.hasMore = false
    page.scores = scores
  }

  /// The conversations of the viewer that promise most.
  private func mostPromising() throws -> [String] {
    var scores = try AssistInbox(context: access.work.inbox).opportunities(for: access.viewer.userID)
    if !access.isAlone {
      let ids: [String] = try access.work.inbox.fetch(access.everything, selecting: \.id)
      let seen = Set(ids)
      scores = scores.filter { seen.contains($0.key) }
    }
    return scores.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(Self.pageSize).map(\.key)
  }

  // MARK: - Of a person who uses the store alone: the store decides

  /// - Parameter leads: those that come before all others, on the first page.
  private func stored(
    _ standings: Standings, after last: ConversationEntity?, _ leads: [ConversationEntity]
  ) throws -> Page {
    let isFirst = last == nil
    let context = access.work.inbox
    let condition = try condition(standings)
    var pinned: [ConversationEntity] = []
    if last == nil {
      var descriptor = descriptor(pinned: true, condition)
      descriptor.fetchLimit = Self.maximumPinned
      pinned = try context.fetch(descriptor)
    }
    var rest: [ConversationEntity] = []
    if filter.kind != .pinned {
      var descriptor = descriptor(pinned: false, condition)
      descriptor.fetchLimit = Self.pageSize + 1
      rest = try last.map { try context.fetch(descriptor, after: $0) } ?? context.fetch(descriptor)
    }
    let last = rest.prefix(Self.pageSize).last
    let leading = Set(leads.map(\.id))
    let others = (pinned + rest.prefix(Self.pageSize)).filter { conversation in
      let standing = standings[conversation]
      return !standing.isDeleted && standing.isArchived == (filter.kind == .archived)
        && !leading.contains(conversation.id)
    }
    let visible = (isFirst ? leads : []) + others
    let ids = visible.map(\.id)
    let sight = try access.sight(of: ids, ids.compactMap { standings.places[$0] })
    return Page(
      conversations: visible, standings: standings, sight: sight,
      unread: try UnreadCounts(visible, standings.places, sight, access), hasMore: rest.count > Self.pageSize,
      last: last)
  }

  private func descriptor(
    pinned isPinned: Bool, _ condition: Predicate<ConversationEntity>
  ) -> FetchDescriptor<ConversationEntity> {
    FetchDescriptor(
      predicate: #Predicate { $0.isPinned == isPinned && condition.evaluate($0) },
      sortBy: [SortDescriptor(\ConversationEntity.lastMessageAt, order: .reverse)])
  }

  /// ``Standing`` for the store, and a few archived conversations more: whether an unread message brought one back is looked up then.
  private func condition(_ standings: Standings) throws -> Predicate<ConversationEntity> {
    let (isArchived, isUnread, aside) = (filter.kind == .archived, filter.kind == .unread, standings.setAside)
    let condition = #Predicate<ConversationEntity> { conversation in
      (conversation.isArchived == isArchived
        || !isArchived && !conversation.isMuted && conversation.unreadCount > 0)
        && (!isUnread || conversation.unreadCount > 0)
        && (conversation.isPinned || !aside.contains(conversation.id))
    }
    guard filter.readsMessages else { return condition }
    let ids = try messageMatches()
    return #Predicate { condition.evaluate($0) && ids.contains($0.id) }
  }

  /// The conversations that have a message of the kind that is asked for.
  private func messageMatches() throws -> [String] {
    if filter.order == .opportunity { return try mostPromising() }
    var kinds = access.kinds(filter)
    if let category = filter.category, filter.isLive {
      // The label of a row is of its last message.
      let (former, label) = (kinds, Label.condition(category))
      kinds = #Predicate {
        former.evaluate($0) && label.evaluate($0) && $0.conversation?.lastMessageAt == $0.createdAt
      }
    }
    let descriptor = FetchDescriptor<MessageEntity>(predicate: kinds)
    return try access.work.inbox.fetch(descriptor, groupedBy: \.conversationID, computing: .count).map(\.0)
  }

  // MARK: - Of one of several people, who keep what belongs to them in another store

  private func kept(
    _ standings: Standings, after last: ConversationEntity?, _ leads: [ConversationEntity]
  ) throws -> Page {
    let matches = filter.readsMessages && !isSpam ? Set(try messageMatches()) : nil
    let sight = try access.sight(of: nil, Array(standings.places.values))
    let everything = try access.work.inbox.fetch(access.everything)
    let leading = Set(leads.map(\.id))
    let all = everything.filter { conversation in
      let standing = standings[conversation]
      guard !standing.isDeleted, standing.isSetAside == isSpam, matches?.contains(conversation.id) != false
      else { return false }
      guard !isSpam else { return true }
      switch filter.kind {
      case .all, .unread, .waiting: return !standing.isArchived && !leading.contains(conversation.id)
      case .archived: return standing.isArchived
      case .pinned: return !standing.isArchived && standing.isPinned
      }
    }
    let sorted = all.map { (standings[$0].isPinned, $0.lastMessageAt ?? .distantPast, $0) }
      .sorted { $0.0 != $1.0 ? $0.0 : $0.1 > $1.1 }.map(\.2)
    let start = last.flatMap { last in sorted.firstIndex { $0.id == last.id } }.map { $0 + 1 } ?? 0
    var rest = sorted[start...]
    if filter.kind == .unread { rest = try unread(rest, standings.places, sight)[...] }
    let others = Array(rest.prefix(Self.pageSize))
    let page = (last == nil ? leads : []) + others
    return Page(
      conversations: page, standings: standings, sight: sight,
      unread: try UnreadCounts(page, standings.places, sight, access), hasMore: rest.count > Self.pageSize,
      last: others.last, everything: everything)
  }

  /// The first conversations with unread messages, as many as a page shows and one more.
  /// - Complexity: a statement for as many conversations as a page has in which the viewer wrote last and has not read since;
  ///   of all others it is known.
  func unread(
    _ conversations: ArraySlice<ConversationEntity>, _ places: [String: PlaceEntity], _ sight: Sight
  ) throws -> [ConversationEntity] {
    let user = access.viewer.userID
    guard !access.viewer.isOwner else { return conversations.filter { $0.unreadCount > 0 } }
    // The last message is another one's, and the viewer deleted none. A conversation without a message has no sender.
    func isSurelyUnread(_ conversation: ConversationEntity) -> Bool {
      conversation.lastMessageSenderID.map { $0 != user } == true && !sight.concerns(conversation.id)
    }
    var found: [ConversationEntity] = []
    var candidates = conversations.filter {
      ($0.lastMessageAt ?? .distantPast) > (places[$0.id]?.seenUpTo ?? .distantPast)
    }[...]
    while found.count <= Self.pageSize, !candidates.isEmpty {
      let batch = candidates.prefix(Self.pageSize + 1)
      let counts = try UnreadCounts(batch.filter { !isSurelyUnread($0) }, places, sight, access)
      found += batch.filter { isSurelyUnread($0) || counts[$0] > 0 }
      candidates = candidates.dropFirst(batch.count)
    }
    return Array(found.prefix(Self.pageSize + 1))
  }
}
