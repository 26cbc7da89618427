import Foundation

/// The values of an object that a stored object has too, as an error shows them.
package enum TakenValues {
  /// The longest text that an error shows.
  private static let limit = 60

  /// The message for unique values that another object has.
  /// - Parameter values: the values as text; empty if they are not known.
  package static func message(_ values: [String]) -> String {
    let taken =
      switch values.count {
      case 0: "the same value"
      case 1: "the value \(values[0])"
      default: "the values \(values.joined(separator: ", "))"
      }
    return "another stored object has \(taken); change the value, or fetch and update the stored object"
  }

  /// Returns the error of a save with the values of the object that it refused.
  static func name(_ object: any PersistentModel, _ table: EntityTable, in error: SwiftDataError) -> SwiftDataError {
    let constraint = table.uniqueness.first { $0.terms.map(\.name).joined(separator: ", ") == error.property }
    // An error may come into a log, and an encrypted value must not.
    guard let constraint, !constraint.terms.contains(where: \.property.isSensitive) else { return error }
    let values = constraint.terms.map { $0.isMember ? nil : text(object.__value(at: $0.property.index)) }
    guard !values.contains(nil) else { return error }
    return SwiftDataError(
      error.code, entity: error.entity, property: error.property, message: message(values.compactMap(\.self)),
      sql: error.sql, underlying: error.underlyingError)
  }

  /// Returns a value of a common type as text. A save runs no description that the program wrote.
  private static func text(_ value: Any) -> String? {
    switch value {
    case let text as String: quoted(text)
    case let url as URL: quoted(url.absoluteString)
    case let integer as Int: "\(integer)"
    case let integer as Int32: "\(integer)"
    case let integer as Int64: "\(integer)"
    case let number as Double: "\(number)"
    case let number as Decimal: "\(number)"
    case let identifier as UUID: identifier.uuidString
    case let date as Date: date.formatted(.iso8601)
    default: nil
    }
  }

  /// Returns a text in quotation marks, shortened if it is long.
  package static func quoted(_ text: String) -> String {
    text.count <= limit ? text.debugDescription : "\(String(text.prefix(limit)).debugDescription)…"
  }
}
