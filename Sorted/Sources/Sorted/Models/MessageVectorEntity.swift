import AssistModel
import Foundation
import SwiftData

/// The embedding of a message. No sync sends it.
@Model
public final class MessageVectorEntity {
  /// The index reads the vectors of some conversations in order.
  #Index<MessageVectorEntity>([\.conversationID, \.id])

  /// The identifier of the message
  @Attribute(.unique) public var id: String

  /// The conversation of the message
  public var conversationID: String

  /// The `SentenceEncoder.version` that made the embedding
  public var version: Int

  /// The digest of the text and the conversation that the embedding was made of. The embedding is stale if the message has another one.
  public var digest: Int64

  /// The bytes of an `Embedding`
  public var vector: Data

  /// Makes the entity of a message.
  package init(_ message: MessageEntity, _ vector: Embedding) {
    id = message.id
    conversationID = message.conversationID
    version = SentenceEncoder.version
    digest = Self.digest(of: message.text, in: message.conversationID)
    self.vector = vector.data
  }

  /// Returns whether the current model of this program made the embedding from the current text of a message.
  func isOf(_ message: MessageEntity) -> Bool {
    version == SentenceEncoder.version && digest == Self.digest(of: message.text, in: message.conversationID)
  }

  /// Returns a 64-bit digest of a text in a conversation (FNV-1a).
  static func digest(of text: String, in conversationID: String) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in [text, conversationID] {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      // 0xFF separates the parts, because it never occurs in UTF-8.
      hash = (hash ^ 0xFF) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }

  /// Deletes the embeddings of messages. The caller saves.
  /// - Throws: `SwiftDataError`.
  package static func delete(of messageIDs: [String], in context: ModelContext) throws {
    for start in stride(from: 0, to: messageIDs.count, by: 1_000) {
      let ids = Array(messageIDs[start..<min(start + 1_000, messageIDs.count)])
      // Not `Self`: a key path of it ends the program (Swift 6.3).
      try context.delete(model: MessageVectorEntity.self, where: #Predicate { ids.contains($0.id) })
    }
  }
}
