/// An explanation of a classification: the words and traits with the largest weights.
public struct Explanation: Sendable, Equatable {
  /// A word or a trait of the message with its weight.
  public struct Reason: Sendable, Equatable, Codable {
    /// The word, or the text of the trait.
    public var what: String
    /// The contribution to the score of the kind, less the mean contribution to the other kinds.
    public var weight: Float
    /// Whether the reason is a word of the message.
    public var isWord: Bool
  }

  /// The reasons for the kind, the strongest first.
  public var reasons: [Reason]

  /// The reasons as a sentence, for example "because of “asap”, “call” and exclamation marks".
  public var sentence: String {
    let parts = reasons.map { $0.isWord ? "“\($0.what)”" : $0.what }
    guard let last = parts.last else { return "because of no word in particular" }
    return "because of " + (parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last)
  }
}

extension MessageModel {
  /// Explains the score of a kind by its largest contributions.
  ///
  /// The contribution of a word is the sum over its features: the word, its n-grams, its concepts, and its pairs with the word before
  /// it. A pair has half the value of a word.
  /// - Parameters:
  ///   - text: the message.
  ///   - kind: the kind to explain.
  ///   - layer: the personal layer of the reader.
  ///   - count: the largest number of reasons.
  ///   - extractor: the extractor to use.
  public func explain(
    _ text: String, as kind: Kind, layer: PersonalLayer? = nil, count: Int = 3, _ extractor: inout FeatureExtractor
  ) -> Explanation {
    let features = extractor.features(of: text)
    let words = extractor.words
    let scale = PersonalLayer.scale(features, self)
    var sums: [Int32: Float] = [:]
    for entry in features.entries {
      let weight = weight(entry, kind) + (layer?.margin(entry, kind, scale, self) ?? 0)
      sums[entry.token, default: 0] += weight
    }
    // A repeated word is one reason.
    var merged: [String: Explanation.Reason] = [:]
    for (token, sum) in sums {
      guard let what = token >= 0 ? words[Int(token)] : Trait(rawValue: token)?.words else { continue }
      merged[what, default: Explanation.Reason(what: what, weight: 0, isWord: token >= 0)].weight += sum
    }
    let best = merged.values.filter { $0.weight > 0.05 }.sorted { ($1.weight, $0.what) < ($0.weight, $1.what) }
    return Explanation(reasons: Array(best.prefix(count)))
  }

  /// Returns the contribution of a feature to a kind, less its mean contribution to the competing kinds.
  private func weight(_ entry: FeatureVector.Entry, _ kind: Kind) -> Float {
    let spam = contribution(entry, Head.spam.offset)
    if kind == .spam { return spam }
    let labels = Head.category.labels
    let values = labels.indices.map { contribution(entry, Head.category.offset + $0) }
    let own = values[labels.firstIndex(of: kind.rawValue)!]
    return own - (values.reduce(0, +) - own) / Float(values.count - 1)
  }
}

extension PersonalLayer {
  /// Returns the contribution of a feature to a kind, less its mean contribution to the other kinds.
  fileprivate func margin(
    _ entry: FeatureVector.Entry, _ kind: Kind, _ scale: Float, _ model: MessageModel
  ) -> Float {
    let values = Kind.allCases.indices.map { contribution(entry, $0, scale, model) }
    let own = values[Kind.allCases.firstIndex(of: kind)!]
    return own - (values.reduce(0, +) - own) / Float(values.count - 1)
  }
}
