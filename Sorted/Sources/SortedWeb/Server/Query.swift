import Foundation
import Hummingbird

/// The parameters of an address.
struct Query: Sendable {
  private let values: [String: String]

  init(_ request: Request) {
    let query = request.uri.query ?? ""
    values = Self.parse(query)
  }

  subscript(key: String) -> String? { values[key] }

  /// Reads `name=value&…`; the last one of a name counts.
  static func parse(_ text: String) -> [String: String] {
    var values: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (decode(parts[0]), decode(parts.count > 1 ? parts[1] : ""))
      // What is no UTF-8 is no value.
      if let name, let value { values[name] = value }
    }
    return values
  }

  private static func decode(_ text: Substring) -> String? {
    text.replacing("+", with: " ").removingPercentEncoding
  }
}
