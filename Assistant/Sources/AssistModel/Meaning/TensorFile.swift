import Foundation

/// A safetensors file: the length of a JSON header, the header with the names, shapes and offsets of tensors, and the numbers.
///
/// The file is memory-mapped. Only the pages that are read take memory, and other processes share them.
struct TensorFile {
  private struct Entry: Decodable {
    var dtype: String?
    var shape: [Int]?
    var data_offsets: [Int]?
  }

  private let data: Data
  private let start: Int
  private let entries: [String: Entry]

  /// Opens a file.
  /// - Throws: ``WeightsError`` if it is not a safetensors file; the error of the file system.
  init(_ url: URL) throws {
    data = try Data(contentsOf: url, options: .alwaysMapped)
    guard data.count >= 8 else {
      throw WeightsError(description: "the file \(url.path) is too short for tensors; install the model again")
    }
    let length = data.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    guard length <= UInt64(data.count - 8) else {
      throw WeightsError(
        description: "the header of the file \(url.path) is longer than the file; install the model again")
    }
    start = 8 + Int(length)
    do {
      entries = try JSONDecoder().decode(
        [String: Entry].self, from: data[data.startIndex + 8..<data.startIndex + start])
    } catch {
      throw WeightsError(description: "the file \(url.path) has no header of tensors; install the model again")
    }
  }

  /// Returns the numbers of a tensor of 32-bit floats, row by row.
  /// - Throws: ``WeightsError`` if the file lacks the tensor or has it in another shape.
  func floats(_ name: String, _ shape: [Int]) throws -> [Float] {
    let bytes = try byteRange(of: name, shape)
    return [Float](unsafeUninitializedCapacity: bytes.count / 4) { buffer, count in
      count = data.copyBytes(to: buffer, from: bytes) / 4
    }
  }

  /// Returns a tensor whose rows are read one by one.
  /// - Throws: ``WeightsError`` if the file lacks the tensor or has it in another shape.
  func rows(_ name: String, _ shape: [Int]) throws -> Rows {
    Rows(data: data, start: try byteRange(of: name, shape).lowerBound, width: shape[1])
  }

  /// A matrix whose rows stay in the file until they are read.
  struct Rows: Sendable {
    fileprivate let data: Data
    fileprivate let start: Int
    let width: Int

    /// Copies a row.
    func copy(_ row: Int, to target: UnsafeMutablePointer<Float>) {
      let first = start + row * width * 4
      data.copyBytes(to: UnsafeMutableBufferPointer(start: target, count: width), from: first..<(first + width * 4))
    }
  }

  private func byteRange(of name: String, _ shape: [Int]) throws -> Range<Int> {
    guard let entry = entries[name], entry.dtype == "F32", entry.shape == shape,
      let offsets = entry.data_offsets, offsets.count == 2, offsets[0] >= 0, offsets[1] >= offsets[0],
      offsets[1] - offsets[0] == shape.reduce(4, *), offsets[1] <= data.count - start
    else {
      throw WeightsError(
        description: "the weights have no tensor \(name) of 32-bit floats in the shape \(shape);"
          + " `sorted assist --install` installs the right weights")
    }
    return data.startIndex + start + offsets[0]..<data.startIndex + start + offsets[1]
  }
}
