/// A text that is compared and ordered by its UTF-8 bytes.
///
/// `String` treats canonically equivalent texts as equal. Two replicas could then keep different bytes for one register, and the
/// state would depend on the order of the log.
public struct ExactText: Hashable, Comparable, Sendable {
  /// The text.
  public let text: String
  /// `String` compares and orders two ASCII texts by their bytes. An ASCII text has equivalents of other bytes, as "K" has U+212A.
  @usableFromInline let isASCII: Bool

  /// Takes a text as it is.
  public init(_ text: String) { (self.text, isASCII) = (text, text.utf8.allSatisfy { $0 < 0x80 }) }

  /// Compares the bytes.
  @inlinable public static func == (left: ExactText, right: ExactText) -> Bool {
    guard left.isASCII == right.isASCII else { return false }
    return left.text == right.text && (left.isASCII || left.text.utf8.elementsEqual(right.text.utf8))
  }

  /// Hashes the bytes. `String` has one hash for all canonically equivalent texts, and a peer can make millions of such texts.
  public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

  /// Orders texts by their bytes.
  public static func < (left: ExactText, right: ExactText) -> Bool {
    guard left.isASCII, right.isASCII else { return left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
    return left.text < right.text
  }
}

extension ExactText: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Takes a literal.
  public init(stringLiteral text: String) { self.init(text) }

  /// The same as ``text``.
  public var description: String { text }
}

extension String {
  /// Hashes the bytes in UTF-8.
  func hashBytes(into hasher: inout Hasher) {
    let isDone: Void? = utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    if isDone == nil { for byte in utf8 { hasher.combine(byte) } }
    // So that the bytes of two texts in one value do not flow into each other.
    hasher.combine(0xFF as UInt8)
  }
}
