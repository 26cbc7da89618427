import Foundation
import SwiftData

private typealias P = PredicateExpressions
/// A node as a predicate holds it. `Node` would hide from the engine that it can trap.
typealias AnyNode<T> = any StandardPredicateExpression<T>

/// A number of every kind, and an optional one.
@Model final class Extreme {
  @Attribute(.unique) var serial: Int
  var int: Int = 0
  var int8: Int8 = 0
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var uint: UInt = 0
  var uint8: UInt8 = 0
  var uint16: UInt16 = 0
  var uint32: UInt32 = 0
  var uint64: UInt64 = 0
  var double: Double = 0
  var float: Float = 0
  var decimal: Decimal = 0
  var numbers: [Int] = []
  var flag: Bool = false
  var maybeInt: Int?
  var maybeInt8: Int8?
  var maybeInt16: Int16?
  var maybeInt32: Int32?
  var maybeInt64: Int64?
  var maybeUInt: UInt?
  var maybeUInt8: UInt8?
  var maybeUInt16: UInt16?
  var maybeUInt32: UInt32?
  var maybeUInt64: UInt64?
  var maybeDouble: Double?
  var maybeFloat: Float?
  var maybeDecimal: Decimal?
  var maybeFlag: Bool?

  init(serial: Int) { self.serial = serial }
}

/// Where Swift stops the program.
struct SwiftStops: Error {}

/// An expression over an ``Extreme``: what Swift computes, written out, and the node of a predicate.
struct Term<T: Sendable> {
  let text: String
  /// The value. Throws ``SwiftStops`` where Swift stops the program.
  let value: (Extreme) throws -> T
  let node: (PredicateExpressions.Variable<Extreme>) -> AnyNode<T>
}

extension Term {
  /// `left op right`
  init<L, R>(
    _ left: Term<L>, _ op: String, _ right: Term<R>, _ value: @escaping (L, R) throws -> T,
    _ node: @escaping (AnyNode<L>, AnyNode<R>) -> AnyNode<T>
  ) {
    self.init(
      text: "(\(left.text) \(op) \(right.text))", value: { try value(left.value($0), right.value($0)) },
      node: { node(left.node($0), right.node($0)) })
  }
}

// MARK: - Leaves

extension Term where T: Codable {
  init(_ constant: T) {
    self.init(text: "\(constant)", value: { _ in constant }, node: { _ in P.Value(constant) })
  }

  init(_ name: String, _ path: KeyPath<Extreme, T> & Sendable) {
    self.init(
      text: "$0.\(name)", value: { $0[keyPath: path] }, node: { P.build_KeyPath(root: $0, keyPath: path) })
  }
}

// MARK: - Arithmetic

enum Sign: String, CaseIterable { case add = "+", subtract = "-", multiply = "*", divide = "/", remainder = "%" }

private func exact<I>(_ result: (partialValue: I, overflow: Bool)) throws -> I {
  if result.overflow { throw SwiftStops() }
  return result.partialValue
}

private func arithmetic<L: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ left: L, _ sign: Sign, _ right: R
) -> AnyNode<L.Output> where L.Output: FixedWidthInteger, R.Output == L.Output {
  switch sign {
  case .add: P.build_Arithmetic(lhs: left, rhs: right, op: .add)
  case .subtract: P.build_Arithmetic(lhs: left, rhs: right, op: .subtract)
  case .multiply: P.build_Arithmetic(lhs: left, rhs: right, op: .multiply)
  case .divide: P.build_Division(lhs: left, rhs: right)
  case .remainder: P.build_Remainder(lhs: left, rhs: right)
  }
}

/// Foundation stops the program for a product that is too small.
private func product(_ left: Decimal, _ right: Decimal) throws -> Decimal {
  let exponent = left.exponent + right.exponent
  guard !left.isZero, !right.isZero, !left.isNaN, !right.isNaN, exponent < -128 else { return left * right }
  let digits = left.magnitude.significand * right.magnitude.significand
  guard digits.exponent + exponent >= -128 else { throw SwiftStops() }
  let size = Decimal(sign: .plus, exponent: exponent, significand: digits)
  return left.isSignMinus == right.isSignMinus ? size : -size
}

