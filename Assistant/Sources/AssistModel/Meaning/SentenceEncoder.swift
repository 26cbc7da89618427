import AssistKernels
import Foundation

/// Encodes texts as sentence embeddings with the model all-MiniLM-L6-v2, a BERT encoder of six layers.
///
/// The model reads English. Texts with the same meaning in different words have similar vectors. The vector of a text is the mean
/// of its tokens' vectors, scaled to the norm 1.
public struct SentenceEncoder: Sendable {
  /// The number of dimensions of a vector.
  public static let dimensions = 384
  /// The largest number of tokens of a text, with the tokens for its beginning and its end. The model was trained with this limit.
  public static let maximumPieces = 256

  /// The version of the vectors. It increases with each change of the model or the tokenizer. A stored vector has the version that
  /// made it.
  public static let version = 1

  /// The sizes of a model. Tests make small models.
  public struct Shape: Sendable {
    /// The number of tokens in the vocabulary.
    var pieces: Int
    var layers: Int
    /// The width of the feed-forward layers.
    var inner: Int
    /// The number of position embeddings.
    var positions: Int

    /// The sizes of all-MiniLM-L6-v2, unless others are given.
    public init(pieces: Int = 30_522, layers: Int = 6, inner: Int = 1_536, positions: Int = 512) {
      (self.pieces, self.layers, self.inner, self.positions) = (pieces, layers, inner, positions)
    }
  }

  private static let heads = 12
  /// The largest number of tokens in a batch of several texts.
  private static let batch = 512

  private let shape: Shape
  private let tokenizer: WordPiece
  private let wordEmbeddings: TensorFile.Rows
  private let positionEmbeddings: TensorFile.Rows
  /// The embedding of the token type 0. BERT has two types for pairs of texts, and this encoder reads single texts.
  private let typeEmbedding: [Float]
  private let embeddingNorm: LayerNorm
  private let layers: [Layer]

  /// Loads the model.
  /// - Parameters:
  ///   - folder: the folder with `model.safetensors` and `vocab.txt`.
  ///   - shape: the sizes of the model.
  /// - Throws: ``WeightsError`` if a file does not fit the model; the error of the file system.
  public init(folder: URL, shape: Shape = Shape()) throws {
    self.shape = shape
    tokenizer = try WordPiece(
      vocabulary: String(contentsOf: folder.appendingPathComponent("vocab.txt"), encoding: .utf8), count: shape.pieces)
    let file = try TensorFile(folder.appendingPathComponent("model.safetensors"))
    let width = Self.dimensions
    wordEmbeddings = try file.rows("embeddings.word_embeddings.weight", [shape.pieces, width])
    positionEmbeddings = try file.rows("embeddings.position_embeddings.weight", [shape.positions, width])
    typeEmbedding = Array(try file.floats("embeddings.token_type_embeddings.weight", [2, width]).prefix(width))
    embeddingNorm = try LayerNorm(file, "embeddings.LayerNorm")
    layers = try (0..<shape.layers).map { try Layer(file, "encoder.layer.\($0)", inner: shape.inner) }
  }

  /// Returns the ids of a text's tokens.
  func ids(of text: String) -> [Int32] { tokenizer.ids(of: text, limit: Self.maximumPieces) }

  /// Encodes texts as vectors of the norm 1.
  /// - Complexity: linear in the number of texts, and quadratic in the number of tokens of each text.
  public func vectors(of texts: [String]) -> [[Float]] {
    var result: [[Float]] = []
    result.reserveCapacity(texts.count)
    var waiting: [[Int32]] = []
    var count = 0
    for text in texts {
      let ids = ids(of: text)
      if count + ids.count > Self.batch {
        result += encode(waiting, count)
        (waiting, count) = ([], 0)
      }
      waiting.append(ids)
      count += ids.count
    }
    return result + encode(waiting, count)
  }

  // MARK: - The layers

  /// A dense layer: a matrix and a bias.
  private struct Dense: Sendable {
    let outputs: Int
    let inputs: Int
    private let packed: [Float]
    private let bias: [Float]

    /// Reads the matrices with some names and stacks them.
    init(_ file: TensorFile, _ names: [String], _ outputs: Int, _ inputs: Int) throws {
      self.outputs = outputs * names.count
      self.inputs = inputs
      let matrix = try names.flatMap { try file.floats("\($0).weight", [outputs, inputs]) }
      bias = try names.flatMap { try file.floats("\($0).bias", [outputs]) }
      packed = [Float](unsafeUninitializedCapacity: matrix.count) { buffer, count in
        assist_pack(matrix, outputs * names.count, inputs, buffer.baseAddress!)
        count = matrix.count
      }
    }

