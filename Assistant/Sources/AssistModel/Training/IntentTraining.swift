extension ModelBuilder {
  /// Trains the head of frequent questions and its calibration.
  ///
  /// The training leaves spam out, because spam gets no drafts. Some files do not say which question a message asks. Of these files the
  /// training takes only messages of the kinds none and urgent, which ask none of the questions. It takes the SMS without spam as further
  /// messages that ask none.
  ///
  /// An inner cross-validation fits the calibration: each of four heads is trained on three quarters of the messages and reads the fourth.
  /// - Parameters:
  ///   - messages: the labelled messages.
  ///   - strangers: the features of SMS without spam.
  ///   - answers: the stored answers of `answers.tsv`.
  ///   - model: the model without this head.
  mutating func withIntents(
    _ messages: [LabelledMessage], strangers: [FeatureVector], answers: [QuestionMatcher.Question],
    in model: MessageModel
  ) -> MessageModel {
    precondition(answers.count == IntentHead.none, "the head has an output for each stored answer of answers.tsv")
    let asked = messages.filter {
      $0.labels.kind != .spam && ($0.hasQuestions || $0.labels.kind == .none || $0.labels.kind == .urgent)
    }
    func example(_ features: FeatureVector, _ intent: Int?) -> Example {
      Example(
        features: IntentHead.folded(features),
        target: (0..<IntentHead.outputs).map { $0 == intent ?? IntentHead.none ? 1 : 0 },
        weight: intent == nil ? 1 : recipe.intentWeight)
    }
    let examples = asked.map { message in
      example(features(of: message.text), message.asks.flatMap { id in answers.firstIndex { $0.id == id } })
    }
    var fixed: [Example] = []
    for (index, answer) in answers.enumerated() {
      for wording in answer.wordings.split(whereSeparator: \.isNewline) {
        fixed.append(example(features(of: String(wording)), index))
      }
    }
    fixed += strangers.map { example($0, nil) }
    let parts = asked.map { Fold.inner($0.text) }
    var rows: [IntentCalibration.Row] = []
    for part in 0..<4 {
      let head = Self.head(zip(examples, parts).filter { $0.1 != part }.map(\.0) + fixed, recipe.intents)
      let matcher = QuestionMatcher(answers, model: model.with(head))
      for index in asked.indices where parts[index] == part && asked[index].hasQuestions {
        let text = asked[index].text
        guard let similar = matcher.similarities(QuestionMatcher.parts(text), nil, &extractor),
          let found = matcher.frequent(head.probabilities(examples[index].features), similar.scores)
        else { continue }
        rows.append(
          .init(similarity: found.similarity, evidence: found.evidence, isRight: found.id == asked[index].asks))
      }
    }
    var result = model.with(Self.head(examples + fixed, recipe.intents))
    result.intentMatching = IntentCalibration(rows)
    return result
  }

  private static func head(_ examples: [Example], _ penalty: Penalty) -> IntentHead {
    let trainer = LinearTrainer(examples, outputs: IntentHead.outputs, penalty: penalty)
    var scales: [Float] = []
    var weights = [Int8](repeating: 0, count: IntentHead.buckets * IntentHead.outputs)
    for output in 0..<IntentHead.outputs {
      let indices = stride(from: output, to: weights.count, by: IntentHead.outputs)
      let step = indices.reduce(Float(1e-9)) { max($0, abs(trainer.weights[$1])) } / 127
      for index in indices { weights[index] = Int8((trainer.weights[index] / step).rounded()) }
      scales.append(step * LinearTrainer.gain)
    }
    return IntentHead(weights: weights, scales: scales, biases: trainer.bias)
  }
}

extension IntentCalibration {
  /// The most probable question with an intent for a message.
  struct Row {
    var similarity: Float
    var evidence: Float
    var isRight: Bool
  }

  /// Fits a logistic regression by gradient descent.
  init(_ rows: [Row]) {
    guard !rows.isEmpty else { return }
    let step = 4 / Float(rows.count)
    for _ in 0..<4_000 {
      var (a, b, c): (Float, Float, Float) = (0, 0, 0)
      for row in rows {
        let error = confidence(row.similarity, row.evidence) - (row.isRight ? 1 : 0)
        a += error * row.similarity
        b += error * row.evidence
        c += error
      }
      similarity -= step * a
      intent -= step * b
      bias -= step * c
    }
  }
}
