import Foundation
import SwiftData

/// A container in memory with sample data, for previews and tests (guide, 2.2).
@MainActor
public enum PreviewContainer {
  private static let made = Result { try make() }

  /// The shared sample container, made on first access. (The guide's traps if it cannot be made.)
  /// - Throws: `SwiftDataError`.
  public static var shared: ModelContainer {
    get throws { try made.get() }
  }

  /// Makes a new sample container with a user, a conversation and its two messages.
  /// - Throws: `SwiftDataError`.
  public static func make() throws -> ModelContainer {
    let container = try SortedContainer.inMemory()
    let context = container.mainContext

    let user = UserEntity(
      id: "preview-user-1",
      email: "sarah@example.com",
      displayName: "Sarah Chen"
    )
    context.insert(user)

    let conversation = ConversationEntity(
      id: "preview-conv-1",
      participantIDs: ["preview-user-1", "preview-user-2"],
      displayName: "John Doe",
      isGroup: false
    )
    context.insert(conversation)

    let message1 = MessageEntity(
      conversationID: conversation.id,
      senderID: "preview-user-2",
      text: "Hey! Love your latest video!",
      status: .read,
      syncStatus: .synced
    )
    message1.category = .fan
    message1.categoryConfidence = 0.95
    context.insert(message1)

    let message2 = MessageEntity(
      conversationID: conversation.id,
      senderID: "preview-user-1",
      text: "Thanks so much! More content coming soon 🎥",
      status: .sent,
      syncStatus: .synced
    )
    context.insert(message2)

    conversation.messages = [message1, message2]
    conversation.updateWithMessage(message2)

    try context.save()
    return container
  }
}
