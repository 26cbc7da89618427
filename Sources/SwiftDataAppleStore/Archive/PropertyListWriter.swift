import Foundation

/// Writes binary property lists with UIDs, which Foundation's writer does not support.
package struct PropertyListWriter {
  package indirect enum Value: Sendable {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case data(Data)
    case uid(Int)
    case array([Value])
    case dictionary([(String, Value)])
  }

  private var objects: [[UInt8]] = []
  private var strings: [String: Int] = [:]

  package static func data(_ value: Value) -> Data {
    var writer = PropertyListWriter()
    let top = writer.add(value)
    var bytes = Array(BinaryPropertyList.signature)
    var offsets = [Int]()
    for object in writer.objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += Self.bytes(offset, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4]
    for number in [offsets.count, top, table] { bytes += Self.bytes(number, 8) }
    return Data(bytes)
  }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// - Returns: the object's index. Members come before their container.
  private mutating func add(_ value: Value) -> Int {
    if case .string(let text) = value, let known = strings[text] { return known }
    var bytes = [UInt8]()
    switch value {
    case .bool(let value): bytes = [value ? 9 : 8]
    case .integer(let value): bytes = [0x13] + Self.bytes(Int(value), 8)
    case .real(let value): bytes = [0x23] + Self.bytes(Int(bitPattern: UInt(value.bitPattern)), 8)
    case .data(let value): bytes = Self.head(4, value.count) + [UInt8](value)
    case .uid(let value): bytes = [0x83] + Self.bytes(value, 4)
    case .string(let text):
      if text.utf8.allSatisfy({ $0 < 0x80 }) {
        bytes = Self.head(5, text.utf8.count) + Array(text.utf8)
      } else {
        let units = Array(text.utf16)
        bytes = Self.head(6, units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      }
    case .array(let members):
      let indices = members.map { add($0) }
      bytes = Self.head(0xA, indices.count) + indices.flatMap { Self.bytes($0, 4) }
    case .dictionary(let members):
      let keys = members.map { add(.string($0.0)) }
      let values = members.map { add($0.1) }
      bytes = Self.head(0xD, keys.count) + (keys + values).flatMap { Self.bytes($0, 4) }
    }
    objects.append(bytes)
    if case .string(let text) = value { strings[text] = objects.count - 1 }
    return objects.count - 1
  }

  private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0x0F, 0x13] + bytes(count, 8)
  }
}
