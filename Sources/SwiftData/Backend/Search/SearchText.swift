import Foundation

/// Converts text to its indexed form and back.
///
/// SQLite's tokenizer `unicode61` folds case and diacritics and takes runs of letters and digits for words. It supports
/// neither canonical equivalence nor scripts without spaces. The text is therefore normalised to form C, and each
/// character of such a script and each symbol (emoji) is separated into a word.
enum SearchText {
  /// The tokenizer of all indices, as an FTS5 argument.
  static let tokenizer = "tokenize=\"unicode61 remove_diacritics 2 categories 'L* N* Co So'\""
  /// The same as a list.
  static let tokenizerComponents = ["unicode61", "remove_diacritics", "2", "categories", "L* N* Co So"]

  /// Increases when `indexed` changes its results, which rebuilds older indices.
  static let version = 1

  // Control characters that separate words. `indexed` removes them from texts.
  private static let start: Unicode.Scalar = "\u{1D}"
  private static let end: Unicode.Scalar = "\u{1E}"
  private static let gap: Unicode.Scalar = "\u{1F}"

  /// The indexed form of a text.
  /// - Complexity: O(n). ASCII is returned unchanged.
  static func indexed(_ text: String) -> String {
    if isPlain(text) { return text }
    var result = String.UnicodeScalarView()
    for scalar in SwiftText.nfc(text).unicodeScalars {
      switch scalar {
      // NUL would end the text for SQLite's query parser.
      case start, end, gap, "\0": result.append(" ")
      case _ where isWord(scalar):
        result.append(gap)
        result.append(scalar)
        result.append(gap)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static func isPlain(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { $0.allSatisfy { $0 < 0x80 && !(0x1D...0x1F).contains($0) && $0 != 0 } }
  }

  /// Whether the tokenizer finds a word in a text. A query must not contain a text without words, because FTS5 would
  /// then find nothing at all.
  static func hasWord(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber, .privateUse, .otherSymbol:
        true
      default: false
      }
    }
  }

  /// Whether a scalar is a word by itself.
  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x80: false
    // Thai and Lao; Myanmar; Khmer; kana; ideographs.
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF,
      0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF:
      true
    default: scalar.properties.generalCategory == .otherSymbol
    }
  }

  // MARK: - Snippets

  /// The SQL of the part of a column around the matches, without marks if there is no match.
  static func snippetSQL(_ table: String, column: Int) -> String {
    "snippet(\(table.quotedIdentifier), \(column), char(29), char(30), '…', 32)"
  }

  /// Parses the result of `snippetSQL`. Returns nil if nothing is marked.
  static func snippet(_ marked: String, of property: String) -> MarkedText? {
    var scalars = String.UnicodeScalarView()
    var (length, open) = (0, 0)
    var found = [Range<Int>]()
    for scalar in marked.unicodeScalars {
      switch scalar {
      case start: open = length
      case end: found.append(open..<length)
      case gap: break
      default:
        scalars.append(scalar)
        length += UTF8.width(scalar)
      }
    }
    guard !found.isEmpty else { return nil }
    let text = String(scalars)
    return MarkedText(property: property, text: text, ranges: wholeCharacters(found, in: text))
  }

  /// Converts byte ranges to ranges of whole characters and joins adjacent ones. A word may end within a character.
  private static func wholeCharacters(_ found: [Range<Int>], in text: String) -> [Range<String.Index>] {
    var result = [Range<String.Index>]()
    var position = text.startIndex
    for bytes in found {
      let upper = text.utf8.index(text.startIndex, offsetBy: bytes.upperBound)
      let lower = text.utf8.index(text.startIndex, offsetBy: bytes.lowerBound)
      while position < text.endIndex, text.index(after: position) <= lower { position = text.index(after: position) }
      let start = position
      while position < upper { position = text.index(after: position) }
      if let last = result.last, last.upperBound >= start {
        result[result.count - 1] = last.lowerBound..<max(position, last.upperBound)
      } else if start < position {
        result.append(start..<position)
      }
    }
    return result
  }
}

/// A part of a text with matches.
struct MarkedText {
  let property: String
  let text: String
  let ranges: [Range<String.Index>]
}
