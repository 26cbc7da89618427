import Foundation

/// The members of a `Codable` struct, as its decoding asks for them.
///
/// A type has no list of its members. Decoding one from made-up values, it names each with its type.
package enum CompositeMembers {
  fileprivate struct Member {
    let name: String
    let type: any Any.Type
  }

  /// Structs within structs that are looked into; a type may contain itself, in an array.
  private static let deepest = 6

  /// The parts of the attribute that a property of a type is; nil where it is not made of others.
  package static func attributes(of type: any Any.Type, depth: Int = 0) -> [Schema.Attribute]? {
    guard depth < deepest, let members = members(of: type) else { return nil }
    return members.map { member in
      let bare = ValueTypes.wrapped(by: member.type) ?? member.type
      guard let parts = attributes(of: bare, depth: depth + 1) else {
        return Schema.Attribute(name: member.name, valueType: member.type)
      }
      let composite = Schema.CompositeAttribute(name: member.name, valueType: member.type)
      composite.properties = parts
      return composite
    }
  }

  /// Nil for types that are not structs, for types with a column of their own, and for those that do not decode from made-up values.
  private static func members(of type: any Any.Type) -> [Member]? {
    guard !(type is any __ColumnValue.Type), !(type is any RawRepresentable.Type), !(type is any Collection.Type),
      let decodable = type as? any Decodable.Type
    else { return nil }
    let recorder = Recorder()
    let decoder = MemberDecoder(base: SampleValues.decoder(), recorder: recorder)
    guard let value = try? decodable.init(from: decoder), Mirror(reflecting: value).displayStyle == .struct,
      !recorder.members.isEmpty
    else { return nil }
    return recorder.members
  }
}

/// The values that a decoding asked for.
private final class Recorder {
  var members: [CompositeMembers.Member] = []
  /// The key that was last asked whether it is nil, as is done for optionals.
  var optionalKey: String?

  func note<T>(_ name: String, _ type: T.Type) {
    defer { optionalKey = nil }
    guard !members.contains(where: { $0.name == name }) else { return }
    let isOptional = optionalKey == name && ValueTypes.wrapped(by: type) == nil
    members.append(CompositeMembers.Member(name: name, type: isOptional ? T?.self : type))
  }
}

/// Decodes from samples, and notes the members of the outermost type.
private struct MemberDecoder: Decoder {
  let base: any Decoder
  let recorder: Recorder
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(base: try base.container(keyedBy: type), recorder: recorder))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { try base.singleValueContainer() }

  struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let recorder: Recorder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool {
      recorder.optionalKey = key.stringValue
      return false
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      recorder.note(key.stringValue, type)
      return try base.decode(type, forKey: key)
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try base.nestedContainer(keyedBy: type, forKey: key) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try base.nestedUnkeyedContainer(forKey: key)
    }
    func superDecoder() throws -> any Decoder { try base.superDecoder() }
    func superDecoder(forKey key: Key) throws -> any Decoder { try base.superDecoder(forKey: key) }
  }
}
