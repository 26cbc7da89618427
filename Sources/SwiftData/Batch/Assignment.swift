public import Foundation

extension ModelContext {
  /// What a batch update gives to a property of every object that it takes: a value, or what an expression makes of the
  /// object. (Not Apple's.)
  public struct Assignment<Model: PersistentModel> {
    /// The column and its new value in SQL.
    let plan: (inout LoweringState) throws -> AssignedColumn
    /// Finds the new value for an object in memory and returns how to assign it, so that all values are found first.
    let prepare: (Model) throws -> () -> Void

    /// Assigns a value.
    /// - Parameters:
    ///   - keyPath: a persisted attribute as a whole; relationships are changed on the objects.
    ///   - value: the new value.
    public static func assign<Value>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, _ value: Value) -> Self {
      Self(
        plan: { try AssignedColumn(keyPath, value, $0.entity) },
        prepare: { model in { model[keyPath: keyPath] = value } })
    }

    /// Assigns what an expression makes of each object as it was before the update.
    ///
    ///     try context.update(model: Track.self, set: .assign(\.plays, #Expression<Track, Int> { $0.plays + 1 }))
    public static func assign<Value>(
      _ keyPath: ReferenceWritableKeyPath<Model, Value>, _ expression: Expression<Model, Value>
    ) -> Self { assign(keyPath, expression) { $0 } }

    /// Assigns what an expression makes of each object to an optional property.
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

/// One `column = value` of a batch update.
package struct AssignedColumn {
  package let property: __Property
  package private(set) var value: SQLFragment
  /// The condition under which an object has no value; nil where there is always one.
  package let failure: SQLFragment?
  /// Whether the value is text that is not in normal form C; nil where only the rows can tell.
  let isDenormalized: Bool?
  /// The value, where it is the same for all rows.
  package let constant: Any?
  package let isConstant: Bool

  var column: String { TableNames.column(for: property) }

  /// The same for a table that may keep the column sealed.
  func sealed(in table: EntityTable) -> AssignedColumn {
    var result = self
    result.value = SQLFragment(table.written(value.sql, to: column), value.arguments)
    return result
  }

  /// A value that is the same for all rows.
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
        message: "the value cannot be encoded as the store keeps it")
    }
    self.value = SQLFragment("?", [cell])
    if case .text(let text) = cell { isDenormalized = !SwiftText.isNFC(text) } else { isDenormalized = false }
  }

  /// A value that an expression makes of each row.
  init(_ keyPath: AnyKeyPath, _ lowered: LoweredValue, _ entity: __Entity) throws {
    property = try Self.property(at: keyPath, in: entity)
    let own = ScalarType(of: property)
    guard own.form == lowered.scalar.type.form, own.form != .opaque else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity.name, property: property.name,
        message: "the store cannot compute the form in which it keeps the property; assign a value, or change the"
          + " fetched objects")
    }
    (constant, isConstant) = (nil, false)
    value = lowered.scalar.operand
    failure = lowered.failure
    isDenormalized = own.form == .text || own.form == .json || own.form == .url ? nil : false
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
