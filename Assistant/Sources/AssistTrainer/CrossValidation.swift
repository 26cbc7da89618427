import AssistModel

/// A cross-validation: it trains one model for each fold without that fold, and scores the model on the fold.
struct CrossValidation {
  let corpus: Corpus

  /// The scores of the five models on their test folds.
  struct Result {
    /// The scores of the training half of `inbox.tsv`.
    var inbox = InboxScores()
    /// The confusion matrix of each fold of the SMS Spam Collection.
    var spam: [Confusion] = []
    var kind = Confusion(Kind.allCases.map(\.rawValue))
    var sentiment = Confusion(Head.sentiment.labels)
    var intensity = Confusion(Head.intensity.labels)
    /// The labelled and the predicted opportunity of each business message.
    var opportunity: [(wanted: Int, answered: Int)] = []
    /// The misclassified messages of `messages.tsv`.
    var wrong: [(id: String, text: String, wanted: String, answered: String, confidence: Double)] = []
  }

  /// Trains the shipped weights: all training messages, and the SMS Spam Collection without ``Fold/heldOut``.
  func shipped() -> MessageModel {
    var builder = ModelBuilder()
    return builder.build(
      corpus.messages, spam: corpus.spam.filter { Fold.of($0.text) != Fold.heldOut }, answers: corpus.answers)
  }

  func run(_ report: (String) -> Void) -> Result {
    var result = Result()
    for fold in 0..<Fold.count {
      var builder = ModelBuilder()
      let model = builder.build(
        corpus.messages.filter { Fold.of($0.text) != fold && !$0.isInformed },
        spam: corpus.spam.filter { Fold.of($0.text) != fold },
        answers: corpus.answers)
      score(model, fold, &result)
      report("fold \(fold): spam F1 \(result.spam.last?.f1("spam").short ?? "-")")
    }
    return result
  }

  private func score(_ model: MessageModel, _ fold: Int, _ result: inout Result) {
    var extractor = FeatureExtractor()
    var spam = Confusion(["ham", "spam"])
    for message in corpus.spam where Fold.of(message.text) == fold {
      let answer = model.scores(extractor.features(of: message.text))[.spam][0] >= 0.5
      spam.add(message.isSpam ? "spam" : "ham", answer ? "spam" : "ham")
    }
    if spam.total > 0 { result.spam.append(spam) }
    let tested = corpus.messages.filter { Fold.of($0.text) == fold }
    result.inbox.add(tested.filter { $0.id.hasPrefix("x") }, model, corpus.answers)
    for message in tested where message.id.hasPrefix("m") {
      let found = model.classify(extractor.features(of: message.text))
      let labels = message.labels
      result.kind.add(labels.kind.rawValue, found.kind.rawValue)
      result.sentiment.add(labels.sentiment, found.sentiment)
      result.intensity.add(labels.intensity, found.intensity)
      if let wanted = labels.opportunity { result.opportunity.append((wanted, found.opportunity)) }
      if labels.kind != found.kind {
        result.wrong.append(
          (message.id, message.text, labels.kind.rawValue, found.kind.rawValue, Double(found.confidence)))
      }
    }
  }

  /// Scores the matching of questions. The calibration for a question is fitted without the texts that ask this question.
  func questions(_ model: MessageModel) -> (table: Confusion, right: Int, wrongName: Int) {
    let names = Array(Set(corpus.questions.compactMap(\.id))).sorted()
    let listed = corpus.questions.filter(\.isListed).map { QuestionMatcher.Question(id: $0.id!, wordings: $0.text) }
    var extractor = FeatureExtractor()
    var table = Confusion(["asks", "asks none"])
    var (right, wrongName) = (0, 0)
    for part in 0..<5 {
      func isOut(_ question: LabelledQuestion) -> Bool {
        question.id.map { names.firstIndex(of: $0)! % 5 == part } ?? (Fold.of(question.text) == part)
      }
      let fitted = model.calibrated(corpus.questions.filter { $0.isListed || !isOut($0) })
      let matcher = QuestionMatcher(listed, model: fitted)
      for question in corpus.questions where !question.isListed && isOut(question) {
        let match = matcher.match(question.text, &extractor)
        table.add(question.id == nil ? "asks none" : "asks", match == nil ? "asks none" : "asks")
        if let match, question.id != nil { if match.id == question.id { right += 1 } else { wrongName += 1 } }
      }
    }
    return (table, right, wrongName)
  }
}

/// The training data and the test half.
struct Corpus {
  /// The training messages: `messages.tsv`, `lessons.tsv`, `letters.tsv` and the training half of `inbox.tsv`.
  let messages: [LabelledMessage]
  /// The test half of `inbox.tsv`.
  let test: [LabelledMessage]
  let spam: [SpamExample]
  let questions: [LabelledQuestion]
  let answers: [QuestionMatcher.Question]
  /// Chat messages of another domain; empty if they are not there.
  let chat: [String]
}

extension MessageModel {
  /// Returns the number of texts with each kind.
  func kinds(_ texts: [String]) -> [Kind: Int] {
    var extractor = FeatureExtractor()
    return texts.reduce(into: [:]) { $0[classify(extractor.features(of: $1)).kind, default: 0] += 1 }
  }
}
