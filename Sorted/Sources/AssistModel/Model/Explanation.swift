/// Why a message was judged as it was: what weighed most.
public struct Explanation: Sendable, Equatable {
  /// Something of the message and how much it weighed.
  public struct Reason: Sendable, Equatable, Codable {
    /// A word of the message, or a trait of it in words.
    public var what: String
    /// How much it adds to the score of the kind, against the mean of the other kinds.
    public var weight: Float
    /// Whether it is a word of the message.
    public var isWord: Bool
  }

  /// The reasons for the kind, the strongest first.
  public var reasons: [Reason]

  /// "because “asap”, “call” and exclamation marks".
  public var sentence: String {
    let parts = reasons.map { $0.isWord ? "“\($0.what)”" : $0.what }
    guard let last = parts.last else { return "because of no word in particular" }
    return "because of " + (parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last)
  }
}

extension MessageModel {
  /// What weighed most for a kind: the sum of what each word adds, alone, as a pair with the word before it and by its
  /// letters. A pair counts half for each of its words.
  public func explain(
    _ text: String, as kind: Kind, layer: PersonalLayer? = nil, count: Int = 3, _ extractor: inout FeatureExtractor
  ) -> Explanation {
    let features = extractor.features(of: text)
    let words = extractor.words
    let scale = PersonalLayer.scale(features, self)
    var sums: [Int32: Float] = [:]
    for entry in features.entries {
      let weight = weight(entry, kind) + (layer?.lead(entry, kind, scale, self) ?? 0)
      sums[entry.token, default: 0] += weight
    }
    // Equal words are one reason.
    var merged: [String: Explanation.Reason] = [:]
    for (token, sum) in sums {
      guard let what = token >= 0 ? words[Int(token)] : Trait(rawValue: token)?.words else { continue }
      merged[what, default: Explanation.Reason(what: what, weight: 0, isWord: token >= 0)].weight += sum
    }
    let best = merged.values.filter { $0.weight > 0.05 }.sorted { ($1.weight, $0.what) < ($0.weight, $1.what) }
    return Explanation(reasons: Array(best.prefix(count)))
  }

  /// The weight that an entry adds to a kind, against the mean of the kinds that it competes with.
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
  /// The weight that an entry adds to a kind, against the mean of the other kinds.
  fileprivate func lead(
    _ entry: FeatureVector.Entry, _ kind: Kind, _ scale: Float, _ model: MessageModel
  ) -> Float {
    let values = Kind.allCases.indices.map { contribution(entry, $0, scale, model) }
    let own = values[Kind.allCases.firstIndex(of: kind)!]
    return own - (values.reduce(0, +) - own) / Float(values.count - 1)
  }
}
