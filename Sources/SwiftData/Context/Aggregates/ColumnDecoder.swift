import Foundation

/// Decodes a Swift value from the columns of a lowered value.
struct ColumnDecoder<Value> {
  private let read: (SQLRows, Int32) throws -> Value

  func callAsFunction(_ reader: SQLRows, at column: Int32) throws -> Value { try read(reader, column) }
}

extension ColumnDecoder {
  /// The decoder of a value, and the columns that the statement selects for it.
  static func of(
    _ value: LoweredValue, _ state: inout LoweringState
  ) -> (decoder: ColumnDecoder, columns: [SQLFragment]) {
    if let object = value.identified { return identifier(object, &state) }
    return (ColumnDecoder(read: reading(value, state.entity)), [value.scalar.sql])
  }

  private static func reading(_ value: LoweredValue, _ root: __Entity) -> (SQLRows, Int32) throws -> Value {
    let entity = value.property?.entity ?? root
    let index = value.property?.property.index ?? 0
    let none = (Value.self as? any __OptionalValue.Type)?.__none as? Value
    let bare = bareReading(value, entity, index)
    return { reader, column in
      if reader.isNull(column) {
        if let none { return none }
        throw LoweredValue.failure(entity, value.property?.property.name ?? "an expression", count: 1)
      }
      reader.entity = entity
      // In two steps, because nil is of type `Value` where that is optional.
      if let result = try bare(reader, column), let value = result as? Value { return value }
      throw SwiftDataError(
        .unreadableValue, entity: entity.name, property: value.property?.property.name,
        message: "the stored value is not of type \(Value.self); another program wrote it. Correct the row, or"
          + " copy the store with ModelContainer.recover(from:to:for:) of SwiftDataRecovery")
    }
  }

  /// Decodes columns that are not NULL.
  private static func bareReading(
    _ value: LoweredValue, _ entity: __Entity, _ index: Int
  ) -> (SQLRows, Int32) throws -> Any? {
    let scalar = value.scalar.type
    if let property = value.property?.property, case .attribute(_, .transformed) = property.kind {
      return { reader, column in try property.reverseTransform(reader.data(column), in: entity) }
    }
    if scalar.form != .json {
      if let column = scalar.swiftType as? any __ColumnValue.Type { return direct(column, index) }
      if let raw = scalar.swiftType as? any RawRepresentable.Type, let reading = self.raw(raw, index) { return reading }
    }
    func convert<T>(_: T.Type) -> (SQLRows, Int32) throws -> Any? {
      { reader, column in try scalar.value(of: reader.value(at: column), entity: entity, as: T.self) }
    }
    return _openExistential(scalar.swiftType, do: convert)
  }

  private static func direct<C: __ColumnValue>(_: C.Type, _ index: Int) -> (SQLRows, Int32) throws -> Any? {
    { reader, column in try C.__read(from: reader, column: column, index: index) }
  }

  private static func raw<R: RawRepresentable>(
    _: R.Type, _ index: Int
  ) -> ((SQLRows, Int32) throws -> Any?)? {
    guard let type = R.RawValue.self as? any __ColumnValue.Type else { return nil }
    func open<C: __ColumnValue>(_: C.Type) -> (SQLRows, Int32) throws -> Any? {
      { reader, column in
        (try C.__read(from: reader, column: column, index: index) as? R.RawValue).flatMap(R.init(rawValue:))
      }
    }
    return open(type)
  }

  /// Decodes a key, with the class name if the table contains several classes.
  private static func identifier(
    _ object: ObjectReference, _ state: inout LoweringState
  ) -> (decoder: ColumnDecoder, columns: [SQLFragment]) {
    let isFamily = state.environment.familyNames(object.entity.root).count > 1
    let (name, identifier) = (object.entity.name, state.environment.identifier)
    var columns = [object.key]
    if isFamily { columns.append(SQLFragment("\(state.alias(of: object))._entity")) }
    let none = (Value.self as? any __OptionalValue.Type)?.__none as? Value
    let decoder = ColumnDecoder(
      read: { reader, column in
        // `.noAction` leaves a key without a row, which reads as nil.
        if reader.isNull(column) || isFamily && reader.isNull(column + 1) {
          if let none { return none }
          throw LoweredValue.failure(object.entity, "persistentModelID", count: 1)
        }
        // Cannot fail: only a key path to an identifier is lowered to one.
        return identifier(reader.int64(column), isFamily ? reader.string(column + 1) : name) as! Value
      })
    return (decoder, columns)
  }
}
