/// Finds which of a person's frequent questions a message asks.
///
/// Both are vectors of hashed words and letters, weighted by how rare each is (TF-IDF), and compared by the cosine of their
/// angle. Where the sentence model is installed, their vectors of meaning are compared instead. A long message is compared
/// sentence by sentence, so that what stands around a question does not hide it.
public struct QuestionMatcher: Sendable {
  /// A question with its name.
  public struct Question: Sendable {
    /// The identifier that a match names.
    public var id: String
    /// How people ask it, one wording a line.
    public var wordings: String

    /// Makes one.
    public init(id: String, wordings: String) {
      self.id = id
      self.wordings = wordings
    }
  }

  /// A question that a message asks.
  public struct Match: Sendable, Equatable {
    /// The question's name.
    public var id: String
    /// How sure that is: 0 to 1, fitted so that half of the matches of 0.5 are right.
    public var confidence: Float
  }

  /// From how sure on a match counts.
  public static let threshold: Float = 0.5

  private struct Posting {
    var wording: Int
    var value: Float
  }

  /// Turns texts into vectors of their meaning.
  public typealias Meanings = @Sendable (_ texts: [String]) -> [[Float]]

  private let model: MessageModel
  /// The vector of each wording; empty without a sentence model.
  private var meanings: [[Float]] = []
  private var ids: [String] = []
  /// The index in `ids` of each wording.
  private var owners: [Int] = []
  private var postings: [Int32: [Posting]] = [:]

  /// Makes a matcher for a person's questions.
  /// - Parameter vectors: the sentence model; nil compares words alone.
  public init(_ questions: [Question], model: MessageModel, vectors: Meanings? = nil) {
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
    meanings = vectors?(wordings) ?? []
  }

  /// Whether there is any question.
  public var isEmpty: Bool { owners.isEmpty }

  /// The question that a message asks most likely, sure or not; nil where nothing of it is in any question.
  /// - Parameter vectors: the sentence model; nil compares words alone.
  /// - Complexity: linear in the features of the message and the wordings that share them. With a sentence model, linear in the
  ///   wordings, and the message and its sentences are encoded.
  public func best(_ text: String, _ extractor: inout FeatureExtractor, vectors: Meanings? = nil) -> Match? {
    let parts = Self.parts(text)
    let meanings = meanings.isEmpty ? nil : vectors?(parts)
    guard let found = similarities(parts, meanings, &extractor) else { return nil }
    let calibration = meanings == nil ? model.matching : MatchCalibration.withMeaning
    return Match(id: found.id, confidence: calibration.confidence(found.best, found.second))
  }

  /// The question that a message asks; nil where none is sure enough.
  public func match(_ text: String, _ extractor: inout FeatureExtractor, vectors: Meanings? = nil) -> Match? {
    best(text, &extractor, vectors: vectors).flatMap { $0.confidence >= Self.threshold ? $0 : nil }
  }

  /// The most similar question, how similar it is, and how similar the next one is.
  /// - Parameter meanings: the vector of each part; nil compares words alone.
  func similarities(
    _ parts: [String], _ meanings: [[Float]]?, _ extractor: inout FeatureExtractor
  ) -> (id: String, best: Float, second: Float)? {
    var scores = [Float](repeating: 0, count: ids.count)
    for (index, part) in parts.enumerated() {
      let found = meanings.map { cosines(of: $0[index]) } ?? commonWords(of: part, &extractor)
      for (wording, similarity) in found.enumerated() {
        scores[owners[wording]] = max(scores[owners[wording]], similarity)
      }
    }
    guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }), scores[best] > 0 else { return nil }
    let second = scores.indices.filter { $0 != best }.map { scores[$0] }.max() ?? 0
    return (ids[best], scores[best], second)
  }

  /// How similar each wording is by its words.
  private func commonWords(of part: String, _ extractor: inout FeatureExtractor) -> [Float] {
    var sums = [Float](repeating: 0, count: owners.count)
    for (bucket, value) in Self.vector(extractor.features(of: part), model) {
      for posting in postings[bucket] ?? [] { sums[posting.wording] += value * posting.value }
    }
    return sums
  }

  /// How similar each wording is by its meaning.
  private func cosines(of meaning: [Float]) -> [Float] {
    meanings.map { other in zip(meaning, other).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  /// The whole text, and each sentence of it where it has several.
  static func parts(_ text: String) -> [String] {
    let sentences = text.prefix(2_000).split { ".!?\n".contains($0) }.map(String.init)
    return sentences.count > 1 ? [text] + sentences.prefix(20) : [text]
  }

  /// Words and letters weighted by their rarity, of length 1. Concepts and traits stay out: they say what kind of message
  /// it is, not what it asks.
  private static func vector(_ features: FeatureVector, _ model: MessageModel) -> [(Int32, Float)] {
    var result: [(Int32, Float)] = []
    var sum: Float = 0
    for entry in features.entries where entry.origin == .word || entry.origin == .letters {
      let share: Float = entry.origin == .letters ? 1.7 : 1
      let value = entry.value * share * model.rarity(of: entry.bucket)
      result.append((entry.bucket, value))
      sum += value * value
    }
    guard sum > 0 else { return [] }
    let scale = 1 / sum.squareRoot()
    return result.map { ($0.0, $0.1 * scale) }
  }
}
