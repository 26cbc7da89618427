import Foundation

/// Parses a user's search text to an FTS5 expression.
///
/// Any text is a valid query: each word becomes an FTS5 string, in which no character has a special meaning.
struct SearchQuery {
  struct Term: Hashable {
    /// A word, or several consecutive words.
    var text: String
    /// Whether the last word is a prefix.
    var isPrefix: Bool
  }

  /// The terms. All must match.
  let terms: [Term]

  /// Returns nil if the text contains no word.
  init?(_ text: String) {
    var terms = [Term]()
    var rest = Substring(text)
    while let first = rest.first {
      if first.isWhitespace {
        rest = rest.dropFirst()
      } else if Self.isQuote(first) {
        let phrase = rest.dropFirst().prefix { !Self.isQuote($0) }
        rest = rest[phrase.endIndex...].dropFirst()
        let isPrefix = rest.first == "*"
        if isPrefix { rest = rest.dropFirst() }
        terms.append(Term(text: String(phrase), isPrefix: isPrefix))
      } else {
        let word = rest.prefix { !$0.isWhitespace && !Self.isQuote($0) }
        rest = rest[word.endIndex...]
        let isPrefix = word.last == "*"
        terms.append(Term(text: String(isPrefix ? word.dropLast() : word), isPrefix: isPrefix))
      }
    }
    var seen = Set<Term>()
    self.terms = terms.filter { SearchText.hasWord($0.text) && seen.insert($0).inserted }
    if self.terms.isEmpty { return nil }
  }

  private static func isQuote(_ character: Character) -> Bool {
    character == "\"" || character == "\u{201C}" || character == "\u{201D}"
  }

  /// The argument of MATCH.
  var expression: String { Self.expression(terms) }

  static func expression(_ terms: [Term]) -> String {
    terms.map { term in
      // FTS5 quotes a phrase as SQL an identifier.
      SearchText.indexed(term.text).quotedIdentifier + (term.isPrefix ? " *" : "")
    }.joined(separator: " AND ")
  }
}
