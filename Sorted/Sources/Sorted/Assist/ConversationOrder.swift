import AssistModel
import Foundation
import SwiftData

/// The order of a list of conversations.
public enum ConversationOrder: String, Sendable, CaseIterable {
  /// Pinned conversations first, then by the time of the last message in descending order.
  case latest
  /// By the largest opportunity of their messages in descending order, without conversations that have none.
  case opportunity
}

extension InboxService {
  /// Returns the conversations that pass a filter and have a message of a category.
  /// - Parameters:
  ///   - filter: the filter of conversations.
  ///   - category: the category; nil returns conversations of any category.
  ///   - order: the order of the list.
  /// - Throws: `SwiftDataError`.
  public func conversations(
    _ filter: Filter = .all, category: MessageCategory?, order: ConversationOrder = .latest
  ) throws -> [ConversationEntity] {
    let assist = AssistInbox(context: context)
    var found = try conversations(filter)
    if let category {
      let ids = Set(try assist.conversations(with: category))
      found = found.filter { ids.contains($0.id) }
    }
    guard order == .opportunity else { return found }
    let scores = try assist.opportunities()
    let scored = found.enumerated().compactMap { index, conversation in
      scores[conversation.id].map { (index: index, score: $0, conversation: conversation) }
    }
    return scored.sorted { $0.score != $1.score ? $0.score > $1.score : $0.index < $1.index }.map(\.conversation)
  }
}

extension AssistInbox {
  /// Returns the conversations that have a message of a category from another person than the reader.
  /// - Parameters:
  ///   - category: the category of the message.
  ///   - userID: the reader; nil is the owner of the store.
  /// - Throws: `SwiftDataError`.
  public func conversations(with category: MessageCategory, for userID: String? = nil) throws -> [String] {
    let user = try userID ?? LocalUser.id(in: context)
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.category == category && $0.senderID != user && $0.senderID != "me" })
    return try context.fetch(descriptor, groupedBy: \.conversationID, computing: .count).map(\.0)
  }

  /// Returns the largest opportunity of each conversation, over the messages from other people than the reader.
  /// - Parameter userID: the reader; nil is the owner of the store.
  /// - Throws: `SwiftDataError`.
  public func opportunities(for userID: String? = nil) throws -> [String: Int] {
    let user = try userID ?? LocalUser.id(in: context)
    // Only business has an opportunity, and there is an index of categories.
    let business = MessageCategory.business
    let descriptor = FetchDescriptor<MessageEntity>(
      predicate: #Predicate {
        $0.category == business && $0.opportunityScore != nil && $0.senderID != user && $0.senderID != "me"
      })
    let found = try context.fetch(descriptor, groupedBy: \.conversationID, computing: .maximum(\.opportunityScore))
    return Dictionary(found.compactMap { id, score in score.map { (id, $0) } }, uniquingKeysWith: max)
  }

  /// A guess sets a conversation aside if it is at least this sure that the last message is spam. Of the 5,574 messages of the SMS
  /// Spam Collection it sets 721 of 740 spam messages aside and no other; harmless messages that look like spam had .95 at most.
  public static let sureOfSpam = 0.97

  /// The conversations that a list leaves out unless it is asked for spam: the last message is spam, because the person said so or
  /// by a guess that is ``sureOfSpam``.
  ///
  /// A guess sets no conversation aside in which the person wrote, nor one with anybody to whom the person wrote in a talk of two: what a
  /// friend wrote in a group stays in the list, also after another person wrote there.
  /// A pinned conversation of the store's user stays in the list as well.
  /// - Parameters:
  ///   - userID: nil is the owner of the store.
  ///   - names: the identifiers that the person's messages and conversations have; nil is `userID`, and the placeholder for the owner.
  ///   - kept: conversations that the person wants in the list.
  ///   - one: the only conversation that is asked for; nil for all.
  /// - Throws: `SwiftDataError`.
  /// - Complexity: one statement if no message is surely spam, otherwise at most five more.
  public func conversationsSetAside(
    for userID: String? = nil, writing names: [String]? = nil, without kept: Set<String> = [], only one: String? = nil
  ) throws -> [String] {
    let user = try userID ?? LocalUser.id(in: context)
    let names = names ?? (userID == nil ? [user, LocalUser.placeholder] : [user])
    let found = try surelySpam(names, one).filter { !kept.contains($0.conversationID) }
    guard !found.isEmpty else { return [] }
    let (ids, messages) = (found.map(\.conversationID), found.map(\.id))
    let spam = Kind.spam.rawValue
    let said = Set(
      try context.fetch(
        FetchDescriptor<AssistCorrectionEntity>(
          predicate: #Predicate { $0.userID == user && $0.kind == spam && messages.contains($0.messageID) })
      ).map(\.messageID))
    let guesses = found.filter { !said.contains($0.id) }
    let known = try answered(guesses.map(\.conversationID), names)
    let people = try people(around: guesses, names)
    let acquaintances = try acquaintances(Set(people.values.joined()), names)
    let aside = found.filter { message in
      said.contains(message.id)
        || !known.contains(message.conversationID)
          && acquaintances.isDisjoint(with: people[message.conversationID] ?? [])
    }
    return ids.filter(Set(aside.map(\.conversationID)).contains)
  }

  /// The last messages of conversations that are surely spam.
  private func surelySpam(_ names: [String], _ one: String?) throws -> [MessageEntity] {
    let (spam, sure) = (MessageCategory.spam, Self.sureOfSpam)
    var last = #Predicate<MessageEntity> {
      $0.category == spam && ($0.categoryConfidence ?? 0) >= sure && !names.contains($0.senderID)
        && $0.conversation?.lastMessageAt == $0.createdAt
    }
    if let one {
      let former = last
      last = #Predicate { $0.conversationID == one && former.evaluate($0) }
    }
    return try context.fetch(FetchDescriptor(predicate: last))
  }

  /// The people who take part in the conversations of some messages or wrote them, by conversation, without the person.
  private func people(around messages: [MessageEntity], _ names: [String]) throws -> [String: Set<String>] {
    guard !messages.isEmpty else { return [:] }
    let ids = messages.map(\.conversationID)
    var people = Dictionary(
      messages.map { ($0.conversationID, Set([$0.senderID])) }, uniquingKeysWith: { $0.union($1) })
    for conversation in try context.fetch(
      FetchDescriptor<ConversationEntity>(predicate: #Predicate { ids.contains($0.id) }))
    { people[conversation.id, default: []].formUnion(conversation.participantIDs) }
    return people.mapValues { $0.subtracting(names) }
  }

  /// Leaves of some people the ones to whom a person wrote in a talk of two.
  private func acquaintances(_ people: Set<String>, _ names: [String]) throws -> Set<String> {
    guard !people.isEmpty else { return [] }
    let talks = try context.fetch(
      FetchDescriptor<ConversationEntity>(
        predicate: #Predicate { !$0.isGroup && $0.participantIDs.contains { people.contains($0) } })
    ).filter { talk in talk.participantIDs.contains(where: names.contains) }
    let written = try answered(talks.map(\.id), names)
    return Set(talks.filter { written.contains($0.id) }.flatMap(\.participantIDs)).intersection(people)
  }

  /// The given conversations in which a person wrote.
  private func answered(_ ids: [String], _ names: [String]) throws -> Set<String> {
    guard !ids.isEmpty else { return [] }
    return Set(
      try context.fetch(
        FetchDescriptor<MessageEntity>(
          predicate: #Predicate { ids.contains($0.conversationID) && names.contains($0.senderID) }),
        groupedBy: \.conversationID, computing: .count
      ).map(\.0))
  }
}
