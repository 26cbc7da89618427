/// An output head of the classifier.
public enum Head: String, CaseIterable, Sendable, Codable {
  /// The probability that a message is spam: one output.
  case spam
  /// The kind of a message that is not spam.
  case category
  /// The sentiment of a message.
  case sentiment
  /// The intensity of the sentiment.
  case intensity
  /// The business opportunity, divided by 100: one output.
  case opportunity

  /// The labels of the outputs in order.
  public var labels: [String] {
    switch self {
    case .spam: ["spam"]
    case .category: ["fan", "business", "urgent", "none"]
    case .sentiment: ["positive", "negative", "neutral", "urgent"]
    case .intensity: ["low", "medium", "high"]
    case .opportunity: ["opportunity"]
    }
  }

  /// The index of the head's first output among the outputs of all heads.
  var offset: Int {
    var sum = 0
    for head in Head.allCases {
      if head == self { break }
      sum += head.labels.count
    }
    return sum
  }

  /// The number of outputs of all heads together.
  static let outputs = Head.allCases.reduce(0) { $0 + $1.labels.count }
}
