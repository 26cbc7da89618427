/// A line of `questions.tsv`: a text that asks one of the questions, or a text that asks none of them.
public struct LabelledQuestion: Sendable {
  /// The question; nil for a text that asks none.
  public var id: String?
  /// The text.
  public var text: String
  /// Whether the text is the wording in the person's list of answers.
  public var isListed: Bool

  /// Reads the lines of `questions.tsv`. A listed wording begins with `*`.
  /// - Throws: ``WeightsError`` that names the wrong line.
  public static func read(_ file: String) throws -> [LabelledQuestion] {
    try file.split(separator: "\n").dropFirst().map { line in
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw WeightsError(description: "the line \"\(line)\" of questions.tsv does not have two columns")
      }
      let isListed = parts[1].hasPrefix("* ")
      return LabelledQuestion(
        id: parts[0] == "none" ? nil : parts[0], text: isListed ? String(parts[1].dropFirst(2)) : parts[1],
        isListed: isListed)
    }
  }
}

extension MessageModel {
  /// Returns the model with a calibration that is fitted to questions.
  public func calibrated(_ questions: [LabelledQuestion]) -> MessageModel {
    let fit = MatchCalibration(fitting: questions, model: self) ?? matching
    return MessageModel(weights: weights, scales: scales, biases: biases, rarity: rarity, matching: fit)
  }
}

extension MatchCalibration {
  /// Fits a calibration to questions: a logistic regression over similarity and margin, by gradient descent.
  ///
  /// The result is nil if no text resembles a question.
  /// - Parameters:
  ///   - questions: the questions.
  ///   - model: the weights.
  ///   - vectors: the sentence model; nil compares words only.
  public init?(fitting questions: [LabelledQuestion], model: MessageModel, vectors: QuestionMatcher.Encoder? = nil) {
    let matcher = QuestionMatcher(
      questions.filter(\.isListed).map { QuestionMatcher.Question(id: $0.id ?? "", wordings: $0.text) }, model: model,
      vectors: vectors)
    var extractor = FeatureExtractor()
    let rows: [(best: Float, margin: Float, isRight: Float)] = questions.filter { !$0.isListed }.compactMap {
      let parts = QuestionMatcher.parts($0.text)
      guard let found = matcher.similarities(parts, vectors?(parts), &extractor) else { return nil }
      return (found.best, found.best - found.second, found.id == $0.id ? 1 : 0)
    }
    guard !rows.isEmpty else { return nil }
    self.init(similarity: 0, margin: 0, bias: 0)
    for _ in 0..<4_000 {
      var (a, b, c): (Float, Float, Float) = (0, 0, 0)
      for row in rows {
        let error = confidence(row.best, row.best - row.margin) - row.isRight
        a += error * row.best
        b += error * row.margin
        c += error
      }
      let step = 4 / Float(rows.count)
      similarity -= step * a
      margin -= step * b
      bias -= step * c
    }
  }
}
