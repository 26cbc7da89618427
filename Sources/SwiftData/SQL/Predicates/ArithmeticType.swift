import Foundation

/// A number type and its arithmetic on cells. The result is nil where Swift traps.
enum ArithmeticType {
  enum Operation { case add, subtract, multiply, divide, remainder }

  case integer(any FixedWidthInteger.Type)
  case float(isSingle: Bool)
  case decimal

  init?(_ type: Any.Type) { self.init(name: "\(type)") }

  /// Finds the type by its name, which SQL passes.
  init?(name: String) {
    switch name {
    case "Int": self = .integer(Int.self)
    case "Int8": self = .integer(Int8.self)
    case "Int16": self = .integer(Int16.self)
    case "Int32": self = .integer(Int32.self)
    case "Int64": self = .integer(Int64.self)
    case "UInt": self = .integer(UInt.self)
    case "UInt8": self = .integer(UInt8.self)
    case "UInt16": self = .integer(UInt16.self)
    case "UInt32": self = .integer(UInt32.self)
    case "UInt64": self = .integer(UInt64.self)
    case "Double": self = .float(isSingle: false)
    case "Float": self = .float(isSingle: true)
    case "Decimal": self = .decimal
    default: return nil
    }
  }

  func apply(_ operation: Operation, _ left: SQLValue, _ right: SQLValue) -> SQLValue? {
    switch self {
    case .integer(let type):
      guard case .integer(let one) = left, case .integer(let other) = right else { return nil }
      return Self.apply(operation, one, other, type)
    case .float(let isSingle):
      guard let one = Self.double(left), let other = Self.double(right) else { return nil }
      return Self.cell(
        isSingle ? Double(Self.apply(operation, Float(one), Float(other))) : Self.apply(operation, one, other)
      )
    case .decimal:
      guard let one = Self.decimal(left), let other = Self.decimal(right) else { return nil }
      let result: Decimal
      switch operation {
      case .add: result = one + other
      case .subtract: result = one - other
      case .multiply:
        guard let product = one.product(other) else { return nil }
        result = product
      case .divide, .remainder: return nil
      }
      return .text(result.description)
    }
  }

  func negate(_ value: SQLValue) -> SQLValue? {
    switch self {
    case .integer: apply(.subtract, .integer(0), value)
    case .float: Self.double(value).map { Self.cell(-$0) }
    case .decimal: Self.decimal(value).map { .text((-$0).description) }
    }
  }

  private static func apply<I: FixedWidthInteger>(
    _ operation: Operation,
    _ left: Int64,
    _ right: Int64,
    _: I.Type
  ) -> SQLValue? {
    let (one, other) = (I(truncatingIfNeeded: left), I(truncatingIfNeeded: right))
    let (result, overflow) =
      switch operation {
      case .add: one.addingReportingOverflow(other)
      case .subtract: one.subtractingReportingOverflow(other)
      case .multiply: one.multipliedReportingOverflow(by: other)
      case .divide: one.dividedReportingOverflow(by: other)
      case .remainder: one.remainderReportingOverflow(dividingBy: other)
      }
    return overflow ? nil : .integer(Int64(truncatingIfNeeded: result))
  }

  private static func apply<F: BinaryFloatingPoint>(_ operation: Operation, _ left: F, _ right: F) -> F {
    switch operation {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    case .remainder: left.truncatingRemainder(dividingBy: right)
    }
  }

  private static func double(_ cell: SQLValue) -> Double? {
    switch cell {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .text: .nan
    case .null, .blob: nil
    }
  }

  private static func decimal(_ cell: SQLValue) -> Decimal? {
    guard case .text(let text) = cell else { return nil }
    return Decimal(stored: text)
  }

  private static func cell(_ value: Double) -> SQLValue { value.isNaN ? .text("nan") : .real(value) }
}

extension Decimal {
  /// The product, or nil if it is too small for a `Decimal`. Foundation's own `*` traps then.
  func product(_ other: Decimal) -> Decimal? {
    let leastExponent = -128
    let sum = exponent + other.exponent
    guard sum < leastExponent, !isNaN, !other.isNaN, self != 0, other != 0 else { return self * other }
    // A product of many digits is rounded, which makes its exponent greater.
    let digits = magnitude.significand * other.magnitude.significand
    guard digits.exponent + sum >= leastExponent else { return nil }
    let significand = Decimal(sign: .plus, exponent: -digits.exponent, significand: digits)
    return Decimal(
      sign: isSignMinus == other.isSignMinus ? .plus : .minus, exponent: digits.exponent + sum, significand: significand
    )
  }
}
