/// Trains all heads from labelled messages. The weights are reproducible bit by bit.
public struct ModelBuilder {
  /// The hyperparameters of all heads.
  public struct Recipe: Sendable, Codable {
    /// The penalty of the weights of ``Head/spam``.
    public var spam = Penalty(strength: 1, growsWithFrequency: false)
    /// The penalty of the weights of the other heads.
    public var others = Penalty(strength: 10)
    /// The weight of an SMS that is not spam as an example of ``Kind/none``. Only few of them are urgent, and they teach the models the
    /// small talk of strangers.
    public var smallTalk: Float = 0.05
    /// The smallest probability of each of ``MessageModel/guessed``. A cross-validation of the training data chose them: a missed urgent
    /// message costs the reader more than a wrong label, and a wrong label "fan" is the most frequent error in technical chat.
    public var thresholds: [Float] = [0.65, 0.55, 0.3]
    /// The weights of no, one, and two or more technical signs in ``Head/spam``.
    ///
    /// The training does not fit them: the codes in commercial SMS have the form of technical signs, so technical chat would be spam.
    public var technical: [Float] = [0, -0.2, -1]
    /// The largest share of harmless messages of our own that may be spam.
    public var falseSpam: Float = 0.01
    /// The penalty of the weights of ``IntentHead``.
    public var intents = Penalty(strength: 3)
    /// The weight of a message that asks a frequent question, in the training of ``IntentHead``. Few messages ask one.
    public var intentWeight: Float = 6
    /// Makes the recipe of the shipped weights.
    public init() {}
  }

  let recipe: Recipe
  var extractor = FeatureExtractor()

  /// Makes a builder.
  public init(recipe: Recipe = Recipe()) { self.recipe = recipe }

  /// Trains a model.
  /// - Parameters:
  ///   - messages: the labelled messages.
  ///   - spam: the SMS Spam Collection; it may be empty.
  ///   - answers: the stored answers of `answers.tsv`, which calibrate the confidence of a matched question with the messages.
  public mutating func build(
    _ messages: [LabelledMessage], spam: [SpamExample], answers: [QuestionMatcher.Question]
  ) -> MessageModel {
    let vectors = messages.map { extractor.features(of: $0.text) }
    let spamVectors = spam.map { extractor.features(of: $0.text) }
    let strangers = zip(spam, spamVectors).filter { !$0.0.isSpam }
    var trained: [Head: LinearTrainer] = [:]
    var shift: Float = 0
    for head in Head.allCases {
      switch head {
      case .spam:
        (trained[head], shift) = trainSpam(messages, vectors, spam, spamVectors)
      case .category:
        trained[head] = trainCategory(messages, vectors, strangers.map { ($0.0.text, $0.1) })
      case .sentiment, .intensity, .opportunity:
        trained[head] = LinearTrainer(
          Self.balanced(Self.examples(head, messages, vectors)), outputs: head.labels.count, penalty: recipe.others)
      }
    }
    var model = Self.quantized(trained, rarity: Self.rarity(vectors + spamVectors))
    model = model.shifted(.spam, by: shift, thresholds: recipe.thresholds)
    model = withIntents(
      messages, strangers: strangers.filter { Fold.inner($0.0.text) == 0 }.map(\.1), answers: answers, in: model)
    return model.calibrated(messages.filter(\.hasQuestions), answers: answers)
  }

  /// Returns the features of a text.
  mutating func features(of text: String) -> FeatureVector { extractor.features(of: text) }

  // MARK: - Heads

  static func examples(_ head: Head, _ messages: [LabelledMessage], _ vectors: [FeatureVector]) -> [Example] {
    var examples: [Example] = []
    for (message, features) in zip(messages, vectors) {
      let labels = message.labels
      switch head {
      case .spam: examples.append(Example(features: features, target: [labels.kind == .spam ? 1 : 0]))
      case .category where labels.kind != .spam:
        examples.append(Example(features: features, target: oneHot(head, labels.kind.rawValue)))
      case .category: break
      case .sentiment: examples.append(Example(features: features, target: oneHot(head, labels.sentiment)))
      case .intensity: examples.append(Example(features: features, target: oneHot(head, labels.intensity)))
      case .opportunity:
        guard let score = labels.opportunity else { continue }
        examples.append(Example(features: features, target: [Float(score) / 100]))
      }
    }
    return examples
  }

  /// Weights the examples by the square root of their label's inverse frequency, because a head almost never predicts rare labels
  /// otherwise.
  private static func balanced(_ examples: [Example]) -> [Example] {
    guard let count = examples.first?.target.count, count > 1 else { return examples }
    var sums = [Float](repeating: 0, count: count)
    for example in examples { for (output, wanted) in example.target.enumerated() { sums[output] += wanted } }
    let mean = Float(examples.count) / Float(count)
    return examples.map { example in
      var example = example
      example.weight = (mean / max(1, sums[example.target.firstIndex(of: 1) ?? 0])).squareRoot()
      return example
    }
  }

  private static func oneHot(_ head: Head, _ label: String) -> [Float] { head.labels.map { $0 == label ? 1 : 0 } }

