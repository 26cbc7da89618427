import Foundation
import Observation
import SwiftData

/// The view model of the list of conversations (guide, 3.1).
@MainActor
@Observable
public final class ConversationListViewModel {
  // MARK: - Dependencies

  private let modelContext: ModelContext

  // MARK: - Observed State

  /// Whether something is being loaded.
  public var isLoading = false
  /// The last error, for the user.
  public var errorMessage: String?

  // MARK: - Initialization

  /// Makes the view model of a screen.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
  }

  // MARK: - Fetch Methods

  /// Fetch all conversations (not archived)
  public func fetchConversations() -> [ConversationEntity] {
    let descriptor = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate { conversation in
        conversation.isArchived == false
      },
      sortBy: [
        SortDescriptor(\.lastMessageAt, order: .reverse)
      ]
    )

    do {
      return try modelContext.fetch(descriptor)
    } catch {
      errorMessage = "Failed to fetch conversations: \(error.localizedDescription)"
      return []
    }
  }

  /// Fetch pinned conversations only
  public func fetchPinnedConversations() -> [ConversationEntity] {
    let descriptor = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate { conversation in
        conversation.isPinned == true && conversation.isArchived == false
      },
      sortBy: [
        SortDescriptor(\.lastMessageAt, order: .reverse)
      ]
    )

    do {
      return try modelContext.fetch(descriptor)
    } catch {
      errorMessage = "Failed to fetch pinned conversations: \(error.localizedDescription)"
      return []
    }
  }

  /// Fetch conversations with unread messages
  public func fetchUnreadConversations() -> [ConversationEntity] {
    let descriptor = FetchDescriptor<ConversationEntity>(
      predicate: #Predicate { conversation in
        conversation.unreadCount > 0 && conversation.isArchived == false
      },
      sortBy: [
        SortDescriptor(\.lastMessageAt, order: .reverse)
      ]
    )

    do {
      return try modelContext.fetch(descriptor)
    } catch {
      errorMessage = "Failed to fetch unread conversations: \(error.localizedDescription)"
      return []
    }
  }

  // MARK: - Conversation Actions

  /// Pin/unpin conversation
  public func togglePin(conversation: ConversationEntity) {
    change { try $0.setPinned(!conversation.isPinned, conversation) }
  }

  /// Archive conversation
  public func archiveConversation(_ conversation: ConversationEntity) {
    change { try $0.setArchived(true, conversation) }
  }

  /// Delete conversation
  public func deleteConversation(_ conversation: ConversationEntity) {
    change { try $0.delete(conversation) }
  }

  // MARK: - Helper Methods

  /// The rules are the inbox's; saving is the screen's.
  private func change<T>(_ body: (InboxService) throws -> T) {
    do {
      _ = try body(InboxService(context: modelContext))
      try modelContext.save()
    } catch {
      // A change that cannot be saved, as of a conversation that a sync deleted, would keep all later ones from being saved.
      modelContext.rollback()
      errorMessage = "Failed to save changes: \(error.localizedDescription)"
    }
  }
}
