import Foundation
import SwiftData

extension InboxService {
  /// Adds people to a conversation and removes others; the next sync tells all of them.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for an empty name.
  public func changePeople(
    of conversation: ConversationEntity, adding added: [String] = [], removing removed: [String] = []
  ) throws {
    guard !added.contains("") else { throw DataLayerError.invalidData("the name of a person is not empty") }
    var people = conversation.participantIDs.filter { !removed.contains($0) }
    for person in added where !people.contains(person) { people.append(person) }
    guard people != conversation.participantIDs else { return }
    conversation.setPeople(people)
    if people.count > 2 { conversation.isGroup = true }
    conversation.noteChange(of: .participants)
  }

  /// Gives a message its attachments. In a `SharedInbox` their files travel with it.
  func attach(_ attachments: [AttachmentEntity], to message: MessageEntity) throws {
    guard !attachments.isEmpty else { return }
    message.attachments = attachments
    if try SharedInboxEntity.of(context) != nil { for attachment in attachments { attachment.takeInFile() } }
  }
}
