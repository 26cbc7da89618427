import Foundation
import Hummingbird
import Sorted

/// One conversation.
struct ThreadController: Sendable {
  let site: Site

  /// What of the page is asked for.
  private enum Part: String {
    /// A stretch of messages, and the line of the pinned ones.
    case stretch = "1"
    /// The conversation without the list.
    case pane
  }

  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let visit = try context.signedIn()
    let query = Query(request, context)
    let id = try context.id("conversation")
    let filter = try ListFilter(query)
    let position = try ThreadPosition(query)
    let editing = try query["edit"].map { try Slug.decode($0) }
    let reply = try query["reply"].map { try Slug.decode($0) }
    let part = query["part"].flatMap(Part.init)
    let clock = PageClock(request)
    let (site, origin) = (site, "\(context.isSecure ? "https" : "http")://\(request.head.authority ?? "")")
    let formToken = visit.formToken
    let (page, name) = try await site.read(visit.viewer) { access -> (Rendered, String) in
      // The list has the conversation, if it is one of the latest, and the viewer's places.
      let list = try part == nil ? ConversationList(access: access, filter: filter).page(isSorted: true) : nil
      let conversation = try list?.conversations.first { $0.id == id } ?? access.conversation(id)
      let standings = try list?.standings ?? access.standings(of: id)
      let isListed = list?.conversations.contains { $0.id == id } ?? false
      let sight = try isListed ? list?.sight ?? access.sight(of: [id]) : access.sight(of: [id])
      let counts = try isListed ? list?.unread : UnreadCounts([conversation], standings.places, sight, access)
      let unread = counts?[conversation] ?? 0
      let invitations = try part == .stretch ? [:] : site.invitations(access, conversation, origin: origin)
      // It comes before the thread, whose people it reads with its own.
      let view = try list.map { try ListView($0, filter, access, current: id, clock: clock) }
      let thread = try ThreadView(
        access, conversation, position, standings[conversation], place: standings.places[id], sight: sight,
        unread: unread,
        editing: editing, reply: reply, invitations: invitations, clock: clock)
      guard let view else {
        let isPane = part == .pane
        return (
          Rendered(pages: site.pages, page: isPane ? Pane(thread: thread, formToken: formToken) as Any : thread), ""
        )
      }
      return (Rendered(pages: site.pages, page: InboxController.Page(list: view, thread: thread)), thread.head.name)
    }
    switch part {
    case .stretch: return page.part("part")
    case .pane: return page.part("pane")
    case nil: return page.response("inbox", "\(name)", try await site.view(request, visit, section: "inbox"))
    }
  }

  /// A conversation without the list, as a script puts it into the page.
  struct Pane {
    let thread: ThreadView
    let formToken: String
  }
}

extension Site {
  /// The links that the viewer may hand over to those whom they invited, by participant.
  func invitations(_ access: Access, _ conversation: ConversationEntity, origin: String) throws -> [String: String] {
    guard conversation.participantIDs.contains(where: { $0.hasPrefix(InvitationEntity.prefix) }) else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: try access.invitations(in: conversation.id).map {
        ($0.id, "\(origin)/invite/\($0.token(secret))")
      })
  }
}
