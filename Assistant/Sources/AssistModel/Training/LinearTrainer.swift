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

/// The hyperparameters of a head's training.
public struct TrainingSettings: Sendable, Codable {
  /// The number of passes over the examples.
  public var epochs: Int
  /// The learning rate of AdaGrad.
  public var rate: Float
  /// The coefficient of the L2 regularization.
  public var decay: Float
  /// The seed of the random order of the examples.
  public var seed: UInt64

  /// Makes settings.
  public init(epochs: Int = 40, rate: Float = 0.5, decay: Float = 1e-5, seed: UInt64 = 25) {
    self.epochs = epochs
    self.rate = rate
    self.decay = decay
    self.seed = seed
  }
}

/// Trains a logistic regression by stochastic gradient descent with AdaGrad. One output is a sigmoid, several outputs are a softmax.
///
/// Training runs on one thread and depends on the examples and the settings only, so the weights are reproducible bit by bit.
public struct LinearTrainer {
  /// The weight of each output, for each bucket.
  public private(set) var weights: [Float]
  /// The intercept of each output.
  public private(set) var bias: [Float]
  private let outputs: Int
  /// AdaGrad's sums of squared gradients.
  private var squares: [Float]
  private var biasSquares: [Float]

  /// Makes an untrained head.
  public init(outputs: Int) {
    self.outputs = outputs
    weights = [Float](repeating: 0, count: outputs * FeatureExtractor.buckets)
    bias = [Float](repeating: 0, count: outputs)
    squares = [Float](repeating: 1e-3, count: weights.count)
    biasSquares = [Float](repeating: 1e-3, count: outputs)
  }

  /// Trains the head on examples.
  /// - Complexity: linear in the number of epochs times the number of features of all examples.
  public mutating func train(_ examples: [Example], _ settings: TrainingSettings) {
    var generator = SplitMix64(state: settings.seed)
    var order = Array(examples.indices)
    for _ in 0..<settings.epochs {
      order.shuffle(using: &generator)
      for index in order { step(examples[index], settings) }
    }
  }

  /// Sets the weights of some buckets to 0.
  mutating func forget(_ buckets: Set<Int32>) {
    for bucket in buckets { for output in 0..<outputs { weights[Int(bucket) * outputs + output] = 0 } }
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

  /// The factor of all feature values. Values of the norm 1 would need very large weights.
  static let gain: Float = 8

  private mutating func step(_ example: Example, _ settings: TrainingSettings) {
    var errors = probabilities(example.features)
    for output in errors.indices { errors[output] = (errors[output] - example.target[output]) * example.weight }
    let count = outputs
    let (rate, decay) = (settings.rate, settings.decay)
    weights.withUnsafeMutableBufferPointer { weights in
      squares.withUnsafeMutableBufferPointer { squares in
        for entry in example.features.entries {
          let base = Int(entry.bucket) * count
          let value = entry.value * LinearTrainer.gain
          for output in 0..<count {
            let gradient = errors[output] * value + decay * weights[base + output]
            squares[base + output] += gradient * gradient
            weights[base + output] -= rate * gradient / squares[base + output].squareRoot()
          }
        }
      }
    }
    for output in 0..<count {
      biasSquares[output] += errors[output] * errors[output]
      bias[output] -= rate * errors[output] / biasSquares[output].squareRoot()
    }
  }
}

/// The random number generator SplitMix64 (Steele, Lea and Flood, 2014). It gives the same numbers on every machine.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes a generator from a seed.
  public init(state: UInt64) { self.state = state }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
