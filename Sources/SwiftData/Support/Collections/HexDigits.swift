import Foundation

extension Sequence<UInt8> {
  /// The bytes as hexadecimal digits, two for each byte.
  package var hexDigits: String { map { String(format: "%02x", $0) }.joined() }
}
