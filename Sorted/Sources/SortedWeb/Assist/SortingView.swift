import Foundation
import Sorted
import SwiftData

/// The tabs of the list with their counts, and the conversations that lead it.
struct SortingView: Encodable {
  struct Tab: Encodable {
    let name: String
    let tabTitle: String
    let address: String
    let isChosen: Bool
    let count: String
    let isNone: Bool
  }

  /// ``Sorting/order``
  let sorted: Int64
  /// The tabs that are always in sight, and those of the menu.
  let tabs: [Tab]
  let further: [Tab]
  /// The tab of the menu that is chosen now, which stands in its place; nil if none is.
  let chosen: String?
  let furtherCount: String
  /// The conversations that lead the list, in order, and how many need an answer in all.
  let leads: [String]
  let waiting: Int
  /// What the list leaves out, in words.
  let aside: Int
  let asideText: String

  /// Larger counts are "99+".
  static let maximum = 99

  /// - Throws: `SwiftDataError`.
  init(
    _ access: Access, _ filter: ListFilter, _ page: Sorting, _ standings: Standings, everything: [ConversationEntity]?
  ) throws {
    sorted = page.order
    leads = page.leads.map { Slug.encode($0.id) }
    waiting = page.waiting.count
    aside = standings.setAside.count
    asideText = ListView.asideText(aside).text
    let counts = try TabCounts(access, standings, everything: everything)
    func tab(_ name: String, _ title: Phrase, _ count: Int, _ change: (inout ListFilter) -> Void) -> Tab {
      var own = ListFilter()
      change(&own)
      let count = count > Self.maximum ? "\(Self.maximum)+" : "\(count)"
      return Tab(
        name: name, tabTitle: title.text, address: "/" + own.address, isChosen: own == filter, count: count,
        isNone: count == "0")
    }
    tabs = [
      tab("all", "All", counts.all) { _ in },
      tab("unread", "Unread", counts.unread) { $0.kind = .unread },
      tab("urgent", "Urgent", page.count(.urgent)) { $0.category = .urgent },
      tab("business", "Business", page.count(.business)) { $0.category = .business },
    ]
    further = [
      tab("waiting", "Needs an answer", waiting) { $0.kind = .waiting },
      tab("opportunities", "Opportunities", counts.opportunities) { $0.order = .opportunity },
      tab("fan", "Fans", page.count(.fan)) { $0.category = .fan },
      tab("pinned", "Pinned", counts.pinned) { $0.kind = .pinned },
      tab("archived", "Archived", counts.archived) { $0.kind = .archived },
      tab("spam", "Spam", aside) { $0.category = .spam },
    ]
    let open = further.first(where: \.isChosen)
    chosen = open?.tabTitle
    furtherCount = open?.count ?? ""
  }
}

extension SortingView {
  /// Whether a page shows the same.
  func isSame(as other: SortingView) -> Bool {
    (leads, waiting, aside) == (other.leads, other.waiting, other.aside)
      && (tabs + further).map(\.count) == (other.tabs + other.further).map(\.count)
  }

  /// What open pages are told.
  var event: ServerEvent {
    get throws { ServerEvent("sorting", String(decoding: try JSONEncoder().encode(self), as: UTF8.self)) }
  }
}

/// How many conversations the tabs lead to that do not ask for a label. Each count ends soon after ``SortingView/maximum``.
struct TabCounts {
  private(set) var (all, unread, pinned, archived, opportunities) = (0, 0, 0, 0, 0)

  private static let limit = SortingView.maximum + 1

  /// - Parameter everything: the conversations of one of several people, which are read for the list.
  /// - Throws: `SwiftDataError`.
  init(_ access: Access, _ standings: Standings, everything: [ConversationEntity]?) throws {
    if let everything {
      try count(everything, access, standings)
    } else {
      try countStored(access, standings)
    }
  }

  private mutating func count(_ conversations: [ConversationEntity], _ access: Access, _ standings: Standings) throws {
    let scores = try AssistInbox(context: access.work.inbox).opportunities(for: access.viewer.userID)
    var listed: [ConversationEntity] = []
    for conversation in conversations {
      let lists = standings[conversation].lists(unread: 0)
      if lists.contains(ListFilter.Kind.all.rawValue) { listed.append(conversation) }
      if lists.contains(ListFilter.Kind.pinned.rawValue) { pinned += 1 }
      if lists.contains(ListFilter.Kind.archived.rawValue) { archived += 1 }
    }
    all = listed.count
    opportunities = listed.count { scores[$0.id] != nil }
    let sight = try access.sight(of: nil, Array(standings.places.values))
    unread = try ConversationList(access: access, filter: ListFilter()).unread(listed[...], standings.places, sight)
      .count
  }

  /// What the store cannot decide alone is read and decided here: what was deleted, and what is back from the archive.
  private mutating func countStored(_ access: Access, _ standings: Standings) throws {
    let inbox = access.work.inbox
    let deleted = standings.places.values.filter { $0.deletedAt != nil }.map(\.conversationID)
    let aside = standings.setAside
    let open = #Predicate<ConversationEntity> {
      deleted.contains($0.id) || $0.isArchived && !$0.isMuted && $0.unreadCount > 0
    }
    var undecided = FetchDescriptor<ConversationEntity>(predicate: open)
    undecided.fetchLimit = 500
    let decided = try inbox.fetch(undecided)
    let ids = decided.map(\.id)
    let rest = #Predicate<ConversationEntity> {
      !ids.contains($0.id) && ($0.isPinned || !aside.contains($0.id))
    }
    func count(_ condition: Predicate<ConversationEntity>) throws -> Int {
      var descriptor = FetchDescriptor<ConversationEntity>(
        predicate: #Predicate { rest.evaluate($0) && condition.evaluate($0) })
      descriptor.fetchLimit = Self.limit
      return try inbox.fetchCount(descriptor)
    }
    all = try count(#Predicate { !$0.isArchived })
    unread = try count(#Predicate { !$0.isArchived && $0.unreadCount > 0 })
    pinned = try count(#Predicate { !$0.isArchived && $0.isPinned })
    archived = try count(#Predicate { $0.isArchived })
    for conversation in decided {
      let lists = standings[conversation].lists(unread: conversation.unreadCount)
      if lists.contains(ListFilter.Kind.all.rawValue) { all += 1 }
      if lists.contains(ListFilter.Kind.unread.rawValue) { unread += 1 }
      if lists.contains(ListFilter.Kind.pinned.rawValue) { pinned += 1 }
      if lists.contains(ListFilter.Kind.archived.rawValue) { archived += 1 }
    }
    let promising = Array(
      try AssistInbox(context: inbox).opportunities(for: access.viewer.userID).keys.prefix(Self.limit))
    guard !promising.isEmpty else { return }
    opportunities = try count(#Predicate { !$0.isArchived && promising.contains($0.id) })
  }
}
