/// A training example.
public struct Example: Sendable {
  /// The features of the message.
  public var features: FeatureVector
  /// The target probability of each output of a head.
  public var target: [Float]
  /// The weight of the example in the loss.
  public var weight: Float

  /// Makes an example.
  public init(features: FeatureVector, target: [Float], weight: Float = 1) {
    self.features = features
    self.target = target
    self.weight = weight
  }
}

/// The penalty of large weights: half the strength times the sum of all squared weights.
public struct Penalty: Sendable, Codable {
  /// The strength.
  public var strength: Float
  /// Whether the strength for a weight grows with the square root of the number of examples that have its feature.
  ///
  /// The fit then spreads over many rare features and trusts less in a few frequent ones. The mean over all features of all examples is
  /// about the same.
  public var growsWithFrequency = true
}

/// Trains a logistic regression to its optimum. One output is a sigmoid, several outputs are a softmax.
///
/// The optimum is the minimum of the logarithmic loss of all examples and the penalty. It is unique. The weights depend on the examples,
/// their order and the penalty only, so they are reproducible bit by bit.
public struct LinearTrainer {
  /// The weight of each output, for each bucket.
  public private(set) var weights: [Float]
  /// The intercept of each output.
  public private(set) var bias: [Float]
  private let outputs: Int

  /// The factor of all feature values. The penalty is meant for values of this norm.
  static let gain: Float = 8

  /// Trains a head on examples.
  /// - Parameters:
  ///   - examples: the examples.
  ///   - outputs: the number of outputs of the head.
  ///   - penalty: the penalty of large weights.
  /// - Complexity: linear in the number of features of all examples times the number of steps, at most 100.
  public init(_ examples: [Example], outputs: Int, penalty: Penalty) {
    self.outputs = outputs
    weights = [Float](repeating: 0, count: outputs * FeatureExtractor.buckets)
    let loss = LinearLoss(examples, outputs: outputs, penalty: penalty)
    var point = [Double](repeating: 0, count: loss.size)
    Minimizer().minimize(&point) { loss.value(at: $0, &$1) }
    for (column, bucket) in loss.buckets.enumerated() {
      for output in 0..<outputs {
        weights[Int(bucket) * outputs + output] = Float(point[column * outputs + output] * loss.scales[column])
      }
    }
    bias = point.suffix(outputs).map { Float($0) }
  }

  /// Sets all weights of a bucket.
  mutating func set(_ bucket: Int32, _ weight: Float) {
    for output in 0..<outputs { weights[Int(bucket) * outputs + output] = weight }
  }

  /// Returns the probability of each output for a message.
  public func probabilities(_ features: FeatureVector) -> [Float] {
    var scores = bias
    for entry in features.entries {
      let base = Int(entry.bucket) * outputs
      for output in 0..<outputs { scores[output] += weights[base + output] * entry.value * LinearTrainer.gain }
    }
    if outputs == 1 { return [sigmoid(scores[0])] }
    softmax(&scores)
    return scores
  }
}

/// The loss of a logistic regression over examples. Its point has the weights of each bucket that occurs, divided by the bucket's scale, and
/// then the intercepts.
private struct LinearLoss {
  /// The bucket of each column, in the order of the first example that has it.
  private(set) var buckets: [Int32] = []
  /// The scale of each column: the smaller it is, the larger is the penalty of the weight.
  private(set) var scales: [Double] = []
  private let outputs: Int
  private let penalty: Double
  /// The index of the first feature of each example, and the number of all features.
  private var starts = [0]
  private var columns: [Int] = []
  private var values: [Double] = []
  private var targets: [Double] = []
  private var factors: [Double] = []

  var size: Int { (buckets.count + 1) * outputs }

  init(_ examples: [Example], outputs: Int, penalty: Penalty) {
    self.outputs = outputs
    self.penalty = Double(penalty.strength)
    var known = [Int](repeating: -1, count: FeatureExtractor.buckets)
    for example in examples {
      for entry in example.features.entries {
        if known[Int(entry.bucket)] < 0 {
          known[Int(entry.bucket)] = buckets.count
          buckets.append(entry.bucket)
        }
        columns.append(known[Int(entry.bucket)])
        values.append(Double(entry.value * LinearTrainer.gain))
      }
      starts.append(columns.count)
      targets += example.target.map { Double($0) }
      factors.append(Double(example.weight))
    }
    scales = [Double](repeating: 1, count: buckets.count)
    if penalty.growsWithFrequency { scaleByFrequency() }
  }

  /// Makes the scale of a column the inverse fourth root of the number of examples that have it, and the mean scale of all features 1.
  private mutating func scaleByFrequency() {
    var counts = [Double](repeating: 0, count: buckets.count)
    for column in columns { counts[column] += 1 }
    scales = counts.map { 1 / $0.squareRoot().squareRoot() }
    let mean = zip(scales, counts).reduce(0) { $0 + $1.0 * $1.1 } / Double(max(1, columns.count))
    scales = scales.map { $0 / mean }
    for index in values.indices { values[index] *= scales[columns[index]] }
  }

  /// Returns the loss at a point and writes its gradient.
  func value(at point: [Double], _ gradient: inout [Double]) -> Double {
    let base = buckets.count * outputs
    var sum = 0.0
    for index in 0..<base {
      gradient[index] = penalty * point[index]
      sum += point[index] * point[index]
    }
    for index in base..<point.count { gradient[index] = 0 }
    sum *= penalty / 2
    var scores = [Double](repeating: 0, count: outputs)
    point.withUnsafeBufferPointer { point in
      gradient.withUnsafeMutableBufferPointer { gradient in
        for example in factors.indices {
          for output in 0..<outputs { scores[output] = point[base + output] }
          for index in starts[example]..<starts[example + 1] {
            let (column, value) = (columns[index] * outputs, values[index])
            for output in 0..<outputs { scores[output] += value * point[column + output] }
          }
          sum += factors[example] * errors(of: example, &scores)
          for output in 0..<outputs {
            scores[output] *= factors[example]
            gradient[base + output] += scores[output]
          }
          for index in starts[example]..<starts[example + 1] {
            let (column, value) = (columns[index] * outputs, values[index])
            for output in 0..<outputs { gradient[column + output] += value * scores[output] }
          }
        }
      }
    }
    return sum
  }

  /// Replaces the scores of an example by the errors of their probabilities, and returns the logarithmic loss.
  private func errors(of example: Int, _ scores: inout [Double]) -> Double {
    // A sigmoid is a softmax with a second score of 0.
    var top = outputs == 1 ? 0 : scores[0]
    for score in scores { top = max(top, score) }
    var (total, wanted) = (outputs == 1 ? exponential(-top) : 0, 0.0)
    for output in 0..<outputs {
      wanted += targets[example * outputs + output] * scores[output]
      scores[output] = exponential(scores[output] - top)
      total += scores[output]
    }
    for output in 0..<outputs { scores[output] = scores[output] / total - targets[example * outputs + output] }
    return logarithm(total) + top - wanted
  }
}
