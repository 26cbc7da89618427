import AssistModel
import Foundation
import SwiftData

/// The meaning of a message, as the sentence model has it. It belongs to this store alone: no sync sends it.
@Model
public final class MessageVectorEntity {
  /// The index reads the vectors of some conversations in order.
  #Index<MessageVectorEntity>([\.conversationID, \.id])

  /// The identifier of the message
  @Attribute(.unique) public var id: String

  /// The conversation of the message
  public var conversationID: String

  /// Which model made it: the `SentenceEncoder.version` of then
  public var version: Int

  /// The digest of the message that it was made of. It tells whether the message was edited or moved since.
  public var digest: Int64

  /// A `MeaningVector`
  public var vector: Data

  /// Makes one.
  package init(_ message: MessageEntity, _ vector: MeaningVector) {
    id = message.id
    conversationID = message.conversationID
    version = SentenceEncoder.version
    digest = Self.digest(of: message.text, in: message.conversationID)
    self.vector = vector.data
  }

  /// Whether it is of a message as it is now, by the model of this program.
  func isOf(_ message: MessageEntity) -> Bool {
    version == SentenceEncoder.version && digest == Self.digest(of: message.text, in: message.conversationID)
  }

  /// A number that two texts share once in 2^64 (FNV-1a).
  static func digest(of text: String, in conversationID: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in [text, conversationID] {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      // No byte of UTF-8.
      hash = (hash ^ 0xFF) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }

  /// Deletes the vectors of messages. The caller saves.
  /// - Throws: `SwiftDataError`.
  package static func delete(of messageIDs: [String], in context: ModelContext) throws {
    for start in stride(from: 0, to: messageIDs.count, by: 1_000) {
      let ids = Array(messageIDs[start..<min(start + 1_000, messageIDs.count)])
      // Not `Self`: a key path of it ends the program (Swift 6.3).
      try context.delete(model: MessageVectorEntity.self, where: #Predicate { ids.contains($0.id) })
    }
  }
}
