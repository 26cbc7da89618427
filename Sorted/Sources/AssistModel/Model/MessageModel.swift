import Foundation

/// The trained weights of all heads. One pass over the features of a message gives what every head says.
///
/// The weights are 8-bit integers with one scale for each output, so that the file stays below 1 MB.
public struct MessageModel: Sendable {
  /// Counts up with each set of weights that judges differently. A store's messages remember which one judged them.
  public static let version = 1

  /// By bucket, then by output of all heads.
  private(set) var weights: [Int8]
  private(set) var scales: [Float]
  private(set) var biases: [Float]
  /// How rare each bucket is in the training messages, in 25ths.
  private(set) var rarity: [UInt8]
  /// The numbers that turn the similarity of a question into a confidence (see ``QuestionMatcher``).
  private(set) var matching: MatchCalibration

  init(weights: [Int8], scales: [Float], biases: [Float], rarity: [UInt8], matching: MatchCalibration) {
    self.weights = weights
    self.scales = scales
    self.biases = biases
    self.rarity = rarity
    self.matching = matching
  }

  /// The scores of one message by all heads.
  public struct Scores: Sendable {
    /// The score of each output before it becomes a probability, in the order of the heads.
    var values: [Float]

    /// The probabilities of a head's outputs.
    public subscript(head: Head) -> [Float] {
      var scores = Array(values[head.offset..<(head.offset + head.labels.count)])
      if scores.count == 1 { return [sigmoid(scores[0])] }
      softmax(&scores)
      return scores
    }

    /// The probability of each kind, in the order of ``Kind``: spam has its own head, the others share the rest.
    public var kinds: [Float] {
      let spam = self[.spam][0]
      let rest = self[.category].map { $0 * (1 - spam) }
      return [rest[0], rest[1], spam, rest[2], rest[3]]
    }
  }

  /// Returns the scores of a message by all heads.
  /// - Complexity: features times outputs.
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

  /// How much one feature adds to an output.
  func contribution(_ entry: FeatureVector.Entry, _ output: Int) -> Float {
    Float(weights[Int(entry.bucket) * Head.outputs + output]) * entry.value * scales[output]
  }

  /// The rarity of a bucket: the logarithm of how few of the training messages have it.
  func rarity(of bucket: Int32) -> Float { Float(rarity[Int(bucket)]) / 25 }
}

/// The numbers that turn the similarity to the best question, and its lead over the second best, into a confidence.
public struct MatchCalibration: Sendable, Codable {
  /// The factor of the similarity of the best question.
  public var similarity: Float
  /// The factor of its lead over the second best.
  public var lead: Float
  /// The number that is added to both.
  public var bias: Float

  /// The confidence of matches by meaning, fitted to `questions.tsv` as the trainer fits the one by words
  /// (``init(fitting:model:vectors:)``). A test with the sentence model compares both.
  public static let withMeaning = MatchCalibration(similarity: 18.919, lead: 7.807, bias: -8.718)

  func confidence(_ best: Float, _ second: Float) -> Float {
    sigmoid(similarity * best + lead * (best - second) + bias)
  }
}

/// Why a model's file cannot be used.
public struct WeightsError: Error, CustomStringConvertible {
  /// The fault of the file.
  public let description: String
}

extension MessageModel {
  private static let magic: [UInt8] = Array("SORTEDW1".utf8)

  /// The bytes of a file of weights.
  public var data: Data {
    var data = Data(Self.magic)
    for number in [UInt32(FeatureExtractor.buckets), UInt32(Head.outputs)] {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
    for number in scales + biases + [matching.similarity, matching.lead, matching.bias] {
      withUnsafeBytes(of: number.bitPattern.littleEndian) { data.append(contentsOf: $0) }
    }
    data.append(contentsOf: rarity)
    data.append(contentsOf: weights.map { UInt8(bitPattern: $0) })
    return data
  }

  /// Reads a file of weights.
  /// - Throws: ``WeightsError`` where it is not one, or of another size than this program's.
  public init(_ data: Data) throws {
    let bytes = [UInt8](data)
    let outputs = Head.outputs
    let floats = 2 * outputs + 3
    let head = Self.magic.count + 8
    let expected = head + 4 * floats + FeatureExtractor.buckets * (1 + outputs)
    guard bytes.starts(with: Self.magic) else { throw WeightsError(description: "the file holds no weights of Sorted") }
    guard bytes.count == expected else {
      throw WeightsError(description: "the file of weights has \(bytes.count) bytes, not \(expected); train it again")
    }
    func float(_ index: Int) -> Float {
      let start = head + 4 * index
      return Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * $1) })
    }
    let start = head + 4 * floats
    let middle = start + FeatureExtractor.buckets
    self.init(
      weights: bytes[middle...].map { Int8(bitPattern: $0) }, scales: (0..<outputs).map(float),
      biases: (outputs..<2 * outputs).map(float), rarity: Array(bytes[start..<middle]),
      matching: MatchCalibration(
        similarity: float(2 * outputs), lead: float(2 * outputs + 1), bias: float(2 * outputs + 2)))
  }

  /// The weights that come with the program.
  /// - Throws: ``WeightsError``, or the error of the file system where the program was copied without its resources.
  public static func shipped() throws -> MessageModel { try shippedResult.get() }

  private static let shippedResult = Result {
    guard let url = Bundle.module.url(forResource: "weights", withExtension: "bin", subdirectory: "Weights") else {
      throw WeightsError(description: "the program was copied without its folder Sorted_AssistModel.resources")
    }
    return try MessageModel(Data(contentsOf: url))
  }
}