private func decimalArithmetic<L: StandardPredicateExpression<Decimal>, R: StandardPredicateExpression<Decimal>>(
  _ left: L, _ sign: Sign, _ right: R
) -> AnyNode<Decimal> {
  switch sign {
  case .add: P.build_Arithmetic(lhs: left, rhs: right, op: .add)
  case .subtract: P.build_Arithmetic(lhs: left, rhs: right, op: .subtract)
  case .multiply, .divide, .remainder: P.build_Arithmetic(lhs: left, rhs: right, op: .multiply)
  }
}

private func realArithmetic<L: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ left: L, _ sign: Sign, _ right: R
) -> AnyNode<L.Output> where L.Output: BinaryFloatingPoint, R.Output == L.Output {
  switch sign {
  case .add: P.build_Arithmetic(lhs: left, rhs: right, op: .add)
  case .subtract: P.build_Arithmetic(lhs: left, rhs: right, op: .subtract)
  case .multiply: P.build_Arithmetic(lhs: left, rhs: right, op: .multiply)
  case .divide, .remainder: P.build_Division(lhs: left, rhs: right)
  }
}

private func negated<E: StandardPredicateExpression>(_ operand: E) -> AnyNode<E.Output>
where E.Output: SignedNumeric {
  P.build_UnaryMinus(operand)
}

private func double<E: StandardPredicateExpression>(_ number: E) -> AnyNode<Double> where E.Output: BinaryInteger {
  __Build.double(number)
}

private func double<E: StandardPredicateExpression>(_ number: E) -> AnyNode<Double>
where E.Output: BinaryFloatingPoint {
  __Build.double(number)
}

extension Sign {
  func result<I: FixedWidthInteger>(_ left: I, _ right: I) throws -> I {
    switch self {
    case .add: try exact(left.addingReportingOverflow(right))
    case .subtract: try exact(left.subtractingReportingOverflow(right))
    case .multiply: try exact(left.multipliedReportingOverflow(by: right))
    case .divide: try exact(left.dividedReportingOverflow(by: right))
    case .remainder: try exact(left.remainderReportingOverflow(dividingBy: right))
    }
  }

  func result<F: BinaryFloatingPoint>(_ left: F, _ right: F) -> F {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide, .remainder: left / right
    }
  }
}

extension Term where T: FixedWidthInteger {
  init(_ left: Term, _ sign: Sign, _ right: Term) {
    self.init(left, sign.rawValue, right, sign.result) { arithmetic($0, sign, $1) }
  }

  var double: Term<Double> {
    Term<Double>(
      text: "Double(\(text))", value: { try Double(value($0)) }, node: { SwiftDataTests.double(node($0)) })
  }
}

extension Term where T: FixedWidthInteger & SignedInteger {
  var negated: Term {
    Term(
      text: "-\(text)", value: { try exact((0 as T).subtractingReportingOverflow(value($0))) },
      node: { SwiftDataTests.negated(node($0)) })
  }
}

extension Term where T == Decimal {
  /// Predicates cannot divide decimal numbers.
  init(_ left: Term, _ sign: Sign, _ right: Term) {
    self.init(
      left, sign == .add || sign == .subtract ? sign.rawValue : "*", right,
      { sign == .add ? $0 + $1 : sign == .subtract ? $0 - $1 : try product($0, $1) },
      { decimalArithmetic($0, sign, $1) })
  }

  var negated: Term {
    Term(text: "-\(text)", value: { try -value($0) }, node: { SwiftDataTests.negated(node($0)) })
  }
}

extension Term where T: BinaryFloatingPoint {
  init(_ left: Term, _ sign: Sign, _ right: Term) {
    self.init(left, sign == .remainder ? "/" : sign.rawValue, right, sign.result) { realArithmetic($0, sign, $1) }
  }

  var negated: Term {
    Term(text: "-\(text)", value: { try -value($0) }, node: { SwiftDataTests.negated(node($0)) })
  }

