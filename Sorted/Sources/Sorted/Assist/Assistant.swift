import AssistModel
import Foundation
import SwiftData

/// Judges messages on one context. It reads each person's profile once, so it serves one batch and is then let go.
struct Assistant {
  let context: ModelContext
  let model: MessageModel
  private let ownerID: String
  private var extractor = FeatureExtractor()
  private var profiles: [String: AssistProfile] = [:]
  private var names: [String: String?] = [:]
  private let meaning: MeaningModel?
  /// The vectors of messages that have one of their text.
  private let known: [String: MeaningVector]

  /// Makes an assistant.
  /// - Parameters:
  ///   - context: where it reads and writes.
  ///   - meaning: the sentence model; nil matches questions by their words.
  ///   - known: the vectors of the messages to judge. One without a vector is matched by its words.
  /// - Throws: `SwiftDataError`, `WeightsError`.
  init(_ context: ModelContext, meaning: MeaningModel? = nil, known: [String: MeaningVector] = [:]) throws {
    self.context = context
    self.meaning = meaning
    self.known = known
    model = try MessageModel.shipped()
    ownerID = try LocalUser.id(in: context)
  }

  /// Writes the models' decisions into a message; the caller saves. A decision that a switch turns off is nil afterwards.
  /// - Throws: `SwiftDataError`.
  mutating func judge(_ message: MessageEntity, in conversation: ConversationEntity?) throws {
    guard message.deletedAt == nil else { return Self.clear(message) }
    let profile = try profile(of: reader(of: message, in: conversation))
    let judgement = model.judge(extractor.features(of: message.text), layer: profile.layer)
    let chosen = profile.corrections[message.id]
    let kind = chosen ?? judgement.kind
    let switches = profile.switches
    message.category = switches.categories ? MessageCategory(rawValue: kind.rawValue) : nil
    message.categoryConfidence =
      switches.categories ? (chosen == nil ? Double(judgement.confidence) : 1) : nil
    message.sentiment = switches.sentiment ? MessageSentiment(rawValue: judgement.sentiment) : nil
    message.sentimentIntensity = switches.sentiment ? SentimentIntensity(rawValue: judgement.intensity) : nil
    message.opportunityScore = switches.opportunity && kind == .business ? judgement.opportunity : nil
    try answer(message, kind, profile)
    message.assistVersion = MessageModel.version
  }

  /// Leaves nothing of a judgement: what remains of a deleted message is of no kind.
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

  /// Whose judgement of a message counts: of two people the one who did not write it, otherwise the owner of the store.
  func reader(of message: MessageEntity, in conversation: ConversationEntity?) -> String {
    guard let conversation, !conversation.isGroup else { return ownerID }
    let people = Set(conversation.participantIDs.map(known))
    let others = people.subtracting([known(message.senderID)])
    return people.count == 2 && others.count == 1 ? others.first! : ownerID
  }

  /// Why a message is what it is, for its reader.
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
    let isOwn = known(message.senderID) == profile.userID
    guard profile.switches.questions, kind != .spam, !isOwn, !profile.matcher.isEmpty,
      let match = match(message, profile)
    else { return }
    message.faqMatchID = match.id
    message.faqConfidence = Double(match.confidence)
    guard profile.switches.drafts, let answer = profile.answers[match.id] else { return }
    message.smartReplyDraft = Self.draft(answer, to: try name(of: message.senderID))
  }

  private mutating func match(_ message: MessageEntity, _ profile: AssistProfile) -> QuestionMatcher.Match? {
    guard let meaning, let whole = known[message.id] else { return profile.matcher.match(message.text, &extractor) }
    return profile.matcher.match(message.text, &extractor) { meaning.vectors(of: $0, knowing: whole) }
  }

  /// Matches the question of a judged message again, now that its vector is known. The caller saves.
  /// - Throws: `SwiftDataError`.
  mutating func matchQuestion(_ message: MessageEntity, in conversation: ConversationEntity?) throws {
    guard message.assistVersion == MessageModel.version else { return }
    let profile = try profile(of: reader(of: message, in: conversation))
    guard !profile.matcher.isEmpty else { return }
    // The category is not in the message where its switch is off.
    let kind =
      profile.corrections[message.id] ?? model.judge(extractor.features(of: message.text), layer: profile.layer).kind
    try answer(message, kind, profile)
  }

  /// The matched answer, addressed to a person whose name is known.
  static func draft(_ answer: String, to name: String?) -> String {
    name.map { "Hi \($0)! \(answer)" } ?? answer
  }

  /// The first name of a person: of their profile, else of an identifier that looks like a name.
  private mutating func name(of userID: String) throws -> String? {
    if let name = names[userID] { return name }
    let user = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == userID })).first
    let name = user.flatMap { Self.firstWord($0.displayName) } ?? Self.name(fromID: userID)
    names[userID] = .some(name)
    return name
  }

  /// "dana@acme" is Dana; "u-4711" is not a name.
  static func name(fromID id: String) -> String? {
    let word = id.prefix { $0 != "@" }
    guard (2...20).contains(word.count), word.allSatisfy(\.isLetter) else { return nil }
    return word.prefix(1).uppercased() + word.dropFirst()
  }

  private static func firstWord(_ name: String) -> String? {
    name.split(separator: " ").first.map(String.init)
  }

  // MARK: - People

  /// The owner writes under a placeholder until the first sync.
  private func known(_ userID: String) -> String { userID == LocalUser.placeholder ? ownerID : userID }

  private mutating func profile(of userID: String) throws -> AssistProfile {
    if let profile = profiles[userID] { return profile }
    let profile = try AssistProfile(userID, context, model, meaning)
    profiles[userID] = profile
    return profile
  }
}
