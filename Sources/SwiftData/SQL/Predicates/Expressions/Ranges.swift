import Foundation

// `a..<b`, `a...b` and `range.contains(x)`.

extension PredicateExpressions.Range: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (low, high) = (try state.lower(lower), try state.lower(upper))
    if case .constant(let one as LHS.Output) = low, case .constant(let other as LHS.Output) = high {
      // Swift throws when it creates such a range.
      guard one <= other else { return .scalar(try state.thrown(by: self)) }
      return .constant(one..<other)
    }
    return .range(RangeReference(lower: low, upper: high, isClosed: false, boundType: LHS.Output.self))
  }
}

extension PredicateExpressions.ClosedRange: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (low, high) = (try state.lower(lower), try state.lower(upper))
    if case .constant(let one as LHS.Output) = low, case .constant(let other as LHS.Output) = high {
      // Swift throws when it creates such a range.
      guard one <= other else { return .scalar(try state.thrown(by: self)) }
      return .constant(one...other)
    }
    return .range(RangeReference(lower: low, upper: high, isClosed: true, boundType: LHS.Output.self))
  }
}

extension PredicateExpressions.RangeExpressionContains: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (range, element) = (try state.lower(range), try state.lower(element))
    if case .constant(let bounds as RangeExpression.Output) = range {
      if case .constant(let value as Element.Output) = element { return .constant(bounds.contains(value)) }
      guard let captured = CapturedRange(bounds) else {
        throw state.unsupported(self, "a \(RangeExpression.Output.self) has no form in the store")
      }
      return try state.containment(in: captured, element, of: self)
    }
    if let thrown = try range.thrownRange(Output.self) { return thrown }
    guard case .range(let bounds) = range else { throw state.unsupported(self, "its range is not written out") }
    return try state.containment(in: bounds, element, of: self)
  }
}

extension Lowered {
  /// The failure of what asks a range that Swift cannot create. Nil for another range.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` for a stored range.
  func thrownRange(_ output: Any.Type) throws -> Lowered? {
    guard case .scalar(let scalar) = self else { return nil }
    guard scalar.alwaysThrows, let thrown = Scalar.thrown(output) else { throw DataStoreError.preferInMemoryFilter }
    return .scalar(thrown)
  }
}

/// The bounds of a captured range.
struct CapturedRange {
  let lower: Any?
  let upper: Any?
  let isClosed: Bool
  let boundType: Any.Type

  /// Returns nil if the value is not a range.
  init?(_ value: Any) {
    guard let range = value as? any CapturableRange else { return nil }
    self = range.captured
  }

  init(lower: Any?, upper: Any?, isClosed: Bool, boundType: Any.Type) {
    self.lower = lower
    self.upper = upper
    self.isClosed = isClosed
    self.boundType = boundType
  }
}

private protocol CapturableRange { var captured: CapturedRange { get } }

extension Range: CapturableRange {
  fileprivate var captured: CapturedRange {
    CapturedRange(lower: lowerBound, upper: upperBound, isClosed: false, boundType: Bound.self)
  }
}
extension ClosedRange: CapturableRange {
  fileprivate var captured: CapturedRange {
    CapturedRange(lower: lowerBound, upper: upperBound, isClosed: true, boundType: Bound.self)
  }
}
extension PartialRangeFrom: CapturableRange {
  fileprivate var captured: CapturedRange {
    CapturedRange(lower: lowerBound, upper: nil, isClosed: true, boundType: Bound.self)
  }
}
extension PartialRangeThrough: CapturableRange {
  fileprivate var captured: CapturedRange {
    CapturedRange(lower: nil, upper: upperBound, isClosed: true, boundType: Bound.self)
  }
}
extension PartialRangeUpTo: CapturableRange {
  fileprivate var captured: CapturedRange {
    CapturedRange(lower: nil, upper: upperBound, isClosed: false, boundType: Bound.self)
  }
}

extension LoweringState {
  /// The failure of an expression that throws for every row.
  func thrown<E: PredicateExpression>(by expression: E) throws -> Scalar {
    guard let thrown = Scalar.thrown(E.Output.self) else {
      throw unsupported(expression, "the store has no \(E.Output.self)")
    }
    return thrown
  }

  /// Whether an element is in a captured range.
  mutating func containment<E: PredicateExpression>(
    in range: CapturedRange,
    _ element: Lowered,
    of expression: E
  ) throws -> Lowered {
    var bounds = [Scalar]()
    if let lower = range.lower {
      bounds.append(try bound(element, .greaterThanOrEqual, .constant(lower), range.boundType, expression))
    }
    if let upper = range.upper {
      let op: PredicateExpressions.ComparisonOperator = range.isClosed ? .lessThanOrEqual : .lessThan
      bounds.append(try bound(element, op, .constant(upper), range.boundType, expression))
    }
    return .scalar(conjunction(bounds))
  }

  /// Whether an element is in a range with bounds from a row. Swift throws if the bounds are in the wrong order.
  mutating func containment<E: PredicateExpression>(
    in range: RangeReference,
    _ element: Lowered,
    of expression: E
  ) throws -> Lowered {
    let isRange = try bound(range.lower, .lessThanOrEqual, range.upper, range.boundType, expression)
    let op: PredicateExpressions.ComparisonOperator = range.isClosed ? .lessThanOrEqual : .lessThan
    let inside = [
      try bound(element, .greaterThanOrEqual, range.lower, range.boundType, expression),
      try bound(element, op, range.upper, range.boundType, expression),
    ]
    // A database can use an index for these comparisons.
    if isFiltering { return .scalar(conjunction([isRange] + inside)) }
    let sql =
      SQLFragment("CASE WHEN ") + isRange.condition + SQLFragment(" THEN ") + conjunction(inside).sql
      + SQLFragment(" END")
    return .scalar(Scalar(sql: sql, type: .bool, mayThrow: true))
  }

  private mutating func bound<E: PredicateExpression>(
    _ left: Lowered,
    _ op: PredicateExpressions.ComparisonOperator,
    _ right: Lowered,
    _ type: Any.Type,
    _ expression: E
  ) throws -> Scalar {
    if case .constant(let one) = left, case .constant(let other) = right {
      guard let one = one as? any Comparable, let holds = op.holds(one, any: other) else {
        throw unsupported(expression, "its element and one of its bounds cannot be compared")
      }
      return .condition(SQLFragment(holds ? "TRUE" : "FALSE"), isAtomic: true)
    }
    guard let result = order(left, op, right, as: type) else {
      throw unsupported(expression, "values of type \(type) cannot be ordered there")
    }
    return result
  }

  private func conjunction(_ parts: [Scalar]) -> Scalar {
    parts.dropFirst().reduce(parts[0]) { left, right in
      .condition(
        left.conditionOperand + SQLFragment(" AND ") + right.conditionOperand,
        mayThrow: left.mayThrow || right.mayThrow,
        strictIn: left.strictIn.intersection(right.strictIn)
      )
    }
  }
}
