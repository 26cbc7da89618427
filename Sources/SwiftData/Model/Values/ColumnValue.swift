// Only the code that `@Model` expands to calls what is public here and has no description.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// The type of a column, named by SQLite's affinities.
package enum ColumnType: String, Codable, Sendable {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case blob = "BLOB"
}

/// A value type with its own column type. Every other Codable type is stored as JSON.
public protocol __ColumnValue {
  static var __columnType: __ColumnType { get }
  /// Whether NULL is a value of the type.
  static var __acceptsNull: Bool { get }
  /// The placeholder for a value that was not fetched.
  static var __placeholder: Self { get }
  /// Decodes a cell of a known kind.
  /// - Throws: an error if `__write` cannot have written the cell.
  static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Self
  func __write(to writer: __ColumnWriter) throws
}

/// The storage class of a column value.
public struct __ColumnType: Sendable {
  package let type: ColumnType
  static let integer = __ColumnType(type: .integer)
  static let real = __ColumnType(type: .real)
  static let text = __ColumnType(type: .text)
  static let blob = __ColumnType(type: .blob)
}

/// The kind of a cell's content, independent of its column.
public enum __CellKind: Sendable {
  case null
  case integer
  case real
  case text
  case blob
}

extension __ColumnValue {
  public static var __acceptsNull: Bool { false }

  package static func __read(from row: __RowReader, column: Int32, index: Int) throws -> Self {
    try __read(from: row, column: column, kind: row.kind(column), index: index)
  }
}

/// An optional of any type.
public protocol __OptionalValue {
  static var __wrapped: Any.Type { get }
  static var __none: Any { get }
  var __isNone: Bool { get }
  var __unwrapped: Any? { get }
}

extension Optional: __OptionalValue {
  public static var __wrapped: Any.Type { Wrapped.self }
  public static var __none: Any { Self.none as Any }
  public var __isNone: Bool { self == nil }
  public var __unwrapped: Any? { self }
}

extension Optional: __ColumnValue where Wrapped: __ColumnValue {
  public static var __columnType: __ColumnType { Wrapped.__columnType }
  public static var __acceptsNull: Bool { true }
  public static var __placeholder: Self { nil }
  @inlinable
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Self {
    if kind == .null { return nil }
    // Deferred data reads as nil here, not as empty data.
    if kind == .text, Wrapped.self == Data.self, row.deferExternalData(index) { return nil }
    return try Wrapped.__read(from: row, column: column, kind: kind, index: index)
  }
  public func __write(to writer: __ColumnWriter) throws {
    guard let self else { return try writer.null() }
    if Wrapped.__acceptsNull, (self as? any __OptionalValue)?.__isNone == true { throw writer.innerNil(Self.self) }
    try self.__write(to: writer)
  }
}

// MARK: - Numbers

extension Bool: __ColumnValue {
  public static var __columnType: __ColumnType { .integer }
  public static var __placeholder: Bool { false }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Bool {
    guard kind == .integer else { throw row.unreadable(index, column, "a Bool") }
    let stored = row.int64(column)
    guard stored == 0 || stored == 1 else { throw row.unreadable(index, "the stored value \(stored) is not a Bool") }
    return stored == 1
  }
  public func __write(to writer: __ColumnWriter) throws { try writer.integer(self ? 1 : 0) }
}

/// Integers are stored by value. Unsigned 64-bit integers above `Int64.max` are stored by bit pattern, which is
/// lossless.
extension FixedWidthInteger where Self: Codable {
  public static var __columnType: __ColumnType { .integer }
  public static var __placeholder: Self { 0 }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Self {
    guard kind == .integer else { throw row.unreadable(index, column, "an integer") }
    let stored = row.int64(column)
    if let value = Self(exactly: stored) { return value }
    if Self.bitWidth == 64, !Self.isSigned { return Self(truncatingIfNeeded: stored) }
    throw row.unreadable(index, "the stored value \(stored) does not fit \(Self.self)")
  }
  public func __write(to writer: __ColumnWriter) throws { try writer.integer(Int64(truncatingIfNeeded: self)) }
}

extension Int: __ColumnValue {}
extension Int8: __ColumnValue {}
extension Int16: __ColumnValue {}
extension Int32: __ColumnValue {}
extension Int64: __ColumnValue {}
extension UInt: __ColumnValue {}
extension UInt8: __ColumnValue {}
extension UInt16: __ColumnValue {}
extension UInt32: __ColumnValue {}
extension UInt64: __ColumnValue {}

/// SQLite stores NaN as NULL, so NaN is stored as the text `nan`. The cell's type distinguishes it.
extension Double: __ColumnValue {
  public static var __columnType: __ColumnType { .real }
  public static var __placeholder: Double { 0 }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Double {
    switch kind {
    case .real, .integer: return row.double(column)
    case .text where row.string(column) == "nan": return .nan
    default: throw row.unreadable(index, column, "a number")
    }
  }
  public func __write(to writer: __ColumnWriter) throws {
    if isNaN { try writer.text("nan") } else { try writer.real(self) }
  }
}

