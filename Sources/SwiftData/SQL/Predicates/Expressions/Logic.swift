import Foundation

// `&&`, `||`, `!` and `? :`.

extension PredicateExpressions.Conjunction: LowerableExpression {
  package var composite: CompositeCondition? { .conjunction(lhs, rhs) }
  package func lower(_ state: inout LoweringState) throws -> Lowered { try state.composed(self) }
}

extension PredicateExpressions.Disjunction: LowerableExpression {
  package var composite: CompositeCondition? { .disjunction(lhs, rhs) }
  package func lower(_ state: inout LoweringState) throws -> Lowered { try state.composed(self) }
}

extension PredicateExpressions.Negation: LowerableExpression {
  package var composite: CompositeCondition? { .negation(wrapped) }
  package func lower(_ state: inout LoweringState) throws -> Lowered { try state.composed(self) }
}

extension PredicateExpressions.Conditional: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let condition = try state.lower(test)
    if case .constant(let known as Bool) = condition {
      return try known ? state.lower(trueBranch) : state.lower(falseBranch)
    }
    let test = try state.scalar(condition, of: test)
    let (yes, no) = (try state.lower(trueBranch), try state.lower(falseBranch))
    let (one, other) = try state.unify(yes, no, of: self)
    func choice(_ one: SQLFragment, _ other: SQLFragment) -> SQLFragment {
      // A test that throws selects neither branch.
      test.mayThrow
        ? SQLFragment("CASE ") + test.operand + SQLFragment(" WHEN 1 THEN ") + one + SQLFragment(" WHEN 0 THEN ")
          + other
          + SQLFragment(" END")
        : SQLFragment("CASE WHEN ") + test.condition + SQLFragment(" THEN ") + one + SQLFragment(" ELSE ") + other
          + SQLFragment(" END")
    }
    var result = one
    result.sql = choice(one.sql, other.sql)
    result.isAtomic = true
    result.isCondition = false
    result.strictIn = []
    result.isOptional = one.isOptional || other.isOptional
    result.mayThrow = test.mayThrow || one.mayThrow || other.mayThrow
    result.failure = nil
    if result.isOptional, result.mayThrow {
      let no = SQLFragment("FALSE")
      let branches = choice(one.failureTest ?? no, other.failureTest ?? no)
      result.failure = [test.failureTest, branches].compactMap { $0 }.disjunction
    }
    result.needsNormalization = one.needsNormalization || other.needsNormalization
    return try state.rewrap(result, yes, no)
  }
}

extension LoweringState {
  /// Converts two values of one Swift type to the same form.
  mutating func unify<E: PredicateExpression>(
    _ left: Lowered,
    _ right: Lowered,
    of expression: E
  ) throws -> (Scalar, Scalar) {
    let (one, other): (Scalar, Scalar)
    switch (left, right) {
    case (.constant(let value), .constant):
      guard let type = ScalarType(of: E.Output.self), let first = constant(value, as: type) else {
        throw unsupported(expression, "a \(E.Output.self) has no form in the store")
      }
      (one, other) = (first, try scalar(right, of: expression))
    case (.constant(let value), _):
      other = try scalar(right, of: expression)
      guard let first = constant(value, as: other.type) else {
        throw unsupported(expression, "its values differ in their form")
      }
      one = first
    case (_, .constant(let value)):
      one = try scalar(left, of: expression)
      guard let second = constant(value, as: one.type) else {
        throw unsupported(expression, "its values differ in their form")
      }
      other = second
    default: (one, other) = (try scalar(left, of: expression), try scalar(right, of: expression))
    }
    guard one.type.form == other.type.form else {
      throw unsupported(expression, "its values differ in their form")
    }
    return (one, other)
  }

  /// A choice between objects is an object.
  func rewrap(_ scalar: Scalar, _ left: Lowered, _ right: Lowered) throws -> Lowered {
    let objects = [left, right].compactMap { if case .object(let object) = $0 { object } else { nil } }
    guard let first = objects.first else { return .scalar(scalar) }
    var result = first
    result.entity = objects.dropFirst().reduce(first.entity) {
      $1.entity.isKind(of: $0) ? $0 : $0.isKind(of: $1.entity) ? $1.entity : $0.root
    }
    result.key = scalar.sql
    result.alias = nil
    result.scope = currentScope
    result.isOptional = scalar.isOptional
    result.mayThrow = scalar.mayThrow
    result.failure = scalar.failure
    result.isCast = false
    result.strictIn = []
    return .object(result)
  }
}
