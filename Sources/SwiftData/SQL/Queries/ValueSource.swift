import Foundation

/// The source of a value per object: a key path or an expression, for the store and for memory.
struct ValueSource<Model: PersistentModel, Value> {
  let lower: (inout LoweringState) throws -> LoweredValue
  let evaluate: (Model) throws -> Value

  init(_ keyPath: KeyPath<Model, Value>) {
    lower = { try $0.value(at: keyPath) }
    evaluate = { $0[keyPath: keyPath] }
  }

  init(_ expression: Expression<Model, Value>) {
    lower = { try $0.value(of: expression) }
    let mayTrap = expression.expression.mayTrap
    evaluate = { model in
      do {
        guard mayTrap else { return try expression.evaluate(model) }
        return try expression.expression.checked(PredicateBindings((expression.variable, model)))
      } catch {
        throw LoweredValue.failure(Model.__entity, ExpressionText.describe(expression.expression), count: 1)
      }
    }
  }
}

/// A value that a statement computes per row.
struct LoweredValue {
  var scalar: Scalar
  /// The Swift type of the value, including optionals.
  let type: Any.Type
  /// The property and its class, if the value is a whole property.
  var property: (entity: __Entity, property: __Property)?
  /// The object, if the value is its identifier.
  var identified: ObjectReference?
  /// The condition under which Swift would throw or trap.
  let failure: SQLFragment?

  init(_ scalar: Scalar, _ type: Any.Type, isStored: Bool) {
    self.scalar = scalar
    self.type = type
    if ScalarType.isOptional(type) {
      failure = scalar.isOptional ? scalar.failure : nil
    } else {
      failure = isStored ? nil : scalar.operand + SQLFragment(" IS NULL")
    }
  }

  /// The value in a form in which equal values have equal cells.
  var comparable: SQLFragment { scalar.isCondition ? scalar.sql : scalar.comparable }

  static func failure(_ entity: __Entity, _ what: String, count: Int) -> SwiftDataError {
    SwiftDataError(
      .unreadableValue, entity: entity.name,
      message: "\(what) has no value for \(count) of the objects: it unwraps nil, overflows its type, or"
        + " divides by zero; exclude them with the predicate")
  }
}

extension LoweringState {
  /// Lowers an expression of one model.
  mutating func value<Model: PersistentModel, Value>(of expression: Expression<Model, Value>) throws -> LoweredValue {
    variables[expression.variable.key] = .object(row)
    return LoweredValue(try lowered(expression.expression), Value.self, isStored: false)
  }

  private mutating func lowered<E: PredicateExpression>(_ expression: E) throws -> Scalar {
    try scalar(lower(expression), of: expression)
  }

  /// Lowers a key path: to a persisted property, a member of its value, either of these of a related object, or an
  /// identifier.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if only Swift knows the value.
  mutating func value(at keyPath: AnyKeyPath) throws -> LoweredValue {
    let type = type(of: keyPath).valueType
    let reading = KeyPathResolver.reading(of: keyPath, in: entity)
    if case .identity(let toOnes) = reading {
      let object = try identified(at: toOnes, keyPath)
      var value = LoweredValue(object.identity, type, isStored: object.alias != nil)
      value.identified = object
      return value
    }
    if case .property(_, let property, _) = reading, !property.isAttribute {
      throw unreadable(keyPath, "it is a relationship")
    }
    let scalar: Scalar
    do {
      scalar = try value(at: keyPath, of: row)
    } catch let error as SwiftDataError where error.code == .unsupportedSortDescriptor {
      throw unreadable(keyPath, "SQL cannot read the value in its stored form")
    }
    guard case .property(let toOnes, let property, let rest) = reading else {
      return LoweredValue(scalar, type, isStored: false)
    }
    var value = LoweredValue(scalar, type, isStored: toOnes.isEmpty && rest.isEmpty)
    if rest.isEmpty { value.property = (toOnes.last?.destination?.__entity ?? entity, property) }
    return value
  }

  /// The object whose identifier a key path reads: the row itself, or the target of to-ones.
  private mutating func identified(at toOnes: [__Property], _ keyPath: AnyKeyPath) throws -> ObjectReference {
    var object = row
    for step in toOnes {
      guard case .object(let target) = try property(step, of: object) else {
        throw unreadable(keyPath, "it is a relationship")
      }
      object = target
      object.isOptional = true
    }
    return object
  }

  private func unreadable(_ keyPath: AnyKeyPath, _ reason: String) -> SwiftDataError {
    SwiftDataError(
      .unsupportedKeyPath, entity: entity.name,
      message: "\(KeyPathText.describe(keyPath)) cannot be computed by the store: \(reason); name a persisted property,"
        + " a member of its value, or persistentModelID of a related model")
  }
}