  var double: Term<Double> {
    Term<Double>(
      text: "Double(\(text))", value: { try Double(value($0)) }, node: { SwiftDataTests.double(node($0)) })
  }
}

// MARK: - Choices and optionals

private func choice<C: StandardPredicateExpression, L: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ test: C, _ yes: L, _ no: R
) -> AnyNode<L.Output> where C.Output == Bool, R.Output == L.Output {
  P.build_Conditional(test, yes, no)
}

private func coalesced<L: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ optional: L, _ other: R
) -> AnyNode<R.Output> where L.Output == R.Output? {
  P.build_NilCoalesce(lhs: optional, rhs: other)
}

private func unwrapped<E: StandardPredicateExpression, W>(_ optional: E, _: W.Type) -> AnyNode<W>
where E.Output == W? {
  P.build_ForcedUnwrap(optional)
}

private func chained<E: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ optional: E, _ sign: Sign, _ right: R
) -> AnyNode<R.Output?> where R.Output: FixedWidthInteger, E.Output == R.Output? {
  switch sign {
  case .add: P.build_flatMap(optional) { P.build_Arithmetic(lhs: $0, rhs: right, op: .add) }
  case .subtract: P.build_flatMap(optional) { P.build_Arithmetic(lhs: $0, rhs: right, op: .subtract) }
  case .multiply: P.build_flatMap(optional) { P.build_Arithmetic(lhs: $0, rhs: right, op: .multiply) }
  case .divide: P.build_flatMap(optional) { P.build_Division(lhs: $0, rhs: right) }
  case .remainder: P.build_flatMap(optional) { P.build_Remainder(lhs: $0, rhs: right) }
  }
}

private func chained<E: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ optional: E, _ op: P.ComparisonOperator, _ right: R
) -> AnyNode<Bool?> where R.Output: Comparable, E.Output == R.Output? {
  P.build_flatMap(optional) { P.build_Comparison(lhs: $0, rhs: right, op: op) }
}

private func realChained<E: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ optional: E, _ right: R
) -> AnyNode<R.Output?> where R.Output: BinaryFloatingPoint, E.Output == R.Output? {
  P.build_flatMap(optional) { P.build_Division(lhs: $0, rhs: right) }
}

extension Term {
  /// `test ? yes : no`
  init(_ test: Term<Bool>, yes: Term, no: Term) {
    self.init(
      text: "(\(test.text) ? \(yes.text) : \(no.text))",
      value: { try test.value($0) ? yes.value($0) : no.value($0) },
      node: { choice(test.node($0), yes.node($0), no.node($0)) })
  }

  /// `optional ?? other`
  init(_ optional: Term<T?>, or other: Term) {
    self.init(
      text: "(\(optional.text) ?? \(other.text))", value: { try optional.value($0) ?? other.value($0) },
      node: { coalesced(optional.node($0), other.node($0)) })
  }

  /// `optional!`
  init(unwrapping optional: Term<T?>) {
    self.init(
      text: "\(optional.text)!",
      value: {
        guard let value = try optional.value($0) else { throw SwiftStops() }
        return value
      }, node: { unwrapped(optional.node($0), T.self) })
  }

  /// `optional.flatMap { $0 sign other }`
  init<I: FixedWidthInteger & Sendable>(_ optional: Term<I?>, each sign: Sign, _ other: Term<I>) where T == I? {
    self.init(
      text: "\(optional.text).map { $0 \(sign.rawValue) \(other.text) }",
      value: { object in try optional.value(object).map { try sign.result($0, other.value(object)) } },
      node: { chained(optional.node($0), sign, other.node($0)) })
  }

  /// `optional.flatMap { $0 / other }`
  init<F: BinaryFloatingPoint & Sendable>(_ optional: Term<F?>, eachDividedBy other: Term<F>) where T == F? {
    self.init(
      text: "\(optional.text).map { $0 / \(other.text) }",
      value: { object in try optional.value(object).map { try $0 / other.value(object) } },
      node: { realChained(optional.node($0), other.node($0)) })
  }
}

// MARK: - Captured predicates and expressions

