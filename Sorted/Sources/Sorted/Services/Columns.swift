/// Measures and clips text in terminal columns.
enum Columns {
  /// The number of columns: two for wide East Asian characters and emoji, none for combining ones.
  static func count(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width($1) } }

  /// The text, clipped with … if it is too wide.
  static func clipped(_ text: String, _ columns: Int) -> String {
    if count(text) <= columns { return text }
    var result = ""
    var used = 1
    for character in text {
      used += width(character)
      if used > columns { break }
      result.append(character)
    }
    return columns > 0 ? result + "…" : ""
  }

  /// The text, padded or clipped to a width.
  static func padded(_ text: String, _ columns: Int, right: Bool = false) -> String {
    let text = clipped(text, columns)
    let space = String(repeating: " ", count: max(0, columns - count(text)))
    return right ? space + text : text + space
  }

  /// The text in lines of a maximum width, broken at spaces, and inside longer words.
  static func wrapped(_ text: String, _ columns: Int) -> [String] {
    var lines = [String]()
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = ""
      for word in paragraph.split(separator: " ", omittingEmptySubsequences: false) {
        if !line.isEmpty, count(line) + 1 + count(word) > columns {
          lines.append(line)
          line = ""
        } else if !line.isEmpty {
          line += " "
        }
        for character in word {
          if count(line) + width(character) > columns {
            lines.append(line)
            line = ""
          }
          line.append(character)
        }
      }
      lines.append(line)
    }
    return lines
  }

  private static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if first.isASCII { return 1 }
    if first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
