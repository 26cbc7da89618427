import Foundation

/// The classifier of messages: the trained weights of all heads, which share one pass over the features.
///
/// The weights are quantized to 8 bits with one scale for each output, so the file has about 1 MB.
public struct MessageModel: Sendable {
  /// The version of the weights. It increases with each training that changes classifications. A stored message has the version that
  /// classified it.
  public static let version = 5

  /// The kinds that the models say only if they are sure.
  public static let guessed: [Kind] = [.fan, .business, .urgent]

  /// The weight of each output of all heads, for each bucket.
  private(set) var weights: [Int8]
  private(set) var scales: [Float]
  var biases: [Float]
  /// The inverse document frequency of each bucket in the training messages, times 25.
  private(set) var rarity: [UInt8]
  /// The smallest probability of each of ``guessed``. A message below it has the kind ``Kind/none``.
  var thresholds: [Float]
  /// The calibration of ``QuestionMatcher`` for questions that no intent describes.
  var matching: MatchCalibration
  /// The head that recognizes frequent questions.
  var intents: IntentHead
  /// The calibration of ``QuestionMatcher`` for questions with an intent.
  var intentMatching = IntentCalibration()

  init(
    weights: [Int8], scales: [Float], biases: [Float], rarity: [UInt8], thresholds: [Float],
    matching: MatchCalibration, intents: IntentHead
  ) {
    self.weights = weights
    self.scales = scales
    self.biases = biases
    self.rarity = rarity
    self.thresholds = thresholds
    self.matching = matching
    self.intents = intents
  }

  /// The scores of one message by all heads.
  public struct Scores: Sendable {
    /// The scores of all outputs (logits), in the order of the heads.
    var values: [Float]

    /// The probabilities of a head's outputs.
    public subscript(head: Head) -> [Float] {
      var scores = Array(values[head.offset..<(head.offset + head.labels.count)])
      if scores.count == 1 { return [sigmoid(scores[0])] }
      softmax(&scores)
      return scores
    }

    /// The probability of each kind, in the order of ``Kind``. Spam has a head of its own, and the other kinds share the rest.
    public var kinds: [Float] {
      let spam = self[.spam][0]
      let rest = self[.category].map { $0 * (1 - spam) }
      return [rest[0], rest[1], spam, rest[2], rest[3]]
    }
  }

  /// Returns the scores of a message by all heads.
  /// - Complexity: linear in the number of features times the number of outputs.
  public func scores(_ features: FeatureVector) -> Scores {
    let count = Head.outputs
    var sums = [Float](repeating: 0, count: count)
    weights.withUnsafeBufferPointer { weights in
      for entry in features.entries {
        let base = Int(entry.bucket) * count
        for output in 0..<count { sums[output] += Float(weights[base + output]) * entry.value }
      }
    }
    for output in 0..<count { sums[output] = sums[output] * scales[output] + biases[output] }
    return Scores(values: sums)
  }

  /// Returns the contribution of a feature to the score of an output.
  func contribution(_ entry: FeatureVector.Entry, _ output: Int) -> Float {
    Float(weights[Int(entry.bucket) * Head.outputs + output]) * entry.value * scales[output]
  }

  /// Returns the inverse document frequency of a bucket in the training messages.
  func rarity(of bucket: Int32) -> Float { Float(rarity[Int(bucket)]) / 25 }
}

/// The logistic calibration that turns the similarity of the best question, and its margin over the second, into a confidence.
public struct MatchCalibration: Sendable, Codable {
  /// The coefficient of the best question's similarity.
  public var similarity: Float
  /// The coefficient of the margin over the second question.
  public var margin: Float
  /// The intercept.
  public var bias: Float
  /// The coefficient of the form of a question: a question mark or a question word.
  public var form: Float = 0

  /// The calibration for embeddings, fitted to `questions.tsv` by ``init(fitting:model:vectors:)``. A test with the sentence model
  /// fits it again and compares.
  public static let withMeaning = MatchCalibration(similarity: 18.919, margin: 7.807, bias: -8.718)

  func confidence(_ best: Float, _ second: Float, isQuestion: Bool = false) -> Float {
    sigmoid(similarity * best + margin * (best - second) + bias + (isQuestion ? form : 0))
  }
}

