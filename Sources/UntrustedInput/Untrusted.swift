/// A whole number that another program sent: in a request, an answer, a file or a row.
///
/// The sender chooses the value, and Swift's arithmetic traps where a result does not fit. So the type has no `+`, `-`, `*`, `/`, `%`,
/// `abs` and negation: code that computes with an unchecked number does not compile. The reader checks the number once, and computes
/// with the plain integer that the check returns:
///
///     let offset = try call.number("offset").inRange(0...total, field: "offset")
///     let rest = total - offset
///
/// Choose bounds within which the arithmetic that follows cannot overflow, for example `0...(Int64.max / 4)`. Inner loops work with
/// plain integers and cost nothing more.
///
/// It is encoded as its plain value.
@frozen
public struct Untrusted<Value: FixedWidthInteger & Codable & Sendable>: Hashable, Sendable {
  @usableFromInline let value: Value

  /// Wraps a number.
  @inlinable public init(_ value: Value) { self.value = value }

  /// Reads a number from text.
  /// - Parameter field: the name of the field, for the error.
  /// - Throws: ``UntrustedInputError`` if the text is not a number, or the number does not fit into `Value`.
  public init(text: some StringProtocol, field: String) throws(UntrustedInputError) {
    guard let value = Value(text) else {
      throw UntrustedInputError(
        field: field, found: "\"\(text.prefix(40))\"", expected: "a whole number from \(Value.min) to \(Value.max)")
    }
    self.init(value)
  }

  // MARK: - Plain integers

  /// The number, if it is within bounds; otherwise nil.
  @inlinable public func value(in bounds: ClosedRange<Value>) -> Value? { bounds.contains(value) ? value : nil }

  /// The number, if it is within bounds.
  /// - Parameter field: the name of the field, for the error.
  /// - Throws: ``UntrustedInputError`` if the number is outside.
  @inlinable public func inRange(_ bounds: ClosedRange<Value>, field: String) throws(UntrustedInputError) -> Value {
    guard bounds.contains(value) else { throw outside(bounds, field) }
    return value
  }

  /// The number within bounds that is nearest to this one.
  @inlinable public func clamped(to bounds: ClosedRange<Value>) -> Value {
    min(max(value, bounds.lowerBound), bounds.upperBound)
  }

  @usableFromInline func outside(_ bounds: ClosedRange<Value>, _ field: String) -> UntrustedInputError {
    UntrustedInputError(
      field: field, found: "\(value)", expected: "a number from \(bounds.lowerBound) to \(bounds.upperBound)")
  }

  // MARK: - Checked arithmetic

  /// Adds a number.
  /// - Parameter field: the name of the field, for the error.
  /// - Throws: ``UntrustedInputError`` if the sum does not fit.
  public func adding(_ other: Value, field: String) throws(UntrustedInputError) -> Untrusted {
    try checked(value.addingReportingOverflow(other), field)
  }

  /// Subtracts a number.
  /// - Parameter field: the name of the field, for the error.
  /// - Throws: ``UntrustedInputError`` if the difference does not fit.
  public func subtracting(_ other: Value, field: String) throws(UntrustedInputError) -> Untrusted {
    try checked(value.subtractingReportingOverflow(other), field)
  }

  /// Multiplies by a number.
  /// - Parameter field: the name of the field, for the error.
  /// - Throws: ``UntrustedInputError`` if the product does not fit.
  public func multiplying(by other: Value, field: String) throws(UntrustedInputError) -> Untrusted {
    try checked(value.multipliedReportingOverflow(by: other), field)
  }

  private func checked(
    _ result: (partialValue: Value, overflow: Bool), _ field: String
  ) throws(UntrustedInputError) -> Untrusted {
    guard !result.overflow else {
      throw UntrustedInputError(field: field, found: "\(value)", expected: "a number that can be computed with")
    }
    return Untrusted(result.partialValue)
  }

  // MARK: - Saturating arithmetic

  /// Adds a number. The result is the least or the greatest number where the sum does not fit.
  public func addingSaturating(_ other: Value) -> Untrusted {
    let (sum, isTooFar) = value.addingReportingOverflow(other)
    return Untrusted(isTooFar ? Self.limit(isNegative: other < 0) : sum)
  }

  /// Subtracts a number. The result is the least or the greatest number where the difference does not fit.
  public func subtractingSaturating(_ other: Value) -> Untrusted {
    let (difference, isTooFar) = value.subtractingReportingOverflow(other)
    return Untrusted(isTooFar ? Self.limit(isNegative: other > 0) : difference)
  }

  /// Multiplies by a number. The result is the least or the greatest number where the product does not fit.
  public func multiplyingSaturating(by other: Value) -> Untrusted {
    let (product, isTooFar) = value.multipliedReportingOverflow(by: other)
    return Untrusted(isTooFar ? Self.limit(isNegative: (value < 0) != (other < 0)) : product)
  }

  private static func limit(isNegative: Bool) -> Value { isNegative ? .min : .max }
}

extension Untrusted: Comparable {
  /// Orders numbers by value.
  @inlinable public static func < (left: Untrusted, right: Untrusted) -> Bool { left.value < right.value }
}

extension Untrusted: ExpressibleByIntegerLiteral {
  /// Makes a number of a literal.
  @inlinable public init(integerLiteral value: Value.IntegerLiteralType) { self.init(Value(integerLiteral: value)) }
}

extension Untrusted: CustomStringConvertible {
  /// The digits of the number.
  public var description: String { "\(value)" }
}

extension Untrusted: Codable {
  /// Decodes the plain value.
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(Value.self)) }

  /// Encodes the plain value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
