import Foundation
import Observation
import SwiftData

/// The view model of a thread: its messages page by page, and sending (guide, 3.2).
@MainActor
@Observable
public final class MessageThreadViewModel {
  // MARK: - Dependencies

  private let modelContext: ModelContext
  private let conversationID: String
  /// The sender. The guide leaves it to an authentication service.
  private let currentUserID: String

  // MARK: - Observed State

  /// Whether something is being loaded.
  public var isLoading = false
  /// The last error, for the user.
  public var errorMessage: String?
  /// The text being written.
  public var messageText = ""

  // MARK: - Initialization

  /// Makes the view model of a screen.
  public init(modelContext: ModelContext, conversationID: String, currentUserID: String = "current-user-id") {
    self.modelContext = modelContext
    self.conversationID = conversationID
    self.currentUserID = currentUserID
  }

  // MARK: - Fetch Methods

  /// Fetch messages for this conversation
  public func fetchMessages(limit: Int = 20, offset: Int = 0) -> [MessageEntity] {
    var descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { message in
        message.conversationID == conversationID
      },
      sortBy: [
        SortDescriptor(\.createdAt, order: .reverse)
      ]
    )

    descriptor.fetchLimit = limit
    descriptor.fetchOffset = offset

    do {
      return try modelContext.fetch(descriptor)
    } catch {
      errorMessage = "Failed to fetch messages: \(error.localizedDescription)"
      return []
    }
  }

  /// Fetch messages pending sync
  public func fetchPendingSyncMessages() -> [MessageEntity] {
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { message in
        message.conversationID == conversationID
          && (message.syncStatus == .pending || (message.syncStatus == .failed && message.retryCount < 3))
      },
      sortBy: [
        SortDescriptor(\.createdAt, order: .forward)
      ]
    )

    do {
      return try modelContext.fetch(descriptor)
    } catch {
      errorMessage = "Failed to fetch pending messages: \(error.localizedDescription)"
      return []
    }
  }

  /// Get conversation
  public func getConversation() -> ConversationEntity? {
    let descriptor = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate { conversation in
        conversation.id == conversationID
      }
    )

    do {
      return try modelContext.fetch(descriptor).first
    } catch {
      errorMessage = "Failed to fetch conversation: \(error.localizedDescription)"
      return nil
    }
  }

  // MARK: - Message Actions

  /// Send new message (optimistic UI)
  public func sendMessage() {
    guard !messageText.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
      return
    }

    do {
      guard let conversation = getConversation() else {
        throw DataLayerError.invalidData("there is no conversation \"\(conversationID)\"")
      }
      // The rules of a message are the inbox's (optimistic UI: it is shown before it is sent)
      try InboxService(context: modelContext).send(messageText, to: conversation, from: currentUserID)
      try modelContext.save()
    } catch {
      // The text stays in the field. Otherwise the next save would send it too, or fail again, as where the conversation was deleted.
      modelContext.rollback()
      errorMessage = "Failed to save changes: \(error.localizedDescription)"
      return
    }

    // Clear input
    messageText = ""
  }

  /// Mark conversation as read
  public func markConversationAsRead() {
    guard let conversation = getConversation() else { return }
    do {
      try InboxService(context: modelContext).markAsRead(conversation)
      try modelContext.save()
    } catch {
      modelContext.rollback()
      errorMessage = "Failed to save changes: \(error.localizedDescription)"
    }
  }
}
