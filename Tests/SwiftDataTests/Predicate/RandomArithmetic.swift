import Foundation
import SwiftData

/// An integer type and its properties.
struct IntegerKind<I: FixedWidthInteger & Codable & Sendable>: Sendable {
  let name: String
  let property: KeyPath<Extreme, I> & Sendable
  let optionalName: String
  let optional: KeyPath<Extreme, I?> & Sendable
  /// The opposite number. Nil for types without one.
  var negated: (@Sendable (Term<I>) -> Term<I>)?
}

/// A floating-point type and its properties.
struct RealKind<F: BinaryFloatingPoint & Codable & Sendable>: Sendable {
  let name: String
  let property: KeyPath<Extreme, F> & Sendable
  let optionalName: String
  let optional: KeyPath<Extreme, F?> & Sendable
}

/// Random conditions over numbers at the ends of their types.
struct RandomArithmetic {
  var random: RandomSource

  // MARK: - Objects

  mutating func integer<I: FixedWidthInteger>(_: I.Type = I.self) -> I {
    random.pick([0, 1, 2, 3, 7, 100, .max, .min, .max - 1, .min + 1, 0 &- 1, .max / 2 + 1, 10])
  }

  mutating func real<F: BinaryFloatingPoint>(_: F.Type = F.self) -> F {
    random.pick([
      0, -0.0, 1, -1, 0.1, 1.5, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 100,
      9_007_199_254_740_993, -9_223_372_036_854_775_808, 16_777_217,
    ])
  }

  /// A number that comes back as it was saved. SQLite stores -0.0 as 0, which division would show.
  mutating func stored<F: BinaryFloatingPoint>(_: F.Type = F.self) -> F {
    let value: F = real()
    return value == 0 ? 0 : value
  }

  mutating func maybe<T>(_ value: T) -> T? { random.chance(1, in: 3) ? nil : value }

  mutating func fill(_ object: Extreme) {
    object.int = integer()
    object.int8 = integer()
    object.int16 = integer()
    object.int32 = integer()
    object.int64 = integer()
    object.uint = integer()
    object.uint8 = integer()
    object.uint16 = integer()
    object.uint32 = integer()
    object.uint64 = integer()
    object.double = stored()
    object.float = stored()
    object.decimal = random.pick(Self.decimals)
    object.numbers = (0..<random.int(0..<4)).map { _ in integer() }
    object.flag = random.chance(1, in: 2)
    object.maybeInt = maybe(integer())
    object.maybeInt8 = maybe(integer())
    object.maybeInt16 = maybe(integer())
    object.maybeInt32 = maybe(integer())
    object.maybeInt64 = maybe(integer())
    object.maybeUInt = maybe(integer())
    object.maybeUInt8 = maybe(integer())
    object.maybeUInt16 = maybe(integer())
    object.maybeUInt32 = maybe(integer())
    object.maybeUInt64 = maybe(integer())
    object.maybeDouble = maybe(stored())
    object.maybeFloat = maybe(stored())
    object.maybeDecimal = maybe(random.pick(Self.decimals))
    object.maybeFlag = maybe(random.chance(1, in: 2))
  }

  static let decimals: [Decimal] = [
    0, 1, -1, .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
    Decimal(string: "0.1")!,
    Decimal(string: "1e-20")!, Decimal(string: "99999999999999999999999999999999999999")!, 100,
  ]

  // MARK: - Conditions

  mutating func condition(_ depth: Int) -> Term<Bool> {
    if depth <= 0 { return random.chance(1, in: 3) ? Term(random.chance(1, in: 2)) : Term("flag", \.flag) }
    let next = depth - 1
    switch random.int(0..<20) {
    case 16: return condition(next).capturedPredicate
    case 17: return condition(next).captured
    case 18:
      return Term(random.pick([.add, .divide]), order(), integer(Self.int, next), isAll: random.chance(1, in: 2))
    case 0, 1, 2: return Term(condition(next), condition(next), byAnd: true)
    case 3, 4, 5: return Term(condition(next), condition(next), byAnd: false)
    case 6, 7: return condition(next).opposite
    case 8: return Term(condition(next), yes: condition(next), no: condition(next))
    case 9: return Term(optionalCondition(next), or: condition(next))
    case 10: return Term(optionalCondition(next), equals: optionalCondition(next), random.chance(1, in: 2))
    default: return comparison(next)
    }
  }

