import AssistModel

/// The report of the scores, as a summary and as a page of Markdown.
struct Report {
  let corpus: Corpus
  let result: CrossValidation.Result
  let questions: (table: Confusion, right: Int, wrongName: Int)
  /// The scores of the test half; nil while the models are tuned.
  let test: InboxScores?
  /// The number of chat messages of another domain with each kind.
  let chat: [Kind: Int]

  private var spamF1: [Double] { result.spam.map { $0.f1("spam") } }

  private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }

  /// The mean absolute error of the opportunity of business messages, in points of 100.
  private var opportunityError: Double { mean(result.opportunity.map { Double(abs($0.wanted - $0.answered)) }) }

  /// Spearman's rank correlation of the opportunity.
  private var rankCorrelation: Double {
    let wanted = ranks(result.opportunity.map { Double($0.wanted) })
    let answered = ranks(result.opportunity.map { Double($0.answered) })
    let (a, b) = (mean(wanted), mean(answered))
    let both = mean(zip(wanted, answered).map { ($0 - a) * ($1 - b) })
    let (x, y) = (mean(wanted.map { ($0 - a) * ($0 - a) }), mean(answered.map { ($0 - b) * ($0 - b) }))
    return x * y == 0 ? 0 : both / (x * y).squareRoot()
  }

  /// Returns the rank of each value. Equal values have the mean of their ranks.
  private func ranks(_ values: [Double]) -> [Double] {
    values.map { value in
      Double(values.count { $0 < value }) + Double(values.count { $0 == value } + 1) / 2
    }
  }

  var summary: String {
    """
    spam (SMS)   F1 \(mean(spamF1).short)   folds \(spamF1.map(\.short).joined(separator: " "))
    category     macro F1 \(result.kind.macroF1.short)   accuracy \(result.kind.accuracy.short)
    sentiment    macro F1 \(result.sentiment.macroF1.short)   accuracy \(result.sentiment.accuracy.short)
    intensity    macro F1 \(result.intensity.macroF1.short)   accuracy \(result.intensity.accuracy.short)
    opportunity  mean error \(opportunityError.short) of 100   rank correlation \(rankCorrelation.short)
    questions    right \(questions.right), wrong question \(questions.wrongName), \
    missed \(questions.table.counts[0][1]), invented \(questions.table.counts[1][0])
    chat         \(chatSentence)
    """
  }

  var markdown: String {
    [inboxSection, spamSection, ownSections, questionSection, agreementSection, wrongSection].joined(separator: "\n")
  }

  private var chatSentence: String {
    let total = chat.values.reduce(0, +)
    guard total > 0 else { return "not measured: the IRC archive is not next to the repository" }
    let guessed = Kind.allCases.filter { $0 != .none }
    let tally = Tally(right: total - (chat[.none] ?? 0), total: total)
    return "\(tally.right) of \(total) messages (\(tally.share.short)) get a category: "
      + guessed.map { "\(chat[$0] ?? 0) \($0)" }.joined(separator: ", ")
  }

  private var inboxSection: String {
    """
    # Scores

    `make train` writes this page.

    ## The test half of inbox.tsv, \(test?.category.total ?? 0) messages in five languages

    No message of it trains or tunes anything. The intervals are Wilson's.

    \(test?.table ?? "")
    ## The training half of inbox.tsv, \(result.inbox.category.total) messages, cross-validated

    The choices of the recipe looked at these scores, so they are slightly optimistic. No message that was written after reading the errors
    of this half takes part.

    \(result.inbox.table)
    ## Another domain

    Of every tenth message of the IRC archive, \(chatSentence).

    """
  }

  private var spamSection: String {
    var all = Confusion(["ham", "spam"])
    for fold in result.spam {
      for row in 0..<2 { for column in 0..<2 { all.counts[row][column] += fold.counts[row][column] } }
    }
    let folds = spamF1.enumerated().map { "| \($0) | \($1.short) |" }.joined(separator: "\n")
    return """
      ## Spam, SMS Spam Collection

      A cross-validation trains five models, each without one fold, and scores each model on its fold. Equal texts are in one fold.
      The shipped weights see all training messages, and the SMS without fold \(Fold.heldOut).

      | fold | F1 |
      | --- | ---: |
      \(folds)
      | mean | \(mean(spamF1).short) |

      \(all.table)
      """
  }

  private var ownSections: String {
    """
    ## Category, \(result.kind.total) messages of messages.tsv

    Macro F1 \(result.kind.macroF1.short), accuracy \(result.kind.accuracy.short).

    \(result.kind.table)
    ## Sentiment

    Macro F1 \(result.sentiment.macroF1.short), accuracy \(result.sentiment.accuracy.short).

    \(result.sentiment.table)
    ## Intensity

    Macro F1 \(result.intensity.macroF1.short), accuracy \(result.intensity.accuracy.short), \
    quadratic kappa \(result.intensity.kappa(isOrdered: true).short).

    \(result.intensity.table)
    ## Opportunity, business messages

    Mean error \(opportunityError.short) points of 100, rank correlation (Spearman) \(rankCorrelation.short).

    """
  }

  private var questionSection: String {
    """
    ## Questions

    Each question is listed in one wording. Its other wordings are the test texts. The calibration for a question is fitted without
    the texts that ask this question.

    \(questions.table.table)
    The matcher found a question in \(questions.table.counts[0][0]) texts that ask one: the right question in \
    \(questions.right) and another one in \(questions.wrongName).

    """
  }

  private var agreementSection: String {
    var kind = Confusion(Kind.allCases.map(\.rawValue))
    var sentiment = Confusion(Head.sentiment.labels)
    var intensity = Confusion(Head.intensity.labels)
    var distance: [Double] = []
    for message in corpus.messages + corpus.test where message.id.hasPrefix("m") || message.id.hasPrefix("x") {
      let (first, second) = (message.first, message.second)
      kind.add(first.kind.rawValue, second.kind.rawValue)
      sentiment.add(first.sentiment, second.sentiment)
      intensity.add(first.intensity, second.intensity)
      if let a = first.opportunity, let b = second.opportunity { distance.append(Double(abs(a - b))) }
    }
    return """
      ## Agreement of the two passes, messages.tsv and inbox.tsv

      | | Cohen's kappa |
      | --- | ---: |
      | category | \(kind.kappa().short) |
      | sentiment | \(sentiment.kappa().short) |
      | intensity | \(intensity.kappa().short) (quadratic \(intensity.kappa(isOrdered: true).short)) |

      The opportunity differs by \(mean(distance).short) points on average.

      """
  }

  private var wrongSection: String {
    let rows = result.wrong.sorted { $0.id < $1.id }.map {
      "| \($0.id) | \($0.wanted) | \($0.answered) | \($0.confidence.short) | "
        + $0.text.replacing("|", with: "\\|") + " |"
    }
    return """
      ## Messages of messages.tsv with a wrong category

      <!-- prose: off -->
      | id | wanted | answered | confidence | text |
      | --- | --- | --- | ---: | --- |
      \(rows.joined(separator: "\n"))
      <!-- prose: on -->

      """
  }
}
