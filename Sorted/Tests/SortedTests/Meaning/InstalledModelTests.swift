import Foundation
import AssistFixtures
import SwiftData
import Testing

@testable import AssistModel
@testable import Sorted

/// `scripts/assist-model` installs the model and runs these.
@Suite(
  "The installed sentence model",
  .enabled(if: SentenceModels.isInstalled, "the sentence model is not installed; scripts/assist-model installs it"))
struct InstalledModelTests {
  private struct Reference: Decodable {
    struct Sentence: Decodable {
      var text: String
      var ids: [Int32]
      /// 32-bit floats
      var vector: Data?
    }
    var sentences: [Sentence]
  }

  private func reference() throws -> [Reference.Sentence] {
    try JSONDecoder().decode(Reference.self, from: Data(contentsOf: AssistData.sentences)).sentences
  }

  private func encoder() throws -> SentenceEncoder { try SentenceEncoder(folder: MeaningModel.folder) }

  @Test("Texts of many scripts have the pieces that Python's tokenizer gives them")
  func pieces() throws {
    let encoder = try encoder()
    let sentences = try reference()
    #expect(sentences.count == 30)
    for sentence in sentences { #expect(encoder.ids(of: sentence.text) == sentence.ids, "\(sentence.text)") }
  }

  @Test("Vectors are those that Python computes in 64 bits: the cosine differs from 1 by less than a millionth")
  func vectors() throws {
    let known = try reference().filter { $0.vector != nil }
    #expect(known.count == 7)
    for (sentence, found) in zip(known, try encoder().vectors(of: known.map(\.text))) {
      let expected = sentence.vector!.withUnsafeBytes { bytes in
        (0..<SentenceEncoder.dimensions).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
      }
      let cosine = zip(expected, found).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
      #expect(abs(cosine - 1) < 1e-6, "\(sentence.text)")
    }
  }

  @Test("Questions asked in other words are matched nearly twice as often as by words, as the assistant's README says")
  func questions() throws {
    let model = try #require(try MeaningModel.installed())
    let words = try QuestionScores(vectors: nil)
    let meaning = try QuestionScores { model.cachedVectors(of: $0) }
    #expect(words == QuestionScores(right: 33, other: 3, missed: 34, invented: 5))
    #expect(meaning == QuestionScores(right: 64, other: 1, missed: 5, invented: 5))
  }

  @Test("The confidence of matches by meaning is the one that the questions give")
  func calibration() throws {
    let model = try #require(try MeaningModel.installed())
    let fit = try #require(
      MatchCalibration(
        fitting: try AssistData.questions(), model: try .shipped(), vectors: { model.cachedVectors(of: $0) }))
    let shipped = MatchCalibration.withMeaning
    #expect(abs(fit.similarity - shipped.similarity) < 0.05)
    #expect(abs(fit.margin - shipped.margin) < 0.05)
    #expect(abs(fit.bias - shipped.bias) < 0.05)
  }

  @Test("A message is found by what it means, in other words, and a question by its answer's subject")
  func search() throws {
    let model = try #require(try MeaningModel.installed())
    let container = try SortedContainer.inMemory()
    let context = ModelContext(container)
    let texts = [
      "The parcel arrived broken, I want my money back", "Shall we have lunch on Thursday?",
      "Our budget for the campaign is 5,000 dollars", "The children sang at the harbour until it got dark",
    ]
    for (index, text) in texts.enumerated() {
      context.insert(MessageEntity(id: "\(index)", conversationID: "c", senderID: "dana", text: text))
    }
    try context.save()
    try EmbeddingService(container: container, model: model).updateAll()
    let search = SemanticSearch(context: context, model: model)
    for (question, answer) in [
      ("refund for a damaged delivery", "0"), ("meeting for a meal", "1"), ("how much will they pay", "2"),
      ("singing kids at the sea", "3"),
    ] {
      #expect(try search.nearest(to: question, limit: 4).first?.messageID == answer, "\(question)")
    }
  }
}

/// How well asked questions are matched, each part's confidence fitted without that part's askings, as in `AssistTrainer`.
private struct QuestionScores: Equatable {
  var right = 0
  /// Matched with another question.
  var other = 0
  var missed = 0
  /// Of texts that ask none.
  var invented = 0

  init(right: Int, other: Int, missed: Int, invented: Int) {
    (self.right, self.other, self.missed, self.invented) = (right, other, missed, invented)
  }

  init(vectors: QuestionMatcher.Encoder?) throws {
    let all = try AssistData.questions()
    let model = try MessageModel.shipped()
    let names = Array(Set(all.compactMap(\.id))).sorted()
    let listed = all.filter(\.isListed).map { QuestionMatcher.Question(id: $0.id!, wordings: $0.text) }
    let matcher = QuestionMatcher(listed, model: model, vectors: vectors)
    var extractor = FeatureExtractor()
    for part in 0..<5 {
      func isOut(_ question: LabelledQuestion) -> Bool {
        question.id.map { names.firstIndex(of: $0)! % 5 == part } ?? (Fold.of(question.text) == part)
      }
      let fit = try #require(
        MatchCalibration(fitting: all.filter { $0.isListed || !isOut($0) }, model: model, vectors: vectors))
      for question in all where !question.isListed && isOut(question) {
        let parts = QuestionMatcher.parts(question.text)
        let found = matcher.similarities(parts, vectors?(parts), &extractor)
        let match = found.flatMap { fit.confidence($0.best, $0.second) >= QuestionMatcher.threshold ? $0.id : nil }
        switch (question.id, match) {
        case (nil, nil): break
        case (nil, _): invented += 1
        case (_, nil): missed += 1
        case (let id, let match): if id == match { right += 1 } else { other += 1 }
        }
      }
    }
  }
}
