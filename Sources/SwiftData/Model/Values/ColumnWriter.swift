// Only the code that `@Model` expands to calls what is public here and has no description.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// The destination of a model's properties: the parameters of a statement, or a list of values.
///
/// A store subclasses it. `current` is the property being written, for its options (external storage, a transformer).
open class __ColumnWriter {
  // Unchecked, because reading or replacing it runs nothing else.
  @exclusivity(unchecked) package final var current: __Property! = nil

  public init() {}

  // MARK: - Cells
  // Open, because writers in other modules override them.

  open func null() throws { fatalError("abstract") }
  open func integer(_ value: Int64) throws { fatalError("abstract") }
  open func real(_ value: Double) throws { fatalError("abstract") }
  open func text(_ value: String) throws { fatalError("abstract") }
  open func blob(_ value: Data) throws { fatalError("abstract") }
  /// Writes the 16 bytes, unless the database has a UUID type.
  open func uuid(_ value: UUID) throws { try blob(withUnsafeBytes(of: value.uuid) { Data($0) }) }

  // MARK: - Attributes

  /// Writes a value with its own column type.
  @inlinable
  public final func write<V: __ColumnValue>(_ value: V) throws { try value.__write(to: self) }

  /// Writes an enum or option set by its raw value.
  @inlinable
  public final func write<V: RawRepresentable & Codable>(_ value: V) throws where V.RawValue: __ColumnValue {
    try value.rawValue.__write(to: self)
  }

  /// Writes an optional enum or option set by its raw value.
  @inlinable
  public final func write<V: RawRepresentable & Codable>(_ value: V?) throws where V.RawValue: __ColumnValue {
    if let value { try value.rawValue.__write(to: self) } else { try null() }
  }

  /// Writes any other Codable value as JSON text.
  @_disfavoredOverload
  public final func write<V: Codable>(_ value: V) throws { try writeCodable(value) }

  /// Writes a value as JSON text even if its type has its own column type (`.codable`).
  public final func writeCodable<V: Codable>(_ value: V) throws {
    if let optional = value as? any __OptionalValue, optional.__isNone { return try null() }
    let data: Data
    do {
      data = try JSONCoding.encode(attribute: value)
    } catch {
      throw SwiftDataError(
        .unwritableValue, entity: current.entityName, property: current.name,
        message: "its value of type \(V.self) cannot be encoded", underlying: error)
    }
    if data.elementsEqual("null".utf8), value is any __OptionalValue { throw innerNil(V.self) }
    try text(String(decoding: data, as: UTF8.self))
  }

  /// Writes an array as JSON text. An empty array, which most new objects have, needs no encoder.
  public final func write<V: Codable>(_ value: [V]) throws {
    if value.isEmpty { try text("[]") } else { try writeCodable(value) }
  }

  /// Writes a value through the property's `ValueTransformer`.
  public final func writeTransformable<V>(_ value: V) throws {
    if let data = try current.transform(value) { try blob(data) } else { try null() }
  }

  // MARK: - References

  /// Writes the key of a required target.
  public final func write<M: PersistentModel>(_ slot: __Slot<M>) throws {
    try key(slot.value.map { $0.__state.key } ?? slot.key)
  }

  /// Writes the key of an optional target.
  public final func write<M: PersistentModel>(_ slot: __Slot<M?>) throws {
    guard let value = slot.value else { return try key(slot.key) }
    // A deleted target leaves nothing to refer to.
    guard let target = value, target.__state.host != nil, !target.__state.flags.contains(.deleted) else {
      return try null()
    }
    try key(target.__state.key)
  }

  /// The error of a value that is neither a model nor Codable.
  final func unwritable(_ type: Any.Type) -> SwiftDataError {
    SwiftDataError(
      .unwritableValue, entity: current.entityName, property: current.name,
      message: "its type \(type) is neither a model nor Codable")
  }

  /// The error of an optional with a value that a store cannot tell from nil, like `.some(nil)`.
  final func innerNil(_ type: Any.Type) -> SwiftDataError {
    SwiftDataError(
      .unwritableValue, entity: current.entityName, property: current.name,
      message: "its value of type \(type) is not nil but contains nil, which would read back as nil; use one optional,"
        + " or an enum with a case for each meaning")
  }

  private func key(_ key: Int64) throws {
    if key == 0 { try null() } else { try integer(key) }
  }
}

/// Encodes composite values as JSON with sorted keys, so that equal values have equal text.
package enum JSONCoding {
  package static func encode<V: Encodable>(_ value: V) throws -> Data {
    if let texts = JSONTexts.encode(value) { return texts }
    return try encoder.encode(value)
  }

  /// The JSON of an attribute's value, in which sets are sorted too.
  static func encode<V: Encodable>(attribute value: V) throws -> Data {
    if let texts = JSONTexts.encode(value) { return texts }
    if OrderedValue.isNeeded(for: V.self) { return try encoder.encode(OrderedValue(value: value)) }
    return try encoder.encode(value)
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  package static func decode<V: Decodable>(_ type: V.Type, from data: Data) throws -> V {
    if let texts = JSONTexts.decode(type, from: data) { return texts }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: data)
  }

  /// Why JSON cannot be decoded as a type. The text quotes no value.
  static func reason(of error: any Error, decoding type: Any.Type) -> String {
    // The usual cause: a struct gained a member. The compiler's decoder ignores the member's default.
    if case DecodingError.keyNotFound(let key, _) = error {
      return "the stored JSON is not a \(type): it has no \"\(key.stringValue)\"; make that member optional"
    }
    return "the stored JSON is not a \(type)"
  }
}
