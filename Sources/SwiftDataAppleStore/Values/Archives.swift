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

/// Writes the collections of attributes whose transformer unarchives one of Foundation's classes, as Core Data's transformers do.
/// An `NSData` with JSON, as SwiftData writes it, would be nil or a crash for the app.
struct CollectionArchive: Sendable {
  private let attribute: String
  private let className: String
  /// Whether the values of the Swift type are the same in JSON and in Foundation's collections. JSON has no dates, for example.
  private let isPlain: Bool

  /// Nil for an attribute whose class is one of Swift, or is not known.
  init?(_ attribute: AppleAttribute, _ type: any Any.Type) {
    guard attribute.type == .transformable, let name = attribute.valueClass, name.hasPrefix("NS") else { return nil }
    (self.attribute, className) = (attribute.name, name)
    switch type {
    case is [String].Type, is [Int].Type, is [Double].Type, is [Bool].Type, is Set<String>.Type, is Set<Int>.Type,
      is [String: String].Type, is [String: Int].Type, is [String: Double].Type, is [String: Bool].Type:
      isPlain = true
    default: isPlain = false
    }
  }

  /// The classes of an archived object, itself first.
  private static let classes = [
    "NSArray": ["NSArray", "NSObject"], "NSMutableArray": ["NSMutableArray", "NSArray", "NSObject"],
    "NSSet": ["NSSet", "NSObject"], "NSMutableSet": ["NSMutableSet", "NSSet", "NSObject"],
    "NSDictionary": ["NSDictionary", "NSObject"],
    "NSMutableDictionary": ["NSMutableDictionary", "NSDictionary", "NSObject"],
  ]

  /// A keyed archive of the collection that JSON has.
  /// - Throws: `SwiftDataError/unwritableValue` for what the app's transformer would read as something else.
  func archive(_ json: String) throws -> Data {
    let value = try JSONCoding.decode(PlainValue.self, from: Data(json.utf8))
    guard isPlain, let names = Self.classes[className], let objects = Self.objects(of: value, className, names) else {
      throw SwiftDataError(
        .unwritableValue,
        message: "the app keeps \(attribute) as an archived \(className), and only arrays, sets and dictionaries of"
          + " String, Int, Double and Bool can be written as one; leave it nil, or let the app write it")
    }
    return PropertyListWriter.data(
      .dictionary([
        ("$version", .integer(100_000)), ("$archiver", .string("NSKeyedArchiver")),
        ("$top", .dictionary([("root", .uid(1))])), ("$objects", .array(objects)),
      ]))
  }

  /// The objects of an archive: null, the collection, its keys and values, and the class.
  private static func objects(
    of value: PlainValue, _ name: String, _ names: [String]
  ) -> [PropertyListWriter.Value]? {
    var members = [PropertyListWriter.Value]()
    func add(_ values: [PlainValue]) -> PropertyListWriter.Value? {
      var links = [PropertyListWriter.Value]()
      for value in values {
        switch value {
        case .string(let text): members.append(.string(text))
        case .integer(let number): members.append(.integer(number))
        case .real(let number): members.append(.real(number))
        case .bool(let flag): members.append(.bool(flag))
        default: return nil
        }
        links.append(.uid(members.count + 1))
      }
      return .array(links)
    }
    var fields = [(String, PropertyListWriter.Value)]()
    switch value {
    case .array(let values) where !name.hasSuffix("Dictionary"):
      guard let links = add(values) else { return nil }
      fields.append(("NS.objects", links))
    case .dictionary(let pairs) where name.hasSuffix("Dictionary"):
      let sorted = pairs.sorted { $0.key < $1.key }
      guard let keys = add(sorted.map { .string($0.key) }), let values = add(sorted.map(\.value)) else { return nil }
      fields += [("NS.keys", keys), ("NS.objects", values)]
    default: return nil
    }
    fields.append(("$class", .uid(members.count + 2)))
    let description: PropertyListWriter.Value = .dictionary([
      ("$classname", .string(name)), ("$classes", .array(names.map { .string($0) })),
    ])
    return [.string("$null"), .dictionary(fields)] + members + [description]
  }
}
