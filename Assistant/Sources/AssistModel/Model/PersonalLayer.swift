/// A personal layer: a sparse linear model, trained on one person's corrections, that adjusts the scores of the shipped weights.
///
/// The assistant trains the layer from all corrections each time, so a removed correction leaves no trace.
public struct PersonalLayer: Sendable {
  /// A message whose kind a person corrected.
  public struct Correction: Sendable {
    /// The text of the message.
    public var text: String
    /// The kind that the person chose.
    public var kind: Kind

    /// Makes a correction.
    public init(text: String, kind: Kind) {
      self.text = text
      self.kind = kind
    }
  }

  /// The largest number of corrections. Only the newest ones count.
  public static let maximumCorrections = 500

  /// The weights of all kinds, by bucket.
  private var weights: [Int32: [Float]] = [:]

  /// Whether the layer changes no score.
  public var isEmpty: Bool { weights.isEmpty }

  /// Trains a layer from corrections.
  ///
  /// Each of 30 epochs takes a gradient step for the corrections whose kind has a probability below 0.97. The features are words and
  /// pairs of words, and rare features have the largest values: a word that most messages have does not explain a correction.
  /// - Complexity: linear in the number of words of all corrections; about 20 ms for 500.
  public init(_ corrections: [Correction], model: MessageModel) {
    var extractor = FeatureExtractor()
    let examples = corrections.suffix(Self.maximumCorrections).map { correction in
      let features = extractor.features(of: correction.text)
      return (base: model.scores(features).kinds, words: Self.words(features, model), features, correction.kind)
    }
    for _ in 0..<30 {
      var isDone = true
      for (base, words, features, kind) in examples {
        let kinds = adjusted(base, features, model)
        let wanted = Kind.allCases.firstIndex(of: kind)!
        if kinds[wanted] >= 0.97 { continue }
        isDone = false
        for (bucket, value) in words {
          var sums = weights[bucket] ?? [Float](repeating: 0, count: kinds.count)
          for index in kinds.indices { sums[index] += 4 * value * ((index == wanted ? 1 : 0) - kinds[index]) }
          weights[bucket] = sums
        }
      }
      if isDone { break }
    }
  }

  /// Returns the probabilities of the kinds after this layer.
  func adjusted(_ kinds: [Float], _ features: FeatureVector, _ model: MessageModel) -> [Float] {
    if weights.isEmpty { return kinds }
    var scores = kinds.map { logarithm(max($0, 1e-6)) }
    for (bucket, value) in Self.words(features, model) {
      guard let sums = weights[bucket] else { continue }
      for index in scores.indices { scores[index] += sums[index] * value }
    }
    softmax(&scores)
    return scores
  }

  /// Returns the contribution of one feature to the score of a kind.
  func contribution(_ entry: FeatureVector.Entry, _ kind: Int, _ scale: Float, _ model: MessageModel) -> Float {
    guard entry.isWord, let sums = weights[entry.bucket] else { return 0 }
    return sums[kind] * Self.value(entry, model) * scale
  }

  /// Returns the factor that gives the values of ``words(_:_:)`` the norm 1.
  static func scale(_ features: FeatureVector, _ model: MessageModel) -> Float {
    var sum: Float = 0
    for entry in features.entries where entry.isWord {
      let value = value(entry, model)
      sum += value * value
    }
    return sum > 0 ? 1 / sum.squareRoot() : 0
  }

  /// Returns the value of a feature: the square of the rarity leaves common words almost no value.
  private static func value(_ entry: FeatureVector.Entry, _ model: MessageModel) -> Float {
    let rarity = model.rarity(of: entry.bucket)
    return entry.value * rarity * rarity
  }

  private static func words(_ features: FeatureVector, _ model: MessageModel) -> [(Int32, Float)] {
    let scale = scale(features, model)
    return features.entries.filter(\.isWord).map { ($0.bucket, value($0, model) * scale) }
  }
}