  mutating func optionalCondition(_ depth: Int) -> Term<Bool?> {
    switch random.int(0..<5) {
    case 0: return Term("maybeFlag", \.maybeFlag)
    case 1 where depth > 0:
      return Term(condition(depth - 1), yes: optionalCondition(depth - 1), no: optionalCondition(depth - 1))
    case 2: return Term(optional(Self.double, depth - 1), each: order(), real(Self.double, depth - 1))
    case 3: return Term(optional(Self.uint8, depth - 1), each: order(), integer(Self.uint8, depth - 1))
    default: return Term(optional(Self.int, depth - 1), each: order(), integer(Self.int, depth - 1))
    }
  }

  private mutating func order() -> ComparisonSign { random.pick(ComparisonSign.allCases) }

  mutating func comparison(_ depth: Int) -> Term<Bool> {
    switch random.int(0..<16) {
    case 12, 13: decimals(depth)
    case 0: compare(Self.int8, depth)
    case 1: compare(Self.int16, depth)
    case 2: compare(Self.int32, depth)
    case 3: compare(Self.int64, depth)
    case 4: compare(Self.uint, depth)
    case 5: compare(Self.uint8, depth)
    case 6: compare(Self.uint16, depth)
    case 7: compare(Self.uint32, depth)
    case 8: compare(Self.uint64, depth)
    case 9, 10: compare(Self.double, depth)
    case 11: compare(Self.float, depth)
    default: compare(Self.int, depth)
    }
  }

  private mutating func decimals(_ depth: Int) -> Term<Bool> {
    switch random.int(0..<4) {
    case 0: Term(Term("maybeDecimal", \.maybeDecimal), equals: decimal(depth), random.chance(1, in: 2))
    case 1: Term(decimal(depth), equals: decimal(depth), random.chance(1, in: 2))
    default: Term(decimal(depth), order(), decimal(depth))
    }
  }

  private mutating func decimal(_ depth: Int) -> Term<Decimal> {
    if depth <= 0 { return random.chance(1, in: 3) ? Term(random.pick(Self.decimals)) : Term("decimal", \.decimal) }
    let next = depth - 1
    switch random.int(0..<6) {
    case 0: return Term(condition(next), yes: decimal(next), no: decimal(next))
    case 1: return Term(Term("maybeDecimal", \.maybeDecimal), or: decimal(next))
    case 2: return decimal(next).negated
    default: return Term(decimal(next), random.pick(Sign.allCases), decimal(next))
    }
  }

  private mutating func compare<I>(_ kind: IntegerKind<I>, _ depth: Int) -> Term<Bool> {
    switch random.int(0..<9) {
    case 6: Term(optional(kind, depth), equals: integer(kind, depth), random.chance(1, in: 2))
    case 7:
      Term(
        integer(kind, depth), integer(kind, depth), contains: integer(kind, depth), isClosed: random.chance(1, in: 2))
    case 8: Term(integer(kind, depth), in: (0..<random.pick([0, 2, 20])).map { _ in integer() })
    case 0: Term(optional(kind, depth), equals: optional(kind, depth), random.chance(1, in: 2))
    case 1, 2: Term(integer(kind, depth), equals: integer(kind, depth), random.chance(1, in: 2))
    default: Term(integer(kind, depth), order(), integer(kind, depth))
    }
  }

  private mutating func compare<F>(_ kind: RealKind<F>, _ depth: Int) -> Term<Bool> {
    switch random.int(0..<9) {
    case 6: Term(optional(kind, depth), equals: real(kind, depth), random.chance(1, in: 2))
    case 7: Term(real(kind, depth), real(kind, depth), contains: real(kind, depth), isClosed: random.chance(1, in: 2))
    case 8: Term(real(kind, depth), in: (0..<random.pick([0, 2, 20])).map { _ in real() })
    case 0: Term(optional(kind, depth), equals: optional(kind, depth), random.chance(1, in: 2))
    case 1, 2: Term(real(kind, depth), equals: real(kind, depth), random.chance(1, in: 2))
    default: Term(real(kind, depth), order(), real(kind, depth))
    }
  }

  // MARK: - Numbers

