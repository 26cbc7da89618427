import Foundation

/// The tensors of a safetensors file: a length, a JSON header with names, shapes and places, and the numbers.
///
/// The file is mapped into memory. Only what is read of it takes memory, and other processes share that.
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
    guard data.count >= 8 else { throw WeightsError(description: "\(url.path) is too short to have tensors") }
    let length = data.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    guard length <= UInt64(data.count - 8) else {
      throw WeightsError(description: "the header of \(url.path) is longer than the file")
    }
    start = 8 + Int(length)
    do {
      entries = try JSONDecoder().decode(
        [String: Entry].self, from: data[data.startIndex + 8..<data.startIndex + start])
    } catch {
      throw WeightsError(description: "\(url.path) has no header of tensors")
    }
  }

  /// The numbers of a tensor of 32-bit floats, row by row.
  /// - Throws: ``WeightsError`` where the file lacks it or has it in another shape.
  func floats(_ name: String, _ shape: [Int]) throws -> [Float] {
    let bytes = try place(of: name, shape)
    return [Float](unsafeUninitializedCapacity: bytes.count / 4) { buffer, count in
      count = data.copyBytes(to: buffer, from: bytes) / 4
    }
  }

  /// A tensor whose rows are read one by one.
  /// - Throws: ``WeightsError`` where the file lacks it or has it in another shape.
  func rows(_ name: String, _ shape: [Int]) throws -> Rows {
    Rows(data: data, start: try place(of: name, shape).lowerBound, width: shape[1])
  }

  /// A matrix that stays in the file.
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

  private func place(of name: String, _ shape: [Int]) throws -> Range<Int> {
    guard let entry = entries[name], entry.dtype == "F32", entry.shape == shape,
      let places = entry.data_offsets, places.count == 2, places[0] >= 0, places[1] >= places[0],
      places[1] - places[0] == shape.reduce(4, *), places[1] <= data.count - start
    else {
      throw WeightsError(
        description: "the weights have no tensor \(name) of 32-bit floats in the shape \(shape);"
          + " `sorted assist --install` installs the right ones")
    }
    return data.startIndex + start + places[0]..<data.startIndex + start + places[1]
  }
}
