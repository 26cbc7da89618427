import Foundation
import Sorted

/// Where a text has the words of a search.
enum Highlight {
  struct Part: Equatable {
    let text: String
    let isMatch: Bool
  }

  /// As much of a long text as fits around its first match.
  private static let maximumLength = 240

  /// The text in parts, matches apart from the rest. A match begins where a word does; case and diacritics do not count.
  static func parts(of text: String, matching words: [String]) -> [Part] {
    let words = words.filter { !$0.isEmpty }
    var rest = excerpt(text, words)[...]
    var parts: [Part] = []
    while let match = first(words, in: rest) {
      if match.lowerBound > rest.startIndex {
        parts.append(Part(text: String(rest[..<match.lowerBound]), isMatch: false))
      }
      parts.append(Part(text: String(rest[match]), isMatch: true))
      rest = rest[match.upperBound...]
    }
    if !rest.isEmpty { parts.append(Part(text: String(rest), isMatch: false)) }
    return joined(parts)
  }

  /// Words that follow each other are one match.
  private static func joined(_ parts: [Part]) -> [Part] {
    var result: [Part] = []
    for part in parts {
      let isAfterGap = result.count > 1 && result[result.count - 1].text == " " && result[result.count - 2].isMatch
      if part.isMatch, isAfterGap {
        result.removeLast()
        let before = result.removeLast()
        result.append(Part(text: before.text + " " + part.text, isMatch: true))
      } else {
        result.append(part)
      }
    }
    return result
  }

  /// The first place where any of the words begins; the longest of them, if several do.
  private static func first(_ words: [String], in text: Substring) -> Range<String.Index>? {
    words.compactMap { range(of: $0, in: text) }
      .min { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) }
  }

  private static func range(of word: String, in text: Substring) -> Range<String.Index>? {
    var rest = text
    while let found = rest.range(of: word, options: [.caseInsensitive, .diacriticInsensitive]), !found.isEmpty {
      if startsWord(found.lowerBound, in: text.base) { return found }
      rest = text[text.index(after: found.lowerBound)...]
    }
    return nil
  }

  private static func startsWord(_ index: String.Index, in text: String) -> Bool {
    guard index > text.startIndex else { return true }
    let (before, first) = (text[text.index(before: index)], text[index])
    return !(before.isLetter || before.isNumber) || !(first.isLetter || first.isNumber)
      || MessageQuery.hasNoSpaces(first)
  }

  private static func excerpt(_ text: String, _ words: [String]) -> String {
    guard text.count > maximumLength else { return text }
    let match = first(words, in: text[...])?.lowerBound ?? text.startIndex
    let start = text.index(match, offsetBy: -maximumLength / 3, limitedBy: text.startIndex) ?? text.startIndex
    let end = text.index(start, offsetBy: maximumLength, limitedBy: text.endIndex) ?? text.endIndex
    return (start > text.startIndex ? "…" : "") + text[start..<end] + (end < text.endIndex ? "…" : "")
  }
}
