import AssistKernels
import Foundation

/// Turns texts into vectors of their meaning: the model all-MiniLM-L6-v2, a BERT encoder of six layers.
///
/// Texts that say the same in other words have vectors that point the same way. The model reads English. The vector of a text
/// is the mean of the vectors of its pieces, scaled to length 1.
package struct SentenceEncoder: Sendable {
  /// How many numbers a vector has.
  package static let dimensions = 384
  /// Of longer texts only so many pieces count, the marks of begin and end included. The model was trained with no more.
  package static let maximumPieces = 256

  /// Counts up with each model or way of reading that gives other vectors. A store's vectors remember which one made them.
  package static let version = 1

  /// The size of a model. Tests make small ones.
  package struct Shape: Sendable {
    var pieces: Int
    var layers: Int
    /// The width inside a layer.
    var inner: Int
    var positions: Int

    package init(pieces: Int = 30_522, layers: Int = 6, inner: Int = 1_536, positions: Int = 512) {
      (self.pieces, self.layers, self.inner, self.positions) = (pieces, layers, inner, positions)
    }
  }

  private static let heads = 12
  /// How many pieces, of several texts, are encoded together.
  private static let batch = 512

  private let shape: Shape
  private let pieces: WordPiece
  private let words: TensorFile.Rows
  private let positions: TensorFile.Rows
  /// What is added to each piece: the model tells two texts of a pair apart, and there is only one.
  private let kind: [Float]
  private let start: Norm
  private let layers: [Layer]

  /// Loads the model.
  /// - Parameter folder: where `model.safetensors` and `vocab.txt` are.
  /// - Throws: ``WeightsError`` if they do not fit the model; the error of the file system.
  package init(folder: URL) throws { try self.init(folder: folder, shape: Shape()) }

  package init(folder: URL, shape: Shape) throws {
    self.shape = shape
    pieces = try WordPiece(
      vocabulary: String(contentsOf: folder.appendingPathComponent("vocab.txt"), encoding: .utf8), count: shape.pieces)
    let file = try TensorFile(folder.appendingPathComponent("model.safetensors"))
    let width = Self.dimensions
    words = try file.rows("embeddings.word_embeddings.weight", [shape.pieces, width])
    positions = try file.rows("embeddings.position_embeddings.weight", [shape.positions, width])
    kind = Array(try file.floats("embeddings.token_type_embeddings.weight", [2, width]).prefix(width))
    start = try Norm(file, "embeddings.LayerNorm")
    layers = try (0..<shape.layers).map { try Layer(file, "encoder.layer.\($0)", inner: shape.inner) }
  }

  /// The ids of the pieces of a text.
  func ids(of text: String) -> [Int32] { pieces.ids(of: text, limit: Self.maximumPieces) }

  /// The vectors of texts, each of length 1.
  /// - Complexity: linear in the pieces of the texts, and in the square of the pieces of each.
  package func vectors(of texts: [String]) -> [[Float]] {
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

  /// A matrix and what is added to its products.
  private struct Dense: Sendable {
    let outputs: Int
    let inputs: Int
    private let packed: [Float]
    private let bias: [Float]

    /// Reads the matrices of these names, one below the other.
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

  /// Brings each row to mean 0 and variance 1, then scales and shifts it.
  private struct Norm: Sendable {
    private let scale: [Float]
    private let shift: [Float]

    init(_ file: TensorFile, _ name: String) throws {
      scale = try file.floats("\(name).weight", [SentenceEncoder.dimensions])
      shift = try file.floats("\(name).bias", [SentenceEncoder.dimensions])
    }

    /// - Parameter added: what is added to the rows first.
    func apply(_ values: inout [Float], _ rows: Int, added: [Float]? = nil) {
      assist_normalize(&values, added, rows, SentenceEncoder.dimensions, scale, shift)
    }
  }

  private struct Layer: Sendable {
    let attention: Dense
    let afterAttention: Dense
    let attentionNorm: Norm
    let wide: Dense
    let narrow: Dense
    let norm: Norm

    init(_ file: TensorFile, _ name: String, inner: Int) throws {
      let width = SentenceEncoder.dimensions
      attention = try Dense(
        file, ["query", "key", "value"].map { "\(name).attention.self.\($0)" }, width, width)
      afterAttention = try Dense(file, ["\(name).attention.output.dense"], width, width)
      attentionNorm = try Norm(file, "\(name).attention.output.LayerNorm")
      wide = try Dense(file, ["\(name).intermediate.dense"], inner, width)
      narrow = try Dense(file, ["\(name).output.dense"], width, inner)
      norm = try Norm(file, "\(name).output.LayerNorm")
    }
  }

  private func encode(_ texts: [[Int32]], _ rows: Int) -> [[Float]] {
    guard rows > 0 else { return [] }
    var x = input(texts, rows)
    var triples = [Float](repeating: 0, count: rows * 3 * Self.dimensions)
    var mixed = [Float](repeating: 0, count: rows * Self.dimensions)
    var output = mixed
    var wide = [Float](repeating: 0, count: rows * shape.inner)
    var scratch = [Float](repeating: 0, count: Self.maximumPieces)
    for layer in layers {
      layer.attention.apply(x, rows, to: &triples)
      var row = 0
      for text in texts {
        let (from, to) = (row * 3 * Self.dimensions, row * Self.dimensions)
        triples.withUnsafeBufferPointer { triples in
          mixed.withUnsafeMutableBufferPointer { mixed in
            assist_attend(
              triples.baseAddress! + from, text.count, Self.heads, &scratch, mixed.baseAddress! + to)
          }
        }
        row += text.count
      }
      layer.afterAttention.apply(mixed, rows, to: &output)
      layer.attentionNorm.apply(&x, rows, added: output)
      layer.wide.apply(x, rows, to: &wide)
      assist_gelu(&wide, wide.count)
      layer.narrow.apply(wide, rows, to: &output)
      layer.norm.apply(&x, rows, added: output)
    }
    return means(x, texts)
  }

  /// Each piece as the sum of what it is and where it stands.
  private func input(_ texts: [[Int32]], _ rows: Int) -> [Float] {
    let width = Self.dimensions
    var x = [Float](repeating: 0, count: rows * width)
    var place = [Float](repeating: 0, count: width)
    x.withUnsafeMutableBufferPointer { x in
      var row = 0
      for text in texts {
        for (position, id) in text.enumerated() {
          let target = x.baseAddress! + row * width
          words.copy(Int(id), to: target)
          positions.copy(position, to: &place)
          for i in 0..<width { target[i] += place[i] + kind[i] }
          row += 1
        }
      }
    }
    start.apply(&x, rows)
    return x
  }

  private func means(_ x: [Float], _ texts: [[Int32]]) -> [[Float]] {
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
