// Only the code that `@Model` expands to calls what is public here and has no description.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// One row as a model's decoding initializer reads it, by property index.
///
/// A store subclasses it. A read goes from property to column to cell.
open class __RowReader {
  // Unchecked, because reading a cell accesses no other state of the reader.
  /// The column of each property index, or -1 if the row has none (a to-many, an ephemeral or omitted property).
  @exclusivity(unchecked)
  @usableFromInline
  package final var columns: [Int32] = []
  /// The entity being decoded, for messages, defaults and options.
  @exclusivity(unchecked)
  package final var entity: __Entity

  package init(entity: __Entity) { self.entity = entity }

  // MARK: - Cells, by column
  // Open, because readers in other modules override them.

  open func kind(_ column: Int32) -> __CellKind { fatalError("abstract") }
  open func int64(_ column: Int32) -> Int64 { fatalError("abstract") }
  open func double(_ column: Int32) -> Double { fatalError("abstract") }
  open func string(_ column: Int32) -> String { fatalError("abstract") }
  open func data(_ column: Int32) -> Data { fatalError("abstract") }
  package func isEmptyArray(_ column: Int32) -> Bool { string(column) == "[]" }
  @usableFromInline
  package final func isNull(_ column: Int32) -> Bool { kind(column) == .null }
  /// Whether the reader has Swift values instead of cells (a snapshot or backing data). Set once, when it is made.
  @exclusivity(unchecked)
  @usableFromInline
  package final var carriesValues = false
  /// The value if the reader has Swift values, or nil if it has cells.
  @usableFromInline
  package func value(_ index: Int) -> Any? { nil }
  /// Whether a value of another type than the property's is an error.
  package var isStrict: Bool { false }
  /// Whether a strict reader has a value at an index, which may be nil. A missing value becomes the default.
  package func has(_ index: Int) -> Bool { value(index) != nil }
  /// The key of a relationship that becomes a fault, or nil if the reader has the targets.
  @usableFromInline package func faultKey(_ index: Int) -> Int64? { nil }
  /// The cell at a column.
  package final func value(at column: Int32) -> SQLValue {
    switch kind(column) {
    case .integer: .integer(int64(column))
    case .real: .real(double(column))
    case .text: .text(string(column))
    case .blob: .blob(data(column))
    case .null: .null
    }
  }
  /// The bytes of an external value. `reference` is the cell's content.
  open func externalData(_ reference: String) throws -> Data {
    throw SwiftDataError(.io, message: "the value is in a file next to its store, which cannot be read here")
  }
  /// The bytes of a cell for data. A text names a file next to the store (`.externalStorage`).
  package final func bytes(_ column: Int32, _ kind: __CellKind, _ index: Int) throws -> Data {
    if kind == .blob { return data(column) }
    guard kind == .text, ExternalName(string(column)) != nil else { throw unreadable(index, column, "data") }
    do {
      return try externalData(string(column))
    } catch let error as SwiftDataError {
      throw error.of(entity.name, entity.properties[index].name)
    }
  }
  /// Properties whose external data loads on first access, or nil if data is read at once.
  @exclusivity(unchecked)
  package final var deferred: PropertySet?
  /// Whether a property was deferred since this was last false. Reading it is cheaper than reading the set.
  @exclusivity(unchecked)
  package final var hasDeferred = false

  /// Defers a property to its first access. Returns false if it must be read now.
  @usableFromInline
  package final func deferExternalData(_ index: Int) -> Bool {
    // Only data have a placeholder. A transformer or a raw value's type may refuse empty data.
    guard deferred != nil, case .attribute(_, .direct) = entity.properties[index].kind,
      !entity.properties[index].isConstant
    else { return false }
    deferred!.insert(index)
    hasDeferred = true
    return true
  }

  /// The primary key in a to-one column; 0 for none.
  @usableFromInline
  package func targetKey(_ column: Int32) -> Int64 { kind(column) == .integer ? int64(column) : 0 }

  /// A text cell of at most 15 bytes, or nil if it is longer or the store cannot provide this form.
  open func shortText(_ column: Int32) -> __ShortText? { nil }

  /// The enum values of the rows so far.
  @exclusivity(unchecked)
  @usableFromInline
  final var rawValues = __RawValues()
  @exclusivity(unchecked)
  private var rowCount = 0
  /// Whether caching values pays, which it does not for one or two rows.
  @exclusivity(unchecked)
  @usableFromInline
  final var remembers = false

  /// Records that another row is read.
  package final func countRow() {
    if remembers { return }
    rowCount += 1
    remembers = rowCount > 2
  }

  // MARK: - Attributes, by property index

