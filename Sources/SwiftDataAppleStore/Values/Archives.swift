import Foundation
import SwiftData

/// Decodes cells of bytes: JSON, keyed archives and property lists.
enum Archives {
  /// The value of a cell, or nil for bytes in an unknown form.
  static func plainValue(_ data: Data) -> PlainValue? {
    let bytes = [UInt8](data)
    guard bytes.starts(with: BinaryPropertyList.signature) else { return json(data) }
    let value: PlainValue?
    if let archive = try? KeyedArchive(bytes) {
      value = try? archive.plainValue()
    } else {
      value = try? BinaryPropertyList(bytes).plainValue()
    }
    // SwiftData stores an array as an archive of one `NSData` that contains JSON.
    if case .data(let inner)? = value { return json(inner) ?? value }
    return value
  }

  /// The value of a property list in the binary form or in XML, or nil for other bytes.
  static func propertyList(_ data: Data) -> PlainValue? {
    let bytes = [UInt8](data)
    if bytes.starts(with: BinaryPropertyList.signature) { return try? BinaryPropertyList(bytes).plainValue() }
    // Decoding is recursive, and deep nesting would exhaust the stack.
    let text = String(decoding: bytes.prefix(xmlLimit + 1), as: UTF8.self)
    guard bytes.count <= xmlLimit, text.hasPrefix("<"), text.ranges(of: /<(array|dict)/).count < 1_000 else {
      return nil
    }
    return try? PropertyListDecoder().decode(PlainValue.self, from: data)
  }

  /// In bytes. The metadata of a large model has some 10,000.
  private static let xmlLimit = 1 << 20

  /// The value of JSON of bounded depth, or nil if the bytes are not JSON.
  static func json(_ data: Data) -> PlainValue? {
    guard let first = data.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }),
      first == UInt8(ascii: "[") || first == UInt8(ascii: "{") || first == UInt8(ascii: "\"") || isScalar(data),
      isShallow(data)
    else { return nil }
    return try? JSONCoding.decode(PlainValue.self, from: data)
  }

  /// Whether the data is one number, `true`, `false` or `null`.
  private static func isScalar(_ data: Data) -> Bool {
    guard data.count < 40 else { return false }
    let text = String(decoding: data, as: UTF8.self)
    return ["true", "false", "null"].contains(text) || (Double(text) != nil && text.first?.isLetter == false)
  }

  /// Whether brackets nest little. Decoding is recursive, and deep nesting would exhaust the stack.
  private static func isShallow(_ data: Data) -> Bool {
    var depth = 0
    for byte in data {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      if depth > 200 { return false }
    }
    return true
  }

  /// A keyed archive of an `NSData` that contains JSON, which is how SwiftData stores an array.
  static func archive(ofJSON text: String) -> Data {
    let class_: PropertyListWriter.Value = .dictionary([
      ("$classname", .string("NSMutableData")),
      ("$classes", .array([.string("NSMutableData"), .string("NSData"), .string("NSObject")])),
    ])
    let root: PropertyListWriter.Value = .dictionary([("$class", .uid(2)), ("NS.data", .data(Data(text.utf8)))])
    return PropertyListWriter.data(
      .dictionary([
        ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
        ("$top", .dictionary([("root", .uid(1))])), ("$objects", .array([.string("$null"), root, class_])),
      ]))
  }
}
