/// Finds the frequent question that a message asks.
///
/// It compares the TF-IDF vectors of words and character n-grams by cosine similarity. If the sentence model is installed, it compares
/// sentence embeddings instead. It compares a long message sentence by sentence, so that the text around a question does not hide the
/// question.
///
/// Some questions are frequent, such as the one about delivery. A trained head recognizes them in the message and in the wordings
/// (``IntentHead``), so a message may ask such a question in entirely different words.
public struct QuestionMatcher: Sendable {
  /// A frequent question.
  public struct Question: Sendable {
    /// The identifier of the question.
    public var id: String
    /// The wordings of the question, one on each line.
    public var wordings: String

    /// Makes a question.
    public init(id: String, wordings: String) {
      self.id = id
      self.wordings = wordings
    }
  }

  /// A question that a message asks.
  public struct Match: Sendable, Equatable {
    /// The identifier of the question.
    public var id: String
    /// The confidence from 0 to 1. It is calibrated: half of the matches with the confidence 0.5 are right.
    public var confidence: Float
  }

  /// The smallest confidence of a match.
  public static let threshold: Float = 0.5

  private struct Posting {
    var wording: Int
    var value: Float
  }

  /// The value of a concept in a vector, relative to the value that it has for the kinds.
  private static let conceptShare: Float = 1

  /// A function that encodes texts as sentence embeddings of the norm 1.
  public typealias Encoder = @Sendable (_ texts: [String]) -> [[Float]]

  private let model: MessageModel
  /// The embedding of each wording; empty without a sentence model.
  private var embeddings: [[Float]] = []
  private var ids: [String] = []
  /// The intent of each question; nil if ``IntentHead`` does not know the question.
  private var intents: [Int?] = []
  /// The index in `ids` of each wording's question.
  private var owners: [Int] = []
  /// The inverted index: the wordings that have each bucket.
  private var postings: [Int32: [Posting]] = [:]

  /// Makes a matcher for a person's questions.
  /// - Parameters:
  ///   - questions: the questions.
  ///   - model: the weights, which have the rarity of words.
  ///   - vectors: the sentence model; nil compares words only.
  public init(_ questions: [Question], model: MessageModel, vectors: Encoder? = nil) {
    self.model = model
    var wordings: [String] = []
    var extractor = FeatureExtractor()
    for question in questions {
      ids.append(question.id)
      var probabilities: [[Float]] = []
      for wording in question.wordings.split(whereSeparator: \.isNewline) {
        let features = extractor.features(of: String(wording))
        probabilities.append(model.intents.probabilities(features))
        for (bucket, value) in Self.vector(features, model) {
          postings[bucket, default: []].append(Posting(wording: owners.count, value: value))
        }
        owners.append(ids.count - 1)
        wordings.append(String(wording))
      }
      intents.append(IntentHead.intent(of: probabilities))
    }
    embeddings = vectors?(wordings) ?? []
  }

  /// Whether the matcher has no wording.
  public var isEmpty: Bool { owners.isEmpty }

  /// Returns the question that a message most probably asks, whatever the confidence; nil if the message has no feature of a question.
  /// - Parameters:
  ///   - text: the message.
  ///   - extractor: the extractor to use.
  ///   - vectors: the sentence model; nil compares words only.
  /// - Complexity: linear in the message's features and in the wordings that share them. With a sentence model, linear in the wordings;
  ///   the model encodes the message and its sentences.
  public func best(_ text: String, _ extractor: inout FeatureExtractor, vectors: Encoder? = nil) -> Match? {
    let parts = Self.parts(text)
    let embeddings = embeddings.isEmpty ? nil : vectors?(parts)
    guard let found = similarities(parts, embeddings, &extractor) else { return nil }
    let isQuestion = extractor.asks(text)
    if embeddings != nil {
      return Match(
        id: found.id,
        confidence: MatchCalibration.withMeaning.confidence(found.best, found.second, isQuestion: isQuestion))
    }
    let byIntent = frequent(text, found.scores, &extractor).map {
      Match(id: $0.id, confidence: model.intentMatching.confidence($0.similarity, $0.evidence))
    }
    let best = ids.firstIndex(of: found.id)!
    // The calibration of words knows nothing of intents, so it counts for other questions only.
    if let byIntent, intents[best] != nil { return byIntent }
    let byWords = Match(
      id: found.id, confidence: model.matching.confidence(found.best, found.second, isQuestion: isQuestion))
    return byIntent.flatMap { $0.confidence > byWords.confidence ? $0 : nil } ?? byWords
  }

