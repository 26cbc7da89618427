import Foundation
import Hummingbird
import Sorted
import SwiftData

/// What there is to know of a person.
struct PersonController: Sendable {
  let site: Site

  struct Page {
    let personName: String
    let personID: String
    let initials: String
    let hue: Int
    let picture: String?
    let foreignPicture: String?
    let personSlug: String
    /// Whether the viewer may block the person.
    let canBlock: Bool
    let isBlocked: Bool
    let shared: [Shared]
    let count: String
  }
  struct Shared {
    let slug: String
    let name: String
  }

  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let visit = try context.signedIn()
    let id = try context.id("person")
    let pages = site.pages
    let page = try await site.read(visit.viewer) { access in
      Rendered(pages: pages, page: try Self.page(id, access))
    }
    return page.response("person", "Person", try await site.view(request, visit, section: "inbox"))
  }

  /// Blocks a person, or takes it back.
  func block(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let id = try context.id("person")
    let isBlocked = try form.flag("blocked")
    try await site.write(visit.viewer) { access in
      guard try Self.canBlock(id, access) else { throw PageError.notFound }
      try access.setBlocked(isBlocked, id)
    }
    await site.hub.blocksChanged()
    return Pages.redirect("/people/\(Slug.encode(id))?done=\(isBlocked ? "blocked" : "unblocked")")
  }

  private static func canBlock(_ id: String, _ access: Access) throws -> Bool {
    guard access.work.setting.hasAccounts, id != access.viewer.userID else { return false }
    return try access.work.inbox.fetchCount(FetchDescriptor(predicate: access.conversations(with: id))) > 0
  }

  /// - Throws: ``PageError/notFound`` for a person with whom the viewer shares no conversation.
  private static func page(_ id: String, _ access: Access) throws -> Page {
    let inbox = access.work.inbox
    let mine = FetchDescriptor(
      predicate: access.conversations(with: id), sortBy: [SortDescriptor(\.lastMessageAt, order: .reverse)])
    let all = try inbox.fetch(mine)
    guard !all.isEmpty else { throw PageError.notFound }
    let standings = try access.standings()
    let shared = all.filter { !standings[$0].isDeleted }.prefix(50)
    let (ids, sight) = (all.map(\.id), try access.sight(of: nil, Array(standings.places.values)))
    let people = access.work.people
    try people.read([id] + shared.flatMap { ConversationRow.people(of: $0) })
    let count = try inbox.fetchCount(
      FetchDescriptor(
        predicate: sight.condition(and: #Predicate { ids.contains($0.conversationID) && $0.senderID == id })))
    let name = people.name(id)
    return Page(
      personName: name, personID: Viewer.shownName(id), initials: Avatar.initials(name), hue: Avatar.hue(id),
      picture: people.picture(id), foreignPicture: people.foreignPicture(id),
      personSlug: Slug.encode(id), canBlock: try canBlock(id, access), isBlocked: try access.hasBlocked(id),
      shared: shared.map {
        Shared(slug: Slug.encode($0.id), name: ConversationRow.name(of: $0, access))
      }, count: count == 1 ? String(translated: "1 message") : String(translated: "\(count) messages"))
  }
}
