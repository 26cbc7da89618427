/// A token of a message: a word, a number, a link, an e-mail address or a symbol.
struct Token: Equatable {
  /// The kind of a token.
  enum Kind: UInt32 {
    case word = 1
    case number
    case link
    case mail
    case symbol
  }

  /// The kind of the token.
  var kind: Kind
  /// The range of the token's lowercase scalars in ``Tokenizer/scalars``.
  var range: Range<Int>
}

/// Splits a message into tokens and converts their letters to lower case.
///
/// It reads Unicode scalars instead of characters, because grapheme breaking costs more than all other steps together.
struct Tokenizer {
  /// The largest number of scalars that the tokenizer reads. The end of a longer message does not change its kind.
  static let maximumScalars = 4_000

  /// The lowercase scalars of the last text.
  private(set) var scalars: [UInt32] = []
  /// The tokens of the last text in order.
  private(set) var tokens: [Token] = []
  /// The number of uppercase letters and the number of all letters in the last text.
  private(set) var capitals = (upper: 0, letters: 0)
  /// Whether the first letter of the last text is a capital letter.
  private(set) var beginsWithCapital = false
  /// The number of the last text's runs of scalars that only technical texts have (``TechnicalSigns``).
  private(set) var technicalSigns = 0

  /// Splits a text. The result replaces the tokens of the previous text.
  mutating func read(_ text: String) {
    scalars.removeAll(keepingCapacity: true)
    tokens.removeAll(keepingCapacity: true)
    capitals = (0, 0)
    beginsWithCapital = false
    technicalSigns = 0
    for scalar in text.unicodeScalars.prefix(Self.maximumScalars) { fold(scalar) }
    var start = 0
    while start < scalars.count {
      var end = start
      while end < scalars.count, !Self.isSpace(scalars[end]) { end += 1 }
      if end > start {
        if TechnicalSigns.contains(scalars[start..<end], isFirst: tokens.isEmpty) { technicalSigns += 1 }
        split(start..<end)
      }
      start = end + 1
    }
  }

  /// Returns the lowercase text of a token.
  func text(of token: Token) -> String {
    var text = String.UnicodeScalarView()
    for value in scalars[token.range] { text.append(Unicode.Scalar(value) ?? "?") }
    return String(text)
  }

  private mutating func fold(_ scalar: Unicode.Scalar) {
    let value = scalar.value
    switch value {
    case 0x41...0x5A:
      if capitals.letters == 0 { beginsWithCapital = true }
      capitals.upper += 1
      capitals.letters += 1
      scalars.append(value + 32)
    case 0x61...0x7A:
      capitals.letters += 1
      scalars.append(value)
    case 0...0x7F: scalars.append(value)
    case 0x2018, 0x2019: scalars.append(0x27)
    case 0x201C, 0x201D: scalars.append(0x22)
    case 0xFE0F: break
    default:
      let lower = scalar.properties.lowercaseMapping.unicodeScalars
      if lower.first != scalar {
        if capitals.letters == 0 { beginsWithCapital = true }
        capitals.upper += 1
      }
      capitals.letters += 1
      for part in lower { scalars.append(part.value) }
    }
  }

  /// Splits a run of scalars without spaces.
  private mutating func split(_ run: Range<Int>) {
    if isLink(run) { return tokens.append(Token(kind: .link, range: run)) }
    if let at = scalars[run].firstIndex(of: 0x40), at > run.lowerBound, scalars[at..<run.upperBound].contains(0x2E) {
      return tokens.append(Token(kind: .mail, range: run))
    }
    var start = run.lowerBound
    while start < run.upperBound {
      var end = start + 1
      let kind = Self.kind(scalars[start])
      switch kind {
      case .word:
        while end < run.upperBound, Self.continuesWord(scalars[end]) { end += 1 }
      case .number:
        while end < run.upperBound, Self.isDigit(scalars[end]) || isSeparator(end, run) { end += 1 }
      default:
        // A repeated mark such as "!!!" is one token.
        while end < run.upperBound, scalars[end] == scalars[start] { end += 1 }
      }
      tokens.append(Token(kind: kind, range: start..<end))
      start = end
    }
  }

  private func isLink(_ run: Range<Int>) -> Bool {
    let head = scalars[run].prefix(5)
    return head.starts(with: "http:".unicodeScalars.map(\.value))
      || head.starts(with: "https".unicodeScalars.map(\.value)) || head.starts(with: "www.".unicodeScalars.map(\.value))
  }

  /// Returns whether a scalar is a point or a comma between two digits.
  private func isSeparator(_ index: Int, _ run: Range<Int>) -> Bool {
    (scalars[index] == 0x2E || scalars[index] == 0x2C) && index + 1 < run.upperBound && Self.isDigit(scalars[index + 1])
  }

  private static func kind(_ value: UInt32) -> Token.Kind {
    if isDigit(value) { return .number }
    return isLetter(value) ? .word : .symbol
  }

  private static func isSpace(_ value: UInt32) -> Bool {
    value <= 0x20 || value == 0xA0 || value == 0x3000 || (0x2000...0x200B).contains(value)
  }

  static func isDigit(_ value: UInt32) -> Bool { (0x30...0x39).contains(value) }

  static func isLetter(_ value: UInt32) -> Bool {
    if value < 0x80 { return (0x61...0x7A).contains(value) }
    return Unicode.Scalar(value)?.properties.isAlphabetic ?? false
  }

  private static func continuesWord(_ value: UInt32) -> Bool { isLetter(value) || value == 0x27 || isDigit(value) }
}