extension Float: __ColumnValue {
  public static var __columnType: __ColumnType { .real }
  public static var __placeholder: Float { 0 }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Float {
    let stored = try Double.__read(from: row, column: column, kind: kind, index: index)
    let value = Float(stored)
    guard value.isFinite == stored.isFinite else {
      throw row.unreadable(index, "the stored value \(stored) does not fit Float")
    }
    return value
  }
  public func __write(to writer: __ColumnWriter) throws { try Double(self).__write(to: writer) }
}

extension Decimal: __ColumnValue {
  public static var __columnType: __ColumnType { .text }
  public static var __placeholder: Decimal { 0 }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Decimal {
    guard kind == .text else { throw row.unreadable(index, column, "a decimal number") }
    let stored = row.string(column)
    guard let value = Decimal(stored: stored) else {
      throw row.unreadable(index, "the stored text \(stored.debugDescription) is not a decimal number")
    }
    return value
  }
  public func __write(to writer: __ColumnWriter) throws { try writer.text(description) }

  /// The number of a cell, or nil for another text.
  init?(stored text: String) {
    if text == "NaN" {
      self = .nan
      return
    }
    // Decimal(string:) ignores trailing characters, so the whole text is checked.
    guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "+-.eE".utf8.contains($0) }),
      let value = Decimal(string: text)
    else { return nil }
    self = value
  }
}

// MARK: - Text

extension String: __ColumnValue {
  public static var __columnType: __ColumnType { .text }
  public static var __placeholder: String { "" }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> String {
    guard kind == .text else { throw row.unreadable(index, column, "text") }
    return row.string(column)
  }
  public func __write(to writer: __ColumnWriter) throws { try writer.text(self) }
}

extension Character: __ColumnValue {
  public static var __columnType: __ColumnType { .text }
  public static var __placeholder: Character { " " }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Character {
    let stored = try String.__read(from: row, column: column, kind: kind, index: index)
    guard stored.count == 1 else { throw row.unreadable(index, "\"\(stored)\" is not one character") }
    return Character(stored)
  }
  public func __write(to writer: __ColumnWriter) throws { try writer.text(String(self)) }
}

extension URL: __ColumnValue {
  public static var __columnType: __ColumnType { .text }
  public static var __placeholder: URL { URL(fileURLWithPath: "/") }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> URL {
    let stored = try String.__read(from: row, column: column, kind: kind, index: index)
    if stored.hasPrefix("{"), let parts = try? JSONCoding.decode([String: String].self, from: Data(stored.utf8)),
      let base = parts["base"].flatMap(URL.init(string:)),
      let url = URL(string: parts["relative"] ?? "", relativeTo: base)
    {
      return url
    }
    guard let url = URL(string: stored) else { throw row.unreadable(index, "\"\(stored)\" is not a URL") }
    return url
  }
  /// A relative URL is stored as JSON with its base, any other URL as text. (`JSONEncoder` drops the base.)
  public func __write(to writer: __ColumnWriter) throws {
    guard let baseURL else { return try writer.text(absoluteString) }
    let parts = ["base": baseURL.absoluteString, "relative": relativeString]
    try writer.text(String(decoding: try JSONCoding.encode(parts), as: UTF8.self))
  }
}

// MARK: - Others

extension Date: __ColumnValue {
  public static var __columnType: __ColumnType { .real }
  public static var __placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Date {
    Date(timeIntervalSinceReferenceDate: try Double.__read(from: row, column: column, kind: kind, index: index))
  }
  public func __write(to writer: __ColumnWriter) throws { try timeIntervalSinceReferenceDate.__write(to: writer) }
}

extension UUID: __ColumnValue {
  public static var __columnType: __ColumnType { .blob }
  public static var __placeholder: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> UUID {
    guard kind == .blob else { throw row.unreadable(index, column, "a UUID") }
    let stored = row.data(column)
    guard stored.count == 16 else { throw row.unreadable(index, "\(stored.count) bytes are not a UUID") }
    return stored.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
  public func __write(to writer: __ColumnWriter) throws { try writer.uuid(self) }
}

extension Data: __ColumnValue {
  public static var __columnType: __ColumnType { .blob }
  public static var __placeholder: Data { Data() }
  /// A text cell refers to a file next to the store (`.externalStorage`).
  public static func __read(from row: __RowReader, column: Int32, kind: __CellKind, index: Int) throws -> Data {
    if kind == .text, ExternalName(row.string(column)) != nil, row.deferExternalData(index) { return Data() }
    return try row.bytes(column, kind, index)
  }
  public func __write(to writer: __ColumnWriter) throws { try writer.blob(self) }
}

// MARK: - Placeholders

/// The placeholder of a type until its value is fetched, or nil if it has none. A property of such a type is always
/// fetched.
public func __placeholder<V>(_ type: V.Type) -> V? {
  if let column = V.self as? any __ColumnValue.Type { return column.__placeholder as? V }
  if let optional = V.self as? any __OptionalValue.Type { return optional.__none as? V }
  if let empty = V.self as? any __EmptyInitializable.Type { return empty.init() as? V }
  return nil
}

/// Collections have an empty value.
public protocol __EmptyInitializable { init() }
extension Array: __EmptyInitializable {}
extension Set: __EmptyInitializable {}
extension Dictionary: __EmptyInitializable {}
