import AssistModel
import Foundation
import SwiftData

/// The knowledge of a store about a person or a matter.
public struct About: Codable, Equatable, Sendable {
  /// A person whose name fits.
  public struct Person: Codable, Equatable, Sendable {
    /// The identifier.
    public var id: String
    /// The display name, where there is a profile.
    public var name: String?
    /// How many messages the person wrote.
    public var messages: Int
    /// In how many conversations the person wrote them.
    public var conversations: Int
    /// The time of the first one.
    public var firstAt: Date?
    /// The time of the last one.
    public var lastAt: Date?
    /// How many there are of each category.
    public var categories: [String: Int]
    /// What the person writes about: messages that stand for others; empty without the sentence model.
    public var themes: [Theme]
  }

  /// A message that stands for the messages that mean something like it.
  public struct Theme: Codable, Equatable, Sendable {
    /// The message.
    public var message: MessageSummary
    /// How many of the person's newest messages it stands for.
    public var count: Int
  }

  /// The text that was asked for.
  public var subject: String
  /// The people of that name, those who wrote most first.
  public var people: [Person]
  /// The messages about it: by their meaning, or the newest that have the words.
  public var messages: [MessageSummary]
  /// Whether meaning was compared, and not words.
  public var isByMeaning: Bool
}

extension AssistInbox {
  /// How many people a result has at most.
  private static let maximumPeople = 3
  /// How many themes a person has at most, and of how many of their newest messages.
  private static let (maximumThemes, themeMessages) = (5, 400)

  /// Gathers what the store knows about a person or a matter.
  /// - Parameters:
  ///   - subject: a name, or what it is about.
  ///   - meaning: the sentence model; nil compares words.
  ///   - limit: how many messages there are at most.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for an empty subject; `SwiftDataError`.
  package func about(_ subject: String, meaning: MeaningModel?, limit: Int = 10) throws -> About {
    let subject = subject.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !subject.isEmpty else { throw DataLayerError.invalidData("say a name or a matter") }
    let people = try people(named: subject).map { try person($0, meaning) }
    guard let meaning, try MeaningModel.hasVectors(in: context) else {
      let found = try InboxService(context: context).search(subject, limit: limit)
      return About(
        subject: subject, people: people, messages: found.messages.map(MessageSummary.init), isByMeaning: false)
    }
    let search = MeaningSearch(context: context, model: meaning)
    let found = try search.messages(of: try search.nearest(to: subject, limit: limit))
    return About(
      subject: subject, people: people, messages: found.map { MessageSummary($0.message) }, isByMeaning: true)
  }

  /// The writers whose identifier or display name contains a text.
  private func people(named text: String) throws -> [(id: String, count: Int)] {
    let profiles = try context.fetch(
      FetchDescriptor<UserEntity>(predicate: #Predicate { $0.displayName.localizedStandardContains(text) }),
      selecting: \.id)
    let named = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { profiles.contains($0.senderID) || $0.senderID.localizedStandardContains(text) })
    let counts = try context.fetch(named, groupedBy: \.senderID, .count)
    let wanted = text.lowercased()
    let sorted = counts.sorted { a, b in
      let (isA, isB) = (a.0.lowercased() == wanted, b.0.lowercased() == wanted)
      return isA != isB ? isA : (-a.1, a.0) < (-b.1, b.0)
    }
    return sorted.prefix(Self.maximumPeople).map { (id: $0.0, count: $0.1) }
  }

  private func person(_ found: (id: String, count: Int), _ meaning: MeaningModel?) throws -> About.Person {
    let id = found.id
    let theirs = FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.senderID == id })
    func time(_ order: SortOrder) throws -> Date? {
      var descriptor = theirs
      descriptor.sortBy = [SortDescriptor(\.createdAt, order: order)]
      descriptor.fetchLimit = 1
      return try context.fetch(descriptor, selecting: \.createdAt).first
    }
    let user = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == id })).first
    let categories = try context.fetch(theirs, groupedBy: \.category, .count)
    return About.Person(
      id: id, name: user?.displayName, messages: found.count,
      conversations: try context.fetch(theirs, groupedBy: \.conversationID, .count).count,
      firstAt: try time(.forward), lastAt: try time(.reverse),
      categories: Dictionary(
        categories.compactMap { category, count in category.map { ($0.rawValue, count) } }, uniquingKeysWith: +),
      themes: try meaning == nil ? [] : themes(of: theirs))
  }

  /// Of a person's newest messages, those that stand for most others: one after the other, the message that adds most to the
  /// sum of each message's similarity to the theme next to it.
  private func themes(of theirs: FetchDescriptor<MessageEntity>) throws -> [About.Theme] {
    var newest = theirs
    newest.sortBy = [SortDescriptor(\.createdAt, order: .reverse)]
    newest.fetchLimit = Self.themeMessages
    let messages = Dictionary(
      try context.fetch(newest).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let ids = Array(messages.keys)
    let kept = try context.fetch(
      FetchDescriptor<MessageVectorEntity>(
        predicate: #Predicate { ids.contains($0.id) }, sortBy: [SortDescriptor(\.id)]))
    let vectors = kept.compactMap { kept in
      messages[kept.id].flatMap { message in
        kept.isOf(message) ? MeaningVector(kept.vector).map { (message: message, vector: $0) } : nil
      }
    }
    return Themes(vectors.map(\.vector), count: Self.maximumThemes).groups.map {
      About.Theme(message: MessageSummary(vectors[$0.center].message), count: $0.count)
    }
  }
}
