import Foundation
import HTTPTypes
import Hummingbird
import Sorted
import SwiftData

/// The preview of the first link of a message, for readers whose settings allow the server to fetch it.
struct PreviewController: Sendable {
  let site: Site

  struct Card: Sendable {
    let link: String
    let title: String
    /// Nil for a page without a description.
    let summary: String?
    let siteName: String
  }

  /// How long the store keeps the result of a fetch, in seconds, also for a page without a preview.
  private static let lifetime: TimeInterval = 7 * 86_400

  /// Answers with the preview, or with 204 for a message without one. The link comes from the stored message, never from
  /// the request, so a client cannot choose the address.
  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let viewer = try context.signedIn().viewer
    let (id, messageID) = (try context.id("conversation"), try context.id("message"))
    let found = try await site.read(viewer) { access -> (link: String, known: Card?)? in
      guard try Look(access.work, viewer.userID).showsLinkPreviews else { return nil }
      let message = try access.message(messageID, in: try access.conversation(id))
      guard message.deletedAt == nil, let link = MessageText.firstLink(of: message.text) else { return nil }
      return (link, try Self.known(link, access.work))
    }
    guard let found else { return Response(status: .noContent) }
    let card = if let known = found.known { known } else { try await fetch(found.link, viewer) }
    guard !card.title.isEmpty else { return Response(status: .noContent) }
    var response = Pages.html(site.pages.render("preview", card))
    response.headers[.cacheControl] = "private, max-age=86400"
    return response
  }

  private static func known(_ link: String, _ work: Work) throws -> Card? {
    let due = Date().addingTimeInterval(-lifetime)
    let kept = try work.own.fetch(
      FetchDescriptor<LinkPreviewEntity>(predicate: #Predicate { $0.link == link && $0.fetchedAt > due })
    ).first
    return kept.map {
      Card(link: $0.link, title: $0.title, summary: $0.summary.isEmpty ? nil : $0.summary, siteName: $0.site)
    }
  }

  private func fetch(_ link: String, _ viewer: Viewer) async throws -> Card {
    try site.fetches.admit(viewer.userID)
    var card = Card(link: link, title: "", summary: nil, siteName: "")
    // The store also keeps a failed fetch, so that the server does not ask again soon.
    if let (address, html) = try? await site.fetcher.page(link) {
      let head = PageHead(html)
      card = Card(
        link: link, title: head.title, summary: head.summary.isEmpty ? nil : head.summary,
        siteName: head.site.isEmpty ? address.host ?? "" : head.site)
    }
    let fetched = card
    try await site.desk.write { work in
      let due = Date().addingTimeInterval(-Self.lifetime)
      try work.own.delete(model: LinkPreviewEntity.self, where: #Predicate { $0.fetchedAt <= due })
      // Another reader may have fetched it meanwhile.
      guard try Self.known(link, work) == nil else { return }
      work.own.insert(
        LinkPreviewEntity(
          link: link, title: fetched.title, summary: fetched.summary ?? "", site: fetched.siteName, fetchedAt: Date()))
    }
    return card
  }
}
