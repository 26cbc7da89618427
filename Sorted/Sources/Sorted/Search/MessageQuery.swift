import Foundation
import UntrustedInput

/// A search query: words in any order, phrases in quotation marks, and conditions.
///
/// `-word` leaves out messages that have the word. `from:bob` is the sender by the identifier or the name (`from:me` is the person who
/// searches), `in:festival` the conversation by its name or its people, `on:2026-01-31`, `before:yesterday` and `after:2026-01-31` the
/// day, and `has:file` asks for an attachment. All other words are words, also `OR` and `NOT`.
package struct MessageQuery: Sendable {
  /// A word, which also finds longer words that begin with it, or a phrase, which is found as it is.
  package struct Term: Equatable, Sendable {
    package var text: String
    package var isPhrase = false
  }

  package private(set) var terms: [Term] = []
  /// The words that no found message has.
  package private(set) var excluded: [String] = []
  package private(set) var sender: String?
  package private(set) var conversation: String?
  package private(set) var before: Date?
  package private(set) var after: Date?
  package private(set) var hasFile = false

  package static let maximumTerms = 16

  /// - Parameters:
  ///   - text: the words and conditions.
  ///   - calendar: what a day is.
  ///   - maximumTerms: the most words; a search by meaning has no limit.
  /// - Throws: ``DataLayerError/invalidData(_:)`` for too many words and for a condition that cannot be read.
  package init(_ text: String, calendar: Calendar = .current, maximumTerms: Int = maximumTerms) throws {
    for term in Self.split(text) {
      let parts = term.isPhrase ? [] : term.text.split(separator: ":", maxSplits: 1).map(String.init)
      let value = parts.count == 2 ? parts[1] : ""
      switch (parts.first?.lowercased(), value.isEmpty) {
      case _ where !term.isPhrase && term.text.hasPrefix("-") && term.text.contains { $0.isLetter || $0.isNumber }:
        excluded.append(String(term.text.dropFirst()))
      case ("from", false): sender = value
      case ("in", false): conversation = value
      case ("before", false): before = try Self.day(value, calendar)
      case ("after", false): after = try Self.day(value, calendar).addingTimeInterval(86_400)
      case ("on", false):
        let day = try Self.day(value, calendar)
        (after, before) = (day, day.addingTimeInterval(86_400))
      case ("has", false): hasFile = try Self.isFile(value)
      default: terms.append(term)
      }
    }
    guard max(terms.count, excluded.count) <= maximumTerms else {
      throw DataLayerError.invalidData("search for \(maximumTerms) words at most")
    }
  }

  /// Whether it asks for nothing.
  package var isEmpty: Bool {
    terms.isEmpty && excluded.isEmpty && sender == nil && conversation == nil && before == nil && after == nil
      && !hasFile
  }

  /// Whether it has words and nothing else.
  package var isOnlyWords: Bool { !terms.isEmpty && conversation == nil && !narrowsMessages }

  /// The terms without the conditions, as they were written.
  package var text: String { terms.map(\.text).joined(separator: " ") }

  /// Whether it has a condition that is not about the conversation.
  var narrowsMessages: Bool { sender != nil || !excluded.isEmpty || before != nil || after != nil || hasFile }

  /// The terms as the full-text index reads them.
  var indexText: String { terms.map { "\"\($0.text)\"\($0.isPhrase ? "" : "*")" }.joined(separator: " ") }

  // MARK: - Words

  /// The single words of all terms, without case and diacritics.
  package var words: [String] {
    terms.flatMap { term in
      let words = Self.words(of: term.text)
      return words.isEmpty ? [term.text] : words
    }
  }

  /// The runs of letters and digits of a text, without case and diacritics. In scripts without spaces each character is a
  /// word.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    func end() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for character in text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) {
      if hasNoSpaces(character) {
        end()
        words.append(String(character))
      } else if character.isLetter || character.isNumber {
        word.append(character)
      } else {
        end()
      }
    }
    end()
    return words
  }

  /// Whether a character belongs to a script that writes without spaces: Thai and Lao, Burmese, Khmer, Chinese and Japanese.
  package static func hasNoSpaces(_ character: Character) -> Bool {
    guard let value = character.unicodeScalars.first?.value else { return false }
    return [0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF]
      .contains { (range: ClosedRange<UInt32>) in range.contains(value) }
  }

  // MARK: - Reading

  private static func split(_ text: String) -> [Term] {
    var terms: [Term] = []
    var current = Term(text: "")
    var isQuoted = false
    func end() {
      if !current.text.isEmpty { terms.append(current) }
      current = Term(text: "")
    }
    for character in text {
      if "\"“”„".contains(character) {
        if !isQuoted, current.text.isEmpty { current.isPhrase = true }
        isQuoted.toggle()
      } else if character.isWhitespace, !isQuoted {
        end()
      } else {
        current.text.append(character)
      }
    }
    end()
    return terms
  }

  private static func day(_ text: String, _ calendar: Calendar) throws -> Date {
    let today = calendar.startOfDay(for: Date())
    switch text.lowercased() {
    case "today": return today
    case "yesterday": return calendar.date(byAdding: .day, value: -1, to: today) ?? today
    default: break
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let bounds = [1...9_999, 1...12, 1...31]
    let numbers = zip(parts, bounds).compactMap { part, bounds in
      Int(part).flatMap { Untrusted($0).value(in: bounds) }
    }
    guard numbers.count == parts.count,
      let date = calendar.date(
        from: DateComponents(
          year: numbers[0], month: numbers.count > 1 ? numbers[1] : 1, day: numbers.count > 2 ? numbers[2] : 1))
    else {
      throw DataLayerError.invalidData("give a day as 2026-01-31")
    }
    return date
  }

  private static func isFile(_ value: String) throws -> Bool {
    guard ["file", "files", "attachment", "picture"].contains(value.lowercased()) else {
      throw DataLayerError.invalidData("there is no has:\(value); has:file finds messages with attachments")
    }
    return true
  }
}
