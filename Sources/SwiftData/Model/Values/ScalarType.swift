import Foundation

/// The SQL form of a Swift type's values.
package struct ScalarType {
  package enum Form: Hashable {
    case bool
    case integer
    /// An unsigned 64-bit integer, stored by its bit pattern.
    case unsigned
    case real
    case decimal
    case text
    case url
    case uuid
    case blob
    /// A primary key in the table of this hierarchy.
    case key(Hierarchy)
    case json
    /// The result of a `ValueTransformer`, or a reference to external data. It supports only tests for nil.
    case opaque
  }

  /// A class hierarchy, by its root.
  package struct Hierarchy: Hashable {
    let root: __Entity

    package static func == (left: Self, right: Self) -> Bool { left.root === right.root }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(root)) }
  }

  package let form: Form
  /// The Swift type without optionals.
  package let swiftType: Any.Type
  /// The property that stores the values, for errors. Nil for computed values.
  package var property: __Property?

  static let bool = ScalarType(form: .bool, swiftType: Bool.self)
  static let int = ScalarType(form: .integer, swiftType: Int.self)
  static func key(of entity: __Entity) -> ScalarType {
    ScalarType(form: .key(Hierarchy(root: entity.root)), swiftType: PersistentIdentifier.self)
  }

  init(form: Form, swiftType: Any.Type) {
    self.form = form
    self.swiftType = swiftType
  }

  /// The form of a type that is not read through a property. Returns nil if the type has none.
  init?(of type: Any.Type) {
    let type = Self.bare(type)
    guard let form = Self.form(of: type) else { return nil }
    self.init(form: form, swiftType: type)
  }

  /// The form of a type's values in the JSON of a list. Returns nil if the type has none.
  init?(ofElement type: Any.Type) {
    self.init(of: type)
    if let raw = swiftType as? any (RawRepresentable & Encodable).Type, form != .json, !isPlain,
      !RawCoding.isOfRawValues(raw)
    {
      self.init(form: .json, swiftType: swiftType)
    }
  }

  /// The form of a property's column.
  package init(of property: __Property) {
    let type = Self.bare(property.valueType)
    self.swiftType = type
    self.property = property
    guard case .attribute(_, let encoding) = property.kind else {
      self.form = .opaque
      return
    }
    switch encoding {
    case .direct where property.isExternal, .rawValue where property.isExternal: self.form = .opaque
    case .direct, .rawValue: self.form = Self.form(of: type) ?? .opaque
    case .json: self.form = .json
    case .transformed: self.form = .opaque
    }
  }

  /// Whether the values are of type `Float`, or raw values of that type.
  package var isSinglePrecision: Bool {
    func isSingle<R: RawRepresentable>(_: R.Type) -> Bool { R.RawValue.self is Float.Type }
    return form == .real
      && (swiftType is Float.Type || (swiftType as? any RawRepresentable.Type).map { isSingle($0) } == true)
  }

  /// Whether SQL's comparison of the form equals the type's own.
  var isPlain: Bool { swiftType is any __ColumnValue.Type }

  /// Whether values are equal in Swift exactly if their cells are, with text in normal form C. NaN, which equals nothing,
  /// is the exception.
  var hasEqualCells: Bool {
    switch form {
    case .json, .opaque: false
    case .key: true
    default:
      ValueTypes.isColumn(swiftType) || isPlain
        || (swiftType as? any RawRepresentable.Type).map(RawEquality.isOfRawValues) ?? true
    }
  }

  static func isOptional(_ type: Any.Type) -> Bool { ValueTypes.wrapped(by: type) != nil }

  static func isOptionalOfOptional(_ type: Any.Type) -> Bool { ValueTypes.wrapped(by: type).map(isOptional) ?? false }

  static func bare(_ type: Any.Type) -> Any.Type {
    var type = type
    while let wrapped = ValueTypes.wrapped(by: type) { type = wrapped }
    return type
  }

  private static func form(of type: Any.Type) -> Form? {
    switch type {
    case is Bool.Type: .bool
    case is UInt.Type, is UInt64.Type: .unsigned
    case is Double.Type, is Float.Type, is Date.Type: .real
    case is Decimal.Type: .decimal
    case is String.Type, is Character.Type: .text
    case is URL.Type: .url
    case is UUID.Type: .uuid
    case is Data.Type: .blob
    case is any __ColumnValue.Type: .integer
    case let raw as any (RawRepresentable & Codable).Type: rawForm(of: raw) ?? .json
    case is any Codable.Type, is any SliceValue.Type: .json
    default: nil
    }
  }

  private static func rawForm<R: RawRepresentable>(of type: R.Type) -> Form? {
    R.RawValue.self is any __ColumnValue.Type ? form(of: R.RawValue.self) : nil
  }
}

// MARK: - Values and cells

