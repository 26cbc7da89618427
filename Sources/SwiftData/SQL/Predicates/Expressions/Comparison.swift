import Foundation

// `==`, `!=`, `<`, `<=`, `>`, `>=`.

extension PredicateExpressions.Equal: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (left, right) = (try state.lower(lhs), try state.lower(rhs))
    if case .constant(let one as LHS.Output) = left, case .constant(let other as LHS.Output) = right {
      return .constant(one == other)
    }
    guard let equal = state.equality(left, right, as: LHS.Output.self) else {
      throw state.unsupported(self, "values of type \(LHS.Output.self) cannot be compared there")
    }
    return .scalar(equal)
  }
}

extension PredicateExpressions.NotEqual: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (left, right) = (try state.lower(lhs), try state.lower(rhs))
    if case .constant(let one as LHS.Output) = left, case .constant(let other as LHS.Output) = right {
      return .constant(one != other)
    }
    guard let equal = state.exactly({ $0.equality(left, right, as: LHS.Output.self) }) else {
      throw state.unsupported(self, "values of type \(LHS.Output.self) cannot be compared there")
    }
    return .scalar(
      .condition(
        SQLFragment("NOT ") + equal.operand,
        mayThrow: equal.mayThrow,
        strictIn: equal.strictIn
      )
    )
  }
}

extension PredicateExpressions.Comparison: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (left, right) = (try state.lower(lhs), try state.lower(rhs))
    if case .constant(let one as LHS.Output) = left, case .constant(let other as LHS.Output) = right {
      return .constant(op.holds(one, other))
    }
    guard let result = state.order(left, op, right, as: LHS.Output.self) else {
      throw state.unsupported(self, "values of type \(LHS.Output.self) cannot be ordered there")
    }
    return .scalar(result)
  }
}

extension PredicateExpressions.ComparisonOperator {
  /// Returns nil if the values differ in type.
  func holds<T: Comparable>(_ left: T, any right: Any) -> Bool? { (right as? T).map { holds(left, $0) } }

  func holds<T: Comparable>(_ left: T, _ right: T) -> Bool {
    switch self {
    case .lessThan: left < right
    case .lessThanOrEqual: left <= right
    case .greaterThan: left > right
    case .greaterThanOrEqual: left >= right
    }
  }
}
