import AssistModel
import Foundation
import SwiftData

/// The operations on the assistant's classifications in one context: explanations, corrections, lists and the digest.
///
/// It changes objects and does not save. The caller saves.
public struct AssistInbox {
  let context: ModelContext

  /// Makes the operations on a context.
  public init(context: ModelContext) { self.context = context }

  // MARK: - Explanations

  /// The explanation of a message's category.
  public struct Reasons: Codable, Equatable, Sendable {
    /// The identifier of the message.
    public var messageID: String
    /// The category: fan, business, spam, urgent or none.
    public var category: String
    /// The confidence of the category, from 0 to 1.
    public var confidence: Double
    /// Whether a person corrected the category.
    public var isCorrected: Bool
    /// The reasons with the largest weights, in descending order.
    public var reasons: [Explanation.Reason]
    /// The reasons as a sentence.
    public var sentence: String
  }

  /// Explains the category of a message. It first classifies a pending message.
  /// - Throws: `SwiftDataError`, `WeightsError`.
  public func reasons(for message: MessageEntity) throws -> Reasons {
    var assistant = try Assistant(context)
    let conversation = message.conversation
    if message.assistVersion < MessageModel.version { try assistant.classify(message, in: conversation) }
    let isCorrected = try correction(of: message, by: assistant.reader(of: message, in: conversation)) != nil
    let kind = message.category.flatMap { Kind(rawValue: $0.rawValue) } ?? .none
    let explanation = try assistant.explanation(of: message, in: conversation, as: kind)
    return Reasons(
      messageID: message.id, category: kind.rawValue, confidence: message.categoryConfidence ?? 0,
      isCorrected: isCorrected, reasons: explanation.reasons,
      sentence: isCorrected ? "because you said so" : explanation.sentence)
  }

  // MARK: - Corrections

  /// Corrects the kind of a message, classifies it again, and marks the person's newest messages as pending.
  ///
  /// The correction becomes part of the person's training set, so it can change the kinds of other messages.
  /// - Parameters:
  ///   - message: the message.
  ///   - kind: the right kind.
  ///   - userID: the person who corrects; nil is the owner of the store.
  ///   - now: the time of the correction.
  /// - Throws: ``DataLayerError/invalidData(_:)`` if the message has another reader; `SwiftDataError`, `WeightsError`.
  public func correct(_ message: MessageEntity, as kind: Kind, by userID: String? = nil, now: Date = Date()) throws {
    let user = try userID ?? LocalUser.id(in: context)
    let assistant = try Assistant(context)
    let reader = assistant.reader(of: message, in: message.conversation)
    guard reader == user else {
      throw DataLayerError.invalidData("the message is sorted for \(reader), not for \(user)")
    }
    if let old = try correction(of: message, by: user) {
      old.kind = kind.rawValue
      old.text = message.text
      old.createdAt = now
    } else {
      context.insert(AssistCorrectionEntity(userID: user, message: message, kind: kind, createdAt: now))
    }
    let before = message.faqMatchID
    // A new assistant trains its personal layer with the correction.
    var updated = try Assistant(context)
    try updated.classify(message, in: message.conversation)
    // This classification does not use embeddings. The worker matches the question again with them.
    if message.faqMatchID != before { message.resetClassification() }
    for other in try recent(of: user) where other.id != message.id { other.resetClassification() }
  }

  /// Marks a person's newest messages as pending after the person's features or answers changed.
  /// - Throws: `SwiftDataError`.
  public func judgeAgain(for userID: String) throws {
    for message in try recent(of: userID) { message.resetClassification() }
  }

  /// The number of a person's newest messages that a change marks as pending. `sorted assist --all` classifies all messages.
  public static let recentCount = 1_000

  private func recent(of userID: String) throws -> [MessageEntity] {
    let owner = try LocalUser.id(in: context)
    var descriptor = FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    descriptor.fetchLimit = Self.recentCount
    if userID != owner {
      let ids = try context.fetch(
        FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.participantIDs.contains(userID) })
      ).map(\.id)
      descriptor.predicate = #Predicate { ids.contains($0.conversationID) }
    }
    return try context.fetch(descriptor)
  }

  private func correction(of message: MessageEntity, by userID: String) throws -> AssistCorrectionEntity? {
    let id = AssistCorrectionEntity.id(userID, message.id)
    return try context.fetch(FetchDescriptor<AssistCorrectionEntity>(predicate: #Predicate { $0.id == id })).first
  }
}
