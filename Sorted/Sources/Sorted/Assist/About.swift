import AssistModel
import Foundation
import SwiftData

/// The summary of a store's messages about a person or a subject.
public struct About: Codable, Equatable, Sendable {
  /// A person whose name matches the subject.
  public struct Person: Codable, Equatable, Sendable {
    /// The identifier of the person.
    public var id: String
    /// The display name; nil if the person has no profile.
    public var name: String?
    /// The number of messages from the person.
    public var messages: Int
    /// The number of conversations with messages from the person.
    public var conversations: Int
    /// The time of the person's first message.
    public var firstAt: Date?
    /// The time of the person's last message.
    public var lastAt: Date?
    /// The number of messages of each category.
    public var categories: [String: Int]
    /// The themes of the person's newest messages; empty without the sentence model.
    public var themes: [Theme]
  }

  /// A message that represents a cluster of messages with a similar meaning.
  public struct Theme: Codable, Equatable, Sendable {
    /// The message.
    public var message: MessageSummary
    /// The number of messages in the cluster.
    public var count: Int
  }

  /// The text that the summary is about.
  public var subject: String
  /// The people whose names match, in descending order of their messages.
  public var people: [Person]
  /// The messages about the subject: the nearest by meaning, or the newest that contain the words.
  public var messages: [MessageSummary]
  /// Whether the messages were found by meaning and not by words.
  public var isByMeaning: Bool
}

extension AssistInbox {
  /// The largest number of people in a result.
  private static let maximumPeople = 3
  /// The largest number of themes of a person, and the number of newest messages that the themes represent.
  private static let (maximumThemes, themeMessages) = (5, 400)

  /// Summarizes the messages of a store about a person or a subject.
  /// - Parameters:
  ///   - subject: a name or a subject.
  ///   - meaning: the sentence model; nil compares words.
  ///   - limit: the largest number of messages.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for an empty subject; `SwiftDataError`.
  package func about(_ subject: String, meaning: MeaningModel?, limit: Int = 10) throws -> About {
    let subject = subject.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !subject.isEmpty else {
      throw DataLayerError.invalidData("the subject is empty; name a person or a subject")
    }
    let people = try people(named: subject).map { try person($0, meaning) }
    guard let meaning, try MeaningModel.hasVectors(in: context) else {
      let found = try InboxService(context: context).search(subject, limit: limit)
      return About(
        subject: subject, people: people, messages: found.messages.map(MessageSummary.init), isByMeaning: false)
    }
    let search = SemanticSearch(context: context, model: meaning)
    let found = try search.messages(of: try search.nearest(to: subject, limit: limit))
    return About(
      subject: subject, people: people, messages: found.map { MessageSummary($0.message) }, isByMeaning: true)
  }

  /// Returns the senders whose identifier or display name contains a text, with the number of their messages.
  private func people(named text: String) throws -> [(id: String, count: Int)] {
    let profiles = try context.fetch(
      FetchDescriptor<UserEntity>(predicate: #Predicate { $0.displayName.localizedStandardContains(text) }),
      selecting: \.id)
    let named = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { profiles.contains($0.senderID) || $0.senderID.localizedStandardContains(text) })
    let counts = try context.fetch(named, groupedBy: \.senderID, computing: .count)
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
    let categories = try context.fetch(theirs, groupedBy: \.category, computing: .count)
    return About.Person(
      id: id, name: user?.displayName, messages: found.count,
      conversations: try context.fetch(theirs, groupedBy: \.conversationID, computing: .count).count,
      firstAt: try time(.forward), lastAt: try time(.reverse),
      categories: Dictionary(
        categories.compactMap { category, count in category.map { ($0.rawValue, count) } }, uniquingKeysWith: +),
      themes: try meaning == nil ? [] : themes(of: theirs))
  }

  /// Clusters a person's newest messages, and returns a theme for each cluster. See ``Clusters``.
  private func themes(of theirs: FetchDescriptor<MessageEntity>) throws -> [About.Theme] {
    var newest = theirs
    newest.sortBy = [SortDescriptor(\.createdAt, order: .reverse)]
    newest.fetchLimit = Self.themeMessages
    let messages = Dictionary(
      try context.fetch(newest).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let ids = Array(messages.keys)
    let stored = try context.fetch(
      FetchDescriptor<MessageVectorEntity>(
        predicate: #Predicate { ids.contains($0.id) }, sortBy: [SortDescriptor(\.id)]))
    let vectors = stored.compactMap { stored in
      messages[stored.id].flatMap { message in
        stored.isOf(message) ? Embedding(stored.vector).map { (message: message, vector: $0) } : nil
      }
    }
    return Clusters(vectors.map(\.vector), count: Self.maximumThemes).clusters.map {
      About.Theme(message: MessageSummary(vectors[$0.medoid].message), count: $0.count)
    }
  }
}
