/// A line of `questions.tsv`: a way to ask a question, or a text that asks none.
public struct LabelledQuestion: Sendable {
  /// The question; nil for a text that asks none.
  public var id: String?
  /// The text.
  public var text: String
  /// Whether it is the wording that the person wrote into their list.
  public var isListed: Bool

  /// Reads the lines of `questions.tsv`. A listed wording begins with `*`.
  /// - Throws: ``WeightsError`` with the line.
  public static func read(_ file: String) throws -> [LabelledQuestion] {
    try file.split(separator: "\n").dropFirst().map { line in
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { throw WeightsError(description: "\"\(line)\" has no two columns") }
      let isListed = parts[1].hasPrefix("* ")
      return LabelledQuestion(
        id: parts[0] == "none" ? nil : parts[0], text: isListed ? String(parts[1].dropFirst(2)) : parts[1],
        isListed: isListed)
    }
  }
}

extension MessageModel {
  /// The model with a confidence that fits the questions.
  public func calibrated(_ questions: [LabelledQuestion]) -> MessageModel {
    let fit = MatchCalibration(fitting: questions, model: self) ?? matching
    return MessageModel(weights: weights, scales: scales, biases: biases, rarity: rarity, matching: fit)
  }
}

extension MatchCalibration {
  /// Fits a confidence to questions: logistic regression over two numbers, by gradient descent.
  /// - Parameter vectors: the sentence model; nil compares words alone.
  /// - Returns: nil where there is nothing to fit to.
  public init?(fitting questions: [LabelledQuestion], model: MessageModel, vectors: QuestionMatcher.Meanings? = nil) {
    let matcher = QuestionMatcher(
      questions.filter(\.isListed).map { QuestionMatcher.Question(id: $0.id ?? "", wordings: $0.text) }, model: model,
      vectors: vectors)
    var extractor = FeatureExtractor()
    let rows: [(best: Float, lead: Float, isRight: Float)] = questions.filter { !$0.isListed }.compactMap {
      let parts = QuestionMatcher.parts($0.text)
      guard let found = matcher.similarities(parts, vectors?(parts), &extractor) else { return nil }
      return (found.best, found.best - found.second, found.id == $0.id ? 1 : 0)
    }
    guard !rows.isEmpty else { return nil }
    self.init(similarity: 0, lead: 0, bias: 0)
    for _ in 0..<4_000 {
      var (a, b, c): (Float, Float, Float) = (0, 0, 0)
      for row in rows {
        let error = confidence(row.best, row.best - row.lead) - row.isRight
        a += error * row.best
        b += error * row.lead
        c += error
      }
      let step = 4 / Float(rows.count)
      similarity -= step * a
      lead -= step * b
      bias -= step * c
    }
  }
}
