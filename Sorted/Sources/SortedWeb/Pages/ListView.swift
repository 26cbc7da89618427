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
  }
  struct Tab {
    let tabTitle: String
    let address: String
    let isChosen: Bool
    /// How many conversations it leads to, where that is said.
    var tabCount: TabCount?
  }
  struct TabCount {
    let count: Int
    let isNone: Bool
  }

  let items: [Item]
  let tabs: [Tab]
  let kind: String
  /// Which of the kinds of rows the list shows.
  let rowKind: String
  /// Of the first page of the list.
  let listAddress: String
  let isFiltered: Bool
  let choices: KindChoices
  /// Nil where there is no more.
  let moreAddress: String?
  let isEmpty: Bool
  let emptyText: String
  /// What the list leaves out, in words; hidden if it leaves out nothing.
  let asideText: String
  let isAsideHidden: Bool
  /// Where `sorted serve` says what to do first.
  let isWelcome: Bool
  /// Nil where the list is brought up to date, not shown.
  let sorting: SortingView?

  /// Reads whom the rows name and who takes part in the current conversation: a thread beside the list needs no statement
  /// of its own for that.
  init(
    _ page: ConversationList.Page, _ filter: ListFilter, _ access: Access, current: String? = nil,
    clock: PageClock = PageClock(), sorting: SortingView? = nil
  ) throws {
    try access.work.people.read(
      page.conversations.flatMap { ConversationRow.people(of: $0, isWhole: $0.id == current) })
    var day: String?
    let last = try LastMessages(page.conversations, page.sight, access)
    items = page.conversations.map { conversation in
      let row = ConversationRow(
        conversation, page.standings[conversation], page.standings.places[conversation.id], access, clock,
        last: last[conversation], unread: page.unread[conversation])
      defer { day = row.day }
      return Item(heading: row.day == day ? nil : row.day, row: row, isCurrent: conversation.id == current)
    }
    kind = filter.kind.rawValue
    rowKind = filter.category == .spam ? ConversationList.spamKind : filter.kind.rawValue
    self.sorting = sorting
    listAddress = "/" + filter.address
    isFiltered = filter.readsMessages
    tabs = ListFilter.Kind.allCases.map { kind in
      Tab(
        tabTitle: Phrase(kind.title).text, address: "/" + filter.with { $0.kind = kind }.address,
        isChosen: filter.kind == kind)
    }
    choices = KindChoices(filter)
    moreAddress = page.hasMore ? page.last.map { Self.more(filter, $0.id) } : nil
    isEmpty = items.isEmpty
    isWelcome = current == nil
    let aside = page.standings.setAside.count
    emptyText = Self.emptyText(filter, hasSpam: aside > 0).text
    asideText = Self.asideText(aside).text
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
    case .pinned: return "Nothing is pinned."
    case .archived: return "Nothing is archived."
    }
  }

  private static func more(_ filter: ListFilter, _ id: String) -> String {
    let address = "/" + filter.address
    return address + (address.contains("?") ? "&" : "?") + "after=\(Slug.encode(id))"
  }
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
