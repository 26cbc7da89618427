import Foundation

// `as?`, `as!` and `is`.

extension PredicateExpressions.TypeCheck: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let lowered = try state.lower(input)
    if case .object(let object) = lowered, let desired = ScalarType.bare(Desired.self) as? any PersistentModel.Type {
      guard let membership = state.membership(of: object, desired.__entity) else {
        return .scalar(state.presence(of: object))
      }
      let sql = object.isOptional ? SQLFragment("coalesce(") + membership + SQLFragment(", FALSE)") : membership
      return .scalar(.condition(sql).unless(object.identity.failureTest))
    }
    return try state.computed("is \(Desired.self)", lowered, of: self, input) { $0 is Desired }
  }
}

extension PredicateExpressions.ConditionalCast: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let lowered = try state.lower(input)
    if case .object(let object) = lowered, let desired = ScalarType.bare(Desired.self) as? any PersistentModel.Type {
      return .object(state.cast(object.mayThrow ? object.promoted : object, to: desired.__entity))
    }
    if isPromotion { return lowered.promoted }
    return try state.computed("as? \(Desired.self)", lowered, of: self, input) { $0 as? Desired }
  }
}

/// A cast that may only wrap a value in an optional.
protocol PromotingExpression {
  /// Whether the target type is the value's own type.
  var isPromotion: Bool { get }
}

extension PredicateExpressions.ConditionalCast: PromotingExpression {
  var isPromotion: Bool { Input.Output.self == Desired.self && !ScalarType.isOptional(Desired.self) }
}

extension Lowered {
  /// The value as an optional, for which NULL no longer means failure.
  fileprivate var promoted: Lowered {
    switch self {
    case .scalar(var scalar):
      scalar.failure = scalar.failureTest
      scalar.isOptional = true
      return .scalar(scalar)
    case .object(let object): return .object(object.promoted)
    case .constant, .collection, .range: return self
    }
  }
}

extension ObjectReference {
  fileprivate var promoted: ObjectReference {
    var result = self
    result.failure = identity.failureTest
    result.isOptional = true
    return result
  }
}

extension PredicateExpressions.ForceCast: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let lowered = try state.lower(input)
    if case .object(let object) = lowered, let desired = ScalarType.bare(Desired.self) as? any PersistentModel.Type {
      var result = state.cast(object, to: desired.__entity)
      result.mayThrow = result.isOptional || result.mayThrow
      result.isOptional = ScalarType.isOptional(Desired.self) && object.isOptional
      if result.isOptional, result.isCast {
        // Nil stays nil, and an object of another class throws.
        let isOther = object.key + SQLFragment(" IS NOT NULL AND ") + result.key + SQLFragment(" IS NULL")
        result.failure = [object.failure, isOther].compactMap { $0 }.disjunction
      }
      return .object(result)
    }
    return try state.computed("as! \(Desired.self)", lowered, of: self, input) { value in
      guard let result = value as? Desired else { throw CocoaError(.featureUnsupported) }
      return result
    }
  }
}

extension LoweringState {
  fileprivate mutating func membership(of object: ObjectReference, _ entity: __Entity) -> SQLFragment? {
    if object.entity.isKind(of: entity) { return nil }
    guard entity.isKind(of: object.entity) else { return SQLFragment("FALSE") }
    return membership(of: object, in: entity)
  }

  fileprivate func presence(of object: ObjectReference) -> Scalar {
    let isThere = object.isOptional ? object.key + SQLFragment(" IS NOT NULL") : SQLFragment("TRUE")
    return Scalar.condition(isThere, isAtomic: !object.isOptional).unless(object.identity.failureTest)
  }

  fileprivate mutating func cast(_ object: ObjectReference, to entity: __Entity) -> ObjectReference {
    guard let membership = membership(of: object, entity) else { return object }
    var result = object
    result.alias = alias(of: object)
    result.entity = entity
    result.key = SQLFragment("CASE WHEN ") + membership + SQLFragment(" THEN ") + object.key + SQLFragment(" END")
    result.isOptional = true
    result.isCast = true
    result.strictIn = object.strictIn.union([object.key.sql])
    return result
  }

  /// Lowers a cast that Swift computes.
  fileprivate mutating func computed<Input: PredicateExpression, E: PredicateExpression>(
    _ name: String,
    _ lowered: Lowered,
    of expression: E,
    _ input: Input,
    _ body: @escaping (Input.Output) throws -> E.Output
  ) throws -> Lowered {
    if case .constant(let value as Input.Output) = lowered { return .constant(try body(value)) }
    let value = try scalar(lowered, of: input)
    guard value.type.form != .opaque, !ScalarType.isOptional(Input.Output.self),
      let output = ScalarType(of: E.Output.self)
    else { throw unsupported(expression, "the store cannot tell the types of values apart") }
    let key = ValueFunction.Key(name, types: [Input.Output.self, E.Output.self], of: [value.type])
    let function = ValueFunction.unary(key, value.type, output, entity, body)
    var result = function.scalar([value], type: output, isOptional: ScalarType.isOptional(E.Output.self))
    result.mayThrow = true
    return .scalar(result)
  }
}
