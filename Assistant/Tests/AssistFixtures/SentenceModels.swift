public import AssistModel
import Foundation

/// Sentence models for tests.
public enum SentenceModels {
  /// Where `scripts/assist-model` installed the real one for this run.
  public static let isInstalled = ProcessInfo.processInfo.environment["SORTED_MODELS"] != nil

  /// The shape of the small model.
  public static let smallShape = SentenceEncoder.Shape(
    pieces: smallVocabulary.count, layers: 1, inner: smallInner, positions: SentenceEncoder.maximumPieces)

  private static let smallInner = 64

  /// The pieces that the small model knows.
  public static let smallVocabulary: [String] =
    [
      "[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "wor", "##ld", "!", "?", "refund", "camera", "which", "do", "you",
      "use",
    ]
    + (UInt8(ascii: "a")...UInt8(ascii: "z")).flatMap { [String(UnicodeScalar($0)), "##" + String(UnicodeScalar($0))] }
    + (0...9).flatMap { ["\($0)", "##\($0)"] }

  /// A real encoder with one layer, few pieces and random weights. Equal texts have equal vectors, and texts that share words
  /// have similar ones, which is all that the store's tests need.
  ///
  /// - Throws: an error of the temporary files, or of the encoder that reads them.
  public static func smallEncoder() throws -> SentenceEncoder {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("SentenceModels-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // The file stays mapped after the folder is gone.
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data((smallVocabulary.joined(separator: "\n") + "\n").utf8).write(
      to: folder.appendingPathComponent("vocab.txt"))
    try Data(smallFile()).write(to: folder.appendingPathComponent("model.safetensors"))
    return try SentenceEncoder(folder: folder, shape: smallShape)
  }

  /// The tensors of the small model: names and shapes.
  private static let smallTensors: [(name: String, shape: [Int])] = {
    let width = SentenceEncoder.dimensions
    func norm(_ name: String) -> [(String, [Int])] { [("\(name).weight", [width]), ("\(name).bias", [width])] }
    func dense(_ name: String, _ outputs: Int, _ inputs: Int) -> [(String, [Int])] {
      [("\(name).weight", [outputs, inputs]), ("\(name).bias", [outputs])]
    }
    let layer = "encoder.layer.0"
    return [
      ("embeddings.word_embeddings.weight", [smallVocabulary.count, width]),
      ("embeddings.position_embeddings.weight", [SentenceEncoder.maximumPieces, width]),
      ("embeddings.token_type_embeddings.weight", [2, width]),
    ] + norm("embeddings.LayerNorm")
      + ["query", "key", "value"].flatMap { dense("\(layer).attention.self.\($0)", width, width) }
      + dense("\(layer).attention.output.dense", width, width) + norm("\(layer).attention.output.LayerNorm")
      + dense("\(layer).intermediate.dense", smallInner, width)
      + dense("\(layer).output.dense", width, smallInner) + norm("\(layer).output.LayerNorm")
  }()

  /// The bytes of the small model's file, in the format safetensors.
  ///
  /// - Throws: an error of the JSON encoder.
  public static func smallFile() throws -> [UInt8] {
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
  public struct Numbers {
    private var state: UInt64
    /// Numbers that depend on the seed alone.
    public init(seed: UInt64) { state = seed }
    /// The next number.
    public mutating func next() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
    }
  }
}
