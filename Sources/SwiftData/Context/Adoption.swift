/// Moves objects whose context has ended into another one.
///
/// Such objects stay readable. In the same store they become their rows with their changes, in another store they become new
/// objects.
struct Adoption {
  /// A relationship that was changed before its object was adopted.
  private struct Relationship {
    let object: any PersistentModel
    let property: __Property
    let targets: [any PersistentModel]
  }

  private let context: ContextState
  /// Objects that relationships reached.
  private var reached: [any PersistentModel] = []
  /// Relationships to set once all objects are inserted.
  private var relationships: [Relationship] = []

  /// Objects with their former contexts, which find them until all are inserted. Otherwise a load meanwhile would
  /// create second objects for their rows.
  private var leaving: [(object: any PersistentModel, former: ContextState, root: Int, key: Int64)] = []

  init(into context: ContextState) { self.context = context }

  mutating func takeReached() -> [any PersistentModel] {
    defer { reached = [] }
    return reached
  }

  /// Adopts an object of an ended context.
  /// - Returns: whether the object became its row. If not, it belongs to no context and can be inserted as a new
  ///   object.
  mutating func take(_ object: any PersistentModel, from former: ContextState) throws -> Bool {
    let entity = type(of: object).__entity
    let table = try context.core.table(for: entity)
    let store = context.core.store(of: table)
    // Another context reads the stored row, to determine what was changed.
    let reader = ContextState(core: context.core)
    defer { reader.discard() }
    guard object.__state.key != 0, let key = store.key(of: object.persistentModelID),
      let stored = try reader.queries.objects(withKeys: [key], in: table)[key], type(of: stored) == type(of: object)
    else {
      try copyGraph(of: object, from: former)
      return false
    }
    let hasFormerKeys = former.core === context.core || Self.sharesKeys(former, with: store, table)
    // To-ones that another object than the stored one is the target of. A relationship that cannot be loaded must not count as empty.
    let retargeted = PropertySet(
      entity.properties.filter { property in
        guard property.isToOne, hasFormerKeys, let key = object.relationship(property).faultKey,
          let storedKey = stored.relationship(property).faultKey, key != storedKey
        else { return false }
        object.__fire(property.index)
        return true
      }.map(\.index))
    if !retargeted.isEmpty { try former.throwProblem() }
    let changes = letGo(of: object, from: former)
    let registered = context.registered(root: table.root, key: key)
    let target = registered ?? object
    var changed = [(index: Int, old: Any, new: Any)]()
    for property in entity.properties {
      let index = property.index
      if property.isAttribute {
        guard property.isStored, !property.isConstant, object.__state.unloaded?.contains(index) != true else {
          continue
        }
        let (old, new) = (stored.__value(at: index), object.__value(at: index))
        if !Self.isSame(old, new, property) { changed.append((index, old, new)) }
        continue
      }
      if let targets = object.relationship(at: index).targets {
        reached += targets
        if changes?.contains(index) == true || retargeted.contains(index) {
          relationships.append(Relationship(object: target, property: property, targets: targets))
        }
      }
      // The row's own object, which belongs to no context yet.
      object.__setValue(stored.__value(at: index), at: index)
    }
    object.__state.flags = []
    if registered == nil {
      context.register(object, root: table.root, key: key)
    } else {
      // The row has a registered object, which takes the changes.
      context.makeAlias(object, of: target, key: key)
    }
    for (index, old, new) in changed {
      // A rollback restores the stored value.
      if registered == nil { object.__setValue(old, at: index) }
      RelationshipMaintenance.change(target, index) { target.__setValue(new, at: index) }
    }
    return true
  }

  /// Sets the recorded relationships between the registered objects of the rows, and removes the adopted objects from
  /// their former contexts.
  func settle() {
    for (object, former, root, key) in leaving { former.identityMaps[root].remove(object, key) }
    for change in relationships {
      let index = change.property.index
      if change.object.relationship(at: index).isFault { change.object.__fire(index) }
      guard let old = change.object.relationship(at: index).targets else { continue }
      let new = change.targets.map { $0.__resolved }
      func difference(_ left: [any PersistentModel], _ right: [any PersistentModel]) -> [any PersistentModel] {
        let ids = Set(right.map { ObjectIdentifier($0) })
        return left.filter { !ids.contains(ObjectIdentifier($0)) }
      }
      let (removed, added) = (difference(old, new), difference(new, old))
      guard !removed.isEmpty || !added.isEmpty else { continue }
      RelationshipMaintenance.change(change.object, index) {
        change.object.relationship(at: index).load(new, positioned: false)
      }
      RelationshipMaintenance.didChange(change.object, index, removed: removed, added: added)
    }
  }

  /// Loads everything that an object reaches and detaches it. As a new object it could not load it later.
  private mutating func copyGraph(of object: any PersistentModel, from former: ContextState) throws {
    for property in type(of: object).__entity.properties {
      if property.isAttribute {
        object.__loadIfNeeded(property.index)
      } else if object.relationship(property).isFault {
        object.__fire(property.index)
      }
    }
    try former.throwProblem()
    _ = letGo(of: object, from: former)
    object.__state.context = nil
  }

  /// Removes an object that moves to another context.
  /// - Returns: the properties that changed since the public context ended.
  private mutating func letGo(of object: any PersistentModel, from former: ContextState) -> PropertySet? {
    let key = object.__state.key
    if key != 0, let table = try? former.core.table(for: type(of: object).__entity) {
      leaving.append((object: object, former: former, root: table.root, key: key))
    }
    object.__state.flags = []
    object.__state.batch = nil
    defer { object.__state.lateChanges = nil }
    return object.__state.lateChanges
  }

  /// Whether a table's keys identify the same rows in another container's store.
  private static func sharesKeys(_ former: ContextState, with store: any EngineStore, _ table: EntityTable) -> Bool {
    guard let own = try? former.core.table(for: table.entity) else { return false }
    return former.core.store(of: own).keepsKeys && store.keepsKeys
  }

  private static func isSame(_ left: Any, _ right: Any, _ property: __Property) -> Bool {
    func equals<E: Equatable>(_ left: E) -> Bool { (right as? E) == left }
    if let left = left as? any Equatable { return equals(left) }
    let type = ScalarType(of: property)
    guard type.form != .opaque, let old = type.cell(of: left), let new = type.cell(of: right) else { return false }
    return old == new
  }
}
