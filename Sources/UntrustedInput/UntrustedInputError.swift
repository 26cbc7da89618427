/// Says which field of an input has a number that the reader cannot use. A server answers it with the status 400.
public struct UntrustedInputError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the field, as its sender knows it.
  public let field: String
  /// The content of the field, shortened.
  public let found: String
  /// A description of the values that the reader can use.
  public let expected: String

  /// Makes an error.
  /// - Parameters:
  ///   - field: the name of the field, as its sender knows it.
  ///   - found: what the field has.
  ///   - expected: what the reader can use, for example "a number from 0 to 100".
  public init(field: String, found: String, expected: String) {
    (self.field, self.found, self.expected) = (field, found, expected)
  }

  /// The field, the value and the remedy.
  public var description: String { "`\(field)` is \(found). Use \(expected)." }
}
