/// Reads a custom snapshot by encoding it and keeping the encoded values.
struct SnapshotEncoder: Encoder {
  final class Box {
    var values: [DataStoreSnapshotCodingKey: Any?] = [:]
  }

  let box = Box()
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Reads the contents of a snapshot.
  /// - Throws: the snapshot's encoding error, or ``SwiftDataError/unreadableValue`` for a relationship that is not
  ///   encoded as identifiers.
  static func contents<S: DataStoreSnapshot>(of snapshot: S, _ entity: __Entity) throws -> SnapshotContents {
    let encoder = SnapshotEncoder()
    try snapshot.encode(to: encoder)
    var contents = SnapshotContents(identifier: snapshot.persistentIdentifier, entity: entity)
    for property in entity.properties {
      guard let value = encoder.box.values[.modeledProperty(property.name)] else { continue }
      let bare = value.flatMap(ScalarType.unwrapped)
      switch property.kind {
      case .attribute: contents[property] = .value(bare)
      case .toOne:
        guard bare == nil || bare is PersistentIdentifier else { throw unreadable(property, S.self, bare) }
        contents[property] = .toOne(bare as? PersistentIdentifier)
      case .toMany:
        guard bare == nil || bare is any Sequence<PersistentIdentifier> else {
          throw unreadable(property, S.self, bare)
        }
        contents[property] = .toMany((bare as? any Sequence<PersistentIdentifier>).map { Array($0) } ?? [])
      }
    }
    return contents
  }

  private static func unreadable(_ property: __Property, _ type: Any.Type, _ value: Any?) -> SwiftDataError {
    SwiftDataError(
      .unreadableValue, entity: property.entityName, property: property.name,
      message: "\(type) encodes the relationship as a \(value.map { "\(Swift.type(of: $0))" } ?? "nil"); encode a"
        + " PersistentIdentifier, or an array of them for a to-many")
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Container(box: box))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Misfit() }
  func singleValueContainer() -> any SingleValueEncodingContainer { Misfit() }

  private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let box: Box
    let codingPath: [any CodingKey] = []

    private func put(_ value: Any?, _ key: Key) {
      guard let key = DataStoreSnapshotCodingKey(stringValue: key.stringValue) else { return }
      box.values[key] = .some(value)
    }

    mutating func encodeNil(forKey key: Key) { put(nil, key) }
    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { put(value, key) }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(Container<Nested>(box: Box())) }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Misfit() }
    mutating func superEncoder() -> any Encoder { SnapshotEncoder() }
    mutating func superEncoder(forKey key: Key) -> any Encoder { SnapshotEncoder() }
  }

  /// A container that a snapshot cannot have, because it must be keyed.
  private struct Misfit: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let codingPath: [any CodingKey] = []
    let count = 0

    private func refuse() -> EncodingError {
      EncodingError.invalidValue(
        "snapshot",
        .init(
          codingPath: [],
          debugDescription: "a snapshot encodes itself with a container keyed by DataStoreSnapshotCodingKey"))
    }

    mutating func encodeNil() throws { throw refuse() }
    mutating func encode<T: Encodable>(_ value: T) throws { throw refuse() }
    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy keyType: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(Container<Nested>(box: Box())) }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Misfit() }
    mutating func superEncoder() -> any Encoder { SnapshotEncoder() }
  }
}
