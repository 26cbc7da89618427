import Foundation
import GRDBSQLite

/// Text as the full-text index sees it, and the way back.
///
/// SQLite's tokenizer `unicode61` folds case and diacritics and takes runs of letters and digits for words. It knows
/// neither canonical equivalence nor scripts that put no spaces between words, so text is brought to normal form C and
/// each character of such a script, and each symbol (an emoji), is set apart to be a word of its own.
enum SearchText {
  /// The tokenizer of every index, as an argument of FTS5.
  static let tokenizer = "tokenize=\"unicode61 remove_diacritics 2 categories 'L* N* Co So'\""
  /// The same in parts.
  static let tokenizerComponents = ["unicode61", "remove_diacritics", "2", "categories", "L* N* Co So"]

  /// Goes up when `indexed` changes its results: indices of former ones are made anew.
  static let version = 1

  // Control characters, which separate words and which `indexed` takes out of texts.
  private static let start: Unicode.Scalar = "\u{1D}"
  private static let end: Unicode.Scalar = "\u{1E}"
  private static let gap: Unicode.Scalar = "\u{1F}"

  /// The text to index or to look for.
  /// - Complexity: O(n); ASCII is returned as it is.
  static func indexed(_ text: String) -> String {
    if isPlain(text) { return text }
    var result = String.UnicodeScalarView()
    for scalar in SwiftText.nfc(text).unicodeScalars {
      switch scalar {
      // NUL would end the text for SQLite's parser of queries.
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

  /// Whether the tokenizer finds a word in a text. One without any must not stand in a query, since FTS5 takes what
  /// finds nothing for a reason to find nothing at all.
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

  /// Whether a scalar is a word of its own.
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

  /// The SQL expression for the part of a column around what was found; without marks where nothing was.
  static func snippetSQL(_ table: String, column: Int) -> String {
    "snippet(\(table.quotedIdentifier), \(column), char(29), char(30), '…', 32)"
  }

  /// A snippet from what `snippetSQL` gave; nil where nothing is marked.
  static func snippet(_ marked: String, of property: String) -> ModelContext.SearchSnippet? {
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
    return ModelContext.SearchSnippet(property: property, text: text, ranges: wholeCharacters(found, in: text))
  }

  /// Ranges of bytes as ranges of whole characters, those that touch joined: a word may end within a character.
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

extension SwiftFunctions {
  static let search = [
    SwiftFunction("swift_search_text", 1) { call in
      // A save may hold a unique text's place with a blob for a moment.
      guard sqlite3_value_type(call.values[0]) == SQLITE_TEXT else { return call.returns("") }
      if call.utf8(0).allSatisfy({ $0 >= 0x20 && $0 < 0x80 }) {
        call.returnsArgument(0)
      } else {
        call.returns(SearchText.indexed(call.text(0)))
      }
    }
  ]
}
