import Foundation
import Sorted
import SwiftData

/// Finds or begins conversations. With accounts, a name is that of an account, or the conversation keeps a place for the invited person.
struct Beginning {
  let access: Access
  /// The key of the form: the same form begins a conversation and invites a person once.
  let key: FormKey

  private static let maximumPeople = 100

  /// - Parameters:
  ///   - people: names as a person writes them, with commas or blanks between.
  ///   - mayInvite: whether a place is kept for each name that no person has.
  /// - Returns: the conversation's identifier. A talk with one person is found where there is one, and comes back where
  ///   the viewer deleted or archived it.
  /// - Throws: ``UnknownPeople`` for such names without `mayInvite`; ``PageError``; `SwiftDataError`.
  func begin(_ people: String, name: String, mayInvite: Bool) throws -> String {
    let user = access.viewer.userID
    let found = try resolve(people).filter { $0 != .known(user) }
    guard !found.isEmpty, found.count <= Self.maximumPeople else {
      throw PageError.invalid("Give the names of one to a hundred people, with blanks between.")
    }
    try access.checkBlocks(with: found.compactMap(\.known))
    if found.count == 1, name.isEmpty, let conversation = try existing(found[0]) {
      try uncover(conversation)
      return conversation.id
    }
    if !mayInvite { try refuseUnknown(found) }
    // The same form begins its conversation once, also when its answer was lost. One that the viewer has left is another one.
    var begun: ConversationEntity?
    let id = try key.identifier(of: "conversation", found.map(\.name).sorted() + [name], by: user) { id in
      begun = try access.work.inbox.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
        .first
      return begun.map { !access.sees($0) } ?? false
    }
    if begun != nil {
      try access.makePlace(in: id).isAccepted = true
      return id
    }
    let conversation = ConversationEntity(
      id: id, participantIDs: [user], displayName: name.isEmpty ? nil : name, isGroup: found.count > 1)
    // A list puts it where its time belongs.
    conversation.lastMessageAt = conversation.createdAt
    access.work.inbox.insert(conversation)
    // What a person asked for is no spam.
    try access.makePlace(in: conversation.id).isAccepted = true
    conversation.participantIDs += found.map { invite($0, to: conversation) }.sorted()
    return conversation.id
  }

  /// Adds people to a group.
  /// - Throws: as ``begin(_:name:mayInvite:)``.
  func add(_ people: String, to conversation: ConversationEntity, mayInvite: Bool) throws {
    guard conversation.isGroup else { throw PageError.invalid("People are added to groups. Begin a new conversation.") }
    let found = try resolve(people)
    guard !found.isEmpty, found.count + conversation.participantIDs.count <= Self.maximumPeople else {
      throw PageError.invalid("A group has \(Self.maximumPeople) people at most.")
    }
    try access.checkBlocks(with: found.compactMap(\.known))
    if !mayInvite { try refuseUnknown(found) }
    let new = found.filter { !conversation.participantIDs.contains(id(of: $0, in: conversation)) }
    guard !new.isEmpty else { return }
    let ids = new.map { invite($0, to: conversation) }
    try access.work.people.read(ids)
    try InboxService(context: access.work.inbox).changePeople(of: conversation, adding: ids)
    try GroupEvent.added(new.map { $0.known.map(access.work.people.name) ?? $0.name }).note(in: conversation, access)
  }

  // MARK: - Who is meant

  private enum Person: Hashable {
    case known(String)
    case invited(String)

    /// The identifier of a person with an account.
    var known: String? { if case .known(let id) = self { id } else { nil } }

    /// What stands for the person in a field of names.
    var name: String {
      switch self {
      case .known(let name), .invited(let name): name
      }
    }
  }

  /// A part between commas is the name of a known person as the pages show it, which may have blanks, or names with blanks between.
  private func resolve(_ text: String) throws -> [Person] {
    var people: [Person] = []
    func add(_ person: Person) { if !people.contains(person) { people.append(person) } }
    for part in text.split(separator: ",").map({ $0.trimmingCharacters(in: .whitespaces) }) where !part.isEmpty {
      let words = part.split(whereSeparator: \.isWhitespace).map(String.init)
      if words.count > 1, let id = try KnownPeople(access: access).only(named: part) {
        add(.known(id))
      } else {
        for word in words { add(try person(word)) }
      }
    }
    return people
  }

  private func person(_ name: String) throws -> Person {
    guard access.work.setting.hasAccounts else {
      guard AccountName.isAllowed(name) else {
        throw PageError.invalid("A name has 1 to 64 letters, digits or the characters . - _ @ +.")
      }
      return .known(name)
    }
    let name = try AccountName.checked(name)
    if let id = try access.account(named: name) ?? KnownPeople(access: access).only(named: name) { return .known(id) }
    return .invited(name)
  }

  /// - Throws: ``UnknownPeople`` if no person has one of the names.
  private func refuseUnknown(_ people: [Person]) throws {
    let unknown = people.filter { $0.known == nil }
    guard !unknown.isEmpty else { return }
    let suggestions = try unknown.flatMap { one in
      try KnownPeople(access: access).resembling(one.name).map { person in
        let names = people.map { $0 == one ? person.id : $0.name }
        return UnknownPeople.Suggestion(people: names.joined(separator: ", "), shown: person.name)
      }
    }
    throw UnknownPeople(
      typed: people.map(\.name).joined(separator: ", "), names: unknown.map(\.name), suggestions: suggestions)
  }

  /// What stands for a person in a conversation.
  private func id(of person: Person, in conversation: ConversationEntity) -> String {
    switch person {
    case .known(let id): id
    case .invited(let name): InvitationEntity.identifier(name, code(in: conversation))
    }
  }

  /// Keeps a place for a person without an account.
  /// - Returns: what stands for the person.
  private func invite(_ person: Person, to conversation: ConversationEntity) -> String {
    if case .invited(let name) = person {
      access.work.keep(
        InvitationEntity(
          inviterID: access.viewer.userID, name: name, conversationID: conversation.id, code: code(in: conversation)))
    }
    return id(of: person, in: conversation)
  }

  private func code(in conversation: ConversationEntity) -> String {
    key.identifier(of: conversation.id, by: access.viewer.userID)
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

/// Names that no person has, before places are kept for them.
struct UnknownPeople: Error {
  struct Suggestion {
    /// What the field would have.
    let people: String
    let shown: String
  }

  /// What the field has.
  let typed: String
  let names: [String]
  let suggestions: [Suggestion]
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
