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
  }

  let items: [Item]
  let tabs: [Tab]
  let kind: String
  let isFiltered: Bool
  let choices: KindChoices
  /// Nil where there is no more.
  let moreAddress: String?
  let isEmpty: Bool
  let emptyText: String
  /// Where `sorted serve` says what to do first.
  let isWelcome: Bool

  init(_ page: ConversationList.Page, _ filter: ListFilter, _ access: Access, current: String? = nil) throws {
    let clock = PageClock()
    var day: String?
    items = try page.conversations.map { conversation in
      let row = try ConversationRow(conversation, page.places[conversation.id], access, clock)
      defer { day = row.day }
      return Item(heading: row.day == day ? nil : row.day, row: row, isCurrent: conversation.id == current)
    }
    kind = filter.kind.rawValue
    isFiltered = filter.readsMessages
    tabs = ListFilter.Kind.allCases.map { kind in
      Tab(tabTitle: kind.title, address: "/" + filter.with { $0.kind = kind }.address, isChosen: filter.kind == kind)
    }
    choices = KindChoices(filter)
    moreAddress = page.hasMore ? page.conversations.last.map { Self.more(filter, $0.id) } : nil
    isEmpty = items.isEmpty
    isWelcome = current == nil
    emptyText =
      filter.readsMessages
      ? "No conversation has such a message."
      : filter.kind == .all ? "No conversations yet. Start one above." : "Nothing is \(filter.kind.rawValue)."
  }

  private static func more(_ filter: ListFilter, _ id: String) -> String {
    let address = "/" + filter.address
    return address + (address.contains("?") ? "&" : "?") + "after=\(Slug.encode(id))"
  }
}

extension Site {
  /// The page of the list, and of a conversation beside it.
  struct InboxPage {
    let list: ListView
    let thread: ThreadView?
  }

  func addInbox(to router: Router<WebContext>) {
    router.get("/") { request, context in
      if let answer = try await enter(request, context) { return answer }
      let visit = try context.signedIn()
      let query = Query(request)
      let filter = try ListFilter(query)
      let after = try query["after"].map { try Slug.decode($0) }
      let page = try await read(visit.viewer) { access in
        let last = try after.map { try access.conversation($0) }
        let page = try ConversationList(access: access, filter: filter).page(after: last)
        return Rendered(
          pages: pages, page: InboxPage(list: try ListView(page, filter, access), thread: nil))
      }
      return page.response("inbox", "Inbox", try await view(request, visit, section: "inbox"))
    }
    router.post("new") { request, context in
      let (form, visit) = try await form(request, context)
      let people = try form.text("people", maximum: 1_000).split { $0 == "," || $0.isWhitespace }.map(String.init)
      let name = try form.text("name", maximum: 200).trimmingCharacters(in: .whitespacesAndNewlines)
      let id = try await begin(people, name: name, visit.viewer)
      return Pages.redirect("/c/\(Slug.encode(id))")
    }
    addConversationActions(to: router)
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

  func response(_ template: String, _ title: String, _ view: PageView) -> Response {
    pages.page(template, title, values.page, view)
  }

  /// Without what belongs to every page.
  func part(_ template: String) -> Response { Pages.html(pages.render(template, values.page)) }
}
