#if Sync
public import SwiftData

/// A limit of the replicas that get a property, for a property that not every replica of its object gets.
///
///     try SyncRemote.register(
///       "iCloud.com.example.chat", at: url, credentials: credentials,
///       scopes: [.account(\Conversation.isPinned), .device(\Message.uploadProgress), .device(UploadJob.self)])
///
/// A property without a scope syncs with every account that can read its object. (Our own addition.)
public struct SyncScope: Sendable {
  enum Reach: Sendable {
    /// The devices of the account.
    case account
    /// This store only.
    case device
  }

  let reach: Reach
  let entity: String
  /// The names of the properties; nil for the whole model.
  let properties: [String]?
  /// The number of key paths that lead to no stored property.
  let unknown: Int

  private init(_ reach: Reach, _ entity: __Entity, _ keyPaths: [AnyKeyPath]?) {
    (self.reach, self.entity) = (reach, entity.name)
    properties = keyPaths?.compactMap { KeyPathResolver.property(at: $0, in: entity)?.name }
    unknown = (keyPaths?.count ?? 0) - (properties?.count ?? 0)
  }

  /// Attributes that only the devices of an account share, even if other accounts can read the object, such as a pin or a rating.
  ///
  /// Their values stay on the server when the account leaves a share, and are there again when it comes back.
  /// - Parameter properties: key paths of attributes that are optional or have a default value.
  public static func account<Model: PersistentModel>(_ properties: PartialKeyPath<Model>...) -> SyncScope {
    SyncScope(.account, Model.__entity, properties)
  }

  /// Attributes that do not sync: each store has values of its own, at first the default value.
  /// - Parameter properties: key paths of attributes that are optional or have a default value.
  public static func device<Model: PersistentModel>(_ properties: PartialKeyPath<Model>...) -> SyncScope {
    SyncScope(.device, Model.__entity, properties)
  }

  /// A model whose objects do not sync.
  /// - Parameter model: a model without relationships to models that sync.
  public static func device<Model: PersistentModel>(_ model: Model.Type) -> SyncScope {
    SyncScope(.device, Model.__entity, nil)
  }
}

/// The scopes of a registration, by model and property.
struct SyncScopes: Sendable {
  private var properties: [String: [String: SyncScope.Reach]] = [:]
  private var models: Set<String> = []
  /// The problems of the key paths.
  private(set) var problems: [String] = []

  init(_ scopes: [SyncScope] = []) {
    for scope in scopes {
      if scope.unknown > 0 {
        problems.append("\(scope.entity): \(scope.unknown) key paths of a SyncScope lead to no stored property")
      }
      guard let names = scope.properties else {
        models.insert(scope.entity)
        continue
      }
      for name in names { properties[scope.entity, default: [:]][name] = scope.reach }
    }
  }

  /// - Returns: nil for a property that syncs with each account.
  func reach(of property: __Property, in entity: __Entity) -> SyncScope.Reach? {
    entity.lineage.lazy.compactMap { properties[$0.name]?[property.name] }.first
  }

  /// Whether the objects of a model stay in their store.
  func isLocal(_ entity: __Entity) -> Bool { entity.lineage.contains { models.contains($0.name) } }
}
#endif
