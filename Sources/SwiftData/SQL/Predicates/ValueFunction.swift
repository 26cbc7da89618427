import Foundation

/// A computation in Swift that SQL calls as `swift_value(number, cells…)`: equality of structs, a computed property, an
/// element of a dictionary.
///
/// Each computation is registered once per types and key paths, so the registry's size depends on the program, not on
/// its data.
// @unchecked Sendable because it is immutable, and the body only reads its captures.
package final class ValueFunction: @unchecked Sendable {
  package typealias Body = ([SQLValue]) throws -> SQLValue?

  let number: Int64
  /// Takes cells that are not NULL. Nil becomes NULL.
  ///
  /// An error means that Swift would throw, so the row does not match, with one exception: a cell that cannot be decoded
  /// throws ``SwiftDataError/unreadableValue``, and the statement fails, as reading the object does.
  let body: Body

  private init(number: Int64, body: @escaping Body) {
    self.number = number
    self.body = body
  }

  // MARK: - Registry

  private struct Registry {
    var all: [ValueFunction] = []
    var known: [Key: ValueFunction] = [:]
  }

  /// The types and key paths that identify a computation.
  // @unchecked Sendable because types and key paths are immutable.
  struct Key: Hashable, @unchecked Sendable {
    let operation: String
    let types: [ObjectIdentifier]
    let forms: [ScalarType.Form]
    /// The properties of the arguments, because errors name them.
    let properties: [ObjectIdentifier?]
    let keyPath: AnyKeyPath?

    init(_ operation: String, types: [Any.Type], of arguments: [ScalarType], keyPath: AnyKeyPath? = nil) {
      self.operation = operation
      self.types = types.map { ObjectIdentifier($0) }
      self.forms = arguments.map(\.form)
      self.properties = arguments.map { $0.property.map { ObjectIdentifier($0) } }
      self.keyPath = keyPath
    }
  }

  private static let registry = Lock(Registry())

  /// The function of a key, registered on the first call.
  static func function(_ key: Key, _ body: @escaping Body) -> ValueFunction {
    registry.withLock { registry in
      if let known = registry.known[key] { return known }
      let function = ValueFunction(number: Int64(registry.all.count), body: body)
      registry.all.append(function)
      registry.known[key] = function
      return function
    }
  }

  package static func numbered(_ number: Int64) -> ValueFunction? {
    registry.withLock { $0.all.indices.contains(Int(number)) ? $0.all[Int(number)] : nil }
  }

  // MARK: - Calls

  /// The call as a value. It is NULL if an argument is.
  func scalar(_ arguments: [Scalar], type: ScalarType, isOptional: Bool = false) -> Scalar {
    var sql = SQLFragment("swift_value(?", [.integer(number)])
    for argument in arguments { sql = sql + SQLFragment(", ") + argument.sql }
    return Scalar(
      sql: sql + SQLFragment(")"),
      type: type,
      isOptional: isOptional || arguments.contains(where: \.isOptional),
      mayThrow: arguments.contains(where: \.mayThrow),
      failure: arguments.compactMap(\.failureTest).nonEmpty?.disjunction,
      needsNormalization: type.form == .text,
      strictIn: arguments.reduce(into: []) { $0.formUnion($1.strictIn) }
    )
  }
}

// MARK: - Comparisons

extension ValueFunction {
  /// `==` of a type, between two forms of its values.
  static func equality(
    of type: any Equatable.Type,
    _ left: ScalarType,
    _ right: ScalarType,
    _ entity: __Entity
  ) -> ValueFunction? {
    func make<T: Equatable>(_: T.Type) -> ValueFunction {
      function(Key("==", types: [T.self], of: [left, right])) { cells in
        let one: T = try left.value(of: cells[0], entity: entity)
        let other: T = try right.value(of: cells[1], entity: entity)
        return .integer(one == other ? 1 : 0)
      }
    }
    return make(type)
  }

  /// An order operator of a type, between two forms of its values.
  static func order(
    of type: any Comparable.Type,
    _ op: PredicateExpressions.ComparisonOperator,
    _ left: ScalarType,
    _ right: ScalarType,
    _ entity: __Entity
  ) -> ValueFunction? {
    func make<T: Comparable>(_: T.Type) -> ValueFunction {
      function(Key(op.sql, types: [T.self], of: [left, right])) { cells in
        let one: T = try left.value(of: cells[0], entity: entity)
        let other: T = try right.value(of: cells[1], entity: entity)
        return .integer(op.holds(one, other) ? 1 : 0)
      }
    }
    return make(type)
  }

  /// A function of one value of the Swift type `Input`.
  static func unary<Input, Output>(
    _ key: Key,
    _ input: ScalarType,
    _ output: ScalarType,
    _ entity: __Entity,
    _ body: @escaping (Input) throws -> Output
  ) -> ValueFunction {
    function(key) { cells in
      let value: Input = try input.value(of: cells[0], entity: entity)
      return output.cell(of: try body(value))
    }
  }

  /// A function of two values.
  static func binary<First, Second, Output>(
    _ key: Key,
    _ first: ScalarType,
    _ second: ScalarType,
    _ output: ScalarType,
    _ entity: __Entity,
    _ body: @escaping (First, Second) throws -> Output
  ) -> ValueFunction {
    function(key) { cells in
      let one: First = try first.value(of: cells[0], entity: entity)
      let other: Second = try second.value(of: cells[1], entity: entity)
      return output.cell(of: try body(one, other))
    }
  }
}
