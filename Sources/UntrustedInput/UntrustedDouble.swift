/// A floating-point number that another program sent: in a request, an answer, a file or a row.
///
/// It may be NaN or infinite. Conversions of such a number to an integer or a `Duration` trap, so the type has neither arithmetic nor
/// conversions. The reader gets a finite `Double` from a check of bounds. ``Untrusted`` is the type for whole numbers.
///
/// It is encoded as its plain value.
@frozen
public struct UntrustedDouble: Hashable, Sendable {
  @usableFromInline let value: Double

  /// Wraps a number.
  @inlinable public init(_ value: Double) { self.value = value }

  /// Reads a number from text. `nan` and `inf` are numbers here; no bounds contain them.
  /// - Parameter field: the name of the field, for the error.
  /// - Throws: ``UntrustedInputError`` if the text is not a number.
  public init(text: some StringProtocol, field: String) throws(UntrustedInputError) {
    guard let value = Double(text) else {
      throw UntrustedInputError(field: field, found: "\"\(text.prefix(40))\"", expected: "a number")
    }
    self.init(value)
  }

  /// The number, if it is within bounds; otherwise nil. NaN is within no bounds.
  @inlinable public func value(in bounds: ClosedRange<Double>) -> Double? { bounds.contains(value) ? value : nil }

  /// The number, if it is within bounds. NaN is within no bounds.
  /// - Parameter field: the name of the field, for the error.
  /// - Throws: ``UntrustedInputError`` if the number is outside.
  public func inRange(_ bounds: ClosedRange<Double>, field: String) throws(UntrustedInputError) -> Double {
    guard bounds.contains(value) else {
      throw UntrustedInputError(
        field: field, found: "\(value)", expected: "a number from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return value
  }

  /// The number within bounds that is nearest to this one; for NaN the lower bound.
  @inlinable public func clamped(to bounds: ClosedRange<Double>) -> Double {
    value.isNaN ? bounds.lowerBound : min(max(value, bounds.lowerBound), bounds.upperBound)
  }
}

extension UntrustedDouble: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// Makes a number of a literal.
  @inlinable public init(floatLiteral value: Double) { self.init(value) }
  /// Makes a number of a literal.
  @inlinable public init(integerLiteral value: Int) { self.init(Double(value)) }
}

extension UntrustedDouble: CustomStringConvertible {
  /// The digits of the number.
  public var description: String { "\(value)" }
}

extension UntrustedDouble: Codable {
  /// Decodes the plain value.
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(Double.self)) }

  /// Encodes the plain value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