/// The logistic calibration that turns the similarity of a question with an intent, and the probability of that intent, into a confidence.
struct IntentCalibration: Sendable, Equatable {
  /// The coefficient of the question's similarity.
  var similarity: Float = 0
  /// The coefficient of the intent's evidence.
  var intent: Float = 0
  /// The intercept.
  var bias: Float = 0

  func confidence(_ similarity: Float, _ evidence: Float) -> Float {
    sigmoid(self.similarity * similarity + intent * evidence + bias)
  }

  /// Returns the evidence of an intent with a probability: an eighth of the log-odds, within ±1.2.
  static func evidence(_ probability: Float) -> Float {
    let limited = min(max(probability, 1e-4), 1 - 1e-4)
    return logarithm(limited / (1 - limited)) / 8
  }
}

/// An error of a file with weights, labels or a vocabulary.
public struct WeightsError: Error, CustomStringConvertible {
  /// The error and its remedy.
  public let description: String
}

extension MessageModel {
  private static let magic: [UInt8] = Array("SORTEDW3".utf8)

  /// The content of a file of weights.
  public var data: Data {
    var data = Data(Self.magic)
    for number in [UInt32(FeatureExtractor.buckets), UInt32(Head.outputs)] {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
    let calibrations = [
      matching.similarity, matching.margin, matching.bias, matching.form, intentMatching.similarity,
      intentMatching.intent,
      intentMatching.bias,
    ]
    for number in scales + biases + thresholds + intents.scales + intents.biases + calibrations {
      withUnsafeBytes(of: number.bitPattern.littleEndian) { data.append(contentsOf: $0) }
    }
    data.append(contentsOf: rarity)
    data.append(contentsOf: (weights + intents.weights).map { UInt8(bitPattern: $0) })
    return data
  }

  /// Reads a file of weights.
  /// - Throws: ``WeightsError`` if the data is not a file of weights, or if its size differs from this program's weights.
  public init(_ data: Data) throws {
    let bytes = [UInt8](data)
    let outputs = Head.outputs
    let intentFloats = 2 * outputs + Self.guessed.count
    let matchFloats = intentFloats + 2 * IntentHead.outputs
    let floats = matchFloats + 7
    let head = Self.magic.count + 8
    let start = head + 4 * floats
    let middle = start + FeatureExtractor.buckets
    let last = middle + FeatureExtractor.buckets * outputs
    let expected = last + IntentHead.buckets * IntentHead.outputs
    guard bytes.starts(with: Self.magic) else {
      throw WeightsError(description: "the file does not have weights of Sorted; make train writes them")
    }
    guard bytes.count == expected else {
      throw WeightsError(
        description: "the file of weights has \(bytes.count) bytes instead of \(expected); make train writes it again")
    }
    func float(_ index: Int) -> Float {
      let start = head + 4 * index
      return Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * $1) })
    }
    let matching = (matchFloats..<floats).map(float)
    self.init(
      weights: bytes[middle..<last].map { Int8(bitPattern: $0) }, scales: (0..<outputs).map(float),
      biases: (outputs..<2 * outputs).map(float), rarity: Array(bytes[start..<middle]),
      thresholds: Self.guessed.indices.map { float(2 * outputs + $0) },
      matching: MatchCalibration(similarity: matching[0], margin: matching[1], bias: matching[2], form: matching[3]),
      intents: IntentHead(
        weights: bytes[last...].map { Int8(bitPattern: $0) },
        scales: (0..<IntentHead.outputs).map { float(intentFloats + $0) },
        biases: (IntentHead.outputs..<2 * IntentHead.outputs).map { float(intentFloats + $0) }))
    intentMatching = IntentCalibration(similarity: matching[4], intent: matching[5], bias: matching[6])
  }

  /// Returns the weights that come with the program.
  /// - Throws: ``WeightsError`` or the error of the file system, for example if the program was copied without its resources.
  public static func shipped() throws -> MessageModel { try shippedResult.get() }

  private static let shippedResult = Result {
    guard let url = Bundle.module.url(forResource: "weights", withExtension: "bin", subdirectory: "Weights") else {
      throw WeightsError(
        description: "the folder Sorted_AssistModel.resources is missing; copy it to the folder of the program")
    }
    return try MessageModel(Data(contentsOf: url))
  }
}
