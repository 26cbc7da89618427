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
  /// What the viewer deleted.
  let sight: Sight
  /// Where the files of its messages are.
  let files: FileCabinet?
  /// Messages that the shown ones answer, by identifier.
  var quoted: [String: SeenMessage] = [:]
  /// How far a message has come that was stored and that no sync server is to take.
  private(set) var storedMark: MessageStatus?

  init(_ access: Access, _ conversation: ConversationEntity, clock: PageClock = PageClock()) throws {
    try self.init(unmarked: access, conversation, try access.sight(of: [conversation.id]), clock: clock)
    storedMark = try Self.storedMark(access, conversation)
  }

  /// A scene for messages that ``mark(_:_:)`` is told of.
  init(unmarked access: Access, _ conversation: ConversationEntity, _ sight: Sight, clock: PageClock) throws {
    self.conversation = conversation
    self.clock = clock
    viewer = access.viewer
    people = access.work.people
    try people.read(conversation.participantIDs)
    self.sight = sight
    files = access.work.setting.files
  }

  /// Reads how far stored messages have come, if any of some messages needs it.
  mutating func mark(_ messages: [SeenMessage], _ access: Access) throws {
    guard messages.contains(where: { isMine($0) && [.sending, .sent].contains($0.status) }) else { return }
    storedMark = try Self.storedMark(access, conversation)
  }

  /// Reads what some messages answer, in one statement, and the names of authors who take part no longer.
  mutating func quote(_ messages: [SeenMessage], _ context: ModelContext) throws {
    try people.read(messages.map(\.senderID))
    let ids = messages.compactMap(\.replyToID).filter { quoted[$0] == nil }
    guard !ids.isEmpty else { return }
    for message in try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { ids.contains($0.id) }))
    where message.conversationID == conversation.id { quoted[message.id] = sight.seen(message) }
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

  func isMine(_ message: SeenMessage) -> Bool { viewer.wrote(message.entity) }

  /// Whether the author of a message is neither the viewer nor the only other person of a talk of two: then the message says whose
  /// it is.
  func isNamed(_ message: SeenMessage) -> Bool {
    guard !isMine(message) else { return false }
    let others = conversation.participantIDs.filter { !viewer.names.contains($0) }
    return conversation.isGroup || others != [message.senderID]
  }
}
