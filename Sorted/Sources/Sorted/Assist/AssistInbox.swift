import AssistModel
import Foundation
import SwiftData

/// What people do with the assistant's judgements, on one context: ask why, correct, and read the digest.
///
/// It changes objects and does not save. The caller saves.
public struct AssistInbox {
  let context: ModelContext

  /// Makes one on a context.
  public init(context: ModelContext) { self.context = context }

  // MARK: - Why

  /// Why a message is what it is.
  public struct Reasons: Codable, Equatable, Sendable {
    /// The message.
    public var messageID: String
    /// fan, business, spam, urgent or none
    public var category: String
    /// How sure that is: 0 to 1.
    public var confidence: Double
    /// Whether a person said so.
    public var isCorrected: Bool
    /// The strongest reasons, the strongest first.
    public var reasons: [Explanation.Reason]
    /// The reasons as a sentence.
    public var sentence: String
  }

  /// Says why a message is what it is. One that waits is judged first.
  /// - Throws: `SwiftDataError`, `WeightsError`.
  public func reasons(for message: MessageEntity) throws -> Reasons {
    var assistant = try Assistant(context)
    let conversation = message.conversation
    if message.assistVersion < MessageModel.version { try assistant.judge(message, in: conversation) }
    let isCorrected = try correction(of: message, by: assistant.reader(of: message, in: conversation)) != nil
    let kind = message.category.flatMap { Kind(rawValue: $0.rawValue) } ?? .none
    let explanation = try assistant.explanation(of: message, in: conversation, as: kind)
    return Reasons(
      messageID: message.id, category: kind.rawValue, confidence: message.categoryConfidence ?? 0,
      isCorrected: isCorrected, reasons: explanation.reasons,
      sentence: isCorrected ? "because you said so" : explanation.sentence)
  }

  // MARK: - Corrections

  /// Notes what a message really is. The person's own layer learns from it at once, and messages that this layer may judge
  /// otherwise wait to be judged again.
  /// - Parameters:
  ///   - message: the message.
  ///   - kind: what it really is.
  ///   - userID: who says so; nil is the owner of the store.
  ///   - now: the time of the correction.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for a message that is judged for someone else; `SwiftDataError`,
  ///   `WeightsError`.
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
    // A new assistant, whose profile has the correction.
    var taught = try Assistant(context)
    try taught.judge(message, in: message.conversation)
    // This context knows no vectors; the worker matches its question again with them.
    if message.faqMatchID != before { message.forgetJudgement() }
    for other in try recent(of: user) where other.id != message.id { other.forgetJudgement() }
  }

  /// Has a person's messages judged again, after the switches or the answers changed.
  /// - Throws: `SwiftDataError`.
  public func judgeAgain(for userID: String) throws {
    for message in try recent(of: userID) { message.forgetJudgement() }
  }

  /// As many of a person's newest messages are judged again when something changes. `sorted assist --all` takes the rest.
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
