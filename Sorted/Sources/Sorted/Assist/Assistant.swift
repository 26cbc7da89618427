import AssistModel
import Foundation
import SwiftData

/// Classifies messages in one context. It reads the profile of each reader once, so each batch needs a new assistant.
struct Assistant {
  let context: ModelContext
  let model: MessageModel
  private let ownerID: String
  private var extractor = FeatureExtractor()
  private var profiles: [String: AssistProfile] = [:]
  private var names: [String: String?] = [:]
  private let meaning: MeaningModel?
  /// The current embeddings of messages, by message.
  private let embeddings: [String: Embedding]

  /// Makes an assistant.
  /// - Parameters:
  ///   - context: the context of the messages.
  ///   - meaning: the sentence model; nil matches questions by words.
  ///   - embeddings: the embeddings of the messages to classify. A message without an embedding is matched by words.
  /// - Throws: `SwiftDataError`, `WeightsError`.
  init(_ context: ModelContext, meaning: MeaningModel? = nil, embeddings: [String: Embedding] = [:]) throws {
    self.context = context
    self.meaning = meaning
    self.embeddings = embeddings
    model = try MessageModel.shipped()
    ownerID = try LocalUser.id(in: context)
  }

  /// Classifies a message and writes the result into it. The attributes of disabled features become nil. The caller saves.
  /// - Throws: `SwiftDataError`.
  mutating func classify(_ message: MessageEntity, in conversation: ConversationEntity?) throws {
    guard message.deletedAt == nil else { return Self.clear(message) }
    let profile = try profile(of: reader(of: message, in: conversation))
    let found = model.classify(extractor.features(of: message.text), layer: profile.layer)
    let correction = profile.corrections[message.id]
    let kind = correction ?? found.kind
    let features = profile.features
    message.category = features.categories ? MessageCategory(rawValue: kind.rawValue) : nil
    message.categoryConfidence =
      features.categories ? (correction == nil ? Double(found.confidence) : 1) : nil
    message.sentiment = features.sentiment ? MessageSentiment(rawValue: found.sentiment) : nil
    message.sentimentIntensity = features.sentiment ? SentimentIntensity(rawValue: found.intensity) : nil
    message.opportunityScore = features.opportunity && kind == .business ? found.opportunity : nil
    try answer(message, kind, profile)
    message.assistVersion = MessageModel.version
  }

  /// Clears the classification of a deleted message.
  private static func clear(_ message: MessageEntity) {
    message.category = nil
    message.categoryConfidence = nil
    message.sentiment = nil
    message.sentimentIntensity = nil
    message.opportunityScore = nil
    message.faqMatchID = nil
    message.faqConfidence = nil
    message.smartReplyDraft = nil
    message.assistVersion = MessageModel.version
  }

  /// Returns the reader of a message, the person whose features, answers and corrections apply. In a conversation of two people the
  /// reader is the person who did not write the message. In any other conversation the reader is the owner of the store.
  func reader(of message: MessageEntity, in conversation: ConversationEntity?) -> String {
    guard let conversation, !conversation.isGroup else { return ownerID }
    let people = Set(conversation.participantIDs.map(resolved))
    let others = people.subtracting([resolved(message.senderID)])
    return people.count == 2 && others.count == 1 ? others.first! : ownerID
  }

  /// Explains the kind of a message with the personal layer of its reader.
  /// - Throws: `SwiftDataError`.
  mutating func explanation(of message: MessageEntity, in conversation: ConversationEntity?, as kind: Kind)
    throws -> Explanation
  {
    let profile = try profile(of: reader(of: message, in: conversation))
    return model.explain(message.text, as: kind, layer: profile.layer, &extractor)
  }

  // MARK: - Answers

  private mutating func answer(_ message: MessageEntity, _ kind: Kind, _ profile: AssistProfile) throws {
    message.faqMatchID = nil
    message.faqConfidence = nil
    message.smartReplyDraft = nil
    let isOwn = resolved(message.senderID) == profile.userID
    guard profile.features.questions, kind != .spam, !isOwn, !profile.matcher.isEmpty,
      let match = match(message, profile)
    else { return }
    message.faqMatchID = match.id
    message.faqConfidence = Double(match.confidence)
    guard profile.features.drafts, let answer = profile.answers[match.id] else { return }
    message.smartReplyDraft = Self.draft(answer, to: try name(of: message.senderID))
  }

  private mutating func match(_ message: MessageEntity, _ profile: AssistProfile) -> QuestionMatcher.Match? {
    guard let meaning, let whole = embeddings[message.id] else {
      return profile.matcher.match(message.text, &extractor)
    }
    return profile.matcher.match(message.text, &extractor) { meaning.vectors(of: $0, whole: whole) }
  }

  /// Matches the question of a classified message again after its embedding was made. The caller saves.
  /// - Throws: `SwiftDataError`.
  mutating func matchQuestion(_ message: MessageEntity, in conversation: ConversationEntity?) throws {
    guard message.assistVersion == MessageModel.version else { return }
    let profile = try profile(of: reader(of: message, in: conversation))
    guard !profile.matcher.isEmpty else { return }
    // The message has no category if the reader disabled categories, so its kind is computed again.
    let kind =
      profile.corrections[message.id]
      ?? model.classify(extractor.features(of: message.text), layer: profile.layer).kind
    try answer(message, kind, profile)
  }

  /// Returns the draft of a reply: the matched answer, with a greeting if the sender has a name.
  static func draft(_ answer: String, to name: String?) -> String {
    name.map { "Hi \($0)! \(answer)" } ?? answer
  }

  /// Returns the first name of a person from the profile, or from an identifier that looks like a name.
  private mutating func name(of userID: String) throws -> String? {
    if let name = names[userID] { return name }
    let user = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == userID })).first
    let name = user.flatMap { Self.firstWord($0.displayName) } ?? Self.name(fromID: userID)
    names[userID] = .some(name)
    return name
  }

  /// Returns the name in an identifier, for example Dana for "dana@acme"; nil for "u-4711".
  static func name(fromID id: String) -> String? {
    let word = id.prefix { $0 != "@" }
    guard (2...20).contains(word.count), word.allSatisfy(\.isLetter) else { return nil }
    return word.prefix(1).uppercased() + word.dropFirst()
  }

  private static func firstWord(_ name: String) -> String? {
    name.split(separator: " ").first.map(String.init)
  }

  // MARK: - People

  /// Resolves the placeholder that stands for the owner until the first sync.
  private func resolved(_ userID: String) -> String { userID == LocalUser.placeholder ? ownerID : userID }

  private mutating func profile(of userID: String) throws -> AssistProfile {
    if let profile = profiles[userID] { return profile }
    let profile = try AssistProfile(userID, context, model, meaning)
    profiles[userID] = profile
    return profile
  }
}
