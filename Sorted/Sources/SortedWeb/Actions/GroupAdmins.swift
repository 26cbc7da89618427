import Foundation
import Sorted
import SwiftData

/// Who may remove people from a group and make other admins.
///
/// The admins are the participants whose places say so. A group that has none of them is administered by the first of its people, who
/// began it, so every group has an admin. Without accounts the one person of the store may do everything.
struct GroupAdmins {
  private let access: Access
  private let conversation: ConversationEntity
  /// The admins; empty for a talk of two, and without accounts.
  let ids: Set<String>

  /// - Throws: `SwiftDataError`.
  /// - Complexity: one statement for a group on a server with accounts, and otherwise none.
  init(of conversation: ConversationEntity, _ access: Access) throws {
    (self.conversation, self.access) = (conversation, access)
    guard conversation.isGroup, access.work.setting.hasAccounts else {
      ids = []
      return
    }
    let people = conversation.participantIDs
    let keys = people.map { PlaceEntity.key($0, conversation.id) }
    let named = try access.work.own.fetch(
      FetchDescriptor<PlaceEntity>(predicate: #Predicate { keys.contains($0.id) && $0.isAdmin })
    ).map(\.userID)
    ids = named.isEmpty ? Set(people.prefix(1)) : Set(named)
  }

  /// Whether the viewer may remove people.
  var viewerMayRemove: Bool {
    guard conversation.isGroup, !conversation.hasLeft(access.viewer.userID) else { return false }
    return access.isAlone || access.viewer.names.contains(where: ids.contains)
  }

  /// Whether the viewer may make admins.
  var viewerMayAppoint: Bool { viewerMayRemove && access.work.setting.hasAccounts }

  /// Removes another person from the group. The others keep what that person wrote.
  /// - Throws: ``PageError``, `SwiftDataError`.
  func remove(_ person: String) throws {
    guard conversation.isGroup else { throw PageError.invalid("Only a group has people who can be removed.") }
    guard viewerMayRemove else { throw Self.notAdmin }
    guard conversation.participantIDs.contains(person) else { throw PageError.notFound }
    guard !access.viewer.names.contains(person) else {
      throw PageError.invalid("You cannot remove yourself. Leave the group.")
    }
    try access.work.people.read([person])
    try GroupEvent.removed(access.work.people.name(person)).note(in: conversation, access)
    try InboxService(context: access.work.inbox).changePeople(of: conversation, removing: [person])
    try place(of: person, isMade: false)?.isAdmin = false
    // The link of an invited person gives no place away any more.
    let invitations = try access.work.own.fetch(
      FetchDescriptor<InvitationEntity>(predicate: #Predicate { $0.id == person }))
    for invitation in invitations { access.work.own.delete(invitation) }
  }

  /// Makes a person an admin, or takes it back.
  /// - Throws: ``PageError``, `SwiftDataError`.
  func appoint(_ person: String, _ isAdmin: Bool) throws {
    guard conversation.isGroup, access.work.setting.hasAccounts else {
      throw PageError.invalid("Only a group of people with accounts has admins.")
    }
    guard viewerMayAppoint else { throw Self.notAdmin }
    guard conversation.participantIDs.contains(person), !person.hasPrefix(InvitationEntity.prefix) else {
      throw PageError.notFound
    }
    let admins = isAdmin ? ids.union([person]) : ids.subtracting([person])
    guard admins != ids else { return }
    guard !admins.isEmpty else { throw PageError.invalid("A group has one admin at least.") }
    // The first of its people is an admin by that alone until another one is named.
    for id in ids.union(admins) { try place(of: id, isMade: true)?.isAdmin = admins.contains(id) }
    try access.work.people.read([person])
    let name = access.work.people.name(person)
    let event: GroupEvent = isAdmin ? .appointed(name) : .dismissed(name)
    try event.note(in: conversation, access)
  }

  static let notAdmin = PageError(
    .forbidden, "Only for admins", "Only an admin of the group can do that. Ask one of them.")

  private func place(of person: String, isMade: Bool) throws -> PlaceEntity? {
    let key = PlaceEntity.key(person, conversation.id)
    let found = try access.work.own.fetch(FetchDescriptor<PlaceEntity>(predicate: #Predicate { $0.id == key })).first
    guard found == nil, isMade else { return found }
    let place = PlaceEntity(userID: person, conversationID: conversation.id)
    access.work.own.insert(place)
    return place
  }
}
