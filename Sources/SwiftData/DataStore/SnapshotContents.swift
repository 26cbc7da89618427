import Foundation
import Synchronization

/// What the engine reads from a snapshot of any type, and makes one of.
// @unchecked Sendable because the values are those of persisted attributes, which nobody changes once they are in here:
// value types are copies, and Codable classes are values to the engine, replaced as a whole.
package struct SnapshotContents: @unchecked Sendable {
  package enum Field {
    /// An attribute as a value of its own type, without the optional around it; nil is nil.
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
  /// By property index; nil is what the snapshot does not have.
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

  func mapIdentifiers(_ transform: (PersistentIdentifier) -> PersistentIdentifier?) -> SnapshotContents {
    var result = self
    result.fields = fields.map { $0?.mapIdentifiers(transform) }
    return result
  }

  // MARK: - From a model

  /// The values of a model as they are in memory. Attributes that were left out are loaded.
  /// - Parameters:
  ///   - leavesLists: leaves out a to-many that is not loaded.
  ///   - toMany: the targets of a to-many that is not loaded; nil loads it.
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
      if case .fault = object.__relationship(property.index, .read), property.isToMany {
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
    switch object.__relationship(property.index, .read) {
    case .targets(let targets, _):
      let alive = targets.filter { $0.__state.context != nil && !$0.isDeleted }.map(\.persistentModelID)
      return property.isToMany ? .toMany(alive) : .toOne(alive.first)
    case .fault(let key) where key != 0 && property.isToOne:
      guard let core = object.__state.context?.core, let destination = property.destination?.__entity,
        let table = try? core.table(for: destination)
      else { return .toOne(nil) }
      // The class of the target may be a subclass of what the relationship names; a store of rows has to look.
      if let exact = core.store(of: table).exactIdentifier(ofKey: key, in: table) { return .toOne(exact) }
      object.__fire(property.index)
      return relationship(object, property)
    case .fault, .none, .change, .order:
      return property.isToMany ? .toMany([]) : .toOne(nil)
    }
  }

  /// The values of backing data that belongs to no model.
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

/// The classes that snapshots are decoded to, by name: a decoder knows the name only.
enum SnapshotEntities {
  /// Those of the container that calls a store.
  @TaskLocal static var current: [String: __Entity]?
  /// Those of the containers that were opened, for snapshots that are decoded elsewhere; of two classes with one name
  /// (two versions of a model) the later.
  private static let all = Mutex<[String: __Entity]>([:])

  static func register(_ entities: [String: __Entity]) {
    all.withLock { $0.merge(entities) { _, new in new } }
  }

  static func named(_ name: String) -> __Entity? { current?[name] ?? all.withLock { $0[name] } }
}
