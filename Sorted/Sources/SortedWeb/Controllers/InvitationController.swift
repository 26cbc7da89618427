import Foundation
import Hummingbird
import Sorted
import SwiftData

/// The links that invite a person to a conversation.
struct InvitationController: Sendable {
  let site: Site

  /// The page of an invitation: the inviter and the invited person.
  struct Page {
    let inviter: String
    let invited: String
    let token: String
    let isIn: Bool
  }

  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let token = try context.parameters.require("token")
    let secret = site.secret
    let found = try await site.desk.read { work -> (inviter: String, name: String) in
      let invitation = try work.invitation(token, secret)
      return (invitation.inviterID, invitation.name)
    }
    let page = Page(inviter: found.inviter, invited: found.name, token: token, isIn: context.visit != nil)
    return site.pages.page(
      "invite", "An invitation", page, try await site.view(request, context.visit, section: "none"))
  }

  func accept(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    let token = try context.parameters.require("token")
    let secret = site.secret
    let id = try await site.desk.write { try $0.accept(token, secret, as: visit.viewer.userID) }
    return Pages.redirect("/c/\(Slug.encode(id))")
  }
}

extension Work {
  /// - Throws: ``PageError`` for an invalid link and for one that was used.
  func invitation(_ token: String, _ secret: String) throws -> InvitationEntity {
    guard let id = InvitationEntity.id(of: token, secret),
      let found = try own.fetch(FetchDescriptor<InvitationEntity>(predicate: #Predicate { $0.id == id })).first
    else { throw Self.usedInvitation }
    return found
  }

  private static let usedInvitation = PageError(
    .gone, "This invitation was used", "An invitation is for one person. Ask the sender for another one.")

  /// Takes the place that an invitation keeps.
  /// - Returns: the conversation's identifier.
  func accept(_ token: String, _ secret: String, as userID: String) throws -> String {
    let invitation = try invitation(token, secret)
    let (id, place) = (invitation.conversationID, invitation.id)
    guard
      let conversation = try inbox.fetch(
        FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id })
      ).first
    else { throw PageError.notFound }
    // The place is taken where the invitation could not be deleted afterwards.
    guard conversation.participantIDs.contains(place) else { throw Self.usedInvitation }
    try InboxService(context: inbox).changePeople(of: conversation, adding: [userID], removing: [place])
    own.delete(invitation)
    return id
  }
}
