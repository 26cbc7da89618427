import Foundation

/// One row as a model's decoding initialiser reads it: by property index, from whatever a store has at hand.
///
/// A store subclasses it; reading goes property → column → cell.
open class __RowReader {
  /// The column of each property index; -1 where the row has none (a to-many, an ephemeral or left-out property).
  // Unchecked because reading a cell touches nothing else of the reader.
  @exclusivity(unchecked)
  @usableFromInline
  package final var columns: [Int32] = []
  /// The entity being decoded, for messages, defaults and options.
  @exclusivity(unchecked)
  package final var entity: __Entity

  package init(entity: __Entity) { self.entity = entity }

  // MARK: - Cells, by column
  // Open because the readers of other modules override them.

  open func kind(_ column: Int32) -> __CellKind { fatalError("abstract") }
  open func int64(_ column: Int32) -> Int64 { fatalError("abstract") }
  open func double(_ column: Int32) -> Double { fatalError("abstract") }
  open func string(_ column: Int32) -> String { fatalError("abstract") }
  open func data(_ column: Int32) -> Data { fatalError("abstract") }
  package func isEmptyArray(_ column: Int32) -> Bool { string(column) == "[]" }
  @usableFromInline
  package final func isNull(_ column: Int32) -> Bool { kind(column) == .null }
  /// The value of a reader that carries Swift values instead of cells (a snapshot or backing data); nil where it
  /// carries cells.
  @usableFromInline
  package func value(_ index: Int) -> Any? { nil }
  @usableFromInline
  package var carriesValues: Bool { false }
  /// Whether a carried value of another type than the property's is an error.
  package var isStrict: Bool { false }
  /// Whether a strict reader has something at an index, nil included; what it lacks gets its default value.
  package func has(_ index: Int) -> Bool { value(index) != nil }
  /// What a reader of values carries for a relationship that is to be a fault; nil where it carries the targets.
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
  /// The bytes of an external value whose cell holds `reference`.
  open func externalData(_ reference: String) throws -> Data { fatalError("abstract") }
  /// Properties whose external bytes were left for the first touch; nil where they are read at once.
  @exclusivity(unchecked)
  package final var deferred: PropertySet?

  /// Notes that the property is to be loaded when touched. False where it has to be read now.
  package final func deferExternalData(_ index: Int) -> Bool {
    guard deferred != nil, !entity.properties[index].isConstant else { return false }
    deferred!.insert(index)
    return true
  }

  /// The primary key that a to-one column holds; 0 for none.
  @usableFromInline
  package func targetKey(_ column: Int32) -> Int64 { kind(column) == .integer ? int64(column) : 0 }

  /// A text cell of at most 15 bytes; nil where it is longer, or where the store has it in no such form.
  open func shortText(_ column: Int32) -> __ShortText? { nil }

  /// The values of enums that the rows so far had.
  @exclusivity(unchecked)
  @usableFromInline
  final var rawValues = __RawValues()
  @exclusivity(unchecked)
  private var rowCount = 0
  /// Whether to remember values pays: it does not for a row or two.
  @exclusivity(unchecked)
  @usableFromInline
  final var remembers = false

  /// Notes that another row is read.
  package final func countRow() {
    if remembers { return }
    rowCount += 1
    remembers = rowCount > 2
  }

  // MARK: - Attributes, by property index

  /// Reads a value that has a column type of its own.
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

  /// Reads a value from its JSON text, though its type may have a column of its own (`.codable`).
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

  /// Reads an array from its JSON text; an empty one without a decoder.
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
    guard kind == .null || kind == .blob else { throw unreadable(index, column, "data") }
    let stored: Data? = kind == .null ? nil : data(column)
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
    // Backing data may leave out a required target, to be assigned before it is read or saved.
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
  // So that the compiler says it in words.

  /// Chosen for a property of a slot whose type cannot be persisted. `__store` makes that an error at the property,
  /// so this is never called.
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
      throw unreadable(index, "the stored value \(rawValue) is no \(V.self)")
    }
    if let text { rawValues.remember(value, of: text, column) }
    return value
  }

  private func json<V: Decodable>(_ index: Int, _ column: Int32) throws -> V {
    guard kind(column) == .text else { throw unreadable(index, column, "JSON text") }
    do {
      return try JSONCoding.decode(V.self, from: Data(string(column).utf8))
    } catch {
      throw unreadable(index, "the stored JSON is no \(V.self)", underlying: error)
    }
  }

  /// The value of a property that the row leaves out: its default, else its type's placeholder.
  @usableFromInline
  final func absent<V>(_ index: Int) throws -> V {
    if let value = entity.properties[index].defaultValue as? V { return value }
    if let value = __placeholder(V.self) { return value }
    throw missing(index)
  }

  @usableFromInline
  package final func missing(_ index: Int) -> SwiftDataError {
    unreadable(index, "the stored value is null and the property is not optional")
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
        message: "the stored value does not fit the property's type; it is not shown, since the attribute is encrypted")
    }
    return SwiftDataError(
      .unreadableValue, entity: entity.name, property: entity.properties[index].name, message: reason,
      underlying: underlying)
  }
}
