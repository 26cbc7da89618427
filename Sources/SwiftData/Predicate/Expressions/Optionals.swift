import Foundation

// `?.`, `??` and `!`.

extension PredicateExpressions.OptionalFlatMap: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    switch try state.lower(wrapped) {
    case .constant(let value):
      guard let value = value as? LHS.Output, let wrapped = value else { return .constant(Output.none as Any) }
      return try transformed(.constant(wrapped), &state)
    case .scalar(var scalar):
      let presence = SQLFragment("\(scalar.operand.sql) IS NOT NULL", scalar.sql.arguments)
      let isOptional = scalar.isOptional
      scalar.isOptional = false
      let result = try transformed(.scalar(scalar), &state)
      return isOptional ? state.guarded(result, by: presence, value: scalar.sql.sql, of: self) : result
    case .object(var object):
      let presence = object.key + SQLFragment(" IS NOT NULL")
      let isOptional = object.isOptional
      object.isOptional = false
      let result = try transformed(.object(object), &state)
      return isOptional ? state.guarded(result, by: presence, value: object.key.sql, of: self) : result
    case .collection(var collection):
      let presence = collection.presence
      collection.presence = nil
      let result = try transformed(.collection(collection), &state)
      return presence.map { state.guarded(result, by: $0, value: nil, of: self) } ?? result
    case .range: throw state.unsupported(self, "a range is never nil")
    }
  }

  private func transformed(_ value: Lowered, _ state: inout LoweringState) throws -> Lowered {
    state.variables[variable.key] = value
    return try state.lower(transform)
  }
}

extension PredicateExpressions.NilCoalesce: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let filtering = state.isFiltering
    let left = try state.lower(lhs)
    if case .constant(let value) = left {
      guard let value = value as? LHS.Output, let present = value else { return try state.lower(rhs) }
      return .constant(present)
    }
    let right = try state.lower(rhs)
    if filtering, case .scalar(let scalar) = left, case .constant(let value as Bool) = right, !value {
      // Only truth matters, and nil is no truth.
      return .scalar(
        .condition(scalar.condition, mayThrow: true, isAtomic: false, strictIn: scalar.strictIn))
    }
    let (one, other) = try state.unify(left, right, of: self)
    guard one.isOptional else { return left }
    var result = one
    result.sql = SQLFragment("coalesce(") + one.sql + SQLFragment(", ") + other.sql + SQLFragment(")")
    result.isAtomic = true
    result.isCondition = false
    result.isOptional = other.isOptional
    result.mayThrow = one.mayThrow || other.mayThrow
    result.needsNormalization = one.needsNormalization || other.needsNormalization
    result.strictIn = []
    return try state.rewrap(result, left, right)
  }
}

extension PredicateExpressions.ForcedUnwrap: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    switch try state.lower(inner) {
    case .constant(let value):
      if let value = value as? Inner.Output, let present = value { return .constant(present) }
      guard let type = ScalarType(of: Output.self) else { throw state.unsupported(self, "the captured value is nil") }
      return .scalar(.thrown(type))
    case .scalar(var scalar):
      scalar.mayThrow = scalar.mayThrow || scalar.isOptional
      scalar.isOptional = false
      return .scalar(scalar)
    case .object(var object):
      object.mayThrow = object.mayThrow || object.isOptional
      object.isOptional = false
      return .object(object)
    case .collection(var collection):
      collection.isForced = true
      return .collection(collection)
    case .range: throw state.unsupported(self, "a range is never nil")
    }
  }
}

extension LoweringState {
  /// A result that is nil unless `presence` holds. `value` is the expression that is NULL where it does not: a result
  /// that is NULL then anyway needs no guard.
  func guarded<E: PredicateExpression>(
    _ lowered: Lowered, by presence: SQLFragment, value: String?, of expression: E
  ) -> Lowered {
    func choice(_ sql: SQLFragment) -> SQLFragment {
      SQLFragment("CASE WHEN ") + presence + SQLFragment(" THEN ") + sql + SQLFragment(" END")
    }
    switch lowered {
    case .scalar(var scalar):
      scalar.isOptional = true
      if let value, scalar.strictIn.contains(value) { return .scalar(scalar) }
      scalar.sql = choice(scalar.sql)
      scalar.isCondition = false
      scalar.isAtomic = true
      scalar.strictIn = value.map { [$0] } ?? []
      return .scalar(scalar)
    case .object(var object):
      object.isOptional = true
      if let value, object.strictIn.contains(value) || object.key.sql == value { return .object(object) }
      object.key = choice(object.key)
      object.isCast = true
      return .object(object)
    case .collection(var collection):
      collection.presence = collection.presence.map { presence + SQLFragment(" AND ") + $0 } ?? presence
      return .collection(collection)
    case .constant(let constant):
      guard let type = ScalarType(of: E.Output.self), let scalar = self.constant(constant, as: type) else {
        return lowered
      }
      return guarded(.scalar(scalar), by: presence, value: nil, of: expression)
    case .range: return lowered
    }
  }
}