extension ScalarType {
  /// The cell of a value, or nil if it has none.
  package func cell(of value: Any) -> SQLValue? {
    guard let value = Self.unwrapped(value) else { return .null }
    if form == .json {
      return ((value as? any SliceValue)?.whole ?? value as? any Encodable).flatMap(Self.json)
    }
    let writer = ValueWriter()
    let written: Void?
    if let column = ValueTypes.column(type(of: value)) {
      written = try? Self.write(value, as: column, to: writer)
    } else if let raw = value as? any RawRepresentable {
      written = try? Self.writeRaw(raw, to: writer)
    } else {
      return nil
    }
    return written == nil ? nil : writer.values.first
  }

  private static func write<V: __ColumnValue>(_ value: Any, as _: V.Type, to writer: ValueWriter) throws {
    // The cast cannot fail, because the caller passes the value's own type.
    try (value as! V).__write(to: writer)
  }

  /// The Swift value of a cell.
  /// - Throws: ``SwiftDataError/unreadableValue`` if the cell does not fit the type. The error names the property.
  func value<T>(of cell: SQLValue, entity: __Entity, as type: T.Type = T.self) throws -> T {
    if case .null = cell, let none = (T.self as? any __OptionalValue.Type)?.__none as? T { return none }
    let bare: Any?
    do { bare = try bareValue(of: cell, entity: entity) } catch { throw unreadable(error) }
    guard let value = bare as? T else { throw unreadable(nil) }
    return value
  }

  /// Returns nil for a cell of another kind.
  private func bareValue(of cell: SQLValue, entity: __Entity) throws -> Any? {
    if form == .json {
      guard case .text(let json) = cell else { return nil }
      if let slice = swiftType as? any SliceValue.Type { return try slice.decode(Data(json.utf8)) }
      guard let type = swiftType as? any Decodable.Type else { return nil }
      return try JSONCoding.decode(type, from: Data(json.utf8))
    }
    let reader = CellsReader([cell], entity: entity)
    func raw<R: RawRepresentable>(_: R.Type) throws -> Any? {
      guard let column = R.RawValue.self as? any __ColumnValue.Type else { return nil }
      return (try column.__read(from: reader, column: 0, index: 0) as? R.RawValue).flatMap(R.init(rawValue:))
    }
    switch swiftType {
    case let column as any __ColumnValue.Type: return try column.__read(from: reader, column: 0, index: 0)
    case let type as any RawRepresentable.Type: return try raw(type)
    default: return nil
    }
  }

  /// The reader's own errors are not passed on. It reads a cell without a row, so it names another property.
  private func unreadable(_ error: (any Error)?) -> SwiftDataError {
    let reason = (error as? DecodingError).map { JSONCoding.reason(of: $0, decoding: swiftType) }
    return SwiftDataError(
      .unreadableValue, entity: property?.entityName, property: property?.name,
      message: reason ?? "a stored value is not a \(swiftType); another program wrote it. Correct the row")
  }

  /// The value inside any number of optionals.
  package static func unwrapped(_ value: Any) -> Any? {
    ValueTypes.unwrapped(value)
  }

  private static func json(_ value: any Encodable) -> SQLValue? {
    (try? JSONCoding.encode(attribute: value)).map { .text(String(decoding: $0, as: UTF8.self)) }
  }

  private static func writeRaw<R: RawRepresentable>(_ value: R, to writer: __ColumnWriter) throws {
    guard let raw = value.rawValue as? any __ColumnValue else { throw CocoaError(.coderInvalidValue) }
    try raw.__write(to: writer)
  }
}

extension ScalarType {
  /// The entity and the property of the values as further arguments of a call in SQLite, because its errors name them. Empty for computed
  /// values.
  package var place: String {
    property.map { ", \($0.entityName.quotedLiteral), \($0.name.quotedLiteral)" } ?? ""
  }

  /// The type's name in calls of `swift_json_value`.
  var swiftName: String {
    func raw<R: RawRepresentable>(_: R.Type) -> Any.Type { R.RawValue.self }
    if !isPlain, let type = swiftType as? any RawRepresentable.Type { return "\(_openExistential(type, do: raw))" }
    return "\(swiftType)"
  }

  /// Whether a key path is a member of every model (`hasChanges`, `modelContext`).
  static func isModelMember(_ keyPath: AnyKeyPath) -> Bool {
    ValueTypes.wrapped(by: type(of: keyPath).valueType) is any HostFacade.Type
  }
}

/// A slice, which is not Codable. It is encoded as an array, so its indices begin at 0.
private protocol SliceValue {
  var whole: (any Encodable)? { get }
  static func decode(_ json: Data) throws -> Any
}

extension ArraySlice: SliceValue where Element: Codable {
  fileprivate var whole: (any Encodable)? { Array(self) }
  fileprivate static func decode(_ json: Data) throws -> Any {
    try JSONCoding.decode([Element].self, from: json)[...]
  }
}
