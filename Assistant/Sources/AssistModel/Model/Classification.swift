/// The classification of one message by all heads.
public struct Classification: Sendable, Equatable {
  /// The kind: spam if its probability is at least one half, and otherwise the most probable one of ``Kind/none`` and the kinds of
  /// ``MessageModel/guessed`` that reach their thresholds.
  public var kind: Kind
  /// The probability of ``kind``.
  public var confidence: Float
  /// The sentiment, a label of ``Head/sentiment``.
  public var sentiment: String
  /// The intensity of the sentiment, a label of ``Head/intensity``.
  public var intensity: String
  /// The business opportunity from 0 to 100. It is meaningful for business messages only.
  public var opportunity: Int
}

extension MessageModel {
  /// Classifies a message.
  /// - Parameters:
  ///   - features: the features of the message.
  ///   - layer: the personal layer of the reader. It affects the kind only.
  public func classify(_ features: FeatureVector, layer: PersonalLayer? = nil) -> Classification {
    let scores = scores(features)
    let base = scores.kinds
    let kinds = layer?.adjusted(base, features, self) ?? base
    let kind = decide(kinds)
    return Classification(
      kind: kind, confidence: kinds[Kind.allCases.firstIndex(of: kind)!],
      sentiment: Self.best(.sentiment, scores), intensity: Self.best(.intensity, scores),
      opportunity: Int((scores[.opportunity][0] * 100).rounded()))
  }

  /// Returns the kind for the probabilities of all kinds.
  func decide(_ kinds: [Float]) -> Kind {
    func index(_ kind: Kind) -> Int { Kind.allCases.firstIndex(of: kind)! }
    if kinds[index(.spam)] >= 0.5 { return .spam }
    let sure = Self.guessed.indices.filter { kinds[index(Self.guessed[$0])] >= thresholds[$0] }.map { Self.guessed[$0] }
    return (sure + [.none]).max { kinds[index($0)] < kinds[index($1)] }!
  }

  private static func best(_ head: Head, _ scores: Scores) -> String {
    let values = scores[head]
    return head.labels[values.indices.max { values[$0] < values[$1] }!]
  }
}
