/// A decision of the models about a message.
public enum Head: String, CaseIterable, Sendable, Codable {
  /// Whether it is spam: one output, a probability.
  case spam
  /// The kind of a message that is not spam.
  case category
  /// Its mood.
  case sentiment
  /// How strong its mood is.
  case intensity
  /// How much business it promises: one output, a share of 100.
  case opportunity

  /// The names of its outputs in order.
  public var labels: [String] {
    switch self {
    case .spam: ["spam"]
    case .category: ["fan", "business", "urgent", "none"]
    case .sentiment: ["positive", "negative", "neutral", "urgent"]
    case .intensity: ["low", "medium", "high"]
    case .opportunity: ["opportunity"]
    }
  }

  /// Where its outputs begin among the outputs of all heads.
  var offset: Int {
    var sum = 0
    for head in Head.allCases {
      if head == self { break }
      sum += head.labels.count
    }
    return sum
  }

  /// How many outputs all heads have together.
  static let outputs = Head.allCases.reduce(0) { $0 + $1.labels.count }
}

/// The kinds that a message can be of. All lists of their probabilities have this order.
public enum Kind: String, CaseIterable, Sendable, Codable {
  case fan
  case business
  case spam
  case urgent
  case none
}

/// Turns scores into probabilities in place.
func softmax(_ scores: inout [Float]) {
  let top = scores.max() ?? 0
  var sum: Float = 0
  for index in scores.indices {
    scores[index] = exponential(scores[index] - top)
    sum += scores[index]
  }
  for index in scores.indices { scores[index] /= sum }
}

/// The probability that a score stands for.
func sigmoid(_ score: Float) -> Float { 1 / (1 + exponential(-score)) }
