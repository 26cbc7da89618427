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

/// The stored answers of a person who writes in several languages, from `answers.tsv`.
public enum StoredAnswers {
  /// Reads the wordings of each answer.
  /// - Throws: ``WeightsError`` that names the wrong line.
  public static func read(_ file: String) throws -> [QuestionMatcher.Question] {
    var wordings: [String: [String]] = [:]
    for line in file.split(separator: "\n").dropFirst() {
      let parts = line.split(separator: "\t", maxSplits: 2).map(String.init)
      guard parts.count == 3 else {
        throw WeightsError(description: "the line \"\(line)\" of answers.tsv does not have 3 columns")
      }
      wordings[parts[0], default: []].append(parts[2])
    }
    return wordings.keys.sorted().map { .init(id: $0, wordings: wordings[$0]!.joined(separator: "\n")) }
  }
}

extension MessageModel {
  /// Returns the model with a calibration that is fitted to questions.
  public func calibrated(_ questions: [LabelledQuestion]) -> MessageModel {
    var model = self
    model.matching = MatchCalibration(fitting: questions, model: self) ?? matching
    return model
  }

  /// Returns the model with a calibration of matched questions that is fitted to messages and stored answers.
  ///
  /// Spam is left out, because it gets no drafts.
  public func calibrated(_ messages: [LabelledMessage], answers: [QuestionMatcher.Question]) -> MessageModel {
    let matcher = QuestionMatcher(answers, model: self)
    var extractor = FeatureExtractor()
    let rows: [MatchCalibration.Row] = messages.filter { $0.labels.kind != .spam }.compactMap {
      guard let found = matcher.similarities(QuestionMatcher.parts($0.text), nil, &extractor) else { return nil }
      return .init(
        best: found.best, margin: found.best - found.second, isQuestion: extractor.asks($0.text),
        isRight: found.id == $0.asks)
    }
    var model = self
    model.matching = MatchCalibration(rows, hasForm: true) ?? matching
    return model
  }
}

extension MatchCalibration {
  /// The best question for a text.
  struct Row {
    var best: Float
    var margin: Float
    var isQuestion: Bool
    var isRight: Bool
  }

  /// Fits a calibration to questions.
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
    let rows: [Row] = questions.filter { !$0.isListed }.compactMap {
      let parts = QuestionMatcher.parts($0.text)
      guard let found = matcher.similarities(parts, vectors?(parts), &extractor) else { return nil }
      return Row(best: found.best, margin: found.best - found.second, isQuestion: false, isRight: found.id == $0.id)
    }
    self.init(rows, hasForm: false)
  }

  /// Fits a logistic regression over similarity, margin and form by gradient descent. The result is nil without rows.
  init?(_ rows: [Row], hasForm: Bool) {
    guard !rows.isEmpty else { return nil }
    self.init(similarity: 0, margin: 0, bias: 0)
    for _ in 0..<4_000 {
      var (a, b, c, d): (Float, Float, Float, Float) = (0, 0, 0, 0)
      for row in rows {
        let error =
          confidence(row.best, row.best - row.margin, isQuestion: row.isQuestion) - (row.isRight ? 1 : 0)
        a += error * row.best
        b += error * row.margin
        c += error
        if row.isQuestion { d += error }
      }
      let step = 4 / Float(rows.count)
      similarity -= step * a
      margin -= step * b
      bias -= step * c
      if hasForm { form -= step * d }
    }
  }
}
