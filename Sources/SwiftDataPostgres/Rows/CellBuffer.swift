import Foundation
import SwiftData

/// Cells in the server's binary format, each preceded by its length, for `COPY` and arrays.
final class CellBuffer {
  // Unchecked, because appending bytes runs no other code.
  @exclusivity(unchecked) private var start: UnsafeMutableRawPointer
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var capacity: Int

  init(capacity: Int = 1 << 12) {
    self.capacity = capacity
    start = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { start.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  func removeAll() { count = 0 }

  /// Drops everything after a position.
  func truncate(to count: Int) { self.count = count }

  @inline(__always)
  private func reserve(_ more: Int) -> UnsafeMutableRawPointer {
    if count + more > capacity { grow(more) }
    defer { count += more }
    return start + count
  }

  @inline(never)
  private func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = larger
  }

  /// Appends a number in network byte order.
  @inline(__always)
  func append<I: FixedWidthInteger>(_ value: I) {
    reserve(MemoryLayout<I>.size).storeBytes(of: value.bigEndian, as: I.self)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    reserve(bytes.count).copyMemory(from: source, byteCount: bytes.count)
  }

  // MARK: - Cells

  @inline(__always)
  func appendNull() { append(UInt32.max) }

  @inline(__always)
  func appendCell(_ value: Int64) {
    let place = reserve(12)
    place.storeBytes(of: UInt32(8).bigEndian, as: UInt32.self)
    (place + 4).storeBytes(of: value.bigEndian, as: Int64.self)
  }

  func appendCell(_ value: Double) { appendCell(Int64(bitPattern: value.bitPattern)) }

  /// - Parameter version: a byte before the others, with which `jsonb` begins.
  func appendCell(_ bytes: UnsafeRawBufferPointer, version: UInt8? = nil) {
    append(UInt32(bytes.count + (version == nil ? 0 : 1)))
    if let version { append(version) }
    append(bytes)
  }

  func appendCell(_ value: SQLValue, _ type: PostgresType) {
    switch value {
    case .null: appendNull()
    case .integer(let value):
      if type == .bool {
        append(UInt32(1))
        append(UInt8(value == 0 ? 0 : 1))
      } else {
        appendCell(value)
      }
    case .real(let value): appendCell(value)
    case .text(var value): value.withUTF8 { appendCell(UnsafeRawBufferPointer($0), version: type == .jsonb ? 1 : nil) }
    case .blob(let value): value.withUnsafeBytes { appendCell($0) }
    }
  }
}

/// Rows for one statement: for `COPY`, or for one with an array parameter per column.
final class RowBuffer {
  let columns: [(name: String, type: PostgresType)]
  let cells = CellBuffer()
  private(set) var count = 0

  init(_ columns: [(String, PostgresType)]) { self.columns = columns.map { ($0.0, $0.1) } }

  /// Begins a row. Its cells follow in the order of the columns.
  func beginRow() {
    // The header of a row in COPY's format.
    cells.append(UInt16(columns.count))
    count += 1
  }

  /// Removes the row that begins at a position.
  func removeRow(at place: Int) {
    cells.truncate(to: place)
    count -= 1
  }

  func append(_ row: [SQLValue]) {
    beginRow()
    for (value, column) in zip(row, columns) { cells.appendCell(value, column.type) }
  }

  func removeAll() {
    cells.removeAll()
    count = 0
  }

  // MARK: - Statements

  /// The quoted names of the columns, as a list.
  static func list(_ columns: [(name: String, type: PostgresType)]) -> String {
    columns.map(\.name.quotedIdentifier).joined(separator: ", ")
  }
  var list: String { Self.list(columns) }

  /// The rows as a source for `FROM`. Parameters count from `first`.
  static func source(_ columns: [(name: String, type: PostgresType)], first: Int = 1) -> String {
    let arrays = columns.enumerated().map { "$\($0.offset + first)::\($0.element.type.name)[]" }
    return "unnest(\(arrays.joined(separator: ", ")))"
  }
  func source(first: Int = 1) -> String { Self.source(columns, first: first) }

  /// An array of all values per column.
  var parameters: [PostgresParameter] {
    parts(Int.max, bytes: Int.max).first?.parameters ?? columns.map { .array([], $0.type) }
  }

  /// The parameters of statements of bounded size, with the number of rows in each.
  /// - Parameters:
  ///   - size: the most rows of a statement.
  ///   - limit: the bytes after which a statement gets no more rows.
  func parts(
    _ size: Int = 5_000, bytes limit: Int = 1 << 26
  ) -> [(parameters: [PostgresParameter], count: Int)] {
    var (place, left) = (0, count)
    var parts = [(parameters: [PostgresParameter], count: Int)]()
    while left > 0 {
      let count = self.count(min(size, left), limit, from: place)
      parts.append((parameters(count, from: &place), count))
      left -= count
    }
    return parts
  }

  /// The number of rows from a position that fit a statement, at least one.
  private func count(_ count: Int, _ limit: Int, from start: Int) -> Int {
    guard count > 1, cells.count - start > limit else { return count }
    var (place, rows) = (start, 0)
    while rows < count, place - start <= limit {
      place += 2
      for _ in columns {
        let length = UInt32(bigEndian: cells.bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        place += 4 + (length == UInt32.max ? 0 : Int(length))
      }
      rows += 1
    }
    return place - start > limit ? max(1, rows - 1) : rows
  }

  /// - Parameter place: the position of the first row, advanced to the end of the last one.
  private func parameters(_ count: Int, from place: inout Int) -> [PostgresParameter] {
    let bytes = cells.bytes
    var arrays = columns.map { column in
      var array = [UInt8]()
      array.reserveCapacity(20 + count * 12)
      PostgresParameter.appendArrayHeader(column.type, count: count, to: &array)
      return array
    }
    for _ in 0..<count {
      place += 2
      for index in arrays.indices {
        let length = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
        let next = place + 4 + (length == UInt32.max ? 0 : Int(length))
        arrays[index].append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[place..<next]))
        place = next
      }
    }
    return zip(columns, arrays).map { .array(encoded: $1, $0.type) }
  }
}
