import Foundation

// `+`, `-`, `*`, `/`, `%` and unary minus. The result is NULL where Swift traps (overflow, division by zero), so the
// row does not match.

extension PredicateExpressions.Arithmetic: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let name =
      switch op {
      case .add: "swift_add"
      case .subtract: "swift_subtract"
      case .multiply: "swift_multiply"
      }
    return try state.arithmetic(name, lhs, rhs, of: self)
  }
}

extension PredicateExpressions.IntDivision: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    try state.arithmetic("swift_divide", lhs, rhs, of: self)
  }
}

extension PredicateExpressions.FloatDivision: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    try state.arithmetic("swift_divide", lhs, rhs, of: self)
  }
}

extension PredicateExpressions.IntRemainder: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    try state.arithmetic("swift_remainder", lhs, rhs, of: self)
  }
}

extension PredicateExpressions.UnaryMinus: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let lowered = try state.lower(wrapped)
    guard ArithmeticType(Output.self) != nil else {
      throw state.unsupported(self, "\(Output.self) is not a number type of the store")
    }
    let value = try state.scalar(lowered, of: wrapped)
    return .scalar(state.call("swift_negate", [value], Output.self))
  }
}

extension LoweringState {
  fileprivate mutating func arithmetic<Left: PredicateExpression, Right: PredicateExpression, E: PredicateExpression>(
    _ name: String,
    _ left: Left,
    _ right: Right,
    of expression: E
  ) throws -> Lowered {
    let (one, other) = (try lower(left), try lower(right))
    guard ArithmeticType(E.Output.self) != nil else {
      throw unsupported(expression, "\(E.Output.self) is not a number type of the store")
    }
    return .scalar(call(name, [try scalar(one, of: left), try scalar(other, of: right)], E.Output.self))
  }

  fileprivate func call(_ name: String, _ arguments: [Scalar], _ type: Any.Type) -> Scalar {
    var sql = SQLFragment(name + "(")
    for argument in arguments { sql = sql + argument.sql + SQLFragment(", ") }
    return Scalar(
      sql: sql + SQLFragment("'" + String(describing: type) + "')"),
      type: ScalarType(of: type)!,
      mayThrow: true,
      strictIn: arguments.reduce(into: []) { $0.formUnion($1.strictIn) }
    )
  }
}
