import Foundation
import Sorted
import SwiftData

/// What a viewer may see. It is the only place that decides this: pages, actions, live updates and files all get their
/// conversations, messages and attachments from here.
struct Access {
  let work: Work
  let viewer: Viewer

  // MARK: - The rule

  /// Whether the viewer is the only person of the store, and sees all of it. Where several people use it, the owner sees no
  /// conversation of others.
  var isAlone: Bool { viewer.isOwner && !work.setting.hasAccounts }

  func sees(_ conversation: ConversationEntity) -> Bool {
    isAlone || conversation.participantIDs.contains(where: viewer.names.contains)
  }

  /// The same, for the store.
  private var seen: Predicate<ConversationEntity> {
    let (isAlone, user, other) = (isAlone, viewer.names[0], viewer.names.last ?? "")
    guard user != other else { return #Predicate { isAlone || $0.participantIDs.contains(user) } }
    return #Predicate { isAlone || $0.participantIDs.contains(user) || $0.participantIDs.contains(other) }
  }

  // MARK: - One thing

  /// - Throws: ``PageError/notFound``, also for another person's conversation.
  func conversation(_ id: String) throws -> ConversationEntity {
    let found = try work.inbox.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
    guard let conversation = found.first, sees(conversation) else { throw PageError.notFound }
    return conversation
  }

  /// - Throws: ``PageError/notFound`` also for what is in another conversation, and for what the viewer deleted.
  func message(_ id: String, in conversation: ConversationEntity) throws -> SeenMessage {
    guard let seen = try sight(of: [conversation.id]).seen(try anyMessage(id, in: conversation)) else {
      throw PageError.notFound
    }
    return seen
  }

  /// A message as a place in its conversation, or to be deleted or restored, whether or not the viewer deleted it. No page shows it.
  /// - Throws: ``PageError/notFound`` also for what is in another conversation.
  func anyMessage(_ id: String, in conversation: ConversationEntity) throws -> MessageEntity {
    let found = try work.inbox.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id }))
    guard let message = found.first, message.conversationID == conversation.id else { throw PageError.notFound }
    return message
  }

  /// As ``anyMessage(_:in:)``, of any conversation of the viewer.
  /// - Throws: ``PageError/notFound``, also for a message of another person's conversation.
  func anyMessage(_ id: String) throws -> MessageEntity {
    let found = try work.inbox.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == id }))
    guard let message = found.first else { throw PageError.notFound }
    _ = try conversation(message.conversationID)
    return message
  }

  /// - Throws: ``PageError/notFound``, also for a file of a message that the viewer deleted.
  func attachment(_ id: String) throws -> AttachmentEntity {
    let found = try work.inbox.fetch(FetchDescriptor<AttachmentEntity>(predicate: #Predicate { $0.id == id }))
    guard let attachment = found.first, let message = attachment.message else { throw PageError.notFound }
    _ = try conversation(message.conversationID)
    guard try sight(of: [message.conversationID]).seen(message) != nil else { throw PageError.notFound }
    return attachment
  }

  /// One's place in a conversation; nil where nothing was kept yet.
  func place(in conversationID: String) throws -> PlaceEntity? {
    let key = PlaceEntity.key(viewer.userID, conversationID)
    return try work.own.fetch(FetchDescriptor<PlaceEntity>(predicate: #Predicate { $0.id == key })).first
  }

  /// One's place in a conversation, made where nothing was kept yet.
  func makePlace(in conversationID: String) throws -> PlaceEntity {
    if let place = try place(in: conversationID) { return place }
    let place = PlaceEntity(userID: viewer.userID, conversationID: conversationID)
    work.own.insert(place)
    return place
  }

  // MARK: - Many

  /// All conversations that the viewer sees.
  var everything: FetchDescriptor<ConversationEntity> { FetchDescriptor(predicate: seen) }

  /// The conversations whose name, or the name of one of their people, contains a text.
  func conversations(containing text: String) -> Predicate<ConversationEntity> {
    let seen = seen
    guard !text.isEmpty else { return seen }
    let named = MessageSearch.conversations(containing: text)
    return #Predicate { seen.evaluate($0) && named.evaluate($0) }
  }

  /// The conversations with a person.
  func conversations(with person: String) -> Predicate<ConversationEntity> {
    let seen = seen
    return #Predicate { (conversation: ConversationEntity) in
      seen.evaluate(conversation) && conversation.participantIDs.contains(person)
    }
  }

  /// All conversations with their identifiers in a list.
  func conversations(_ ids: [String]) throws -> [ConversationEntity] {
    try work.inbox.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { ids.contains($0.id) })).filter(
      sees)
  }
}

extension Access {
  // MARK: - Answers to frequent questions

  /// By category, the ones that are used most first.
  func answers() throws -> [FAQEntity] {
    let all = try work.inbox.fetch(FetchDescriptor<FAQEntity>(sortBy: [SortDescriptor(\.questionPattern)]))
    return all.filter(owns)
      .sorted { ($0.category.rawValue, -$0.usageCount) < ($1.category.rawValue, -$1.usageCount) }
  }

  /// - Throws: ``PageError/notFound``.
  func answer(_ id: String) throws -> FAQEntity {
    let found = try work.inbox.fetch(FetchDescriptor<FAQEntity>(predicate: #Predicate { $0.id == id }))
    guard let answer = found.first, owns(answer) else { throw PageError.notFound }
    return answer
  }

  /// The viewer's profile, made if the store has none yet.
  func user() throws -> UserEntity {
    let id = viewer.userID
    let found = try work.inbox.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == id }))
    if let user = found.first { return user }
    let user = UserEntity(id: id, email: "", displayName: id)
    work.inbox.insert(user)
    return user
  }

  /// The owner also has the answers without a user.
  private func owns(_ answer: FAQEntity) -> Bool {
    guard let user = answer.user else { return viewer.isOwner }
    return user.id == viewer.userID
  }
}
