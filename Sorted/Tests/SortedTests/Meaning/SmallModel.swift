import Foundation
import Testing

@testable import AssistModel
@testable import Sorted

/// Sentence models for tests.
enum SentenceModels {
  /// Where `scripts/assist-model` installed the real one for this run.
  static let isInstalled = ProcessInfo.processInfo.environment["SORTED_MODELS"] != nil

  static func installed() throws -> MeaningModel { try #require(try MeaningModel.installed()) }

  /// A real encoder with one layer, few pieces and random weights. Equal texts have equal vectors, and texts that share words
  /// have similar ones, which is all that the store's tests need.
  static func small() throws -> MeaningModel { MeaningModel(try smallEncoder()) }

  static let smallShape = SentenceEncoder.Shape(
    pieces: smallVocabulary.count, layers: 1, inner: 64, positions: SentenceEncoder.maximumPieces)

  static let smallVocabulary: [String] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "wor", "##ld", "##s", "!", "?", "refund", "camera", "which", "do", "you", "use"]
    + (UInt8(ascii: "a")...UInt8(ascii: "z")).flatMap { [String(UnicodeScalar($0)), "##" + String(UnicodeScalar($0))] }
    + (0...9).flatMap { ["\($0)", "##\($0)"] }

  static func smallEncoder() throws -> SentenceEncoder {
    let folder = try TemporaryFolder()
    try folder.write("vocab.txt", smallVocabulary.joined(separator: "\n") + "\n")
    try folder.write("model.safetensors", smallFile())
    // The file stays mapped after the folder is gone.
    return try SentenceEncoder(folder: folder.url, shape: smallShape)
  }

  /// The tensors of the small model: names and shapes.
  static let smallTensors: [(name: String, shape: [Int])] = {
    let width = SentenceEncoder.dimensions
    func norm(_ name: String) -> [(String, [Int])] { [("\(name).weight", [width]), ("\(name).bias", [width])] }
    func dense(_ name: String, _ outputs: Int, _ inputs: Int) -> [(String, [Int])] {
      [("\(name).weight", [outputs, inputs]), ("\(name).bias", [outputs])]
    }
    let layer = "encoder.layer.0"
    return [
      ("embeddings.word_embeddings.weight", [smallShape.pieces, width]),
      ("embeddings.position_embeddings.weight", [smallShape.positions, width]),
      ("embeddings.token_type_embeddings.weight", [2, width]),
    ] + norm("embeddings.LayerNorm")
      + ["query", "key", "value"].flatMap { dense("\(layer).attention.self.\($0)", width, width) }
      + dense("\(layer).attention.output.dense", width, width) + norm("\(layer).attention.output.LayerNorm")
      + dense("\(layer).intermediate.dense", smallShape.inner, width)
      + dense("\(layer).output.dense", width, smallShape.inner) + norm("\(layer).output.LayerNorm")
  }()

  static func smallFile() throws -> [UInt8] {
    var header: [String: [String: Any]] = ["__metadata__": ["format": "pt"]]
    var numbers: [Float] = []
    var random = Numbers(seed: 25)
    for (name, shape) in smallTensors {
      let count = shape.reduce(1, *)
      let start = 4 * numbers.count
      header[name] = ["dtype": "F32", "shape": shape, "data_offsets": [start, start + 4 * count]]
      // Places count less than words, so that word order hardly matters.
      let scale: Float = name.contains("position") ? 0.1 : name.contains("word") ? 1 : 0.05
      let isScale = name.hasSuffix("LayerNorm.weight")
      for _ in 0..<count { numbers.append(isScale ? 1 : scale * random.next()) }
    }
    let json = try JSONSerialization.data(withJSONObject: header)
    return withUnsafeBytes(of: UInt64(json.count).littleEndian, Array.init) + Array(json)
      + numbers.withUnsafeBytes(Array.init)
  }

  /// Reproducible numbers between -1 and 1.
  struct Numbers {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
    }
  }
}
