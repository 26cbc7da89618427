// Only the code that `@Model` expands to calls what is public here and has no description.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// An operation of the engine on one property of an object.
///
/// `@Model` generates one function that passes the storage of a property to `attribute`, `slot`, `transformable` or `codable`.
/// With a generated function for each purpose, the compiler resolved these overloads four times for each property (decision 15).
@frozen
public enum __PropertyAccess {
  /// Writes the property.
  case encode(__ColumnWriter)
  /// Overwrites the property from a row.
  case reload(__RowReader)
  /// Copies the value into memory that holds nil. A relationship that is not loaded stands for itself.
  case get(UnsafeMutablePointer<Any?>)
  /// Replaces the value.
  case set(UnsafePointer<Any>)
}

extension __PropertyAccess {
  /// Whether the property stays as it is. A constant is left out of the other accesses.
  @inlinable
  public var onlyReads: Bool {
    switch self {
    case .encode, .get: true
    case .reload, .set: false
    }
  }

  // MARK: - Attributes. The type checker picks how the value is stored.

  @inlinable
  public func attribute<V: __ColumnValue>(_ value: inout V, _ index: Int) throws {
    switch self {
    case .encode(let writer): try value.__write(to: writer)
    case .reload(let row): value = try row.column(index, as: V.self)
    default: exchange(&value)
    }
  }

  @inlinable
  public func attribute<V: RawRepresentable & Codable>(_ value: inout V, _ index: Int) throws
  where V.RawValue: __ColumnValue {
    switch self {
    case .encode(let writer): try writer.write(value)
    case .reload(let row): value = try row.column(index, as: V.self)
    default: exchange(&value)
    }
  }

  @inlinable
  public func attribute<V: RawRepresentable & Codable>(_ value: inout V?, _ index: Int) throws
  where V.RawValue: __ColumnValue {
    switch self {
    case .encode(let writer): try writer.write(value)
    case .reload(let row): value = try row.column(index, as: V?.self)
    default: exchange(&value)
    }
  }

  @_disfavoredOverload
  public func attribute<V: Codable>(_ value: inout V, _ index: Int) throws { try codable(&value, index) }

  public func attribute<V: Codable>(_ value: inout [V], _ index: Int) throws {
    switch self {
    case .encode(let writer): try writer.write(value)
    case .reload(let row): value = try row.column(index, as: [V].self)
    default: exchange(&value)
    }
  }

  /// Reads and writes JSON text even if the type has its own column type (`.codable`).
  public func codable<V: Codable>(_ value: inout V, _ index: Int) throws {
    switch self {
    case .encode(let writer): try writer.writeCodable(value)
    case .reload(let row): value = try row.codable(index, as: V.self)
    default: exchange(&value)
    }
  }

  /// Reads and writes through the property's `ValueTransformer`.
  public func transformable<V>(_ value: inout V, _ index: Int) throws {
    switch self {
    case .encode(let writer): try writer.writeTransformable(value)
    case .reload(let row): value = try row.transformable(index, as: V.self)
    default: exchange(&value)
    }
  }

  // MARK: - Slots. The type checker picks attribute or relationship.

  @inlinable
  public func slot<V: __ColumnValue>(_ slot: inout __Slot<V>, _ index: Int) throws {
    switch self {
    case .encode(let writer): try slot.loaded.__write(to: writer)
    case .reload(let row): slot = try row.slot(index)
    default: exchange(&slot)
    }
  }

  @inlinable
  public func slot<V: RawRepresentable & Codable>(_ slot: inout __Slot<V>, _ index: Int) throws
  where V.RawValue: __ColumnValue {
    switch self {
    case .encode(let writer): try writer.write(slot.loaded)
    case .reload(let row): slot = try row.slot(index)
    default: exchange(&slot)
    }
  }

  @inlinable
  public func slot<V: RawRepresentable & Codable>(_ slot: inout __Slot<V?>, _ index: Int) throws
  where V.RawValue: __ColumnValue {
    switch self {
    case .encode(let writer): try writer.write(slot.loaded)
    case .reload(let row): slot = try row.slot(index)
    default: exchange(&slot)
    }
  }

