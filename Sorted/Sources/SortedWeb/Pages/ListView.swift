import Foundation
import Hummingbird
import Sorted

/// The list as its template wants it.
struct ListView {
  struct Item {
    /// Nil for all but the first of a day.
    let heading: String?
    let row: ConversationRow
    let isCurrent: Bool
    /// The place among those that lead the list, from 1; nil for all others.
    let lead: String?
  }
  let items: [Item]
  let kind: String
  /// Which of the kinds of rows the list shows.
  let rowKind: String
  /// Of the first page of the list.
  let listAddress: String
  let isFiltered: Bool
  /// Nil where there is no more.
  let moreAddress: String?
  let isEmpty: Bool
  /// Whether it is the whole inbox and has no conversation.
  let isNewInbox: Bool
  let emptyText: String
  let isAsideHidden: Bool
  /// Where `sorted serve` says what to do first.
  let isWelcome: Bool
  /// Nil for a list that shows no tabs.
  let sorting: SortingView?
  /// Of the form that begins a conversation.
  let newKey = UUID().uuidString

  /// Reads whom the rows name and who takes part in the current conversation: a thread beside the list needs no statement
  /// of its own for that.
  init(
    _ page: ConversationList.Page, _ filter: ListFilter, _ access: Access, current: String? = nil,
    clock: PageClock = PageClock()
  ) throws {
    try access.work.people.read(
      page.conversations.flatMap { ConversationRow.people(of: $0, isWhole: $0.id == current) })
    var day: String?
    let last = try LastMessages(page.conversations, page.sight, access)
    let judged = try LastFromOthers(page.conversations, page.sight, access, known: page.sorting?.last ?? [])
    let leads = filter.kind == .waiting ? page.conversations.count : filter.readsMessages ? 0 : page.leadCount(filter)
    let waiting: Phrase = "Needs an answer · \(page.sorting?.waiting.count ?? 0)"
    items = page.conversations.enumerated().map { index, conversation in
      let row = ConversationRow(
        conversation, page.standings[conversation], page.standings.places[conversation.id], access, clock,
        last: last[conversation], judged: judged[conversation], unread: page.unread[conversation],
        score: page.scores[conversation.id])
      let heading = index < leads ? waiting.text : row.day
      defer { day = heading }
      return Item(
        heading: heading == day ? nil : heading, row: row, isCurrent: conversation.id == current,
        lead: index < leads ? "\(index + 1)" : nil)
    }
    kind = filter.kind.rawValue
    rowKind = filter.rowKind
    sorting = try page.sorting.map {
      try SortingView(access, filter, $0, page.standings, everything: page.everything)
    }
    listAddress = "/" + filter.address
    isFiltered = !filter.isLive
    moreAddress = page.hasMore ? page.last.map { Self.more(filter, $0.id) } : nil
    isEmpty = items.isEmpty
    isWelcome = current == nil
    let aside = page.standings.setAside.count
    isNewInbox = items.isEmpty && filter.kind == .all && !filter.readsMessages && aside == 0
    emptyText = Self.emptyText(filter, hasSpam: aside > 0).text
    isAsideHidden = aside == 0 || filter.readsMessages || ![.all, .unread].contains(filter.kind)
  }

  static func asideText(_ count: Int) -> Phrase {
    count == 1 ? "1 conversation is set aside as spam" : "\(count) conversations are set aside as spam"
  }

  private static func emptyText(_ filter: ListFilter, hasSpam: Bool) -> Phrase {
    if filter.readsMessages { return "No conversation has such a message." }
    switch filter.kind {
    case .all where hasSpam: return "No conversations but the ones under Spam."
    case .all: return "No conversations yet. Start one above."
    case .unread: return "Nothing is unread."
    case .waiting: return "Nothing needs an answer."
    case .pinned: return "Nothing is pinned."
    case .archived: return "Nothing is archived."
    }
  }

  private static func more(_ filter: ListFilter, _ id: String) -> String {
    let address = "/" + filter.address
    return address + (address.contains("?") ? "&" : "?") + "after=\(Slug.encode(id))"
  }
}

extension ConversationList.Page {
  /// How many of its conversations lead the list.
  fileprivate func leadCount(_ filter: ListFilter) -> Int {
    guard filter.kind == .all, let leads = sorting?.leads.map(\.id) else { return 0 }
    return zip(conversations, leads).prefix { $0.id == $1 }.count
  }
}

extension ListFilter {
  /// Which of the kinds of rows its list has. A list of rows with a label follows the labels.
  var rowKind: String {
    if let category, order == .latest, sentiment == nil, opportunity == nil { return category.rawValue }
    return kind.rawValue
  }

  /// Whether rows say themselves that they belong to the list.
  var isLive: Bool { !readsMessages || rowKind != kind.rawValue && kind == .all }
}

/// A page's own part. It is made where its models are, and rendered at once: models do not leave their context.
struct Rendered: Sendable {
  // @unchecked because it is a value of texts and numbers, whose types Mustache sees by reflection only.
  private struct Values: @unchecked Sendable { let page: Any }

  private let pages: Pages
  private let values: Values

  init(pages: Pages, page: Any) {
    self.pages = pages
    values = Values(page: page)
  }

  func response(_ template: String, _ title: Phrase, _ view: PageView) -> Response {
    pages.page(template, title, values.page, view)
  }

  /// Without what belongs to every page.
  func part(_ template: String) -> Response { Pages.html(pages.render(template, values.page)) }
}
