import Foundation
import Sorted
import SwiftData

/// Finds or begins conversations. With accounts, a name is that of an account, or the conversation keeps a place for the invited person.
struct Beginning {
  let access: Access

  private static let maximumPeople = 100

  /// - Returns: the conversation's identifier. A talk with one person is found where there is one, and comes back where
  ///   the viewer deleted or archived it.
  func begin(_ names: [String], name: String) throws -> String {
    let user = access.viewer.userID
    let found = try resolve(names).filter { $0 != .known(user) }
    guard !found.isEmpty, found.count <= Self.maximumPeople else {
      throw PageError.invalid("Give the names of one to a hundred people, with blanks between.")
    }
    try access.checkBlocks(with: found.compactMap(\.known))
    if found.count == 1, name.isEmpty, let conversation = try existing(found[0]) {
      try uncover(conversation)
      return conversation.id
    }
    let conversation = ConversationEntity(
      participantIDs: [user], displayName: name.isEmpty ? nil : name, isGroup: found.count > 1)
    access.work.inbox.insert(conversation)
    // What a person asked for is no spam.
    try access.makePlace(in: conversation.id).isAccepted = true
    conversation.participantIDs += found.map { id(of: $0, in: conversation) }.sorted()
    return conversation.id
  }

  /// Adds people to a group.
  func add(_ names: [String], to conversation: ConversationEntity) throws {
    guard conversation.isGroup else { throw PageError.invalid("People are added to groups. Begin a new conversation.") }
    let found = try resolve(names)
    guard !found.isEmpty, found.count + conversation.participantIDs.count <= Self.maximumPeople else {
      throw PageError.invalid("A group has \(Self.maximumPeople) people at most.")
    }
    try access.checkBlocks(with: found.compactMap(\.known))
    let ids = found.map { id(of: $0, in: conversation) }
    try InboxService(context: access.work.inbox).changePeople(of: conversation, adding: ids)
  }

  // MARK: - Who is meant

  private enum Person: Hashable {
    case known(String)
    case invited(String)

    /// The identifier of a person with an account.
    var known: String? { if case .known(let id) = self { id } else { nil } }
  }

  private func resolve(_ names: [String]) throws -> [Person] {
    var people: [Person] = []
    for name in names {
      let person: Person
      if access.work.setting.hasAccounts {
        let name = try AccountName.checked(name)
        person = try access.account(named: name).map { .known($0) } ?? .invited(name)
      } else {
        guard AccountName.isAllowed(name) else {
          throw PageError.invalid("A name has 1 to 64 letters, digits or the characters . - _ @ +.")
        }
        person = .known(name)
      }
      if !people.contains(person) { people.append(person) }
    }
    return people
  }

  private func id(of person: Person, in conversation: ConversationEntity) -> String {
    switch person {
    case .known(let id): return id
    case .invited(let name):
      let invitation = InvitationEntity(
        inviterID: access.viewer.userID, name: name, conversationID: conversation.id)
      access.work.keep(invitation)
      return invitation.id
    }
  }

  // MARK: - What is there already

  private func existing(_ person: Person) throws -> ConversationEntity? {
    let user = access.viewer.userID
    switch person {
    case .known(let other):
      let both = try access.work.inbox.fetch(
        FetchDescriptor<ConversationEntity>(
          predicate: #Predicate {
            !$0.isGroup && $0.participantIDs.contains(other) && $0.participantIDs.contains(user)
          }))
      return both.first { $0.participantIDs.count == 2 && $0.displayName == nil }
    case .invited(let name):
      let invitations = try access.work.own.fetch(
        FetchDescriptor<InvitationEntity>(predicate: #Predicate { $0.inviterID == user }))
      let folded = AccountName.folded(name)
      let candidates = invitations.filter { AccountName.folded($0.name) == folded }.map(\.conversationID)
      return try access.conversations(candidates).first { !$0.isGroup }
    }
  }

  private func uncover(_ conversation: ConversationEntity) throws {
    let place = try access.place(in: conversation.id)
    // What was deleted of it stays deleted.
    place?.clearedUpTo = place?.cleared
    place?.deletedAt = nil
    place?.isArchived = false
    place?.isAccepted = true
    if access.viewer.isOwner { try InboxService(context: access.work.inbox).setArchived(false, conversation) }
  }
}

extension Access {
  /// The person with an account of a name, however it is written. The owner's name is the store's.
  func account(named name: String) throws -> String? {
    let folded = AccountName.folded(name)
    let found = try work.own.fetch(
      FetchDescriptor<AccountEntity>(predicate: #Predicate { $0.foldedName == folded }))
    if let account = found.first { return account.userID }
    let owner = try LocalUser.id(in: work.inbox)
    return AccountName.folded(owner) == folded ? owner : nil
  }

  /// The places that the viewer keeps in a conversation for those whom they invited.
  func invitations(in conversationID: String) throws -> [InvitationEntity] {
    let user = viewer.userID
    return try work.own.fetch(
      FetchDescriptor<InvitationEntity>(
        predicate: #Predicate { $0.inviterID == user && $0.conversationID == conversationID }))
  }
}
