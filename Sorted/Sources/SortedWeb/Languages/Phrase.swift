import Foundation

/// A text of the pages, in English, that ``Catalogue`` translates.
///
/// It is written as a literal. What is interpolated becomes `{1}`, `{2}` … in the key: `"\(3) messages"` has the key
/// `{1} messages`.
struct Phrase: ExpressibleByStringInterpolation, Equatable, Sendable {
  let key: String
  let arguments: [String]

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var key = ""
    fileprivate var arguments: [String] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { key += literal }

    mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      arguments.append(value.description)
      key += "{\(arguments.count)}"
    }
  }

  init(stringLiteral value: String) {
    key = value
    arguments = []
  }

  init(stringInterpolation: StringInterpolation) {
    key = stringInterpolation.key
    arguments = stringInterpolation.arguments
  }

  /// A text that comes from elsewhere, such as the name of a category.
  init(_ text: String) { self.init(key: text, arguments: []) }

  init(key: String, arguments: [String]) {
    self.key = key
    self.arguments = arguments
  }

  /// The text in the current language.
  var text: String { Catalogue.text(self, in: Language.current) }
}

extension String {
  /// A phrase in the current language.
  init(translated phrase: Phrase) { self = phrase.text }
}

/// The translations of all texts of the pages: of templates, of Swift's phrases and of the scripts.
///
/// `Assets/he.json` maps each English text to the Hebrew one. The scripts load the same file.
enum Catalogue {
  private static let tables = Result { () throws -> [Language: [String: String]] in
    var tables: [Language: [String: String]] = [:]
    for language in Language.allCases where language != .english {
      tables[language] = try JSONDecoder().decode(
        [String: String].self, from: try Assets.data("\(language.rawValue).json"))
    }
    return tables
  }

  /// The table of a language; empty for English, whose texts are the keys.
  /// - Throws: `CocoaError` or `DecodingError` for a bundle without a readable catalogue.
  static func table(_ language: Language) throws -> [String: String] { try tables.get()[language] ?? [:] }

  /// A phrase in a language; in English where there is no translation.
  static func text(_ phrase: Phrase, in language: Language) -> String {
    let text = (try? table(language))?[phrase.key] ?? phrase.key
    return phrase.arguments.isEmpty ? text : filled(text, phrase.arguments)
  }

  private static func filled(_ text: String, _ arguments: [String]) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "{") {
      result += rest[..<start]
      rest = rest[start...]
      guard let end = rest.firstIndex(of: "}"), let number = Int(rest[rest.index(after: start)..<end]),
        number >= 1, number <= arguments.count
      else {
        result += "{"
        rest = rest.dropFirst()
        continue
      }
      result += arguments[number - 1]
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// A template with its texts, which stand in `[[` and `]]`, in a language. A text may have tags of Mustache and HTML.
  static func translated(template: String, in language: Language) throws -> String {
    let table = try table(language)
    return template.replacing(/\[\[(.+?)\]\]/.dotMatchesNewlines()) { match in
      table[String(match.1)] ?? String(match.1)
    }
  }
}
