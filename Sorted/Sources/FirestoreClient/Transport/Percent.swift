import Foundation

/// Names in URLs.
enum Percent {
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~()")

  /// - Parameter keepsSlashes: whether slashes stay, because they separate the parts of the path.
  static func escaped(_ text: String, keepsSlashes: Bool = true) -> String {
    let allowed = keepsSlashes ? unreserved.union(CharacterSet(charactersIn: "/")) : unreserved
    // A Swift string is always UTF-8, which is the only reason for nil.
    return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
  }
}
