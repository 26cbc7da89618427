/// The labels that a person gives a message.
public struct Labels: Sendable, Equatable {
  /// Its kind.
  public var kind: Kind
  /// Its mood, a label of ``Head/sentiment``.
  public var sentiment: String
  /// How strong the mood is, a label of ``Head/intensity``.
  public var intensity: String
  /// 0 to 100, for business alone.
  public var opportunity: Int?

  /// Reads `business/neutral/low/45`.
  /// - Throws: ``WeightsError`` where it is not of that form.
  public init(_ text: String) throws {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 3 || parts.count == 4, let kind = Kind(rawValue: parts[0]),
      Head.sentiment.labels.contains(parts[1]), Head.intensity.labels.contains(parts[2]),
      (kind == .business) == (parts.count == 4)
    else { throw WeightsError(description: "\"\(text)\" is no kind/mood/strength, with a score for business alone") }
    self.kind = kind
    sentiment = parts[1]
    intensity = parts[2]
    opportunity = parts.count == 4 ? Int(parts[3]) : nil
  }
}

/// A message of the training set.
public struct LabelledMessage: Sendable {
  /// Its name in the set.
  public var id: String
  /// Its text.
  public var text: String
  /// The labels of the first pass.
  public var first: Labels
  /// The labels of the second pass.
  public var second: Labels

  /// What counts: the second pass, which knew all messages; for the opportunity the middle of both.
  public var labels: Labels {
    var labels = second
    if let first = first.opportunity, let second = second.opportunity { labels.opportunity = (first + second) / 2 }
    return labels
  }

  /// Reads the lines of `messages.tsv`.
  /// - Throws: ``WeightsError`` with the line.
  public static func read(_ file: String) throws -> [LabelledMessage] {
    try file.split(separator: "\n").dropFirst().map { line in
      let parts = line.split(separator: "\t", maxSplits: 3).map(String.init)
      guard parts.count == 4 else { throw WeightsError(description: "\"\(line)\" has no four columns") }
      return LabelledMessage(id: parts[0], text: parts[3], first: try Labels(parts[1]), second: try Labels(parts[2]))
    }
  }
}

/// A message with no other label than whether it is spam.
public struct SpamExample: Sendable {
  /// Its text.
  public var text: String
  /// Whether it is spam.
  public var isSpam: Bool

  /// Reads lines of `ham` or `spam`, a tab, and the text.
  /// - Throws: ``WeightsError`` with the number of the line.
  public static func read(_ file: String) throws -> [SpamExample] {
    try file.split(separator: "\n").enumerated().map { number, line in
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      // The first line of the collection begins with a space.
      let label = parts[0].filter { $0 != " " }
      guard parts.count == 2, ["ham", "spam"].contains(label) else {
        throw WeightsError(description: "line \(number + 1) does not begin with ham or spam")
      }
      return SpamExample(text: parts[1], isSpam: label == "spam")
    }
  }
}

/// Where a message belongs in a cross-validation. It depends on the text alone, so equal messages are never on both sides.
public enum Fold {
  /// How many there are.
  public static let count = 5
  /// The fold that the shipped weights have never seen.
  public static let heldOut = 0

  /// The fold of a text.
  public static func of(_ text: String) -> Int { Int(mixed(text) % UInt64(count)) }

  /// The part of a text inside a training set, for choosing a threshold there.
  static func inner(_ text: String) -> Int { Int((mixed(text) >> 20) % 4) }

  private static func mixed(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash ^= hash >> 31
    hash = hash &* 0x9E37_79B9_7F4A_7C15
    return hash ^ (hash >> 29)
  }
}
