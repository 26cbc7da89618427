/// The head that recognizes the questions which makers and small businesses often receive, such as the one about delivery.
///
/// It is a softmax over the questions of `answers.tsv` and a last output for texts that ask none of them. It reads the same features as
/// the other heads in fewer buckets, so that the weights stay small.
struct IntentHead: Sendable {
  /// The number of buckets. Features whose buckets are equal modulo this number share a weight.
  static let buckets = 1 << 13
  /// The number of outputs: one for each question of `answers.tsv`, and one for none of them.
  static let outputs = 11
  /// The index of the output for none of the questions.
  static var none: Int { outputs - 1 }

  /// The weight of each output, for each bucket.
  let weights: [Int8]
  let scales: [Float]
  let biases: [Float]

  /// Returns the probability of each output for a text.
  func probabilities(_ features: FeatureVector) -> [Float] {
    var sums = [Float](repeating: 0, count: Self.outputs)
    for entry in features.entries {
      let base = (Int(entry.bucket) & (Self.buckets - 1)) * Self.outputs
      for output in sums.indices { sums[output] += Float(weights[base + output]) * entry.value }
    }
    for output in sums.indices { sums[output] = sums[output] * scales[output] + biases[output] }
    softmax(&sums)
    return sums
  }

  /// Returns the features in the buckets of this head.
  static func folded(_ features: FeatureVector) -> FeatureVector {
    FeatureVector(
      entries: features.entries.map {
        var entry = $0
        entry.bucket &= Int32(buckets - 1)
        return entry
      })
  }

  /// Returns the question of `answers.tsv` that the wordings of a stored answer ask; nil if they ask another one.
  /// - Parameter wordings: the probabilities of each wording.
  static func intent(of wordings: [[Float]]) -> Int? {
    guard !wordings.isEmpty else { return nil }
    let sums = (0..<outputs).map { output in wordings.reduce(0) { $0 + $1[output] } / Float(wordings.count) }
    let best = sums.indices.max { sums[$0] < sums[$1] }!
    return best != none && sums[best] >= 0.5 ? best : nil
  }
}
