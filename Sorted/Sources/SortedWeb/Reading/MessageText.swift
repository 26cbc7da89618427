import Foundation

/// The text of a message as HTML: bold, italic, struck out and fixed-width text, quotes, links and mentions.
///
/// Everything that is not one of these marks is escaped, so that no text is a tag or an attribute. The marks are
/// Markdown's, as far as messengers have them: `**bold**`, `*italic*`, `_italic_`, `~~struck~~`, `` `code` ``, three
/// backticks around lines of code, and `>` before a line that is quoted.
struct MessageText {
  /// The people whom an `@` before the name mentions.
  let people: Set<String>
  /// The reader, whose own mention stands out.
  let reader: String
  /// The number of letters of the longest name.
  private let longestName: Int

  init(people: Set<String>, reader: String) {
    (self.people, self.reader) = (people, reader)
    longestName = people.lazy.map(\.count).max() ?? 0
  }

  func html(_ text: String) -> String {
    var result = ""
    var quote: [Substring] = []
    var code: [Substring]?
    func endQuote() {
      if !quote.isEmpty { result += "<blockquote>\(quote.map { inline($0) }.joined(separator: "\n"))</blockquote>" }
      quote = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        endQuote()
        if let lines = code { result += "<pre>\(Self.escaped(lines.joined(separator: "\n")))</pre>" }
        code = code == nil ? [] : nil
      } else if code != nil {
        code?.append(line)
      } else if line.hasPrefix(">") {
        quote.append(line.dropFirst().drop { $0 == " " })
      } else {
        endQuote()
        if !result.isEmpty, !result.hasSuffix("</blockquote>"), !result.hasSuffix("</pre>") { result += "\n" }
        result += inline(line)
      }
    }
    endQuote()
    // A block of code without an end is text.
    if let lines = code {
      result += (result.isEmpty ? "" : "\n") + Self.escaped("```\n" + lines.joined(separator: "\n"))
    }
    return result
  }

  /// The text without marks, for one line of a list.
  static func plain(_ text: String) -> String {
    // Most texts have no mark. Links and mentions read as they are written.
    let hasMarks = text.utf8.contains { "*_~`>".utf8.contains($0) }
    let plain = hasMarks ? Self.text(of: MessageText(people: [], reader: "").html(text)[...]) : text
    return plain.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The first link of a text, as ``html(_:)`` finds it; nil for a text without one.
  static func firstLink(of text: String) -> String? {
    let html = MessageText(people: [], reader: "").html(text)
    guard let match = html.firstMatch(of: /<a href="([^"]+)"/) else { return nil }
    return Self.text(of: match.1)
  }

  // MARK: - One line

  private static let marks: [(mark: String, tag: String)] = [
    ("**", "strong"), ("~~", "s"), ("*", "em"), ("_", "em"),
  ]

  private static let reach = 500
  /// The number of letters of the longest link. A longer one is text.
  private static let longestLink = 4096

  private func inline(_ line: Substring) -> String {
    var result = ""
    var rest = line
    var before: Character = " "
    while let next = rest.first {
      if let (html, end) = link(rest, before) ?? code(rest) ?? marked(rest, before) ?? mention(rest, before) {
        result += html
        before = rest[rest.index(before: end)]
        rest = rest[end...]
      } else {
        result += Self.escaped(String(next))
        before = next
        rest = rest.dropFirst()
      }
    }
    return result
  }

  private func code(_ rest: Substring) -> (String, String.Index)? {
    guard rest.first == "`", let end = rest.dropFirst().firstIndex(of: "`"), end > rest.index(after: rest.startIndex)
    else { return nil }
    return ("<code>\(Self.escaped(rest[rest.index(after: rest.startIndex)..<end]))</code>", rest.index(after: end))
  }

  /// A mark opens before a letter and closes behind one; within a word it is part of the word.
  private func marked(_ rest: Substring, _ before: Character) -> (String, String.Index)? {
    guard !before.isLetter, !before.isNumber else { return nil }
    for (mark, tag) in Self.marks where rest.hasPrefix(mark) {
      // So far a mark reaches: a text full of marks without ends is read in time that its length bounds.
      let inner = rest.dropFirst(mark.count).prefix(Self.reach)
      guard let first = inner.first, !first.isWhitespace, !mark.contains(first),
        let end = inner.range(of: mark), inner[..<end.lowerBound].last?.isWhitespace == false,
        rest[end.upperBound...].first.map({ !$0.isLetter && !$0.isNumber }) ?? true
      else { continue }
      return ("<\(tag)>\(inline(inner[..<end.lowerBound]))</\(tag)>", end.upperBound)
    }
    return nil
  }

  private func link(_ rest: Substring, _ before: Character) -> (String, String.Index)? {
    guard rest.hasPrefix("https://") || rest.hasPrefix("http://"), !before.isLetter, !before.isNumber else {
      return nil
    }
    let longest = rest.prefix(Self.longestLink)
    var end = longest.firstIndex { $0.isWhitespace || "<>\"".contains($0) } ?? longest.endIndex
    // What ends a sentence is not part of its link.
    let hasParenthesis = rest[..<end].contains("(")
    while end > rest.startIndex {
      let last = rest[rest.index(before: end)]
      guard ".,;:!?'*_~".contains(last) || last == ")" && !hasParenthesis else { break }
      end = rest.index(before: end)
    }
    let address = rest[..<end]
    let text = Self.escaped(address)
    let isWhole = end < longest.endIndex || longest.endIndex == rest.endIndex
    // Such a text is shown as it is. Looking for links inside it would take time that grows with the square of its length.
    guard isWhole, let url = URL(string: String(address)), url.host()?.isEmpty == false else { return (text, end) }
    return ("<a href=\"\(text)\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">\(text)</a>", end)
  }

  private func mention(_ rest: Substring, _ before: Character) -> (String, String.Index)? {
    guard rest.first == "@", !before.isLetter, !before.isNumber else { return nil }
    let name = rest.dropFirst().prefix(longestName).prefix { $0.isLetter || $0.isNumber || ".-_+".contains($0) }
    // The longest beginning that is a person's name: a full stop may end the sentence.
    for end in name.indices.reversed().map({ name.index(after: $0) }) {
      let candidate = String(name[..<end])
      guard people.contains(candidate) else { continue }
      let kind = candidate == reader ? "mention you" : "mention"
      return ("<span class=\"\(kind)\">@\(Self.escaped(candidate))</span>", end)
    }
    return nil
  }

  // MARK: - Escaping

  /// A text of HTML that shows a text.
  ///
  /// It compares Unicode scalars. For Swift, a quote with a combining mark is another character than a quote, and a browser ends an
  /// attribute there.
  static func escaped(_ text: some StringProtocol) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      case "'": result.append(contentsOf: "&#39;".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  private static let entities = ["&quot;": "\"", "&#39;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&"]
  private static let blocks: Set = ["<pre>", "</pre>", "<blockquote>", "</blockquote>"]

  /// The text of what ``html(_:)`` makes. A block stands on lines of its own.
  private static func text(of html: Substring) -> String {
    var result = ""
    var rest = html
    // By bytes, because a combining mark behind a tag makes one character with its end.
    while let start = rest.utf8.firstIndex(where: { "<&".utf8.contains($0) }),
      let end = rest.utf8[start...].firstIndex(of: UInt8(ascii: rest.utf8[start] == UInt8(ascii: "<") ? ">" : ";"))
    {
      let mark = String(rest[start...end])
      result += rest[..<start]
      result += entities[mark] ?? (blocks.contains(mark) ? "\n" : "")
      rest = rest[rest.utf8.index(after: end)...]
    }
    return result + rest
  }
}
