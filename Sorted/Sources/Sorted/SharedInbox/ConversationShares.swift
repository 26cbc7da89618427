import Foundation
import SwiftData
import SwiftDataSync

/// Makes the shares on the server what the participants of the conversations say.
///
/// Who writes the first message of a conversation shares it. From then on that account's inbox invites those who are added
/// and removes those who are not participants any more. An inbox accepts all invitations, as a mailbox accepts letters.
struct ConversationShares {
  let inbox: SharedInbox

  struct Outcome {
    /// Why a conversation cannot be shared, by its identifier.
    var problems: [String: String] = [:]
    /// Whether conversations came or went.
    var changed = false
  }

  /// What is to be known of a conversation while the server is asked.
  private struct Conversation: Sendable {
    let id: String
    let identifier: PersistentIdentifier
    let title: String
    let people: [String]
  }

  /// - Parameter waiting: the conversations with new messages of this account.
  /// - Throws: an error of SwiftDataSync if the server cannot be reached or refuses the account.
  func reconcile(waiting: Set<String>) async throws -> Outcome {
    var outcome = Outcome()
    let shares = try await acceptAll(&outcome)
    let conversations = try candidates(waiting)
    let known = try await inbox.engine.knownShares(of: conversations.map(\.identifier))
    for conversation in conversations {
      do {
        if let id = known[conversation.identifier] {
          guard let share = shares[id] else { continue }
          try await update(share, conversation, &outcome)
        } else if waiting.contains(conversation.id), conversation.people.contains(where: { $0 != inbox.userID }) {
          let share = try await inbox.engine.share(conversation.identifier, title: conversation.title)
          try await update(share, conversation, &outcome)
          try noteShared(conversation.id)
        }
      } catch let error as SwiftDataSync.SyncError where [.refused, .forbidden, .quotaExceeded].contains(error.code) {
        outcome.problems[conversation.id] = error.message
      }
    }
    return outcome
  }

  /// Accepts what this account is invited to.
  /// - Returns: all shares of the account.
  private func acceptAll(_ outcome: inout Outcome) async throws -> [SyncShare.ID: SyncShare] {
    var shares: [SyncShare.ID: SyncShare] = [:]
    for share in try await inbox.engine.shares() {
      guard !share.hasAccepted else {
        shares[share.id] = share
        continue
      }
      do {
        shares[share.id] = try await inbox.engine.accept(share.id)
        outcome.changed = true
      } catch let error as SwiftDataSync.SyncError where error.code == .refused {
        // The owner took the invitation back a moment ago.
      }
    }
    return shares
  }

  private func candidates(_ waiting: Set<String>) throws -> [Conversation] {
    let ids = Array(waiting)
    let found = try inbox.makeContext().fetch(
      FetchDescriptor<ConversationEntity>(
        predicate: #Predicate { $0.serverTime > 0 || ids.contains($0.id) }, sortBy: [SortDescriptor(\.id)]))
    return found.map {
      Conversation(
        id: $0.id, identifier: $0.persistentModelID,
        title: String(($0.displayName ?? inbox.userID).prefix(60)), people: $0.presentIDs)
    }
  }

  private func update(_ share: SyncShare, _ conversation: Conversation, _ outcome: inout Outcome) async throws {
    let user = inbox.userID
    guard share.owner == user else {
      guard !conversation.people.contains(user) else { return }
      try await inbox.engine.leave(share.id)
      outcome.changed = true
      return
    }
    let wanted = conversation.people.filter { $0 != user }
    let there = share.participants.map(\.account)
    for person in wanted where !there.contains(person) {
      try await inbox.engine.invite(person, to: share.id, permission: .readWrite)
    }
    for person in there where !wanted.contains(person) {
      try await inbox.engine.revoke(person, from: share.id)
    }
  }

  private func noteShared(_ id: String) throws {
    try inbox.change { context in
      let found = try context.fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == id }))
      if let conversation = found.first, conversation.serverTime == 0 {
        conversation.serverTime = ServerTime.microseconds(Date())
      }
    }
  }
}
