import Foundation

// `array[i]`, `array[a..<b]`, `dictionary[key]` and `dictionary[key, default: x]`.

extension PredicateExpressions.CollectionIndexSubscript: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (collection, position) = (try state.lower(wrapped), try state.lower(index))
    if let question = Wrapped.Output.self as? any AnyTextAnswers.Type {
      return try state.textQuestion(question, collection, of: wrapped, position, of: index)
    }
    try state.refuseSlice(Wrapped.Output.self, collection, for: self)
    if case .collection(let rows) = collection {
      guard Index.Output.self == Int.self else { throw state.unsupported(self, "its index is not an Int") }
      return try state.element(
        of: rows, fromEnd: false, at: try state.scalar(position, of: index), isConstant: position.isConstant)
    }
    let found = try state.computed("subscript", collection, wrapped, position, index, of: self) { collection, index in
      guard collection.indices.contains(index) else { throw CocoaError(.featureUnsupported) }
      return collection[index]
    }.throwing()
    guard case .scalar(var scalar) = found, scalar.isOptional else { return found }
    // NULL is a member that is nil, or a failure.
    let inside = try state.computed("indices", collection, wrapped, position, index, of: IsInside(whole: self)) {
      $0.indices.contains($1)
    }
    if case .scalar(let inside) = inside {
      scalar.failure = [scalar.failure, inside.operand + SQLFragment(" = 0")].compactMap { $0 }.disjunction
    }
    return .scalar(scalar)
  }

  /// The question whether the index is one of the collection, for its type.
  private struct IsInside: PredicateExpression {
    typealias Output = Bool
    let whole: PredicateExpressions.CollectionIndexSubscript<Wrapped, Index>

    func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try whole.wrapped.evaluate(bindings).indices.contains(whole.index.evaluate(bindings))
    }
  }
}

extension PredicateExpressions.CollectionRangeSubscript: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (collection, bounds) = (try state.lower(wrapped), try state.lower(range))
    try state.refuseSlice(Wrapped.Output.self, collection, for: self)
    if case .constant(let value as Wrapped.Output) = collection, case .constant(let bounds as Range.Output) = bounds {
      return .constant(try slice(value, bounds))
    }
    if let thrown = try bounds.thrownRange(Output.self) { return thrown }
    if case .collection = collection {
      throw state.unsupported(self, "a part of a relationship has no form in the store", instead: "use `filter`")
    }
    let array = try state.scalar(collection, of: wrapped)
    guard array.type.form == .json, let output = ScalarType(of: Output.self), output.form == .json else {
      throw state.unsupported(self, "of this a slice has no form in the store", instead: "look at single elements")
    }
    let (low, high) = try limits(bounds, state)
    let key = ValueFunction.Key("slice", types: [Wrapped.Output.self], of: [array.type])
    let function = ValueFunction.function(key) { [entity = state.entity] cells in
      let value: Wrapped.Output = try array.type.value(of: cells[0], entity: entity)
      guard case .integer(let low) = cells[1], case .integer(let high) = cells[2], low <= high,
        let bounds = Int(low)..<Int(high) as? Range.Output
      else { return nil }
      return output.cell(of: try slice(value, bounds))
    }
    return Lowered.scalar(function.scalar([array, low, high], type: output)).throwing()
  }

  /// The slice. Throws where Foundation's node does.
  private func slice(_ value: Wrapped.Output, _ bounds: Range.Output) throws -> Output {
    guard bounds.lowerBound >= value.startIndex, bounds.upperBound <= value.endIndex else {
      throw CocoaError(.featureUnsupported)
    }
    return value[bounds]
  }

  private func limits(_ bounds: Lowered, _ state: LoweringState) throws -> (Scalar, Scalar) {
    let limits: (Scalar?, Scalar?)
    switch bounds {
    case .constant(let range as Swift.Range<Int>):
      limits = (state.constant(range.lowerBound, as: .int), state.constant(range.upperBound, as: .int))
    case .range(let range):
      func limit(_ lowered: Lowered) -> Scalar? {
        switch lowered {
        case .scalar(let scalar) where scalar.type.form == .integer: scalar
        case .constant(let value as Int): state.constant(value, as: .int)
        default: nil
        }
      }
      limits = (limit(range.lower), limit(range.upper))
    default: limits = (nil, nil)
    }
    guard let low = limits.0, let high = limits.1 else { throw state.unsupported(self, "its bounds are not Ints") }
    return (low, high)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (dictionary, name) = (try state.lower(wrapped), try state.lower(key))
    return try state.computed("subscript", dictionary, wrapped, name, key, of: self) { $0[$1] }
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (dictionary, name) = (try state.lower(wrapped), try state.lower(key))
    let found = try state.computed("subscript", dictionary, wrapped, name, key, of: Lookup(self)) { $0[$1] }
    if case .constant(let value as Output?) = found, let value { return .constant(value) }
    guard !ScalarType.isOptional(Output.self) else {
      throw state.unsupported(self, "the store cannot tell a value that is nil from none", instead: "use `??`")
    }
    let (one, other) = try state.unify(found, try state.lower(`default`), of: self)
    var result = one
    result.sql = SQLFragment("coalesce(") + one.sql + SQLFragment(", ") + other.sql + SQLFragment(")")
    result.isOptional = false
    result.mayThrow = other.mayThrow
    result.failure = nil
    result.isCondition = false
    result.strictIn = []
    // A key that throws is not a missing key.
    return .scalar(result.failing(with: one))
  }

  /// The subscript without its default value, for its type.
  private struct Lookup: PredicateExpression {
    typealias Output = Default.Output?
    let whole: PredicateExpressions.DictionaryKeyDefaultValueSubscript<Wrapped, Key, Default>

    init(_ whole: PredicateExpressions.DictionaryKeyDefaultValueSubscript<Wrapped, Key, Default>) { self.whole = whole }

    func evaluate(_ bindings: PredicateBindings) throws -> Output {
      try whole.wrapped.evaluate(bindings)[whole.key.evaluate(bindings)]
    }
  }
}

extension LoweringState {
  /// Throws for a subscript of a slice, because a Swift slice keeps the indices of its base.
  fileprivate func refuseSlice<C: Collection>(_: C.Type, _ lowered: Lowered, for expression: some PredicateExpression)
    throws
  {
    if case .constant = lowered { return }
    guard C.self == C.SubSequence.self else { return }
    throw unsupported(expression, "a slice has no indices of its own", instead: "use one subscript of the whole")
  }
}

extension Lowered {
  /// The value, with NULL where Swift throws.
  fileprivate func throwing() -> Lowered {
    guard case .scalar(var scalar) = self else { return self }
    scalar.mayThrow = true
    return .scalar(scalar)
  }
}
