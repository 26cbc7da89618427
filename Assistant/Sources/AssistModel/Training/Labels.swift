/// The labels of a message.
public struct Labels: Sendable, Equatable {
  /// The kind.
  public var kind: Kind
  /// The sentiment, a label of ``Head/sentiment``.
  public var sentiment: String
  /// The intensity of the sentiment, a label of ``Head/intensity``.
  public var intensity: String
  /// The business opportunity from 0 to 100; nil for other kinds than business.
  public var opportunity: Int?

  /// Reads labels such as `business/neutral/low/45`.
  /// - Throws: ``WeightsError`` if the text has another form.
  public init(_ text: String) throws {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 3 || parts.count == 4, let kind = Kind(rawValue: parts[0]),
      Head.sentiment.labels.contains(parts[1]), Head.intensity.labels.contains(parts[2]),
      (kind == .business) == (parts.count == 4)
    else {
      throw WeightsError(
        description: "the labels \"\(text)\" do not have the form kind/sentiment/intensity, or for business"
          + " business/sentiment/intensity/opportunity")
    }
    self.kind = kind
    sentiment = parts[1]
    intensity = parts[2]
    opportunity = parts.count == 4 ? Int(parts[3]) : nil
  }
}

/// A message of the training set or of the test half.
public struct LabelledMessage: Sendable {
  /// The identifier of the message in the set.
  public var id: String
  /// The text of the message.
  public var text: String
  /// The labels of the first pass.
  public var first: Labels
  /// The labels of the second pass.
  public var second: Labels
  /// The stored answer of `answers.tsv` that the message asks for; nil if it asks for none, or if the file has no such labels.
  public var asks: String?
  /// The language of a message of `inbox.tsv` or `letters.tsv`.
  public var language = ""
  /// Whether a message of `inbox.tsv` or `letters.tsv` is hard, as `labelling.md` says.
  public var isHard = false

  /// Whether the file of the message says which stored answer it asks for.
  public var hasQuestions = false

  /// Whether the author wrote the message after reading what a cross-validation got wrong in the training half of `inbox.tsv`.
  ///
  /// Such a message trains the shipped weights. It never trains a model that scores the training half, because it may repeat a message
  /// of that half in other words.
  public var isInformed: Bool { id.hasPrefix("p") }

  /// The labels for training: the labels of the second pass, with the mean of both opportunities.
  public var labels: Labels {
    var labels = second
    if let first = first.opportunity, let second = second.opportunity { labels.opportunity = (first + second) / 2 }
    return labels
  }

  /// Reads the lines of `messages.tsv`.
  /// - Throws: ``WeightsError`` that names the wrong line.
  public static func read(_ file: String) throws -> [LabelledMessage] {
    try columns(file, 4, "messages.tsv").map {
      LabelledMessage(id: $0[0], text: $0[3], first: try Labels($0[1]), second: try Labels($0[2]))
    }
  }

  /// Reads the lines of `lessons.tsv`, which have the labels of one pass. `?` stands for a question that is not labelled.
  /// - Throws: ``WeightsError`` that names the wrong line.
  public static func readLessons(_ file: String) throws -> [LabelledMessage] {
    try columns(file, 4, "lessons.tsv").map {
      let labels = try Labels($0[1])
      return LabelledMessage(
        id: $0[0], text: $0[3], first: labels, second: labels, asks: ["-", "?"].contains($0[2]) ? nil : $0[2],
        hasQuestions: $0[2] != "?")
    }
  }

  /// Reads the lines of `letters.tsv`, which have the labels of one pass.
  /// - Throws: ``WeightsError`` that names the wrong line.
  public static func readLetters(_ file: String) throws -> [LabelledMessage] {
    try columns(file, 6, "letters.tsv").map {
      let labels = try Labels($0[3])
      return LabelledMessage(
        id: $0[0], text: $0[5], first: labels, second: labels, asks: $0[4] == "-" ? nil : $0[4], language: $0[1],
        isHard: $0[2] == "1", hasQuestions: true)
    }
  }

  /// Reads the lines of `inbox.tsv`, both halves.
  /// - Throws: ``WeightsError`` that names the wrong line.
  public static func readInbox(_ file: String) throws -> [LabelledMessage] {
    try columns(file, 7, "inbox.tsv").map {
      LabelledMessage(
        id: $0[0], text: $0[6], first: try Labels($0[3]), second: try Labels($0[4]),
        asks: $0[5] == "-" ? nil : $0[5], language: $0[1], isHard: $0[2] == "1", hasQuestions: true)
    }
  }

  private static func columns(_ file: String, _ count: Int, _ name: String) throws -> [[String]] {
    try file.split(separator: "\n").dropFirst().map { line in
      let parts = line.split(separator: "\t", maxSplits: count - 1).map(String.init)
      guard parts.count == count else {
        throw WeightsError(description: "the line \"\(line)\" of \(name) does not have \(count) columns")
      }
      return parts
    }
  }
}

/// A message of the SMS Spam Collection, whose only label is spam or ham.
public struct SpamExample: Sendable {
  /// The text of the message.
  public var text: String
  /// Whether the message is spam.
  public var isSpam: Bool

  /// Reads lines with `ham` or `spam`, a tab, and the text.
  /// - Throws: ``WeightsError`` with the number of the wrong line.
  public static func read(_ file: String) throws -> [SpamExample] {
    try file.split(separator: "\n").enumerated().map { number, line in
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      // The first line of the collection begins with a space.
      let label = parts[0].filter { $0 != " " }
      guard parts.count == 2, ["ham", "spam"].contains(label) else {
        throw WeightsError(
          description: "the line \(number + 1) of the SMS Spam Collection does not begin with ham or spam and a tab")
      }
      return SpamExample(text: parts[1], isSpam: label == "spam")
    }
  }
}

/// The folds of a cross-validation. The fold is a hash of the text, so equal messages are in one fold.
public enum Fold {
  /// The number of folds.
  public static let count = 5
  /// The held-out fold: the shipped weights are trained without it.
  public static let heldOut = 0

  /// Returns whether a message of `inbox.tsv` is in the test half, which neither trains nor tunes anything.
  public static func isTest(_ text: String) -> Bool { (mixed(text) >> 40) & 1 == 1 }

  /// Returns the fold of a text.
  public static func of(_ text: String) -> Int { Int(mixed(text) % UInt64(count)) }

  /// Returns the inner fold of a text in the training set, from 0 to 3. The inner folds choose the threshold of the spam head.
  static func inner(_ text: String) -> Int { Int((mixed(text) >> 20) % 4) }

  private static func mixed(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash ^= hash >> 31
    hash = hash &* 0x9E37_79B9_7F4A_7C15
    return hash ^ (hash >> 29)
  }
}