  /// Reads a value with its own column type.
  @inlinable
  public final func column<V: __ColumnValue>(_ index: Int, as type: V.Type) throws -> V {
    if carriesValues { return try carried(index) }
    let column = columns[index]
    if column < 0 { return try absent(index) }
    let kind = kind(column)
    if kind == .null, !V.__acceptsNull { throw missing(index) }
    return try V.__read(from: self, column: column, kind: kind, index: index)
  }

  /// Reads an enum or option set by its raw value.
  @inlinable
  public final func column<V: RawRepresentable & Codable>(_ index: Int, as type: V.Type) throws -> V
  where V.RawValue: __ColumnValue {
    if carriesValues { return try carried(index) }
    let column = columns[index]
    if column < 0 { return try absent(index) }
    return try raw(index, column)
  }

  /// Reads an optional enum or option set by its raw value.
  @inlinable
  public final func column<V: RawRepresentable & Codable>(_ index: Int, as type: V?.Type) throws -> V?
  where V.RawValue: __ColumnValue {
    if carriesValues { return try carried(index) }
    let column = columns[index]
    if column < 0 { return try absent(index) }
    return isNull(column) ? nil : try raw(index, column)
  }

  /// Reads any other Codable value from its JSON text.
  @_disfavoredOverload
  public final func column<V: Codable>(_ index: Int, as type: V.Type) throws -> V {
    try codable(index, as: type)
  }

  /// Reads a value from JSON text even if its type has its own column type (`.codable`).
  public final func codable<V: Codable>(_ index: Int, as type: V.Type) throws -> V {
    if carriesValues { return try carried(index) }
    let column = columns[index]
    if column < 0 { return try absent(index) }
    if isNull(column) {
      if let null = V.self as? any __OptionalValue.Type { return null.__none as! V }
      throw missing(index)
    }
    return try json(index, column)
  }

  /// Reads an array from JSON text. An empty array needs no decoder.
  public final func column<V: Codable>(_ index: Int, as type: [V].Type) throws -> [V] {
    if carriesValues { return try carried(index) }
    let column = columns[index]
    if column < 0 { return try absent(index) }
    if isNull(column) { throw missing(index) }
    return isEmptyArray(column) ? [] : try json(index, column)
  }

  /// Reads a value that a `ValueTransformer` stored.
  public final func transformable<V>(_ index: Int, as type: V.Type) throws -> V {
    if carriesValues { return try carried(index) }
    let column = columns[index]
    if column < 0 { return try absent(index) }
    let kind = kind(column)
    let stored = kind == .null ? nil : try bytes(column, kind, index)
    let value = try entity.properties[index].reverseTransform(stored, in: entity)
    guard let typed = value as? V ?? (V.self as? any __OptionalValue.Type)?.__none as? V else {
      throw unreadable(index, "the transformer returned \(value.map { "\(Swift.type(of: $0))" } ?? "nil")")
    }
    return typed
  }

  // MARK: - Slots: the type checker picks attribute or relationship

  @inlinable
  public final func slot<V: __ColumnValue>(_ index: Int) throws -> __Slot<V> {
    __Slot(try column(index, as: V.self))
  }

  @inlinable
  public final func slot<V: RawRepresentable & Codable>(_ index: Int) throws -> __Slot<V>
  where V.RawValue: __ColumnValue {
    __Slot(try column(index, as: V.self))
  }

  @inlinable
  public final func slot<V: RawRepresentable & Codable>(_ index: Int) throws -> __Slot<V?>
  where V.RawValue: __ColumnValue {
    __Slot(try column(index, as: V?.self))
  }

  @_disfavoredOverload
  public final func slot<V: Codable>(_ index: Int) throws -> __Slot<V> {
    __Slot(try column(index, as: V.self))
  }

  @inlinable
  public final func slot<M: PersistentModel>(_ index: Int) throws -> __Slot<M> {
    if carriesValues, let key = faultKey(index) { return __Slot(__fault: key) }
    // Backing data may omit a required target, which is assigned before it is read or saved.
    if carriesValues { return value(index) == nil ? __Slot(__fault: 0) : __Slot(try carried(index)) }
    return __Slot(__fault: columns[index] < 0 ? 0 : targetKey(columns[index]))
  }

  @inlinable
  public final func slot<M: PersistentModel>(_ index: Int) throws -> __Slot<M?> {
    if carriesValues, let key = faultKey(index) { return key == 0 ? __Slot(nil) : __Slot(__fault: key) }
    if carriesValues { return __Slot(try carried(index)) }
    let key = columns[index] < 0 ? 0 : targetKey(columns[index])
    return key == 0 ? __Slot(nil) : __Slot(__fault: key)
  }

