import Foundation

/// The contents of a snapshot of any type.
// @unchecked Sendable because attribute values do not change once they are here: value types are copies, and Codable
// classes are replaced as a whole.
package struct SnapshotContents: @unchecked Sendable {
  package enum Field {
    /// An attribute as its own type without an optional. Nil is nil.
    case value(Any?)
    case toOne(PersistentIdentifier?)
    case toMany([PersistentIdentifier])

    package var identifiers: [PersistentIdentifier] {
      switch self {
      case .value: []
      case .toOne(let target): target.map { [$0] } ?? []
      case .toMany(let targets): targets
      }
    }

    func mapIdentifiers(_ transform: (PersistentIdentifier) -> PersistentIdentifier?) -> Field {
      switch self {
      case .value: self
      case .toOne(let target): .toOne(target.flatMap(transform))
      case .toMany(let targets): .toMany(targets.compactMap(transform))
      }
    }
  }

  package var identifier: PersistentIdentifier
  package let entity: __Entity
  /// The fields by property index. Nil means that the snapshot lacks the property.
  package var fields: [Field?]

  package init(identifier: PersistentIdentifier, entity: __Entity) {
    self.identifier = identifier
    self.entity = entity
    self.fields = Array(repeating: nil, count: entity.properties.count)
  }

  package subscript(property: __Property) -> Field? {
    get { property.index < fields.count ? fields[property.index] : nil }
    set { fields[property.index] = newValue }
  }

  /// Whether every stored property has a value.
  var isComplete: Bool { entity.properties.allSatisfy { !$0.isStored || self[$0] != nil } }

  func mapIdentifiers(_ transform: (PersistentIdentifier) -> PersistentIdentifier?) -> SnapshotContents {
    var result = self
    result.fields = fields.map { $0?.mapIdentifiers(transform) }
    return result
  }

  // MARK: - From a model

  /// Reads the values of a model in memory. Loads attributes that a partial fetch omitted.
  /// - Parameters:
  ///   - leavesLists: whether to omit to-many relationships that are not loaded.
  ///   - toMany: the targets of a to-many that is not loaded, or nil to load it.
  init(
    of object: any PersistentModel, leavesLists: Bool = false,
    toMany stored: (__Property) -> [PersistentIdentifier]? = { _ in nil }
  ) {
    let entity = type(of: object).__entity
    self.init(identifier: object.persistentModelID, entity: entity)
    for property in entity.properties {
      guard !property.isAttribute else {
        guard property.isStored else { continue }
        object.__loadIfNeeded(property.index)
        self[property] = .value(ScalarType.unwrapped(object.__value(at: property.index)))
        continue
      }
      if object.relationship(property).isFault, property.isToMany {
        if leavesLists { continue }
        if let targets = stored(property) {
          self[property] = .toMany(targets)
          continue
        }
        object.__fire(property.index)
      }
      self[property] = Self.relationship(object, property)
    }
  }

  private static func relationship(_ object: any PersistentModel, _ property: __Property) -> Field {
    switch object.relationship(property).content {
    case .targets(let targets):
      let alive = targets.filter { $0.__state.context != nil && !$0.isDeleted }.map(\.persistentModelID)
      return property.isToMany ? .toMany(alive) : .toOne(alive.first)
    case .fault(let key) where key != 0 && property.isToOne:
      guard let core = object.__state.context?.core, let destination = property.destination?.__entity,
        let table = try? core.table(for: destination)
      else { return .toOne(nil) }
      // The target may be of a subclass, which a store of rows has to look up.
      if let exact = core.store(of: table).exactIdentifier(ofKey: key, in: table) { return .toOne(exact) }
      object.__fire(property.index)
      return relationship(object, property)
    case .fault, nil:
      return property.isToMany ? .toMany([]) : .toOne(nil)
    }
  }

  /// Reads the values of backing data without a model.
  init<Backing: BackingData>(detached backing: Backing) {
    let entity = Backing.Model.__entity
    self.init(
      identifier: backing.persistentModelID
        ?? PersistentIdentifier(entityName: entity.name, temporary: TemporaryIdentity()), entity: entity)
    for property in entity.properties {
      guard property.isStored || property.isToMany, let value = backing.__value(at: property.index) else { continue }
      let bare = ScalarType.unwrapped(value)
      if property.isAttribute {
        self[property] = .value(bare)
      } else if property.isToOne {
        self[property] = .toOne((bare as? any PersistentModel)?.persistentModelID)
      } else {
        self[property] = .toMany((bare as? [any PersistentModel] ?? []).map(\.persistentModelID))
      }
    }
  }
}

/// The classes by name for decoding snapshots, because a decoder knows only the name.
enum SnapshotEntities {
  /// The classes of the container that calls a store.
  @TaskLocal static var current: [String: __Entity]?
  /// The classes of all containers opened so far, for snapshots that are decoded elsewhere. The newest class with a
  /// name (versions of a model) wins.
  private static let all = Lock<[String: __Entity]>([:])

  static func register(_ entities: [String: __Entity]) {
    all.withLock { $0.merge(entities) { _, new in new } }
  }

  static func named(_ name: String) -> __Entity? { current?[name] ?? all.withLock { $0[name] } }
}
