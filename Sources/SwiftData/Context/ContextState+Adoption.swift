import Foundation
import Logging

// Objects whose context has ended. They stay readable, and `insert(_:)` adds them to another context: in the same store
// they become their rows with their changes, in another store they become new objects.

extension ContextState {
  /// Logs once that a change cannot be saved, because `object.modelContext?.save()` does nothing then.
  func reportLoss(of object: any PersistentModel) {
    guard !hasReportedLoss else { return }
    hasReportedLoss = true
    Logger(label: "SwiftData").warning(
      """
      \(object.persistentModelID) was changed after its ModelContext was gone, so that its modelContext is nil and nobody \
      saves the change. Keep the context for as long as its objects change, or insert the object into another one
      """)
  }

  /// A relationship that was changed before its object was adopted.
  struct AdoptedRelationship {
    let object: any PersistentModel
    let property: __Property
    let targets: [any PersistentModel]
  }

  /// The state of one adoption.
  struct Adoption {
    /// Objects that relationships reached.
    var reached: [any PersistentModel] = []
    /// Relationships to set once all objects are inserted.
    var relationships: [AdoptedRelationship] = []

    /// Objects with their former contexts, which find them until all are inserted. Otherwise a load meanwhile would
    /// create second objects for their rows.
    var leaving: [(object: any PersistentModel, former: ContextState, root: Int, key: Int64)] = []

    mutating func takeReached() -> [any PersistentModel] {
      defer { reached = [] }
      return reached
    }
  }

  /// Adopts an object of an ended context.
  /// - Returns: whether the object became its row. If not, it belongs to no context and can be inserted as a new
  ///   object.
  func adopt(_ object: any PersistentModel, from former: ContextState, _ adoption: inout Adoption) throws -> Bool {
    let entity = type(of: object).__entity
    let table = try core.table(for: entity)
    let store = core.store(of: table)
    // Another context reads the stored row, to determine what was changed.
    let reader = ContextState(core: core)
    defer { reader.discard() }
    guard object.__state.key != 0, let key = store.key(of: object.persistentModelID),
      let stored = try reader.objects(withKeys: [key], in: table)[key], type(of: stored) == type(of: object)
    else {
      try copyGraph(of: object, from: former, &adoption)
      return false
    }
    let changes = former.letGo(of: object, &adoption)
    let registered = registered(root: table.root, key: key)
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
      let content = object.__relationship(index, .read)
      if case .targets(let targets, _) = content {
        adoption.reached += targets
        if changes?.properties.contains(index) == true {
          adoption.relationships.append(AdoptedRelationship(object: target, property: property, targets: targets))
        }
      } else if case .fault(let key) = content, property.isToOne,
        former.core === core || former.sharesKeys(with: store, table),
        case .fault(let storedKey) = stored.__relationship(index, .read), key != storedKey
      {
        object.__fire(index)
        if case .targets(let targets, _) = object.__relationship(index, .read) {
          adoption.relationships.append(AdoptedRelationship(object: target, property: property, targets: targets))
        }
      }
      // The row's own object, which belongs to no context yet.
      object.__setValue(stored.__value(at: index), at: index)
    }
    object.__state.flags = []
    if registered == nil {
      register(object, root: table.root, key: key)
    } else {
      // The row has a registered object, which takes the changes. This object shares its identity.
      object.__state.context = self
      object.__state.key = key
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
  func settle(_ adoption: Adoption) {
    for (object, former, root, key) in adoption.leaving where former.identityMaps[root][key] === object {
      former.identityMaps[root][key] = nil
    }
    for change in adoption.relationships {
      let index = change.property.index
      if case .fault = change.object.__relationship(index, .read) { change.object.__fire(index) }
      guard case .targets(let old, _) = change.object.__relationship(index, .read) else { continue }
      let new = change.targets.map(canonical)
      func difference(_ left: [any PersistentModel], _ right: [any PersistentModel]) -> [any PersistentModel] {
        let ids = Set(right.map { ObjectIdentifier($0) })
        return left.filter { !ids.contains(ObjectIdentifier($0)) }
      }
      let (removed, added) = (difference(old, new), difference(new, old))
      guard !removed.isEmpty || !added.isEmpty else { continue }
      RelationshipMaintenance.change(change.object, index) {
        _ = change.object.__relationship(index, .load(new, positioned: false))
      }
      RelationshipMaintenance.didChange(change.object, index, removed: removed, added: added)
    }
  }

  /// The registered object of a row. Another object may share its identity.
  func canonical(_ object: any PersistentModel) -> any PersistentModel {
    guard object.__state.context === self, object.__state.key != 0,
      let table = try? core.table(for: type(of: object).__entity)
    else { return object }
    return registered(root: table.root, key: object.__state.key) ?? object
  }

  /// Loads everything that an object reaches and detaches it. As a new object it could not load it later.
  private func copyGraph(
    of object: any PersistentModel, from former: ContextState, _ adoption: inout Adoption
  ) throws {
    for property in type(of: object).__entity.properties {
      if property.isAttribute {
        object.__loadIfNeeded(property.index)
      } else if case .fault = object.__relationship(property.index, .read) {
        object.__fire(property.index)
      }
    }
    let problem = former.problems.first
    former.problems = []
    if let problem { throw problem }
    _ = former.letGo(of: object, &adoption)
    object.__state.context = nil
  }

  /// Removes an object that moves to another context.
  /// - Returns: the changes since the public context ended.
  private func letGo(of object: any PersistentModel, _ adoption: inout Adoption) -> ObjectChange? {
    let key = object.__state.key
    if key != 0, let table = try? core.table(for: type(of: object).__entity) {
      adoption.leaving.append((object: object, former: self, root: table.root, key: key))
    }
    object.__state.flags = []
    object.__state.batch = nil
    let change = changed[ObjectIdentifier(object)]
    changed[ObjectIdentifier(object)] = nil
    return change
  }

  /// Whether a table's keys identify the same rows in another container's store.
  private func sharesKeys(with store: any EngineStore, _ table: EntityTable) -> Bool {
    guard let own = try? core.table(for: table.entity) else { return false }
    // Other stores assign new keys at each opening.
    return core.store(of: own) is SQLiteStore && store is SQLiteStore
  }

  private static func isSame(_ left: Any, _ right: Any, _ property: __Property) -> Bool {
    func equals<E: Equatable>(_ left: E) -> Bool { (right as? E) == left }
    if let left = left as? any Equatable { return equals(left) }
    let type = ScalarType(of: property)
    guard type.form != .opaque, let old = type.cell(of: left), let new = type.cell(of: right) else { return false }
    return old == new
  }
}
