import Foundation
import Hummingbird
import UntrustedInput

/// The fields of an address.
struct Query: Fields {
  private let values: [String: String]

  /// Reads the fields that a route has. All others are as if they were not there.
  init(_ request: Request, _ context: WebContext) { self.init(request, context.route?.query ?? []) }

  init(_ request: Request, _ names: [String]) { values = Self.parse(request.uri.query ?? "", names) }

  subscript(key: String) -> String? { values[key] }

  /// Reads `name=value&…`; the last one of a name counts.
  static func parse(_ text: String, _ names: [String]) -> [String: String] {
    var values: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // What is no UTF-8 is no value.
      guard let name = decode(parts[0]), names.contains(name) else { continue }
      if let value = decode(parts.count > 1 ? parts[1] : "") { values[name] = value }
    }
    return values
  }

  private static func decode(_ text: Substring) -> String? {
    text.replacing("+", with: " ").removingPercentEncoding
  }
}

/// The fields that a request has in its address or its form.
protocol Fields: Sendable {
  subscript(key: String) -> String? { get }
}

extension Fields {
  /// A whole number; nil without one.
  /// - Throws: ``PageError``, which names the field, for what is no number or not within bounds.
  func number<Value: FixedWidthInteger & Codable & Sendable>(
    _ key: String, in bounds: ClosedRange<Value>
  ) throws(PageError) -> Value? {
    guard let text = self[key]?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
    return try PageError.number(text, in: bounds, field: key)
  }
}

extension PageError {
  /// Reads a whole number from text.
  /// - Throws: ``PageError``, which names the field, for what is no number or not within bounds.
  static func number<Value: FixedWidthInteger & Codable & Sendable>(
    _ text: String, in bounds: ClosedRange<Value>, field: String
  ) throws(PageError) -> Value {
    do throws(UntrustedInputError) {
      return try Untrusted<Value>(text: text, field: field).inRange(bounds, field: field)
    } catch {
      throw PageError.invalid("“\(error.field)” is a whole number from \(bounds.lowerBound) to \(bounds.upperBound).")
    }
  }
}
