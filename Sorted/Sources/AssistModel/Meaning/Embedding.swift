import AssistKernels
import Foundation

/// The direction of a vector of meaning, in 8 bits for each number: what a store keeps of a text.
///
/// The rounding changes the cosine of two texts by less than 0.01.
package struct MeaningVector: Sendable, Equatable {
  private let bytes: [Int8]
  /// 1 by the vector's length.
  private let scale: Float

  /// Rounds a vector.
  package init(_ vector: [Float]) {
    let greatest = vector.reduce(0) { max($0, abs($1)) }
    self.init(bytes: vector.map { greatest > 0 ? Int8(($0 / greatest * 127).rounded()) : 0 })
  }

  /// Reads the bytes of a store; nil if they are not a vector.
  package init?(_ data: Data) {
    guard data.count == SentenceEncoder.dimensions else { return nil }
    self.init(bytes: data.map { Int8(bitPattern: $0) })
  }

  private init(bytes: [Int8]) {
    self.bytes = bytes
    let square = assist_dot(bytes, bytes, bytes.count)
    scale = square > 0 ? 1 / Float(square).squareRoot() : 0
  }

  /// The bytes that a store keeps.
  package var data: Data { Data(bytes.map { UInt8(bitPattern: $0) }) }

  /// The numbers, scaled to length 1.
  package var floats: [Float] { bytes.map { Float($0) * scale } }

  /// The cosine of the angle to another one: 1 for the same direction, about 0 for texts that have nothing in common.
  package func similarity(to other: MeaningVector) -> Float {
    Float(assist_dot(bytes, other.bytes, bytes.count)) * scale * other.scale
  }

  /// The same with the bytes of a store, without a copy of them; nil if they are not a vector.
  package func similarity(to data: Data) -> Float? {
    guard data.count == bytes.count else { return nil }
    return data.withUnsafeBytes { other in
      let other = other.bindMemory(to: Int8.self).baseAddress!
      let square = assist_dot(other, other, bytes.count)
      return square > 0 ? Float(assist_dot(bytes, other, bytes.count)) * scale / Float(square).squareRoot() : 0
    }
  }
}
