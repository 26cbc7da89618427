import AssistModel
import Foundation
import SwiftData

/// The settings and the trained models of one reader: enabled features, corrections, questions and answers.
struct AssistProfile {
  let userID: String
  let features: EnabledFeatures
  /// The personal layer, trained on the corrections.
  let layer: PersonalLayer
  /// The person's corrections, by message.
  let corrections: [String: Kind]
  let matcher: QuestionMatcher
  /// The answers, by question.
  let answers: [String: String]

  /// The features of the assistant that a person enabled. For a person without a profile, all features are enabled.
  struct EnabledFeatures: Equatable {
    var categories = true
    var sentiment = true
    var opportunity = true
    var questions = true
    var drafts = true
  }

  /// Reads the profile of a person and trains the personal layer.
  /// - Throws: `SwiftDataError`.
  init(_ userID: String, _ context: ModelContext, _ model: MessageModel, _ meaning: MeaningModel?) throws {
    self.userID = userID
    let user = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == userID })).first
    features = user.map(EnabledFeatures.init) ?? EnabledFeatures()
    let stored = try context.fetch(
      FetchDescriptor<AssistCorrectionEntity>(
        predicate: #Predicate { $0.userID == userID }, sortBy: [SortDescriptor(\.createdAt), SortDescriptor(\.id)]))
    let valid = stored.compactMap { correction in Kind(rawValue: correction.kind).map { (correction, $0) } }
    layer = PersonalLayer(
      valid.map { PersonalLayer.Correction(text: $0.0.text, kind: $0.1) }, model: model)
    corrections = Dictionary(valid.map { ($0.0.messageID, $0.1) }, uniquingKeysWith: { $1 })
    let questions = (user?.faqs ?? []).filter(\.isEnabled).sorted { $0.id < $1.id }
    let vectors: QuestionMatcher.Encoder? = meaning.map { meaning in
      { @Sendable texts in meaning.cachedVectors(of: texts) }
    }
    matcher = QuestionMatcher(
      questions.map { QuestionMatcher.Question(id: $0.id, wordings: $0.questionPattern) }, model: model,
      vectors: vectors)
    answers = Dictionary(questions.map { ($0.id, $0.answer) }, uniquingKeysWith: { $1 })
  }
}

extension AssistProfile.EnabledFeatures {
  init(_ user: UserEntity) {
    categories = user.enableCategorization
    sentiment = user.enableSentiment
    opportunity = user.enableOpportunityScoring
    questions = user.enableFAQ
    drafts = user.enableSmartReply
  }
}
