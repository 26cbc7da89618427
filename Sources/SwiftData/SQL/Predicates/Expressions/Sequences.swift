import Foundation

// `contains`, `contains(where:)`, `allSatisfy`, `filter`, `starts(with:)`, `min`, `max` and subscripts.

extension PredicateExpressions.SequenceContains: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (sequence, element) = (try state.lower(sequence), try state.lower(element))
    if case .constant(let values as LHS.Output) = sequence {
      if case .constant(let value as RHS.Output) = element { return .constant(values.contains(value)) }
      if let range = CapturedRange(values) { return try state.containment(in: range, element, of: self) }
      let scalar = try state.scalar(element, of: self.element)
      guard let result = state.membership(of: scalar, in: values, as: RHS.Output.self) else {
        throw state.unsupported(self, "values of type \(RHS.Output.self) cannot be compared there")
      }
      return .scalar(result)
    }
    if case .range(let range) = sequence { return try state.containment(in: range, element, of: self) }
    if case .scalar(let scalar) = sequence, scalar.alwaysThrows { return .scalar(try state.thrown(by: self)) }
    let collection = try state.collection(sequence, LHS.Output.self, elements: LHS.Output.Element.self, of: self)
    let found = try state.exists(in: collection) { member, state in
      guard let equal = state.equality(member, element, as: RHS.Output.self) else {
        throw state.unsupported(self, "values of type \(RHS.Output.self) cannot be compared there")
      }
      return equal
    }
    // EXISTS returns false for a failed element, not NULL.
    if case .constant = element { return .scalar(found) }
    return .scalar(found.unless(try state.scalar(element, of: self.element).failureTest))
  }
}

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let lowered = try state.lower(sequence)
    let collection = try state.collection(lowered, LHS.Output.self, elements: Element.self, of: self)
    return .scalar(
      try state.exists(in: collection) { member, state in
        state.variables[variable.key] = member
        return try state.truth(test, filtering: true)
      }
    )
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let lowered = try state.lower(sequence)
    let collection = try state.collection(lowered, LHS.Output.self, elements: Element.self, of: self)
    var result = try state.exists(in: collection) { member, state in
      state.variables[variable.key] = member
      let test = try state.truth(test)
      return .condition(test.operand + SQLFragment(" IS NOT TRUE"))
    }
    result.sql = SQLFragment("NOT ") + result.operand
    result.isAtomic = false
    return .scalar(result)
  }
}

extension PredicateExpressions.Filter: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    var collection = try state.collection(state.lower(sequence), LHS.Output.self, elements: Element.self, of: self)
    // The filter runs where the collection is used. A captured expression that stands there again binds its variables again.
    collection.append(filter: { [bound = state.variables] member, state in
      let outer = state.variables
      defer { state.variables = outer }
      state.variables = bound
      state.variables[variable.key] = member
      return try state.truth(filter, filtering: true)
    })
    return .collection(collection)
  }
}

extension PredicateExpressions.SequenceStartsWith: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    try state.textual("swift_starts_with", base, self.prefix, of: self) { $0.starts(with: $1) }
  }
}

extension PredicateExpressions.CollectionContainsCollection: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    try state.textual("swift_contains", base, other, of: self) { $0.contains($1) }
  }
}

extension PredicateExpressions.SequenceMaximum: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let lowered = try state.lower(elements)
    if case .collection(let rows) = lowered { return try state.extremum(of: rows, isMaximum: true, for: self) }
    return try state.computed("max", lowered, elements, of: self) { $0.max() }
  }
}

extension PredicateExpressions.SequenceMinimum: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let lowered = try state.lower(elements)
    if case .collection(let rows) = lowered { return try state.extremum(of: rows, isMaximum: false, for: self) }
    return try state.computed("min", lowered, elements, of: self) { $0.min() }
  }
}

extension LoweringState {
  /// Lowers a function of two sequences: to an SQL function if both are text, else to Swift.
  fileprivate mutating func textual<
    First: PredicateExpression,
    Second: PredicateExpression,
    E: PredicateExpression<Bool>
  >(
    _ name: String,
    _ first: First,
    _ second: Second,
    of expression: E,
    _ body: @escaping (First.Output, Second.Output) -> Bool
  ) throws -> Lowered {
    let (left, right) = (try lower(first), try lower(second))
    if case .constant(let one as First.Output) = left, case .constant(let other as Second.Output) = right {
      return .constant(body(one, other))
    }
    guard First.Output.self == String.self, Second.Output.self == String.self else {
      return try computed(name, left, first, right, second, of: expression, body)
    }
    let (one, other) = (try scalar(left, of: first), try scalar(right, of: second))
    if name == "swift_starts_with" { return .scalar(prefixQuestion(one, other, right)) }
    return .scalar(textCall(name, [one, other], type: .bool))
  }

  /// Lowers a function of one value that Swift computes.
  mutating func computed<Input: PredicateExpression, E: PredicateExpression>(
    _ name: String,
    _ lowered: Lowered,
    _ input: Input,
    of expression: E,
    _ body: @escaping (Input.Output) throws -> E.Output
  ) throws -> Lowered {
    if case .constant(let value as Input.Output) = lowered { return .constant(try body(value)) }
    let value = try scalar(lowered, of: input)
    guard value.type.form != .opaque, let output = ScalarType(of: E.Output.self) else {
      throw unsupported(expression, "a \(E.Output.self) has no form in the store")
    }
    let key = ValueFunction.Key(name, types: [Input.Output.self, E.Output.self], of: [value.type])
    let function = ValueFunction.unary(key, value.type, output, entity, body)
    return .scalar(function.scalar([value], type: output, isOptional: ScalarType.isOptional(E.Output.self)))
  }

  /// Lowers a function of two values that Swift computes.
  mutating func computed<First: PredicateExpression, Second: PredicateExpression, E: PredicateExpression>(
    _ name: String,
    _ left: Lowered,
    _ first: First,
    _ right: Lowered,
    _ second: Second,
    of expression: E,
    _ body: @escaping (First.Output, Second.Output) throws -> E.Output
  ) throws -> Lowered {
    if case .constant(let one as First.Output) = left, case .constant(let other as Second.Output) = right {
      return .constant(try body(one, other))
    }
    let (one, other) = (try scalar(left, of: first), try scalar(right, of: second))
    guard one.type.form != .opaque, other.type.form != .opaque, let output = ScalarType(of: E.Output.self) else {
      throw unsupported(expression, "a \(E.Output.self) has no form in the store")
    }
    let key = ValueFunction.Key(
      name,
      types: [First.Output.self, Second.Output.self, E.Output.self],
      of: [one.type, other.type]
    )
    let function = ValueFunction.binary(key, one.type, other.type, output, entity, body)
    return .scalar(function.scalar([one, other], type: output, isOptional: ScalarType.isOptional(E.Output.self)))
  }
}
