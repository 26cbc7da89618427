import AssistModel
import Foundation
import Hummingbird
import Sorted

/// Why a message is sorted as it is, and what a person says that it is.
struct AssistController: Sendable {
  let site: Site

  /// The words that weighed most, as a sentence.
  func why(_ request: Request, _ context: WebContext) async throws -> Response {
    let viewer = try context.signedIn().viewer
    let (id, messageID) = (try context.id("conversation"), try context.id("message"))
    let sentence = try await site.read(viewer) { access in
      let message = try access.message(messageID, in: try access.conversation(id)).entity
      return try AssistInbox(context: access.work.inbox).reasons(for: message).translated
    }
    return Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
      body: .init(byteBuffer: .init(string: sentence)))
  }

  /// Notes what a message really is. The person's own layer learns it before the page is back.
  func correct(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let (id, messageID) = (try context.id("conversation"), try context.id("message"))
    guard let kind = Kind(rawValue: try form.text("kind", maximum: 20)) else {
      throw PageError.invalid("There is no category of that name.")
    }
    try await site.write(visit.viewer) { access in
      let message = try access.message(messageID, in: try access.conversation(id)).entity
      // What the person says of a message holds for the conversation, until they say otherwise.
      try access.makePlace(in: id).isAccepted = kind != .spam
      try AssistInbox(context: access.work.inbox).correct(message, as: kind, by: access.viewer.userID)
    }
    return Pages.done(request, form["return"] == nil ? "/c/\(Slug.encode(id))" : site.back(form))
  }
}
