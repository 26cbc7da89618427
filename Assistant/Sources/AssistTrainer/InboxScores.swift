import AssistModel

/// A count of right answers, with the interval of Wilson for the share.
struct Tally {
  var right = 0
  var total = 0

  mutating func add(_ isRight: Bool) {
    right += isRight ? 1 : 0
    total += 1
  }

  var share: Double { total == 0 ? 0 : Double(right) / Double(total) }

  /// The interval of Wilson with 95 %.
  var interval: (low: Double, high: Double) {
    guard total > 0 else { return (0, 1) }
    let (n, z) = (Double(total), 1.959_964)
    let middle = share + z * z / (2 * n)
    let reach = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
    return ((middle - reach) / (1 + z * z / n), (middle + reach) / (1 + z * z / n))
  }

  /// The share, the counts and the interval as cells of a table.
  var cells: String { "\(share.short) | \(right) of \(total) | \(interval.low.short) to \(interval.high.short)" }
}

/// The scores of the messages of an inbox, by the goals of the assistant.
struct InboxScores {
  var category = Tally()
  var hard = Tally()
  var urgent = Tally()
  /// Harmless messages that are judged as spam; the right ones are the wrong ones here.
  var falseSpam = Tally()
  var spam = Tally()
  /// Harmless messages that are set aside: spam with the confidence that `ConversationOrder.sureOfSpam` asks for.
  var setAside = Tally()
  var sentiment = Tally()
  var opportunity = Tally()
  /// Messages without a question of the stored answers that get a draft.
  var invented = Tally()
  /// Questions of the stored answers that get the draft of their answer.
  var drafts = Tally()
  /// Questions that get the draft of another answer.
  var confused = 0
  var languages: [String: Tally] = [:]
  var kinds = Confusion(Kind.allCases.map(\.rawValue))
  /// The messages with a wrong category or a wrong draft.
  var wrong: [String] = []

  /// Scores messages by one model.
  /// - Parameter answers: the stored answers, which may be empty.
  mutating func add(_ messages: [LabelledMessage], _ model: MessageModel, _ answers: [QuestionMatcher.Question]) {
    let matcher = QuestionMatcher(answers, model: model)
    var extractor = FeatureExtractor()
    for message in messages {
      let found = model.classify(extractor.features(of: message.text))
      let labels = message.labels
      let isRight = found.kind == labels.kind
      category.add(isRight)
      languages[message.language, default: Tally()].add(isRight)
      kinds.add(labels.kind.rawValue, found.kind.rawValue)
      if message.isHard { hard.add(isRight) }
      if labels.kind == .urgent { urgent.add(isRight) }
      if labels.kind == .spam { spam.add(isRight) } else { falseSpam.add(found.kind == .spam) }
      if labels.kind != .spam { setAside.add(found.kind == .spam && found.confidence >= 0.97) }
      if labels.kind != .spam { sentiment.add(found.sentiment == labels.sentiment) }
      if let wanted = labels.opportunity { opportunity.add(abs(wanted - found.opportunity) <= 15) }
      let best = found.kind == .spam ? nil : matcher.best(message.text, &extractor)
      let draft = best.flatMap { $0.confidence >= QuestionMatcher.threshold ? $0.id : nil }
      if let wanted = message.asks {
        drafts.add(draft == wanted)
        if let draft, draft != wanted { confused += 1 }
      } else {
        invented.add(draft != nil)
      }
      let confidence = " \(Double(found.confidence).short)"
      if !isRight { wrong.append("\(message.id) \(labels.kind) → \(found.kind)\(confidence) \(message.text)") }
      if draft != message.asks {
        wrong.append(
          "\(message.id) asks \(message.asks ?? "-") → \(draft ?? "-") (\(best?.id ?? "-") "
            + "\(Double(best?.confidence ?? 0).short)) \(message.text)")
      }
    }
  }

  /// The scores as a table in Markdown.
  var table: String {
    let rows = [
      ("category", "0.92", category), ("category of hard messages", "", hard),
      ("recall of urgent", "0.95", urgent), ("recall of spam", "", spam),
      ("harmless messages judged as spam", "below 0.02", falseSpam),
      ("harmless messages set aside as spam", "0", setAside), ("sentiment, without spam", "0.85", sentiment),
      ("opportunity within 15 points", "0.8", opportunity),
      ("drafts where no stored answer is asked for", "0", invented),
      ("drafts for questions with a stored answer", "0.85", drafts),
    ]
    let spoken = languages.keys.sorted().map { ("category, \($0)", "", languages[$0]!) }
    return "| | goal | share | count | 95 % |\n| --- | ---: | ---: | ---: | ---: |\n"
      + (rows + spoken).map { "| \($0.0) | \($0.1) | \($0.2.cells) |" }.joined(separator: "\n")
      + "\n\nOf the questions \(confused) get the draft of another answer.\n\n\(kinds.table)"
  }
}