  @inlinable
  public final func slot<M: PersistentModel>(_ index: Int) throws -> __Slot<[M]> {
    if carriesValues, let key = faultKey(index) { return __Slot(__fault: key) }
    if carriesValues { return __Slot(try carried(index)) }
    return __Slot(__fault: 0)
  }

  @inlinable
  public final func slot<M: PersistentModel>(_ index: Int) throws -> __Slot<[M]?> {
    if carriesValues, let key = faultKey(index) { return __Slot(__fault: key) }
    if carriesValues { return __Slot(try carried(index)) }
    return __Slot(__fault: 0)
  }

  // MARK: - Types that cannot be persisted
  // These overloads make the compiler's error readable.

  /// Chosen for a slot whose type cannot be persisted. `__store` reports the error at the property, so this never runs.
  @_disfavoredOverload
  public final func slot<V>(_ index: Int) throws -> __Slot<V> {
    throw unreadable(index, "its type \(V.self) is neither a model nor Codable")
  }

  @available(
    *, unavailable,
    message: "an attribute is Codable or has the option .transformable(by:); a relationship is a var without @Attribute"
  )
  @_disfavoredOverload
  public final func column<V>(_ index: Int, as type: V.Type) throws -> V {
    throw unreadable(index, "its type \(V.self) is not Codable")
  }

  @available(*, unavailable, message: "an attribute with the option .codable is Codable")
  @_disfavoredOverload
  public final func codable<V>(_ index: Int, as type: V.Type) throws -> V {
    throw unreadable(index, "its type \(V.self) is not Codable")
  }

  // MARK: - Helpers

  @usableFromInline
  final func carried<V>(_ index: Int) throws -> V {
    let value = value(index)
    if let typed = value as? V { return typed }
    if isStrict {
      if let value { throw unreadable(index, "the snapshot's value, a \(Swift.type(of: value)), is not a \(V.self)") }
      guard has(index) else { return try absent(index) }
      if let null = V.self as? any __OptionalValue.Type { return null.__none as! V }
      throw missing(index)
    }
    if value == nil, let null = V.self as? any __OptionalValue.Type { return null.__none as! V }
    return try absent(index)
  }

  @inlinable
  final func raw<V: RawRepresentable>(_ index: Int, _ column: Int32) throws -> V where V.RawValue: __ColumnValue {
    let kind = kind(column)
    if kind == .null { throw missing(index) }
    let text = remembers && kind == .text ? shortText(column) : nil
    if let text, let known: V = rawValues.value(of: text, column) { return known }
    let rawValue = try V.RawValue.__read(from: self, column: column, kind: kind, index: index)
    guard let value = V(rawValue: rawValue) else {
      throw unreadable(index, "the stored value \(rawValue) is not a \(V.self)")
    }
    if let text { rawValues.remember(value, of: text, column) }
    return value
  }

  private func json<V: Decodable>(_ index: Int, _ column: Int32) throws -> V {
    guard kind(column) == .text else { throw unreadable(index, column, "JSON text") }
    do {
      return try JSONCoding.decode(V.self, from: Data(string(column).utf8))
    } catch {
      throw unreadable(index, JSONCoding.reason(of: error, decoding: V.self), underlying: error)
    }
  }

  /// The value of a property that the row omits: its default, else its type's placeholder.
  @usableFromInline
  final func absent<V>(_ index: Int) throws -> V {
    if let value = entity.properties[index].defaultValue as? V { return value }
    if let value = __placeholder(V.self) { return value }
    throw missing(index)
  }

  @usableFromInline
  package final func missing(_ index: Int) -> SwiftDataError {
    unreadable(index, "the stored value is null, but the property is not optional")
  }

  /// The error of a cell of the wrong kind.
  package final func unreadable(_ index: Int, _ column: Int32, _ expected: String) -> SwiftDataError {
    let stored =
      switch value(at: column) {
      case .null: "null"
      case .integer(let value): "\(value)"
      case .real(let value): "\(value)"
      case .text(let value): "the text \(value.prefix(40).debugDescription)"
      case .blob(let value): "\(value.count) bytes"
      }
    return unreadable(index, "the stored value, \(stored), is not \(expected)")
  }

  @usableFromInline
  package final func unreadable(_ index: Int, _ reason: String, underlying: (any Error)? = nil) -> SwiftDataError {
    if entity.properties[index].isSensitive {
      return SwiftDataError(
        .unreadableValue, entity: entity.name, property: entity.properties[index].name,
        message: "the stored value does not fit the property's type; it is not shown because the attribute"
          + " is encrypted")
    }
    return SwiftDataError(
      .unreadableValue, entity: entity.name, property: entity.properties[index].name, message: reason,
      underlying: underlying)
  }
}