    func apply(_ x: [Float], _ rows: Int, to y: inout [Float]) {
      assist_multiply(x, rows, packed, bias, outputs, inputs, &y)
    }
  }

  /// A layer normalization: it normalizes each row to mean 0 and variance 1, then scales and shifts it.
  private struct LayerNorm: Sendable {
    private let scale: [Float]
    private let shift: [Float]

    init(_ file: TensorFile, _ name: String) throws {
      scale = try file.floats("\(name).weight", [SentenceEncoder.dimensions])
      shift = try file.floats("\(name).bias", [SentenceEncoder.dimensions])
    }

    /// Normalizes rows in place.
    /// - Parameter residual: the values that are added to the rows first.
    func apply(_ values: inout [Float], _ rows: Int, residual: [Float]? = nil) {
      assist_normalize(&values, residual, rows, SentenceEncoder.dimensions, scale, shift)
    }
  }

  /// A transformer layer: self-attention and a feed-forward network, each with a residual connection.
  private struct Layer: Sendable {
    /// The projections to queries, keys and values, stacked.
    let attention: Dense
    let attentionOutput: Dense
    let attentionNorm: LayerNorm
    let feedForwardIn: Dense
    let feedForwardOut: Dense
    let norm: LayerNorm

    init(_ file: TensorFile, _ name: String, inner: Int) throws {
      let width = SentenceEncoder.dimensions
      attention = try Dense(
        file, ["query", "key", "value"].map { "\(name).attention.self.\($0)" }, width, width)
      attentionOutput = try Dense(file, ["\(name).attention.output.dense"], width, width)
      attentionNorm = try LayerNorm(file, "\(name).attention.output.LayerNorm")
      feedForwardIn = try Dense(file, ["\(name).intermediate.dense"], inner, width)
      feedForwardOut = try Dense(file, ["\(name).output.dense"], width, inner)
      norm = try LayerNorm(file, "\(name).output.LayerNorm")
    }
  }

  private func encode(_ texts: [[Int32]], _ rows: Int) -> [[Float]] {
    guard rows > 0 else { return [] }
    var x = input(texts, rows)
    var projections = [Float](repeating: 0, count: rows * 3 * Self.dimensions)
    var attended = [Float](repeating: 0, count: rows * Self.dimensions)
    var output = attended
    var inner = [Float](repeating: 0, count: rows * shape.inner)
    var scratch = [Float](repeating: 0, count: Self.maximumPieces)
    for layer in layers {
      layer.attention.apply(x, rows, to: &projections)
      var row = 0
      for text in texts {
        let (from, to) = (row * 3 * Self.dimensions, row * Self.dimensions)
        projections.withUnsafeBufferPointer { projections in
          attended.withUnsafeMutableBufferPointer { attended in
            assist_attend(
              projections.baseAddress! + from, text.count, Self.heads, &scratch, attended.baseAddress! + to)
          }
        }
        row += text.count
      }
      layer.attentionOutput.apply(attended, rows, to: &output)
      layer.attentionNorm.apply(&x, rows, residual: output)
      layer.feedForwardIn.apply(x, rows, to: &inner)
      assist_gelu(&inner, inner.count)
      layer.feedForwardOut.apply(inner, rows, to: &output)
      layer.norm.apply(&x, rows, residual: output)
    }
    return meanPooled(x, texts)
  }

  /// Returns the input of the first layer: for each token the normalized sum of its word, position and type embeddings.
  private func input(_ texts: [[Int32]], _ rows: Int) -> [Float] {
    let width = Self.dimensions
    var x = [Float](repeating: 0, count: rows * width)
    var positionEmbedding = [Float](repeating: 0, count: width)
    x.withUnsafeMutableBufferPointer { x in
      var row = 0
      for text in texts {
        for (position, id) in text.enumerated() {
          let target = x.baseAddress! + row * width
          wordEmbeddings.copy(Int(id), to: target)
          positionEmbeddings.copy(position, to: &positionEmbedding)
          for i in 0..<width { target[i] += positionEmbedding[i] + typeEmbedding[i] }
          row += 1
        }
      }
    }
    embeddingNorm.apply(&x, rows)
    return x
  }

  /// Returns the normalized mean of the rows of each text.
  private func meanPooled(_ x: [Float], _ texts: [[Int32]]) -> [[Float]] {
    let width = Self.dimensions
    var row = 0
    return texts.map { text in
      var sum = [Float](repeating: 0, count: width)
      for _ in text {
        for i in 0..<width { sum[i] += x[row * width + i] }
        row += 1
      }
      let length = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return length > 0 ? sum.map { $0 / length } : sum
    }
  }
}
