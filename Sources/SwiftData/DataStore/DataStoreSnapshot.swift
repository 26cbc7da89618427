/// The values of a model at one moment, as a store keeps them.
///
/// A snapshot encodes each persisted property under ``DataStoreSnapshotCodingKey/modeledProperty(_:)`` and its identifier
/// under ``DataStoreSnapshotCodingKey/persistentIdentifier``: an attribute as a value of its own type, a to-one
/// relationship as a ``PersistentIdentifier`` or nothing, a to-many relationship as an array of them. That is how a
/// context reads it. ``DefaultSnapshot`` does for most stores. (Apple's documentation, `DataStoreSnapshot`.)
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The model that the values are of.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes the values of a model.
  /// - Parameter relatedBackingDatas: takes up those of the models that it is related to.
  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values for another identifier.
  /// - Parameter remappedIdentifiers: what to put in the place of identifiers that relationships name; nil changes none.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DataStoreSnapshot {
  /// The same values for another identifier, with the relationships as they are. (Apple's documentation has it as a
  /// default argument.)
  public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
    copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
  }
}

/// A value in a snapshot. (Apple's documentation, `DataStoreSnapshotValue`.)
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The keys under which snapshots encode what is in them. (Apple's documentation, `DataStoreSnapshotCodingKey`.)
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The identifier of the model.
  case persistentIdentifier
  /// The property of a name.
  case modeledProperty(String)

  private static let identifier = "persistentIdentifier"
  /// What stands before the name of a property that is called as the identifier is.
  private static let escape = "modeledProperty."

  public init?(stringValue: String) {
    if stringValue == Self.identifier {
      self = .persistentIdentifier
    } else if stringValue == Self.escape + Self.identifier {
      self = .modeledProperty(Self.identifier)
    } else {
      self = .modeledProperty(stringValue)
    }
  }

  public init?(intValue: Int) { nil }

  public var stringValue: String {
    switch self {
    case .persistentIdentifier: Self.identifier
    case .modeledProperty(Self.identifier): Self.escape + Self.identifier
    case .modeledProperty(let name): name
    }
  }

  public var intValue: Int? { nil }
}
