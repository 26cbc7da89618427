import AssistModel
import Foundation
import SwiftData

/// What the assistant knows about the person that it judges messages for: the switches, the corrections, the answers.
struct AssistProfile {
  let userID: String
  let switches: Switches
  /// The layer that the corrections trained.
  let layer: PersonalLayer
  /// The person's corrections, by message.
  let corrections: [String: Kind]
  let matcher: QuestionMatcher
  /// The answers, by question.
  let answers: [String: String]

  /// Which of the assistant's features a person has switched on. A person without a profile has all of them.
  struct Switches: Equatable {
    var categories = true
    var sentiment = true
    var opportunity = true
    var questions = true
    var drafts = true
  }

  /// Reads what the store has about a person.
  /// - Throws: `SwiftDataError`.
  init(_ userID: String, _ context: ModelContext, _ model: MessageModel, _ meaning: MeaningModel?) throws {
    self.userID = userID
    let user = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == userID })).first
    switches = user.map(Switches.init) ?? Switches()
    let stored = try context.fetch(
      FetchDescriptor<AssistCorrectionEntity>(
        predicate: #Predicate { $0.userID == userID }, sortBy: [SortDescriptor(\.createdAt), SortDescriptor(\.id)]))
    let known = stored.compactMap { correction in Kind(rawValue: correction.kind).map { (correction, $0) } }
    layer = PersonalLayer(
      known.map { PersonalLayer.Correction(text: $0.0.text, kind: $0.1) }, model: model)
    corrections = Dictionary(known.map { ($0.0.messageID, $0.1) }, uniquingKeysWith: { $1 })
    let questions = (user?.faqs ?? []).filter(\.isEnabled).sorted { $0.id < $1.id }
    let vectors: QuestionMatcher.Meanings? = meaning.map { meaning in
      { @Sendable texts in meaning.rememberedVectors(of: texts) }
    }
    matcher = QuestionMatcher(
      questions.map { QuestionMatcher.Question(id: $0.id, wordings: $0.questionPattern) }, model: model,
      vectors: vectors)
    answers = Dictionary(questions.map { ($0.id, $0.answer) }, uniquingKeysWith: { $1 })
  }
}

extension AssistProfile.Switches {
  init(_ user: UserEntity) {
    categories = user.enableCategorization
    sentiment = user.enableSentiment
    opportunity = user.enableOpportunityScoring
    questions = user.enableFAQ
    drafts = user.enableSmartReply
  }
}
