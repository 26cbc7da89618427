import Foundation

/// Percent-encodes names in URLs.
enum Percent {
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~()")

  /// - Parameter keepsSlashes: whether slashes stay, as separators of a path.
  static func escaped(_ text: String, keepsSlashes: Bool = true) -> String {
    let allowed = keepsSlashes ? unreserved.union(CharacterSet(charactersIn: "/")) : unreserved
    // Nil is only returned for invalid UTF-8, which a Swift string cannot have.
    return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
  }
}
