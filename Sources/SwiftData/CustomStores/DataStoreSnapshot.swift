/// The values of a model at one moment, in the form that a store keeps.
///
/// A snapshot encodes its identifier under ``DataStoreSnapshotCodingKey/persistentIdentifier`` and each persisted
/// property under ``DataStoreSnapshotCodingKey/modeledProperty(_:)``: an attribute as its own type, a to-one
/// relationship as a ``PersistentIdentifier`` or nothing, a to-many relationship as an array of identifiers. A context
/// reads this form. ``DefaultSnapshot`` suffices for most stores. (Apple's documentation, `DataStoreSnapshot`.)
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identifier of the model.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Makes a snapshot of a model.
  /// - Parameters:
  ///   - backingData: the values of the model.
  ///   - relatedBackingDatas: collects the backing data of related models.
  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// A copy with another identifier.
  /// - Parameters:
  ///   - persistentIdentifier: the identifier of the copy.
  ///   - remappedIdentifiers: replacements for identifiers in relationships, or nil for none.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DataStoreSnapshot {
  /// A copy with another identifier and the same relationships. (Apple's documentation has it as a default argument.)
  public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
    copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
  }
}

/// A value in a snapshot. (Apple's documentation, `DataStoreSnapshotValue`.)
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The coding keys of snapshots. (Apple's documentation, `DataStoreSnapshotCodingKey`.)
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The identifier of the model.
  case persistentIdentifier
  /// The property with a name.
  case modeledProperty(String)

  private static let identifier = "persistentIdentifier"
  /// The prefix for a property whose name equals the identifier's key.
  private static let escape = "modeledProperty."

  /// Makes the key with a name.
  public init?(stringValue: String) {
    if stringValue == Self.identifier {
      self = .persistentIdentifier
    } else if stringValue == Self.escape + Self.identifier {
      self = .modeledProperty(Self.identifier)
    } else {
      self = .modeledProperty(stringValue)
    }
  }

  /// Returns nil: keys have names.
  public init?(intValue: Int) { nil }

  /// The name of the key.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: Self.identifier
    case .modeledProperty(Self.identifier): Self.escape + Self.identifier
    case .modeledProperty(let name): name
    }
  }

  /// Nil: keys have names.
  public var intValue: Int? { nil }
}
