import Foundation
import Logging

// Objects of a context that is gone. They can be read for as long as somebody holds them, and `insert(_:)` gives them to
// another context: where that has their store they are their rows, with all that was changed in them; elsewhere they are
// new objects.

extension ContextState {
  /// Says once that a change is made which nobody can save, since `object.modelContext?.save()` says nothing.
  func reportLoss(of object: any PersistentModel) {
    guard !hasReportedLoss else { return }
    hasReportedLoss = true
    Logger(label: "SwiftData").warning(
      """
      \(object.persistentModelID) was changed after its ModelContext was gone, so that its modelContext is nil and nobody \
      saves the change. Keep the context for as long as its objects change, or insert the object into another one
      """)
  }

  /// A relationship that somebody changed in an object before it was adopted.
  struct AdoptedRelationship {
    let object: any PersistentModel
    let property: __Property
    let targets: [any PersistentModel]
  }

  /// What the objects of one insertion bring along.
  struct Adoption {
    /// Objects that their relationships led to.
    var reached: [any PersistentModel] = []
    /// To be made once all objects are in.
    var relationships: [AdoptedRelationship] = []

    /// Objects with the contexts that they leave, which find them until all are in: else what is loaded there meanwhile
    /// would be second objects of their rows.
    var leaving: [(object: any PersistentModel, former: ContextState, root: Int, key: Int64)] = []

    mutating func takeReached() -> [any PersistentModel] {
      defer { reached = [] }
      return reached
    }
  }

  /// Takes in an object of a context that is gone.
  /// - Returns: whether it is its row; otherwise it belongs to no context any more and can be inserted as a new object.
  func adopt(_ object: any PersistentModel, from former: ContextState, _ adoption: inout Adoption) throws -> Bool {
    let entity = type(of: object).__entity
    let table = try core.table(for: entity)
    let store = core.store(of: table)
    // A context of its own for the stored row: its values tell what was changed.
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
      // The row's own, which belongs to no context yet.
      object.__setValue(stored.__value(at: index), at: index)
    }
    object.__state.flags = []
    if registered == nil {
      register(object, root: table.root, key: key)
    } else {
      // The row has an object here already, which takes the changes; this one shares its identity.
      object.__state.context = self
      object.__state.key = key
    }
    for (index, old, new) in changed {
      // Rollback gives back what is stored.
      if registered == nil { object.__setValue(old, at: index) }
      RelationshipMaintenance.change(target, index) { target.__setValue(new, at: index) }
    }
    return true
  }

  /// Makes the relationships that were changed before, between the objects that the context has for the rows, and has the
  /// former contexts forget what they lost.
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

  /// The object that the context has for a row; another one may share its identity.
  func canonical(_ object: any PersistentModel) -> any PersistentModel {
    guard object.__state.context === self, object.__state.key != 0,
      let table = try? core.table(for: type(of: object).__entity)
    else { return object }
    return registered(root: table.root, key: object.__state.key) ?? object
  }

  /// Loads what an object leads to, and lets it go: as a new object it cannot load it any more.
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

  /// Forgets an object that goes to another context.
  /// - Returns: what was changed since the public context went.
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

  /// Whether the keys of a table mean the same rows in another container's store.
  private func sharesKeys(with store: any EngineStore, _ table: EntityTable) -> Bool {
    guard let own = try? core.table(for: table.entity) else { return false }
    // Other stores give their objects keys anew each time that they are opened.
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
