/// Finds the frequent question that a message asks.
///
/// It compares the TF-IDF vectors of words and character n-grams by cosine similarity. If the sentence model is installed, it compares
/// sentence embeddings instead. It compares a long message sentence by sentence, so that the text around a question does not hide the
/// question.
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
      for wording in question.wordings.split(whereSeparator: \.isNewline) {
        for (bucket, value) in Self.vector(extractor.features(of: String(wording)), model) {
          postings[bucket, default: []].append(Posting(wording: owners.count, value: value))
        }
        owners.append(ids.count - 1)
        wordings.append(String(wording))
      }
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
    let calibration = embeddings == nil ? model.matching : MatchCalibration.withMeaning
    return Match(
      id: found.id,
      confidence: calibration.confidence(found.best, found.second, isQuestion: extractor.asks(text)))
  }

  /// Returns the question that a message asks; nil if no question reaches the ``threshold``.
  public func match(_ text: String, _ extractor: inout FeatureExtractor, vectors: Encoder? = nil) -> Match? {
    best(text, &extractor, vectors: vectors).flatMap { $0.confidence >= Self.threshold ? $0 : nil }
  }

  /// Returns the most similar question with its similarity, and the similarity of the second question.
  /// - Parameter embeddings: the embedding of each part; nil compares words only.
  func similarities(
    _ parts: [String], _ embeddings: [[Float]]?, _ extractor: inout FeatureExtractor
  ) -> (id: String, best: Float, second: Float)? {
    var scores = [Float](repeating: 0, count: ids.count)
    for (index, part) in parts.enumerated() {
      let found = embeddings.map { cosines(of: $0[index]) } ?? commonWords(of: part, &extractor)
      for (wording, similarity) in found.enumerated() {
        scores[owners[wording]] = max(scores[owners[wording]], similarity)
      }
    }
    guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }), scores[best] > 0 else { return nil }
    let second = scores.indices.filter { $0 != best }.map { scores[$0] }.max() ?? 0
    return (ids[best], scores[best], second)
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
