import Foundation

// `array[i]`, `array[a..<b]`, `dictionary[key]` and `dictionary[key, default: x]`.

extension PredicateExpressions.CollectionIndexSubscript: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let filtering = state.isFiltering
    let (collection, position) = (try state.lower(wrapped), try state.lower(index))
    if let question = Wrapped.Output.self as? any AnyTextAnswers.Type {
      return try state.textQuestion(question, collection, of: wrapped, position, of: index)
    }
    if case .constant(let predicate as any AnyPredicateAnswers) = collection {
      return try predicate.lower(for: position, filtering: filtering, &state)
    }
    if case .collection(let rows) = collection {
      guard Index.Output.self == Int.self else { throw state.unsupported(self, "its index is no Int") }
      return try state.element(of: rows, fromEnd: false, at: try state.scalar(position, of: index))
    }
    return try state.computed("subscript", collection, wrapped, position, index, of: self) { collection, index in
      guard collection.indices.contains(index) else { throw CocoaError(.featureUnsupported) }
      return collection[index]
    }.throwing()
  }
}

extension PredicateExpressions.CollectionRangeSubscript: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    throw state.unsupported(self, "a slice has no form in the store", instead: "look at single elements")
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
    let (one, other) = try state.unify(found, try state.lower(`default`), of: self)
    var result = one
    result.sql = SQLFragment("coalesce(") + one.sql + SQLFragment(", ") + other.sql + SQLFragment(")")
    result.isOptional = ScalarType.isOptional(Output.self)
    result.mayThrow = one.mayThrow || other.mayThrow
    result.isCondition = false
    result.strictIn = []
    return .scalar(result)
  }

  /// The subscript without its default, for its type.
  private struct Lookup: PredicateExpression {
    typealias Output = Default.Output?
    let whole: PredicateExpressions.DictionaryKeyDefaultValueSubscript<Wrapped, Key, Default>

    init(_ whole: PredicateExpressions.DictionaryKeyDefaultValueSubscript<Wrapped, Key, Default>) { self.whole = whole }

    func evaluate(_ bindings: PredicateBindings) throws -> Output {
      try whole.wrapped.evaluate(bindings)[whole.key.evaluate(bindings)]
    }
  }
}

extension Lowered {
  /// The value, NULL where Swift throws.
  fileprivate func throwing() -> Lowered {
    guard case .scalar(var scalar) = self else { return self }
    scalar.mayThrow = true
    return .scalar(scalar)
  }
}
