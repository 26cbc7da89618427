import AssistKernels
import Foundation

/// The sentence embedding of a text, quantized to 8 bits for each dimension. A store keeps one for each message.
///
/// Quantization changes the cosine similarity of two texts by less than 0.01.
public struct Embedding: Sendable, Equatable {
  private let bytes: [Int8]
  /// The reciprocal of the norm of ``bytes``.
  private let scale: Float

  /// Quantizes a vector.
  public init(_ vector: [Float]) {
    let greatest = vector.reduce(0) { max($0, abs($1)) }
    self.init(bytes: vector.map { greatest > 0 ? Int8(($0 / greatest * 127).rounded()) : 0 })
  }

  /// Reads the bytes of a store; nil if their number differs from the number of dimensions.
  public init?(_ data: Data) {
    guard data.count == SentenceEncoder.dimensions else { return nil }
    self.init(bytes: data.map { Int8(bitPattern: $0) })
  }

  private init(bytes: [Int8]) {
    self.bytes = bytes
    let square = assist_dot(bytes, bytes, bytes.count)
    scale = square > 0 ? 1 / Float(square).squareRoot() : 0
  }

  /// The bytes that a store keeps.
  public var data: Data { Data(bytes.map { UInt8(bitPattern: $0) }) }

  /// The vector, scaled to the norm 1.
  public var floats: [Float] { bytes.map { Float($0) * scale } }

  /// Returns the cosine similarity to another embedding: 1 for the same direction, about 0 for unrelated texts.
  public func similarity(to other: Embedding) -> Float {
    Float(assist_dot(bytes, other.bytes, bytes.count)) * scale * other.scale
  }

  /// Returns the cosine similarity to the bytes of a store without copying them; nil if their number differs from the number of
  /// dimensions.
  public func similarity(to data: Data) -> Float? {
    guard data.count == bytes.count else { return nil }
    return data.withUnsafeBytes { other in
      let other = other.bindMemory(to: Int8.self).baseAddress!
      let square = assist_dot(other, other, bytes.count)
      return square > 0 ? Float(assist_dot(bytes, other, bytes.count)) * scale / Float(square).squareRoot() : 0
    }
  }
}