  mutating func integer<I>(_ kind: IntegerKind<I>, _ depth: Int) -> Term<I> {
    if depth <= 0 { return random.chance(1, in: 3) ? Term(integer()) : Term(kind.name, kind.property) }
    let next = depth - 1
    switch random.int(0..<11) {
    case 10: return integer(kind, next).captured
    case 0: return Term(condition(next), yes: integer(kind, next), no: integer(kind, next))
    case 1, 2: return Term(optional(kind, next), or: integer(kind, next))
    case 3: return Term(unwrapping: optional(kind, next))
    case 4, 5:
      let operand = integer(kind, next)
      return kind.negated?(operand) ?? operand
    default: return Term(integer(kind, next), random.pick(Sign.allCases), integer(kind, next))
    }
  }

  mutating func optional<I>(_ kind: IntegerKind<I>, _ depth: Int) -> Term<I?> {
    if depth <= 0 { return Term(kind.optionalName, kind.optional) }
    let next = depth - 1
    switch random.int(0..<4) {
    case 0: return Term(condition(next), yes: optional(kind, next), no: optional(kind, next))
    default: return Term(optional(kind, next), each: random.pick(Sign.allCases), integer(kind, next))
    }
  }

  mutating func real<F>(_ kind: RealKind<F>, _ depth: Int) -> Term<F> {
    if depth <= 0 { return random.chance(1, in: 3) ? Term(real()) : Term(kind.name, kind.property) }
    let next = depth - 1
    switch random.int(0..<10) {
    case 0: return Term(condition(next), yes: real(kind, next), no: real(kind, next))
    case 1: return Term(optional(kind, next), or: real(kind, next))
    case 2: return Term(unwrapping: optional(kind, next))
    case 3, 4: return real(kind, next).negated
    case 5, 6: return converted(next) as? Term<F> ?? real(kind, next)
    default: return Term(real(kind, next), random.pick(Sign.allCases), real(kind, next))
    }
  }

  mutating func optional<F>(_ kind: RealKind<F>, _ depth: Int) -> Term<F?> {
    if depth <= 0 { return Term(kind.optionalName, kind.optional) }
    let next = depth - 1
    switch random.int(0..<3) {
    case 0: return Term(condition(next), yes: optional(kind, next), no: optional(kind, next))
    default: return Term(optional(kind, next), eachDividedBy: real(kind, next))
    }
  }

  /// A number of another type as a `Double`.
  private mutating func converted(_ depth: Int) -> Term<Double> {
    switch random.int(0..<6) {
    case 0: integer(Self.int, depth).double
    case 1: integer(Self.int8, depth).double
    case 2: integer(Self.uint64, depth).double
    case 3: integer(Self.uint32, depth).double
    case 4: real(Self.double, depth).double
    default: real(Self.float, depth).double
    }
  }

  // MARK: - Types

  private static let int = IntegerKind(
    name: "int", property: \.int, optionalName: "maybeInt", optional: \.maybeInt, negated: { $0.negated })
  private static let int8 = IntegerKind(
    name: "int8", property: \.int8, optionalName: "maybeInt8", optional: \.maybeInt8, negated: { $0.negated })
  private static let int16 = IntegerKind(
    name: "int16", property: \.int16, optionalName: "maybeInt16", optional: \.maybeInt16, negated: { $0.negated })
  private static let int32 = IntegerKind(
    name: "int32", property: \.int32, optionalName: "maybeInt32", optional: \.maybeInt32, negated: { $0.negated })
  private static let int64 = IntegerKind(
    name: "int64", property: \.int64, optionalName: "maybeInt64", optional: \.maybeInt64, negated: { $0.negated })
  private static let uint = IntegerKind(
    name: "uint", property: \.uint, optionalName: "maybeUInt", optional: \.maybeUInt)
  private static let uint8 = IntegerKind(
    name: "uint8", property: \.uint8, optionalName: "maybeUInt8", optional: \.maybeUInt8)
  private static let uint16 = IntegerKind(
    name: "uint16", property: \.uint16, optionalName: "maybeUInt16", optional: \.maybeUInt16)
  private static let uint32 = IntegerKind(
    name: "uint32", property: \.uint32, optionalName: "maybeUInt32", optional: \.maybeUInt32)
  private static let uint64 = IntegerKind(
    name: "uint64", property: \.uint64, optionalName: "maybeUInt64", optional: \.maybeUInt64)
  private static let double = RealKind(
    name: "double", property: \.double, optionalName: "maybeDouble", optional: \.maybeDouble)
  private static let float = RealKind(
    name: "float", property: \.float, optionalName: "maybeFloat", optional: \.maybeFloat)
}
