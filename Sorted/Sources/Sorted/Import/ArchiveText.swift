/// Makes text from archives safe to display.
public enum ArchiveText {
  /// Decodes bytes. Invalid UTF-8 becomes U+FFFD. A control character becomes its picture (NUL ␀, CR ␍, DEL ␡), or
  /// U+FFFD if it has none, so that nothing is hidden and nothing controls a terminal.
  public static func readable(_ bytes: some Collection<UInt8>) -> String {
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(decoding: bytes, as: UTF8.self) }
    return readable(String(decoding: bytes, as: UTF8.self), keepingLines: false)
  }

  /// The same for decoded text. With `keepingLines`, line feeds stay.
  public static func readable(_ text: String, keepingLines: Bool = true) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      result.append(keepingLines && scalar == "\n" ? scalar : picture(of: scalar))
    }
    return String(result)
  }

  private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value)!
    case 0x7F: "\u{2421}"
    case 0x80..<0xA0: "\u{FFFD}"
    default: scalar
    }
  }
}
