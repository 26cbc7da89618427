import Foundation
import Sorted
import SwiftData
import SwiftDataSync

/// Makes the shares on the server what the participants of the conversations say.
///
/// Who writes the first message of a conversation shares it. From then on that account's inbox invites those who are added
/// and removes those who are not participants any more. An inbox accepts all invitations, as a mailbox accepts letters.
struct ConversationShares {
  let inbox: SharedInbox

  struct Outcome {
    /// The reasons why conversations cannot be shared, by identifier.
    var problems: [String: String] = [:]
    /// Whether conversations came or went.
    var changed = false
  }

  /// The values of a conversation that are needed while the server is asked.
  private struct Conversation: Sendable {
    let id: String
    let identifier: PersistentIdentifier
    let title: String
    let people: [String]
  }

  /// The state that was compared with the server. A person can have many conversations, so only changed ones are looked at again.
  struct Compared {
    fileprivate let shares: [SyncShare]
    fileprivate let token: DefaultHistoryToken
    /// The conversations to look at again, whether they change or not.
    fileprivate var open: Set<PersistentIdentifier> = []
  }

  /// - Parameters:
  ///   - waiting: the conversations with new messages of this account.
  ///   - compared: what was compared before; nil to look at all conversations.
  /// - Throws: an error of SwiftDataSync if the server cannot be reached or refuses the account.
  func reconcile(waiting: Set<String>, since compared: inout Compared?) async throws -> Outcome {
    var outcome = Outcome()
    let list = try await inbox.engine.shares()
    let accepted = try await accept(list, &outcome)
    var next = Compared(shares: list, token: try inbox.makeContext().currentHistoryToken())
    // Other shares on the server may be other participants of any conversation.
    let changed = try compared.flatMap { $0.shares == list ? try changedConversations(since: $0) : nil }
    let conversations = try candidates(waiting, changed)
    let known = try await inbox.engine.knownShares(of: conversations.map(\.identifier))
    let wanted = Set(known.values)
    let shares = Dictionary(
      (list.filter { $0.hasAccepted && wanted.contains($0.id) } + accepted).map { ($0.id, $0) }
    ) { $1 }
    for conversation in conversations {
      do {
        if let id = known[conversation.identifier] {
          guard let share = shares[id] else {
            next.open.insert(conversation.identifier)
            continue
          }
          try await update(share, conversation, &outcome)
        } else if waiting.contains(conversation.id), conversation.people.contains(where: { $0 != inbox.userID }) {
          let share = try await inbox.engine.share(conversation.identifier, title: conversation.title)
          try await update(share, conversation, &outcome)
          try noteShared(conversation.id)
        } else {
          // Another device may have shared it, and the sync did not bring that yet.
          next.open.insert(conversation.identifier)
        }
      } catch let error as SwiftDataSync.SyncError where [.refused, .forbidden, .quotaExceeded].contains(error.code) {
        outcome.problems[conversation.id] = error.message
        next.open.insert(conversation.identifier)
      }
    }
    compared = next
    return outcome
  }

  /// Accepts what this account is invited to.
  /// - Returns: the shares that it accepted.
  private func accept(_ shares: [SyncShare], _ outcome: inout Outcome) async throws -> [SyncShare] {
    var accepted: [SyncShare] = []
    for share in shares where !share.hasAccepted {
      do {
        accepted.append(try await inbox.engine.accept(share.id))
        outcome.changed = true
      } catch let error as SwiftDataSync.SyncError where error.code == .refused {
        // The owner took the invitation back a moment ago.
      }
    }
    return accepted
  }

  /// The conversations that anybody changed, with those that are to be looked at again.
  /// - Returns: nil if the history does not go back that far.
  private func changedConversations(since compared: Compared) throws -> Set<PersistentIdentifier>? {
    let token = compared.token
    do {
      let saves = try inbox.makeContext().fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
      let changed = saves.flatMap { $0.changes.map(\.changedPersistentIdentifier) }
      return compared.open.union(changed.filter { $0.entityName == "ConversationEntity" })
    } catch let error as SwiftDataError where error.code == SwiftDataError.historyTokenExpired.code {
      return nil
    }
  }

  /// - Parameter changed: the conversations to look at in addition to the waiting ones; nil for all.
  private func candidates(_ waiting: Set<String>, _ changed: Set<PersistentIdentifier>?) throws -> [Conversation] {
    let (ids, identifiers) = (Array(waiting), changed ?? [])
    let context = inbox.makeContext()
    let found =
      changed == nil
      ? try context.fetch(
        FetchDescriptor<ConversationEntity>(
          predicate: #Predicate { $0.serverTime > 0 || ids.contains($0.id) }, sortBy: [SortDescriptor(\.id)]))
      : try context.fetch(
        FetchDescriptor<ConversationEntity>(
          predicate: #Predicate { identifiers.contains($0.persistentModelID) || ids.contains($0.id) },
          sortBy: [SortDescriptor(\.id)])
      ).filter { $0.serverTime > 0 || waiting.contains($0.id) }
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