extension Term {
  /// The value of a captured `#Expression`.
  var captured: Term {
    let expression = Expression<Extreme, T> { node($0) }
    return Term(
      text: "<\(text)>", value: value,
      node: { __Build.evaluate(P.Value(expression), $0) as __Build.ExpressionEvaluation<P.Variable<Extreme>, T> })
  }
}

extension Term where T == Bool {
  /// The answer of a captured predicate.
  var capturedPredicate: Term {
    let predicate = Predicate<Extreme> { node($0) }
    return Term(text: "<\(text)>", value: value, node: { __Build.evaluate(P.Value(predicate), $0) })
  }
}

// MARK: - Conditions

private func promoted<L: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ optional: L, _ other: R, isEqual: Bool
) -> AnyNode<Bool> where R.Output: Equatable, L.Output == R.Output? {
  isEqual ? __Build.equal(optional, other) : __Build.notEqual(optional, other)
}

private func range<
  L: StandardPredicateExpression, U: StandardPredicateExpression, E: StandardPredicateExpression
>(_ lower: L, _ upper: U, contains element: E, isClosed: Bool) -> AnyNode<Bool>
where L.Output: Comparable & Codable & Sendable, U.Output == L.Output, E.Output == L.Output {
  isClosed
    ? P.RangeExpressionContains(range: P.build_ClosedRange(lower: lower, upper: upper), element: element)
    : P.RangeExpressionContains(range: P.build_Range(lower: lower, upper: upper), element: element)
}

private func membership<E: StandardPredicateExpression>(_ element: E, of list: [E.Output]) -> AnyNode<Bool>
where E.Output: Equatable & Codable & Sendable {
  __Build.containsElement(P.Value(list), element)
}

private func search<L: StandardPredicateExpression<[Int]>, E: StandardPredicateExpression<Int>>(
  _ list: L, _ sign: Sign, _ op: P.ComparisonOperator, _ other: E, isAll: Bool
) -> AnyNode<Bool> {
  switch sign {
  case .add where isAll:
    P.build_allSatisfy(
      list, { P.build_Comparison(lhs: P.build_Arithmetic(lhs: $0, rhs: other, op: .add), rhs: other, op: op) })
  case .add:
    P.build_contains(
      list, where: { P.build_Comparison(lhs: P.build_Arithmetic(lhs: $0, rhs: other, op: .add), rhs: other, op: op) })
  default:
    isAll
      ? P.build_allSatisfy(
        list, { P.build_Comparison(lhs: P.build_Division(lhs: other, rhs: $0), rhs: P.Value(2), op: op) })
      : P.build_contains(
        list, where: { P.build_Comparison(lhs: P.build_Division(lhs: other, rhs: $0), rhs: P.Value(2), op: op) })
  }
}

private func equality<L: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ left: L, _ right: R, isEqual: Bool
) -> AnyNode<Bool> where L.Output: Equatable, R.Output == L.Output {
  isEqual ? P.build_Equal(lhs: left, rhs: right) : P.build_NotEqual(lhs: left, rhs: right)
}

private func comparison<L: StandardPredicateExpression, R: StandardPredicateExpression>(
  _ left: L, _ op: P.ComparisonOperator, _ right: R
) -> AnyNode<Bool> where L.Output: Comparable, R.Output == L.Output {
  P.build_Comparison(lhs: left, rhs: right, op: op)
}

private func joined<L: StandardPredicateExpression<Bool>, R: StandardPredicateExpression<Bool>>(
  _ left: L, _ right: R, byAnd: Bool
) -> AnyNode<Bool> {
  byAnd ? P.build_Conjunction(lhs: left, rhs: right) : P.build_Disjunction(lhs: left, rhs: right)
}

private func opposite<E: StandardPredicateExpression<Bool>>(_ condition: E) -> AnyNode<Bool> {
  P.build_Negation(condition)
}

enum ComparisonSign: String, CaseIterable {
  case less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="

  fileprivate var op: P.ComparisonOperator {
    switch self {
    case .less: .lessThan
    case .lessOrEqual: .lessThanOrEqual
    case .greater: .greaterThan
    case .greaterOrEqual: .greaterThanOrEqual
    }
  }

