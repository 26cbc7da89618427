import Foundation
import Observation
import SwiftData

/// The list of conversations: what it shows and does (guide, 3.1).
@MainActor
@Observable
public final class ConversationListViewModel {
  // MARK: - Dependencies

  private let modelContext: ModelContext

  // MARK: - Observed State

  /// Whether something is being loaded.
  public var isLoading = false
  /// What went wrong last, for the user to read.
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
    conversation.isPinned.toggle()
    conversation.noteChange(of: .isPinned)
    saveContext()
  }

  /// Archive conversation
  public func archiveConversation(_ conversation: ConversationEntity) {
    conversation.isArchived = true
    conversation.noteChange(of: .isArchived)
    saveContext()
  }

  /// Delete conversation
  public func deleteConversation(_ conversation: ConversationEntity) {
    modelContext.delete(conversation)
    saveContext()
  }

  // MARK: - Helper Methods

  private func saveContext() {
    do {
      try modelContext.save()
    } catch {
      errorMessage = "Failed to save changes: \(error.localizedDescription)"
    }
  }
}