  /// Trains the spam head. The second result is the shift of its scores that moves the threshold to the probability one half.
  ///
  /// An inner cross-validation chooses the threshold: each of four models is trained on three quarters of the examples and scores the
  /// fourth quarter. The threshold is the one with the best F1 over these scores, or a higher one that no more than
  /// ``Recipe/falseSpam`` of our harmless messages reach. No test message takes part.
  private func trainSpam(
    _ messages: [LabelledMessage], _ vectors: [FeatureVector], _ spam: [SpamExample], _ spamVectors: [FeatureVector]
  ) -> (LinearTrainer, Float) {
    var examples = Self.examples(.spam, messages, vectors)
    examples += zip(spam, spamVectors).map { Example(features: $1, target: [$0.isSpam ? 1 : 0]) }
    let plain = examples.map { example in
      var example = example
      example.features.entries.removeAll { $0.token == Trait.technical.rawValue }
      return example
    }
    func head(_ examples: [Example]) -> LinearTrainer {
      var trainer = LinearTrainer(examples, outputs: 1, penalty: recipe.spam)
      for (signs, weight) in recipe.technical.enumerated() {
        trainer.set(FeatureExtractor.bucket(technicalSigns: signs), weight)
      }
      return trainer
    }
    let parts = (messages.map(\.text) + spam.map(\.text)).map(Fold.inner)
    var scored: [(probability: Float, isSpam: Bool)] = []
    var harmless: [Float] = []
    for part in 0..<4 {
      let trainer = head(zip(plain, parts).filter { $0.1 != part }.map(\.0))
      for index in examples.indices where parts[index] == part {
        let probability = trainer.probabilities(examples[index].features)[0]
        let isSpam = examples[index].target[0] > 0.5
        // The SMS Spam Collection chooses the threshold if it is present, because it is larger.
        if spam.isEmpty || index >= messages.count { scored.append((probability, isSpam)) }
        if !isSpam && index < messages.count { harmless.append(probability) }
      }
    }
    let threshold = min(0.95, max(Self.threshold(scored), Self.quantile(harmless, recipe.falseSpam)))
    return (head(plain), -logarithm(threshold / (1 - threshold)))
  }

  /// Trains the category head. A quarter of the SMS without spam takes part as small talk of strangers.
  private func trainCategory(
    _ messages: [LabelledMessage], _ vectors: [FeatureVector], _ strangers: [(text: String, features: FeatureVector)]
  ) -> LinearTrainer {
    let head = Head.category
    let none = Self.oneHot(head, Kind.none.rawValue)
    let talk = strangers.filter { Fold.inner($0.text) == 0 }.map {
      Example(features: $0.features, target: none, weight: recipe.smallTalk)
    }
    return LinearTrainer(
      Self.balanced(Self.examples(head, messages, vectors)) + talk, outputs: head.labels.count, penalty: recipe.others)
  }

  /// Returns the value that no more than a share of the values exceed; 0 for no values.
  static func quantile(_ values: [Float], _ share: Float) -> Float {
    let sorted = values.sorted(by: >)
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Float(sorted.count) * share))]
  }

  /// Returns the threshold with the best F1.
  static func threshold(_ scored: [(probability: Float, isSpam: Bool)]) -> Float {
    let sorted = scored.sorted { $0.probability > $1.probability }
    let total = scored.count { $0.isSpam }
    var (found, bestF1, threshold) = (0, 0.0, Float(0.5))
    for (index, one) in sorted.enumerated() {
      if one.isSpam { found += 1 }
      let f1 = 2 * Double(found) / Double(index + 1 + total)
      guard f1 > bestF1 else { continue }
      bestF1 = f1
      let next = index + 1 < sorted.count ? sorted[index + 1].probability : 0
      threshold = min(0.9, max(0.1, (one.probability + next) / 2))
    }
    return threshold
  }

  // MARK: - Weights

  /// Returns the inverse document frequency of each bucket, ln((1 + messages) / (1 + messages with it)), times 25.
  private static func rarity(_ vectors: [FeatureVector]) -> [UInt8] {
    var counts = [Int](repeating: 0, count: FeatureExtractor.buckets)
    for vector in vectors { for entry in vector.entries { counts[Int(entry.bucket)] += 1 } }
    let total = Float(vectors.count + 1)
    return counts.map { UInt8(min(255, (logarithm(total / Float($0 + 1)) * 25).rounded())) }
  }

  private static func quantized(_ trained: [Head: LinearTrainer], rarity: [UInt8]) -> MessageModel {
    var weights = [Int8](repeating: 0, count: FeatureExtractor.buckets * Head.outputs)
    var scales = [Float](repeating: 1, count: Head.outputs)
    var biases = [Float](repeating: 0, count: Head.outputs)
    for (head, trainer) in trained {
      let count = head.labels.count
      for output in 0..<count {
        var largest: Float = 1e-9
        for bucket in 0..<FeatureExtractor.buckets {
          largest = max(largest, abs(trainer.weights[bucket * count + output]))
        }
        let step = largest / 127
        for bucket in 0..<FeatureExtractor.buckets {
          weights[bucket * Head.outputs + head.offset + output] =
            Int8((trainer.weights[bucket * count + output] / step).rounded())
        }
        scales[head.offset + output] = step * LinearTrainer.gain
        biases[head.offset + output] = trainer.bias[output]
      }
    }
    return MessageModel(
      weights: weights, scales: scales, biases: biases, rarity: rarity,
      thresholds: [0.4, 0.4, 0.4], matching: MatchCalibration(similarity: 10, margin: 5, bias: -6),
      intents: IntentHead(
        weights: [Int8](repeating: 0, count: IntentHead.buckets * IntentHead.outputs),
        scales: [Float](repeating: 1, count: IntentHead.outputs),
        biases: [Float](repeating: 0, count: IntentHead.outputs)))
  }
}

extension MessageModel {
  /// Returns the model with another head of frequent questions.
  func with(_ intents: IntentHead) -> MessageModel {
    var model = self
    model.intents = intents
    return model
  }

  /// Returns the model with other thresholds, and with a shift of the score of a head that has one output.
  fileprivate func shifted(_ head: Head, by amount: Float, thresholds: [Float]) -> MessageModel {
    var model = self
    model.biases[head.offset] += amount
    model.thresholds = thresholds
    return model
  }
}