  fileprivate func holds<C: Comparable>(_ left: C, _ right: C) -> Bool {
    switch self {
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }
}

extension Term where T == Bool {
  init<V: Equatable & Sendable>(_ left: Term<V>, equals right: Term<V>, _ isEqual: Bool) {
    self.init(left, isEqual ? "==" : "!=", right, { ($0 == $1) == isEqual }) { equality($0, $1, isEqual: isEqual) }
  }

  init<V: Comparable & Sendable>(_ left: Term<V>, _ order: ComparisonSign, _ right: Term<V>) {
    self.init(left, order.rawValue, right, order.holds) { comparison($0, order.op, $1) }
  }

  /// `optional == other`, or `optional != other`.
  init<V: Equatable & Sendable>(_ optional: Term<V?>, equals other: Term<V>, _ isEqual: Bool) {
    self.init(optional, isEqual ? "==" : "!=", other, { ($0 == $1) == isEqual }) { promoted($0, $1, isEqual: isEqual) }
  }

  /// `(lower...upper).contains(element)`, or `(lower..<upper).contains(element)`.
  init<V: Comparable & Codable & Sendable>(
    _ lower: Term<V>, _ upper: Term<V>, contains element: Term<V>, isClosed: Bool
  ) {
    self.init(
      text: "(\(lower.text)\(isClosed ? "..." : "..<")\(upper.text)).contains(\(element.text))",
      value: {
        let (low, high) = (try lower.value($0), try upper.value($0))
        guard low <= high else { throw SwiftStops() }
        return isClosed ? (low...high).contains(try element.value($0)) : (low..<high).contains(try element.value($0))
      },
      node: { range(lower.node($0), upper.node($0), contains: element.node($0), isClosed: isClosed) })
  }

  /// `list.contains(element)`
  init<V: Equatable & Codable & Sendable>(_ element: Term<V>, in list: [V]) {
    self.init(
      text: "\(list).contains(\(element.text))", value: { list.contains(try element.value($0)) },
      node: { membership(element.node($0), of: list) })
  }

  /// `numbers.contains { $0 + other < other }` and so on. An element for which Swift would stop does not match.
  init(_ sign: Sign, _ order: ComparisonSign, _ other: Term<Int>, isAll: Bool) {
    let list = Term<[Int]>("numbers", \.numbers)
    let test = sign == .add ? "$0 + other \(order.rawValue) other" : "other / $0 \(order.rawValue) 2"
    self.init(
      text: "numbers.\(isAll ? "allSatisfy" : "contains") { \(test) where other = \(other.text) }",
      value: { object in
        let matches = { (number: Int) -> Bool in
          guard let other = try? other.value(object) else { return false }
          let (left, right) =
            sign == .add ? (try? Sign.add.result(number, other), other) : (try? Sign.divide.result(other, number), 2)
          return left.map { order.holds($0, right) } ?? false
        }
        return isAll ? object.numbers.allSatisfy(matches) : object.numbers.contains(where: matches)
      },
      node: { search(list.node($0), sign, order.op, other.node($0), isAll: isAll) })
  }

  /// `left && right`, or `left || right`.
  init(_ left: Term, _ right: Term, byAnd: Bool) {
    self.init(
      text: "(\(left.text) \(byAnd ? "&&" : "||") \(right.text))",
      value: { byAnd ? try left.value($0) && right.value($0) : try left.value($0) || right.value($0) },
      node: { joined(left.node($0), right.node($0), byAnd: byAnd) })
  }

  var opposite: Term {
    Term(text: "!\(text)", value: { try !value($0) }, node: { SwiftDataTests.opposite(node($0)) })
  }
}

extension Term where T == Bool? {
  /// `optional.map { $0 < other }`
  init<V: Comparable & Sendable>(_ optional: Term<V?>, each order: ComparisonSign, _ other: Term<V>) {
    self.init(
      text: "\(optional.text).map { $0 \(order.rawValue) \(other.text) }",
      value: { object in try optional.value(object).map { try order.holds($0, other.value(object)) } },
      node: { chained(optional.node($0), order.op, other.node($0)) })
  }
}
