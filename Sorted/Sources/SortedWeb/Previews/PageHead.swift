import Foundation

/// What the head of a page in HTML says of it. No kept HTML parser for Swift builds here, and a preview needs two elements.
struct PageHead: Equatable, Sendable {
  var title = ""
  var summary = ""
  var site = ""

  static let maximumTitle = 120
  static let maximumSummary = 240

  /// Reads the title and the `meta` elements before the body.
  /// - Complexity: linear in the length of the text.
  init(_ html: String) {
    var values: [String: String] = [:]
    var title = ""
    var rest = html[...]
    while let start = rest.firstIndex(of: "<"), let end = Self.end(of: rest[start...]), values.count < 100 {
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      switch tag.prefix(while: { $0.isLetter }).lowercased() {
      case "title" where title.isEmpty: title = String(rest.prefix { $0 != "<" })
      case "meta":
        let attributes = Self.attributes(tag.dropFirst(4))
        guard let name = attributes["property"] ?? attributes["name"], let content = attributes["content"] else {
          continue
        }
        if values[name.lowercased()] == nil { values[name.lowercased()] = content }
      case "body": rest = ""
      default: break
      }
    }
    self.title = Self.plain(values["og:title"] ?? title, Self.maximumTitle)
    summary = Self.plain(values["og:description"] ?? values["description"] ?? "", Self.maximumSummary)
    site = Self.plain(values["og:site_name"] ?? "", 60)
  }

  /// The end of a tag. The values of a `meta` element may contain `>`; one without an end of its quotes ends at the first `>`.
  private static func end(of tag: Substring) -> String.Index? {
    if tag.prefix(5).lowercased() == "<meta" {
      var quote: Character?
      let head = tag.prefix(1_000)
      for index in head.indices {
        let character = head[index]
        if let open = quote {
          if character == open { quote = nil }
        } else if character == ">" {
          return index
        } else if character == "\"" || character == "'" {
          quote = character
        }
      }
    }
    return tag.firstIndex(of: ">")
  }

  /// The attributes of a tag by their names in lower case; values are in quotes of either kind or without.
  private static func attributes(_ tag: Substring) -> [String: String] {
    var attributes: [String: String] = [:]
    var rest = tag
    while true {
      rest = rest.drop { $0.isWhitespace || $0 == "/" }
      let name = rest.prefix { !$0.isWhitespace && $0 != "=" && $0 != "/" }
      guard !name.isEmpty else { return attributes }
      rest = rest[name.endIndex...].drop { $0.isWhitespace }
      guard rest.first == "=" else { continue }
      rest = rest.dropFirst().drop { $0.isWhitespace }
      let value: Substring
      if let quote = rest.first, quote == "\"" || quote == "'" {
        value = rest.dropFirst().prefix { $0 != quote }
        rest = rest[value.endIndex...].dropFirst()
      } else {
        value = rest.prefix { !$0.isWhitespace }
        rest = rest[value.endIndex...]
      }
      attributes[name.lowercased()] = String(value)
    }
  }

  private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " "]

  /// A text without entities, line ends and control characters, and of a sensible length.
  private static func plain(_ text: String, _ maximum: Int) -> String {
    var result = ""
    var rest = text.prefix(maximum * 8)
    while let character = rest.popFirst() {
      if character == "&", let end = rest.prefix(10).firstIndex(of: ";"), let decoded = entity(rest[..<end]) {
        result += decoded
        rest = rest[rest.index(after: end)...]
      } else {
        result.append(character)
      }
    }
    let isHidden: (Character) -> Bool = {
      $0.isWhitespace || $0.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
    let words = result.split(whereSeparator: isHidden).joined(separator: " ")
    return words.count > maximum ? words.prefix(maximum) + "…" : words
  }

  private static func entity(_ name: Substring) -> String? {
    guard name.first == "#" else { return entities[String(name)] }
    let digits = name.dropFirst()
    let number = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init).map(String.init)
  }
}
