public import Foundation

extension ModelContext {
  /// An assignment of a batch update: a constant, or an expression of each object. (Not Apple's.)
  public struct Assignment<Model: PersistentModel> {
    /// The column and the SQL of its new value.
    let plan: (inout LoweringState) throws -> AssignedColumn
    /// Computes the new value for an object in memory and returns a closure that assigns it, so that all values are
    /// computed first.
    let prepare: (Model) throws -> () -> Void

    /// Assigns a value.
    /// - Parameters:
    ///   - keyPath: a persisted attribute. Change relationships on the objects themselves.
    ///   - value: the new value.
    public static func assign<Value>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, _ value: Value) -> Self {
      Self(
        plan: { try AssignedColumn(keyPath, value, $0.entity) },
        prepare: { model in { model[keyPath: keyPath] = value } })
    }

    /// Assigns the value of an expression, computed from each object before the update.
    ///
    ///     try context.update(model: Track.self, set: .assign(\.plays, #Expression<Track, Int> { $0.plays + 1 }))
    public static func assign<Value>(
      _ keyPath: ReferenceWritableKeyPath<Model, Value>, _ expression: Expression<Model, Value>
    ) -> Self { assign(keyPath, expression) { $0 } }

    /// Assigns the value of an expression to an optional property.
    public static func assign<Value>(
      _ keyPath: ReferenceWritableKeyPath<Model, Value?>, _ expression: Expression<Model, Value>
    ) -> Self { assign(keyPath, expression) { $0 } }

    private static func assign<Value, Result>(
      _ keyPath: ReferenceWritableKeyPath<Model, Value>, _ expression: Expression<Model, Result>,
      _ wrap: @escaping (Result) -> Value
    ) -> Self {
      let source = ValueSource(expression)
      return Self(
        plan: { try AssignedColumn(keyPath, try source.lower(&$0), $0.entity) },
        prepare: { model in
          let value = wrap(try source.evaluate(model))
          return { model[keyPath: keyPath] = value }
        })
    }
  }
}

/// A `column = value` of a batch update.
package struct AssignedColumn {
  package let property: __Property
  package private(set) var value: SQLFragment
  /// The condition under which an object has no value, or nil if it always has one.
  package let failure: SQLFragment?
  /// Whether the value is text outside normal form C, or nil if only the rows can tell.
  let isNonNFC: Bool?
  /// The value if it is the same for all rows.
  package let constant: Any?
  package let isConstant: Bool

  var column: String { TableNames.column(for: property) }

  /// The same for a table that may keep the column encrypted.
  func encrypted(in table: EntityTable) -> AssignedColumn {
    var result = self
    result.value = SQLFragment(table.written(value.sql, to: column), value.arguments)
    return result
  }

  /// Makes an assignment of a constant.
  init<Value>(_ keyPath: AnyKeyPath, _ value: Value, _ entity: __Entity) throws {
    property = try Self.property(at: keyPath, in: entity)
    failure = nil
    (constant, isConstant) = (value, true)
    var cell: SQLValue?
    if case .attribute(_, .transformed) = property.kind {
      cell = try property.transform(value).map { .blob($0) } ?? .null
    } else {
      cell = ScalarType(of: property).cell(of: value)
    }
    guard let cell else {
      throw SwiftDataError(
        .unwritableValue, entity: entity.name, property: property.name,
        message: "the value cannot be encoded in the column's form")
    }
    self.value = SQLFragment("?", [cell])
    if case .text(let text) = cell { isNonNFC = !SwiftText.isNFC(text) } else { isNonNFC = false }
  }

  /// Makes an assignment of a lowered expression.
  init(_ keyPath: AnyKeyPath, _ lowered: LoweredValue, _ entity: __Entity) throws {
    property = try Self.property(at: keyPath, in: entity)
    let own = ScalarType(of: property)
    guard own.form == lowered.scalar.type.form, own.form != .opaque else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: property.name,
        message: "the store cannot compute the column's form of the property; assign a value, or change the"
          + " fetched objects")
    }
    (constant, isConstant) = (nil, false)
    value = lowered.scalar.operand
    failure = lowered.failure
    isNonNFC = own.form == .text || own.form == .json || own.form == .url ? nil : false
  }

  private static func property(at keyPath: AnyKeyPath, in entity: __Entity) throws -> __Property {
    guard let property = KeyPathResolver.property(at: keyPath, in: entity), property.isAttribute, property.isStored
    else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name,
        message: "\(KeyPathText.describe(keyPath)) cannot be assigned in a batch, which takes persisted attributes as a"
          + " whole; change relationships, members of structs and transient properties on the fetched objects")
    }
    guard property.attribute?.options.contains(.externalStorage) != true else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: property.name,
        message: "external data has a file for each object; change the fetched objects instead")
    }
    return property
  }
}