  @_disfavoredOverload
  public func slot<V: Codable>(_ slot: inout __Slot<V>, _ index: Int) throws {
    switch self {
    case .encode(let writer): try writer.write(slot.loaded)
    case .reload(let row): slot = try row.slot(index)
    default: exchange(&slot)
    }
  }

  @inlinable
  public func slot<M: PersistentModel>(_ slot: inout __Slot<M>, _ index: Int) throws {
    switch self {
    case .encode(let writer): try writer.write(slot)
    case .reload(let row): slot = try row.slot(index)
    default: exchange(&slot)
    }
  }

  @inlinable
  public func slot<M: PersistentModel>(_ slot: inout __Slot<M?>, _ index: Int) throws {
    switch self {
    case .encode(let writer): try writer.write(slot)
    case .reload(let row): slot = try row.slot(index)
    default: exchange(&slot)
    }
  }

  /// Writes nothing, because a to-many has no column.
  @inlinable
  public func slot<M: PersistentModel>(_ slot: inout __Slot<[M]>, _ index: Int) throws {
    switch self {
    case .encode: break
    case .reload(let row): slot = try row.slot(index)
    default: exchange(&slot)
    }
  }

  /// Writes nothing, because a to-many has no column.
  @inlinable
  public func slot<M: PersistentModel>(_ slot: inout __Slot<[M]?>, _ index: Int) throws {
    switch self {
    case .encode: break
    case .reload(let row): slot = try row.slot(index)
    default: exchange(&slot)
    }
  }

  // MARK: - Types that cannot be persisted
  // The reader and `__store` report these types. Without these overloads the compiler would report them twice.

  @_disfavoredOverload
  public func attribute<V>(_ value: inout V, _ index: Int) throws { try refuse(V.self, index) }

  @_disfavoredOverload
  public func codable<V>(_ value: inout V, _ index: Int) throws { try refuse(V.self, index) }

  @_disfavoredOverload
  public func slot<V>(_ slot: inout __Slot<V>, _ index: Int) throws { try refuse(V.self, index) }

  private func refuse(_ type: Any.Type, _ index: Int) throws {
    switch self {
    case .encode(let writer): throw writer.unwritable(type)
    case .reload(let row): throw row.unreadable(index, "its type \(type) is neither a model nor Codable")
    case .get, .set: break
    }
  }

  // MARK: - Values in memory

  // Inlinable, because each change of a property copies its old value. It does not end what the memory held, which is nil.

  @inlinable
  func exchange<V>(_ value: inout V) {
    switch self {
    case .get(let result): result.initialize(to: .some(value))
    case .set(let new): replace(&value, new.pointee)
    case .encode, .reload: break
    }
  }

  @inlinable
  func exchange<V>(_ slot: inout __Slot<V>) {
    switch self {
    case .get(let result): result.initialize(to: .some(slot.engineValue))
    case .set(let new): slot.assign(new.pointee)
    case .encode, .reload: break
    }
  }

  // The engine passes a value of the same property, so the cast cannot fail.
  @usableFromInline
  func replace<V>(_ value: inout V, _ new: Any) { value = new as! V }
}

// The engine's names for the four accesses.
extension PersistentModel {
  /// Overwrites the property at an index from a row, without change tracking.
  nonisolated package func __reload(_ index: Int, from row: __RowReader) throws { try __access(index, .reload(row)) }

  /// Writes the property at an index to a writer.
  nonisolated package func __encode(_ index: Int, to writer: __ColumnWriter) throws {
    try __access(index, .encode(writer))
  }

  /// The value of the property at an index, without faulting or observation.
  nonisolated package func __value(at index: Int) -> Any {
    // The value is moved, because a copy of an `Any?` and its end cost more than the access.
    withUnsafeTemporaryAllocation(of: Any?.self, capacity: 1) { memory in
      let value = memory.baseAddress!
      value.initialize(to: nil)
      // Only `encode` and `reload` throw, because only they touch a cell.
      try! __access(index, .get(value))
      return value.move() ?? Optional<Any>.none as Any
    }
  }

  /// Replaces the value of the property at an index, without change tracking.
  nonisolated package func __setValue(_ value: Any, at index: Int) {
    // As in `__value`, nothing throws.
    withUnsafePointer(to: value) { try! __access(index, .set($0)) }
  }
}
