import Foundation
import Sorted
import SwiftData

/// What the messages of one conversation are shown in: who looks, who takes part, and what of it is hidden. It is read
/// once for all messages of a page.
struct ThreadScene {
  let conversation: ConversationEntity
  let viewer: Viewer
  let clock: PageClock
  let people: People
  /// Messages that the viewer deleted for themselves.
  let hidden: Set<String>
  /// Messages that the shown ones answer, by identifier.
  var quoted: [String: MessageEntity] = [:]
  /// How far a message has come that was stored and that no sync server is to take.
  private(set) var storedMark: MessageStatus?

  init(_ access: Access, _ conversation: ConversationEntity, clock: PageClock = PageClock()) throws {
    try self.init(unmarked: access, conversation, clock: clock)
    storedMark = try Self.storedMark(access, conversation)
  }

  /// A scene for messages that ``mark(_:_:)`` is told of.
  init(unmarked access: Access, _ conversation: ConversationEntity, clock: PageClock) throws {
    self.conversation = conversation
    self.clock = clock
    viewer = access.viewer
    people = access.work.people
    try people.read(conversation.participantIDs)
    hidden = Set(try access.hidden(in: conversation.id).map(\.messageID))
  }

  /// Reads how far stored messages have come, if any of some messages needs it.
  mutating func mark(_ messages: [MessageEntity], _ access: Access) throws {
    guard messages.contains(where: { isMine($0) && [.sending, .sent].contains($0.status) }) else { return }
    storedMark = try Self.storedMark(access, conversation)
  }

  /// Reads what some messages answer, in one statement.
  mutating func quote(_ messages: [MessageEntity], _ context: ModelContext) throws {
    let ids = messages.compactMap(\.replyToID).filter { quoted[$0] == nil }
    guard !ids.isEmpty else { return }
    for message in try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    where message.conversationID == conversation.id { quoted[message.id] = message }
  }

  /// Without a sync server a stored message is sent. It is delivered where everybody else has an inbox on this server.
  private static func storedMark(_ access: Access, _ conversation: ConversationEntity) throws -> MessageStatus? {
    guard try !access.work.isSynced() else { return nil }
    guard access.work.setting.hasAccounts else { return .sent }
    let owner = try LocalUser.id(in: access.work.inbox)
    let others = conversation.participantIDs.filter { $0 != access.viewer.userID && $0 != owner }
    let known = try access.work.own.fetchCount(
      FetchDescriptor<AccountEntity>(predicate: #Predicate { others.contains($0.userID) }))
    return known == others.count ? .delivered : .sent
  }

  func isMine(_ message: MessageEntity) -> Bool { viewer.wrote(message) }
}

extension Access {
  /// What the viewer deleted for themselves.
  func hidden(in conversationID: String) throws -> [HiddenMessageEntity] {
    let user = viewer.userID
    return try work.own.fetch(
      FetchDescriptor<HiddenMessageEntity>(
        predicate: #Predicate { $0.userID == user && $0.conversationID == conversationID }))
  }
}
