/// What one person's corrections teach: small additions to the scores of the kinds, on top of the shipped weights.
///
/// It is trained again from all corrections each time, so a correction that is taken back leaves no trace.
public struct PersonalLayer: Sendable {
  /// A message whose kind the person set.
  public struct Correction: Sendable {
    /// Its text.
    public var text: String
    /// The kind that the person chose.
    public var kind: Kind

    /// Makes one.
    public init(text: String, kind: Kind) {
      self.text = text
      self.kind = kind
    }
  }

  /// As many of the newest corrections count.
  public static let maximumCorrections = 500

  /// By bucket: what is added to the score of each kind.
  private var additions: [Int32: [Float]] = [:]

  /// Whether there is nothing to add.
  public var isEmpty: Bool { additions.isEmpty }

  /// Learns from corrections.
  ///
  /// Each step moves only the corrections that are not yet right with some margin, by their words and pairs of
  /// words, rare ones most: words that a message shares with all others say nothing about why it was corrected.
  /// - Complexity: 30 times the words of all corrections; about 20 ms for 500.
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
          var sums = additions[bucket] ?? [Float](repeating: 0, count: kinds.count)
          for index in kinds.indices { sums[index] += 4 * value * ((index == wanted ? 1 : 0) - kinds[index]) }
          additions[bucket] = sums
        }
      }
      if isDone { break }
    }
  }

  /// The probabilities of the kinds with this layer.
  func adjusted(_ kinds: [Float], _ features: FeatureVector, _ model: MessageModel) -> [Float] {
    if additions.isEmpty { return kinds }
    var scores = kinds.map { logarithm(max($0, 1e-6)) }
    for (bucket, value) in Self.words(features, model) {
      guard let sums = additions[bucket] else { continue }
      for index in scores.indices { scores[index] += sums[index] * value }
    }
    softmax(&scores)
    return scores
  }

  /// The part of a kind's score that the layer adds by one entry.
  func contribution(_ entry: FeatureVector.Entry, _ kind: Int, _ scale: Float, _ model: MessageModel) -> Float {
    guard entry.isWord, let sums = additions[entry.bucket] else { return 0 }
    return sums[kind] * Self.weight(entry, model) * scale
  }

  /// The factor that gives the values of ``words(_:_:)`` the length 1.
  static func scale(_ features: FeatureVector, _ model: MessageModel) -> Float {
    var sum: Float = 0
    for entry in features.entries where entry.isWord {
      let value = weight(entry, model)
      sum += value * value
    }
    return sum > 0 ? 1 / sum.squareRoot() : 0
  }

  /// How much an entry counts: the square of the rarity leaves the common words hardly anything.
  private static func weight(_ entry: FeatureVector.Entry, _ model: MessageModel) -> Float {
    let rarity = model.rarity(of: entry.bucket)
    return entry.value * rarity * rarity
  }

  private static func words(_ features: FeatureVector, _ model: MessageModel) -> [(Int32, Float)] {
    let scale = scale(features, model)
    return features.entries.filter(\.isWord).map { ($0.bucket, weight($0, model) * scale) }
  }
}
