import Foundation
import Hummingbird
import Sorted

/// The list of conversations.
struct InboxController: Sendable {
  let site: Site

  /// The page of the list, and of a conversation beside it.
  struct Page {
    let list: ListView
    let thread: ThreadView?
  }

  /// The page; with `part=list` the list alone.
  func list(_ request: Request, _ context: WebContext) async throws -> Response {
    if let answer = try await enter(request, context) { return answer }
    let visit = try context.signedIn()
    let query = Query(request, context)
    let filter = try ListFilter(query)
    let after = try query["after"].map { try Slug.decode($0) }
    let isPart = query["part"] == "list"
    let clock = PageClock(request)
    let pages = site.pages
    let page = try await site.read(visit.viewer) { access in
      let last = try after.map { try access.conversation($0) }
      let page = try ConversationList(access: access, filter: filter).page(after: last, isSorted: true)
      let list = try ListView(page, filter, access, clock: clock)
      return Rendered(pages: pages, page: isPart ? list : Page(list: list, thread: nil))
    }
    guard !isPart else { return page.part("list") }
    return page.response("inbox", "Inbox", try await site.view(request, visit, section: "inbox"))
  }

  /// Exchanges a token of the owner's for a cookie.
  /// - Returns: nil for an address without a token.
  private func enter(_ request: Request, _ context: WebContext) async throws -> Response? {
    guard let given = Query(request, context)["token"] else { return nil }
    // A browser that looks ahead would use the token up.
    guard request.method == .get, request.headers[.init("Sec-Purpose")!] == nil else { throw PageError.notFound }
    try site.guests.admit(context.client)
    guard site.doors.use(given) else {
      // A reload of the first address comes from a browser that is signed in already.
      if context.visit != nil { return Pages.redirect("/") }
      throw PageError(
        .unauthorized, "This address was used",
        "Each address signs in one browser. Start the server again, or make an address in the settings of a browser that is signed in."
      )
    }
    let owner = try await site.desk.read { try LocalUser.id(in: $0.inbox) }
    return try await site.signedIn(.owner(owner), request, context, at: "/")
  }
}
