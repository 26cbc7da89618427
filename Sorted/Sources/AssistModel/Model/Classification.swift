/// The decisions of the models about one message.
public struct Judgement: Sendable, Equatable {
  /// The kind that is most likely. Spam from a probability of one half on, otherwise the best of the other kinds.
  public var kind: Kind
  /// The probability of ``kind``.
  public var confidence: Float
  /// The mood, a label of ``Head/sentiment``.
  public var sentiment: String
  /// How strong the mood is, a label of ``Head/intensity``.
  public var intensity: String
  /// 0 to 100: how much business it promises. It means something for business alone.
  public var opportunity: Int
}

extension MessageModel {
  /// Decides about a message.
  /// - Parameter layer: what a person's corrections taught; it moves the kinds alone.
  public func judge(_ features: FeatureVector, layer: PersonalLayer? = nil) -> Judgement {
    let scores = scores(features)
    let base = scores.kinds
    let kinds = layer?.adjusted(base, features, self) ?? base
    let kind = Self.decide(kinds)
    return Judgement(
      kind: kind, confidence: kinds[Kind.allCases.firstIndex(of: kind)!],
      sentiment: Self.best(.sentiment, scores), intensity: Self.best(.intensity, scores),
      opportunity: Int((scores[.opportunity][0] * 100).rounded()))
  }

  /// The kind that the probabilities stand for.
  static func decide(_ kinds: [Float]) -> Kind {
    let spam = Kind.allCases.firstIndex(of: .spam)!
    if kinds[spam] >= 0.5 { return .spam }
    let best = kinds.indices.filter { $0 != spam }.max { kinds[$0] < kinds[$1] }!
    return Kind.allCases[best]
  }

  private static func best(_ head: Head, _ scores: Scores) -> String {
    let values = scores[head]
    return head.labels[values.indices.max { values[$0] < values[$1] }!]
  }
}