  /// Returns the question with an intent that a message most probably asks; nil if no question has an intent.
  /// - Parameter scores: the similarity of each question.
  func frequent(
    _ text: String, _ scores: [Float], _ extractor: inout FeatureExtractor
  ) -> (id: String, similarity: Float, evidence: Float)? {
    guard intents.contains(where: { $0 != nil }) else { return nil }
    return frequent(model.intents.probabilities(extractor.features(of: text)), scores)
  }

  /// Returns the question with an intent that a message most probably asks; nil if no question has an intent.
  /// - Parameters:
  ///   - probabilities: the probability of each intent of the message.
  ///   - scores: the similarity of each question.
  func frequent(_ probabilities: [Float], _ scores: [Float]) -> (id: String, similarity: Float, evidence: Float)? {
    let known = intents.indices.compactMap { index in
      intents[index].map { (index: index, value: scores[index] + probabilities[$0], probability: probabilities[$0]) }
    }
    return known.max { $0.value < $1.value }.map {
      (ids[$0.index], scores[$0.index], IntentCalibration.evidence($0.probability))
    }
  }

  /// Returns the question that a message asks; nil if no question reaches the ``threshold``.
  public func match(_ text: String, _ extractor: inout FeatureExtractor, vectors: Encoder? = nil) -> Match? {
    best(text, &extractor, vectors: vectors).flatMap { $0.confidence >= Self.threshold ? $0 : nil }
  }

  /// Returns the most similar question with its similarity, the similarity of the second question, and the similarities of all.
  /// - Parameter embeddings: the embedding of each part; nil compares words only.
  func similarities(
    _ parts: [String], _ embeddings: [[Float]]?, _ extractor: inout FeatureExtractor
  ) -> (id: String, best: Float, second: Float, scores: [Float])? {
    var scores = [Float](repeating: 0, count: ids.count)
    for (index, part) in parts.enumerated() {
      let found = embeddings.map { cosines(of: $0[index]) } ?? commonWords(of: part, &extractor)
      for (wording, similarity) in found.enumerated() {
        scores[owners[wording]] = max(scores[owners[wording]], similarity)
      }
    }
    guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }), scores[best] > 0 else { return nil }
    let second = scores.indices.filter { $0 != best }.map { scores[$0] }.max() ?? 0
    return (ids[best], scores[best], second, scores)
  }

  /// Returns the similarity of each wording by words.
  private func commonWords(of part: String, _ extractor: inout FeatureExtractor) -> [Float] {
    var sums = [Float](repeating: 0, count: owners.count)
    for (bucket, value) in Self.vector(extractor.features(of: part), model) {
      for posting in postings[bucket] ?? [] { sums[posting.wording] += value * posting.value }
    }
    return sums
  }

  /// Returns the similarity of each wording by embeddings.
  private func cosines(of embedding: [Float]) -> [Float] {
    embeddings.map { other in zip(embedding, other).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  /// Returns the whole text, followed by its sentences if it has several.
  static func parts(_ text: String) -> [String] {
    let sentences = text.prefix(2_000).split { ".!?\n".contains($0) }.map(String.init)
    return sentences.count > 1 ? [text] + sentences.prefix(20) : [text]
  }

  /// Returns the TF-IDF vector of words, n-grams and concepts, of the norm 1. Traits describe the kind of a message and not its question,
  /// so the vector leaves them out. Concepts count little: they only help where the words differ.
  private static func vector(_ features: FeatureVector, _ model: MessageModel) -> [(Int32, Float)] {
    var result: [(Int32, Float)] = []
    var sum: Float = 0
    for entry in features.entries where entry.origin != .trait {
      let share: Float = entry.origin == .letters ? 1.7 : entry.origin == .word ? 1 : conceptShare
      let value = entry.value * share * model.rarity(of: entry.bucket)
      result.append((entry.bucket, value))
      sum += value * value
    }
    guard sum > 0 else { return [] }
    let scale = 1 / sum.squareRoot()
    return result.map { ($0.0, $0.1 * scale) }
  }
}
