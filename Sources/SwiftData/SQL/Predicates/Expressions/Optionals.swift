import Foundation

// `?.`, `??` and `!`.

extension PredicateExpressions.OptionalFlatMap: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    switch try state.lower(wrapped) {
    case .constant(let value):
      guard let value = value as? LHS.Output, let wrapped = value else { return .constant(Output.none as Any) }
      return try transformed(.constant(wrapped), &state)
    case .scalar(var scalar):
      let guardian = Guard(
        presence: scalar.operand + SQLFragment(" IS NOT NULL"),
        value: scalar.sql.sql,
        failure: scalar.failure
      )
      let isOptional = scalar.isOptional
      scalar.isOptional = false
      scalar.mayThrow = false
      scalar.failure = nil
      let result = try transformed(.scalar(scalar), &state)
      return isOptional ? state.guarded(result, by: guardian, of: self) : result
    case .object(var object):
      let guardian = Guard(
        presence: object.key + SQLFragment(" IS NOT NULL"),
        value: object.key.sql,
        failure: object.failure
      )
      let isOptional = object.isOptional
      object.isOptional = false
      object.mayThrow = false
      object.failure = nil
      let result = try transformed(.object(object), &state)
      return isOptional ? state.guarded(result, by: guardian, of: self) : result
    case .collection(var collection):
      guard let presence = collection.presence else { return try transformed(.collection(collection), &state) }
      let guardian = Guard(presence: presence, value: nil, failure: collection.failure)
      (collection.presence, collection.failure) = (nil, nil)
      return state.guarded(try transformed(.collection(collection), &state), by: guardian, of: self)
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
    if case .collection(let collection) = left { return try rows(of: collection, or: right, state) }
    if filtering, case .scalar(let scalar) = left, case .constant(let value as Bool) = right, !value,
      scalar.failure == nil
    {
      // A filter treats nil as false.
      return .scalar(
        .condition(scalar.condition, mayThrow: true, isAtomic: false, strictIn: scalar.strictIn)
      )
    }
    let (one, other) = try state.unify(left, right, of: self)
    guard one.isOptional else { return left }
    var result = one
    result.sql = SQLFragment("coalesce(") + one.sql + SQLFragment(", ") + other.sql + SQLFragment(")")
    result.isAtomic = true
    result.isCondition = false
    result.isOptional = other.isOptional
    result.mayThrow = one.mayThrow || other.mayThrow
    result.failure = nil
    result.needsNormalization = one.needsNormalization || other.needsNormalization
    result.strictIn = []
    if result.isOptional {
      // The left side is nil and the right side fails.
      let second = other.failureTest.map {
        SQLFragment("(") + one.operand + SQLFragment(" IS NULL AND (") + $0 + SQLFragment("))")
      }
      result.failure = [one.failure, second].compactMap { $0 }.nonEmpty?.disjunction
    } else {
      result = result.failing(with: one)
    }
    return try state.rewrap(result, left, right)
  }
}

extension PredicateExpressions.NilCoalesce {
  /// The rows of a collection; none where the optional chain to it ends.
  private func rows(of collection: RowCollection, or other: Lowered, _ state: LoweringState) throws -> Lowered {
    // A store has no nil in place of a to-many.
    guard let presence = collection.presence else { return .collection(collection) }
    guard !collection.isForced, case .constant(let value) = other, (value as? any Collection)?.isEmpty == true else {
      throw state.unsupported(self, "a relationship can only be replaced by an empty list", instead: "write `?? []`")
    }
    var result = collection
    result.presence = nil
    result.append(filter: { _, _ in .condition(presence) })
    return .collection(result)
  }
}

extension PredicateExpressions.ForcedUnwrap: LowerableExpression {
  package var composite: CompositeCondition? {
    guard Output.self == Bool.self, let answered = (inner as? any AnsweringExpression)?.answered else { return nil }
    return .captured(answered)
  }

  package func lower(_ state: inout LoweringState) throws -> Lowered {
    if composite != nil { return try state.composed(self) }
    // Nil throws, and a filter may treat NULL as false.
    switch try state.lower(inner, filtering: state.isFiltering) {
    case .constant(let value):
      if let value = value as? Inner.Output, let present = value { return .constant(present) }
      return .scalar(try state.thrown(by: self))
    // From here on NULL means failure, for a nil value as well as for a failed computation.
    case .scalar(var scalar):
      scalar.mayThrow = scalar.mayThrow || scalar.isOptional
      scalar.isOptional = false
      scalar.failure = nil
      return .scalar(scalar)
    case .object(var object):
      object.mayThrow = object.mayThrow || object.isOptional
      object.isOptional = false
      object.failure = nil
      return .object(object)
    case .collection(var collection):
      collection.isForced = true
      return .collection(collection)
    case .range: throw state.unsupported(self, "a range is never nil")
    }
  }
}

/// The condition under which an optional chain continues.
struct Guard {
  /// True if the chain continues.
  let presence: SQLFragment
  /// The expression that is NULL if the chain ends. A result that depends on it needs no guard.
  let value: String?
  /// The condition under which the chain throws before it starts.
  let failure: SQLFragment?

  /// Combines a failure of the link with a failure of the chain.
  func failure(of link: SQLFragment?) -> SQLFragment? {
    let inner = link.map { SQLFragment("(") + presence + SQLFragment(" AND (") + $0 + SQLFragment("))") }
    return [failure, inner].compactMap { $0 }.nonEmpty?.disjunction
  }

  func choice(_ sql: SQLFragment) -> SQLFragment {
    SQLFragment("CASE WHEN ") + presence + SQLFragment(" THEN ") + sql + SQLFragment(" END")
  }
}

extension LoweringState {
  /// The result, or NULL if the guard fails.
  func guarded<E: PredicateExpression>(_ lowered: Lowered, by guardian: Guard, of expression: E) -> Lowered {
    switch lowered {
    case .scalar(var scalar):
      scalar.failure = guardian.failure(of: scalar.failureTest)
      scalar.mayThrow = scalar.failure != nil
      scalar.isOptional = true
      if let value = guardian.value, scalar.strictIn.contains(value) { return .scalar(scalar) }
      scalar.sql = guardian.choice(scalar.sql)
      scalar.isCondition = false
      scalar.isAtomic = true
      scalar.strictIn = guardian.value.map { [$0] } ?? []
      return .scalar(scalar)
    case .object(var object):
      object.failure = guardian.failure(of: object.identity.failureTest)
      object.mayThrow = object.failure != nil
      object.isOptional = true
      if let value = guardian.value, object.strictIn.contains(value) || object.key.sql == value {
        return .object(object)
      }
      object.key = guardian.choice(object.key)
      object.scope = currentScope
      object.isCast = true
      return .object(object)
    case .collection(var collection):
      collection.presence =
        collection.presence.map { guardian.presence + SQLFragment(" AND ") + $0 } ?? guardian.presence
      collection.failure = guardian.failure(of: collection.failure)
      return .collection(collection)
    case .constant(let constant):
      guard let type = ScalarType(of: E.Output.self), let scalar = self.constant(constant, as: type) else {
        return lowered
      }
      return guarded(.scalar(scalar), by: guardian, of: expression)
    case .range: return lowered
    }
  }
}

extension Array {
  var nonEmpty: Self? { isEmpty ? nil : self }
}
