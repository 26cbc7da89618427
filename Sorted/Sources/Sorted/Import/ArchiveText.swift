/// Text from archives, made fit to be shown.
public enum ArchiveText {
  /// Decodes bytes: what is not UTF-8 becomes U+FFFD, a control character its picture (NUL ␀, CR ␍, DEL ␡), or U+FFFD
  /// where Unicode has no picture, so that nothing is lost from sight and nothing acts on a terminal.
  public static func readable(_ bytes: some Collection<UInt8>) -> String {
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(decoding: bytes, as: UTF8.self) }
    return readable(String(decoding: bytes, as: UTF8.self), keepingLines: false)
  }

  /// The same for text that is decoded already. With `keepingLines`, line feeds stay.
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
