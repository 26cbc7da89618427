import Foundation

/// The type of a property. A schema that was loaded from a file knows only its name.
// @unchecked Sendable because it is immutable; a metatype has no state.
struct SchemaValueType: Hashable, Codable, @unchecked Sendable {
  let type: any Any.Type
  /// The name, without the module for types of the standard library and Foundation, with a question mark for an
  /// optional; otherwise the qualified name.
  let name: String

  init(_ type: any Any.Type) {
    self.type = type
    self.name = Self.name(of: type)
  }

  init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    self.name = name
    self.type = Self.type(named: name) ?? Any.self
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }

  private static func name(of type: any Any.Type) -> String {
    if ValueTypes.isColumn(type), type != Character.self { return _typeName(type, qualified: false) }
    if let wrapped = ValueTypes.wrapped(by: type) { return name(of: wrapped) + "?" }
    return _typeName(type)
  }

  private static func type(named name: String) -> (any Any.Type)? {
    guard name.hasSuffix("?") else { return knownTypes[name] }
    guard let wrapped = knownTypes[String(name.dropLast())] else { return nil }
    func optional<V: Codable>(_: V.Type) -> any Any.Type { V?.self }
    return optional(wrapped)
  }

  private static let knownTypes: [String: any (Codable & Sendable).Type] = [
    "Bool": Bool.self, "String": String.self, "Double": Double.self, "Float": Float.self,
    "Int": Int.self, "Int8": Int8.self, "Int16": Int16.self, "Int32": Int32.self, "Int64": Int64.self,
    "UInt": UInt.self, "UInt8": UInt8.self, "UInt16": UInt16.self, "UInt32": UInt32.self, "UInt64": UInt64.self,
    "Data": Data.self, "Date": Date.self, "Decimal": Decimal.self, "UUID": UUID.self, "URL": URL.self,
  ]
}
