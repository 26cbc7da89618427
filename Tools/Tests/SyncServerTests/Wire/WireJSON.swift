import Foundation
import SyncProtocol

/// A message as JSON whose leaves a test replaces by any bytes.
indirect enum WireJSON: Decodable {
  case object([(key: String, value: WireJSON)])
  case array([WireJSON])
  /// A number, a text, a Boolean or null, or what a test puts in its place.
  case leaf(Data)

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      self = .object(
        try container.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
          (key.stringValue, try container.decode(WireJSON.self, forKey: key))
        })
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [WireJSON] = []
      while !container.isAtEnd { elements.append(try container.decode(WireJSON.self)) }
      self = .array(elements)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .leaf(Data("null".utf8))
      } else if let value = try? container.decode(Bool.self) {
        self = .leaf(Data("\(value)".utf8))
      } else if let value = try? container.decode(Int64.self) {
        self = .leaf(Data("\(value)".utf8))
      } else if let value = try? container.decode(Double.self) {
        self = .leaf(Data("\(value)".utf8))
      } else {
        self = .leaf(try SyncWire.encode(try container.decode(String.self)))
      }
    }
  }

  init(_ message: Data) throws { self = try SyncWire.decode(WireJSON.self, from: message) }

  var bytes: Data {
    switch self {
    case .leaf(let bytes): bytes
    case .array(let elements):
      Data("[".utf8) + Data(elements.map(\.bytes).joined(separator: Data(",".utf8))) + Data("]".utf8)
    case .object(let fields):
      Data("{".utf8)
        + Data(
          fields.map { Data("\"\($0.key)\":".utf8) + $0.value.bytes }.joined(separator: Data(",".utf8)))
        + Data("}".utf8)
    }
  }

  /// The paths of the leaves. Of an array, only the first element counts.
  var leaves: [[String]] {
    switch self {
    case .leaf: [[]]
    case .array(let elements): elements.first.map { $0.leaves.map { ["0"] + $0 } } ?? []
    case .object(let fields): fields.flatMap { field in field.value.leaves.map { [field.key] + $0 } }
    }
  }

  subscript(path: ArraySlice<String>) -> Data? {
    guard let first = path.first else { if case .leaf(let bytes) = self { return bytes } else { return nil } }
    switch self {
    case .leaf: return nil
    case .array(let elements): return elements.first?[path.dropFirst()]
    case .object(let fields): return fields.first { $0.key == first }?.value[path.dropFirst()]
    }
  }

  /// The message with other bytes in the place of a leaf.
  func replacing(_ path: ArraySlice<String>, _ bytes: Data) -> WireJSON {
    guard let first = path.first else { return .leaf(bytes) }
    switch self {
    case .leaf: return self
    case .array(let elements):
      return .array(
        elements.enumerated().map { $0.offset == 0 ? $0.element.replacing(path.dropFirst(), bytes) : $0.element })
    case .object(let fields):
      return .object(fields.map { $0.key == first ? ($0.key, $0.value.replacing(path.dropFirst(), bytes)) : $0 })
    }
  }

  /// The message with the fields that another one has and it lacks.
  func merging(_ other: WireJSON) -> WireJSON {
    switch (self, other) {
    case (.object(let own), .object(let others)):
      let names = Set(own.map(\.key))
      return .object(
        own.map { field in
          (field.key, others.first { $0.key == field.key }.map { field.value.merging($0.value) } ?? field.value)
        } + others.filter { !names.contains($0.key) })
    case (.array(let own), .array(let others)) where own.isEmpty: return .array(others)
    case (.array(let own), .array(let others)): return .array(own.map { others.first.map($0.merging) ?? $0 })
    default: return self
    }
  }

  /// The stored properties of a message that are nil, so that its JSON lacks them.
  static func missing(in message: Any) -> [String] {
    Mirror(reflecting: message).children.flatMap { child -> [String] in
      let mirror = Mirror(reflecting: child.value)
      if mirror.displayStyle == .optional {
        guard let value = mirror.children.first?.value else { return [child.label ?? "?"] }
        return missing(in: value)
      }
      // A transaction is a text.
      let isText = child.value is SyncLog.Transaction
      let isMessage = [.struct, .collection].contains(mirror.displayStyle) && !isText
      return isMessage ? missing(in: child.value) : []
    }
  }
}

/// What a hostile peer puts into fields.
struct WireValues {
  let json: [Data]
  let texts: [String]
  let bodies: [Data]

  /// The values for a server on a store. The messages are read in the same way on each store, so that PostgreSQL gets the values alone that
  /// reach it and that it does not keep.
  init(_ store: TestStore = .sqlite) {
    let isAll = store == .sqlite
    json = isAll ? Self.allJSON : Self.allJSON.filter { $0.count < 30 && ($0.contains(0x75) || $0.contains(0x39)) }
    texts = isAll ? Self.allTexts : Self.allTexts.filter { $0.contains("%00") || $0.hasSuffix("5807") || $0.isEmpty }
    bodies = isAll ? Self.allBodies : []
  }

  /// Those for answers. Each is read in an exchange of its own, so that `make test-all` alone takes all of them.
  static let answers: [Data] = {
    let isAll = ProcessInfo.processInfo.environment["TEST_ALL"] != nil
    let first = ["-9223372036854775808", "9223372036854775807", "NaN", "\"\""].map { Data($0.utf8) }
    return isAll ? first + allJSON.dropLast(transactions.count).filter { !first.contains($0) } : first
  }()

  /// JSON in the place of a number or a text.
  static let allJSON: [Data] =
    [
      "-9223372036854775808", "9223372036854775807", "9223372036854775808", "0", "-1", "NaN", "Infinity", "1e400",
      "1e308",
      "0.5", "null", "true", "[]", "{}", "\"\"", "\"\\u0000\"", "\"\(String(repeating: "a", count: 1 << 20))\"",
      String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000),
      String(repeating: "{\"a\":", count: 10_000) + "1" + String(repeating: "}", count: 10_000),
      String(repeating: "[", count: 10_000),
    ].map { Data($0.utf8) } + [Data([0x22, 0xFF, 0xFE, 0xC0, 0x22]), Data([0xFF])]
    + transactions.map { Data("\"\($0.base64EncodedString())\"".utf8) }

  /// Texts of a path, a query or a header, percent-encoded. The HTTP server refuses a head of more than 80 KiB.
  static let allTexts: [String] = [
    "-9223372036854775808", "9223372036854775807", "9223372036854775808", "0", "-1", "NaN", "inf", "1e400", "0.5", "",
    "%00", "%FF%FE%C0", "..", "%2F", "%2F..%2F", "%", "a%25b", String(repeating: "a", count: 1 << 16),
    String(repeating: "%5B", count: 10_000),
  ]

  /// Bodies that are no messages.
  static let allBodies: [Data] = [
    Data(), Data([0xFF, 0xFE]), Data(repeating: UInt8(ascii: "a"), count: 1 << 20),
    Data(String(repeating: "[", count: 10_000).utf8), Data(String(repeating: "{\"a\":", count: 10_000).utf8),
    Data("null".utf8), Data("[]".utf8), Data("{}".utf8), Data("9223372036854775807".utf8),
  ]
}
