import Foundation

extension SwiftFunctions {
  static let json = [
    // The elements of a JSON array as an array of texts, each the JSON of one element. SQLite's parsing of numbers and
    // NUL loses information.
    SwiftFunction("swift_elements", 1) { call in
      let items = JSONText.elements(call.utf8(0)).map { ListCoding.quoted(String(decoding: $0, as: UTF8.self)) }
      call.returns("[" + items.joined(separator: ",") + "]")
    },
    // The cell of a named type's value from its JSON. Calls for elements name the list. Calls for members do not, because stored indexes
    // have them in this form.
    SwiftFunction("swift_json_value", -1) { call in
      let (json, type) = (call.text(0), call.text(1))
      let cell = JSONText.cell(of: json, type: type)
      if cell == nil, json != "null" {
        return call.fails(unreadable: "a stored value has a part that is not a \(type)", of: call.place(at: 2))
      }
      call.returns(cell)
    },
    SwiftFunction("swift_value", -1) { call in
      let cells = (1..<call.values.count).map { call.cell($0) }
      call.returns { try ValueFunction.numbered(call.integer(0))?.body(cells) }
    },
  ]
}

/// Parses JSON that `JSONCoding` wrote.
enum JSONText {
  /// The JSON of each element of an array.
  static func elements(_ json: UnsafeBufferPointer<UInt8>) -> [Slice<UnsafeBufferPointer<UInt8>>] {
    var result = [Slice<UnsafeBufferPointer<UInt8>>]()
    var (depth, start, isText, isEscaped) = (0, 0, false, false)
    for (index, byte) in json.enumerated() {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == backslash {
          isEscaped = true
        } else if byte == quote {
          isText = false
        }
        continue
      }
      switch byte {
      case quote: isText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth == 1 { start = index + 1 }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth == 0, index > start { result.append(json[start..<index]) }
      case UInt8(ascii: ",") where depth == 1:
        result.append(json[start..<index])
        start = index + 1
      default: break
      }
    }
    return result
  }

  static func cell(of json: String, type: String) -> SQLValue? {
    if json == "null" { return nil }
    switch type {
    case "Bool": return .integer(json == "true" ? 1 : 0)
    case "Double", "Date": return number(json).map { $0.isNaN ? .text("nan") : .real($0) }
    case "Float":
      return (isText(json) ? number(json).map(Float.init) : Float(json)).map {
        $0.isNaN ? .text("nan") : .real(Double($0))
      }
    case "UInt", "UInt64": return UInt64(json).map { .integer(Int64(bitPattern: $0)) }
    case "Decimal": return (try? JSONCoding.decode(Decimal.self, from: Data(json.utf8))).map { .text($0.description) }
    case "String", "Character", "URL": return text(json).map { .text($0) }
    case "UUID": return text(json).flatMap(UUID.init(uuidString:)).flatMap { ScalarType(of: UUID.self)!.cell(of: $0) }
    case "Data": return text(json).flatMap { Data(base64Encoded: $0) }.map { .blob($0) }
    default: return Int64(json).map { .integer($0) }
    }
  }

  /// A number. Numbers that JSON lacks are strings.
  private static func number(_ json: String) -> Double? {
    Double(isText(json) ? unquoted(json) : json)
  }

  private static func isText(_ json: String) -> Bool { json.utf8.first == quote }

  private static func text(_ json: String) -> String? {
    guard json.utf8.contains(backslash) else { return unquoted(json) }
    return try? JSONCoding.decode(String.self, from: Data(json.utf8))
  }

  /// The bytes between the quotes. As characters, a combining mark would merge with the quote before it.
  private static func unquoted(_ json: String) -> String {
    String(decoding: json.utf8.dropFirst().dropLast(), as: UTF8.self)
  }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
}
