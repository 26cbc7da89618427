import Foundation

/// A context's save to a store with snapshots: complete models, both ends of every relationship.
///
/// It runs while the store is locked (`exclusively`), after the context merged other saves. The store replaces whole models, so
/// each replaced model is read again first: that keeps another process's changes of other properties, and detects deleted models.
final class SnapshotSave<Base: DataStore>: StoreSave {
  let snapshots: SnapshotStore<Base>
  let context: ContextState
  private(set) var changes: UnsavedChanges
  private(set) var merged: [ObjectIdentifier: Int64] = [:]
  private(set) var savedRows = SavedRows()
  private var reregistered: [Base.Snapshot] = []
  /// The stored contents of the objects that are updated.
  private var stored: [ObjectIdentifier: SnapshotContents] = [:]

  var store: any EngineStore { snapshots }

  init(_ store: SnapshotStore<Base>, _ changes: UnsavedChanges) {
    (self.snapshots, self.changes, self.context) = (store, changes, changes.context)
  }

  func run(_ others: OtherSaves) throws {
    if !changes.marked.isEmpty, try deleteMarked() { return try others.run() }
    let updated = try context.quietly {
      try refresh(changed.map(\.object))
      let referring = try objectsReferringToDeleted()
      let ends = try otherEnds()
      var seen = Set(changed.map { ObjectIdentifier($0.object) })
      return changed.map(\.object) + (referring + ends).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
    let request = DataStoreSaveChangesRequest(
      editingState: context.editing, inserted: try inserted.map { try snapshot(of: $0) },
      updated: try updated.map { try snapshot(of: $0) }, deleted: try deleted.map { try snapshot(of: $0) })
    // A relationship that could not be loaded would be stored as empty.
    try context.throwProblem()
    let result = try snapshots.call { try $0.save(request) }
    try take(result)
    do {
      try others.run()
    } catch {
      for object in inserted { object.__state.key = 0 }
      throw error
    }
  }

  // MARK: - What is written

  /// Takes over what is stored now, except for unsaved changes.
  /// - Throws: ``SwiftDataError/staleObject`` if an object is no longer stored.
  private func refresh(_ objects: [any PersistentModel]) throws {
    try readStored(objects)
    for object in objects {
      guard let contents = stored[ObjectIdentifier(object)] else {
        throw RowSave.stale(try context.core.table(for: type(of: object).__entity))
      }
      try snapshots.refresh(object, contents, context)
    }
  }

  private func readStored(_ objects: [any PersistentModel]) throws {
    let new = objects.filter { stored[ObjectIdentifier($0)] == nil }
    for group in Dictionary(grouping: new, by: { ObjectIdentifier(type(of: $0).__entity) }).values {
      let model: any PersistentModel.Type = type(of: group[0]).__entity.type
      let found = try read(model, group.map { $0.__state.key })
      for object in group {
        guard let snapshot = found[object.__state.key] else { continue }
        stored[ObjectIdentifier(object)] = try snapshots.contents(of: snapshot)
      }
    }
  }

  private func read<M: PersistentModel>(_ type: M.Type, _ keys: [Int64]) throws -> [Int64: Base.Snapshot] {
    try snapshots.snapshots(withKeys: keys, of: type, context.editing)
  }

  /// Stored objects without own changes whose lists change: the other ends of changed relationships. They are refreshed, and then
  /// their lists are made of the stored lists and the unsaved changes.
  /// - Throws: ``SwiftDataError/staleObject`` if the target of a saved relationship is no longer stored.
  private func otherEnds() throws -> [any PersistentModel] {
    var found = [OtherEnd]()
    func take(
      _ target: any PersistentModel, _ inverse: __Property, of owner: any PersistentModel, _ index: Int, isTarget: Bool
    ) {
      guard target.__state.context === context, target.__state.key != 0, !target.__state.flags.contains(.deleted),
        context.changed[ObjectIdentifier(target)]?.properties.contains(inverse.index) != true
      else { return }
      found.append(OtherEnd(object: target, inverse: inverse, owner: owner, index: index, isTarget: isTarget))
    }
    func visit(_ object: any PersistentModel, _ indices: [Int], _ change: ObjectChange?) {
      let entity = type(of: object).__entity
      for index in indices where !entity.properties[index].isAttribute {
        guard let inverse = RelationshipInfo.of(entity.properties[index], in: entity).inverse else { continue }
        if let targets = object.relationship(at: index).targets {
          let isTarget = !object.__state.flags.contains(.deleted)
          for target in targets { take(target, inverse, of: object, index, isTarget: isTarget) }
        }
        for target in change?.originalTargets(index) ?? [] {
          take(target, inverse, of: object, index, isTarget: false)
        }
      }
    }
    for object in inserted { visit(object, Array(type(of: object).__entity.properties.indices), nil) }
    for change in changed { visit(change.object, change.properties.indices, change) }
    for object in deleted {
      visit(object, Array(type(of: object).__entity.properties.indices), context.changed[ObjectIdentifier(object)])
    }
    try readStored(found.map(\.object))
    // A former target that another process deleted has nothing to store.
    found.removeAll { !$0.isTarget && stored[ObjectIdentifier($0.object)] == nil }
    var seen = Set<ObjectIdentifier>()
    let ends = found.map(\.object).filter { seen.insert(ObjectIdentifier($0)).inserted }
    try refresh(ends)
    for end in found {
      if end.inverse.isToMany {
        end.object.relationship(end.inverse).becomeFault(0)
        end.object.__fire(end.inverse.index)
      } else if end.isTarget, !end.refersToOwner {
        // Another process moved it to another owner, and its list has it.
        end.owner.relationship(at: end.index).remove(end.object)
      }
    }
    return ends
  }

  /// A stored object without an own change of the relationship to a saved one, its owner.
  private struct OtherEnd {
    let object: any PersistentModel
    let inverse: __Property
    let owner: any PersistentModel
    /// The index of the owner's relationship.
    let index: Int
    /// Whether the owner refers to the object now, and is not deleted.
    let isTarget: Bool

    /// Whether a to-one inverse leads to the owner.
    var refersToOwner: Bool {
      switch object.relationship(inverse).content {
      case .fault(let key): key == owner.__state.key
      case .targets(let targets): targets.first === owner
      case nil: true
      }
    }
  }

  /// Objects that refer to a deleted one in a relationship that no delete rule cleared: without an inverse, or with
  /// `.noAction` on the other side.
  private func objectsReferringToDeleted() throws -> [any PersistentModel] {
    guard !deleted.isEmpty else { return [] }
    let gone = Set(deleted.map { $0.__state.key })
    let classes = deleted.map { type(of: $0).__entity }
    var found = [any PersistentModel]()
    for table in context.core.tables.all.sorted(by: { $0.entity.name < $1.entity.name })
    where context.core.store(of: table) === snapshots {
      let entity = table.entity
      let affected = entity.properties.filter { property in
        guard let destination = property.destination?.__entity, classes.contains(where: { $0.isKind(of: destination) })
        else { return false }
        let inverse = RelationshipInfo.of(property, in: entity).inverse
        return inverse == nil || inverse?.relationship?.deleteRule == .noAction
      }
      guard !affected.isEmpty else { continue }
      for snapshot in try snapshots.snapshots(of: entity.type)
      where snapshot.persistentIdentifier.entityName == entity.name {
        let contents = try snapshots.contents(of: snapshot)
        let names = affected.flatMap { contents[$0]?.identifiers ?? [] }
        guard names.contains(where: { gone.contains(snapshots.give($0).key) }) else { continue }
        let object = try snapshots.object(of: contents, context)
        guard !object.__state.flags.contains(.deleted) else { continue }
        try checkRequired(affected, object, contents, gone)
        stored[ObjectIdentifier(object)] = contents
        found.append(object)
        if context.changed[ObjectIdentifier(object)] == nil {
          savedRows.updated.append(.init(root: table.root, entity: entity.name, keys: [object.__state.key]))
        }
      }
    }
    return found
  }

  /// A required to-one cannot be cleared, unless it has a new target already.
  private func checkRequired(
    _ properties: [__Property], _ object: any PersistentModel, _ contents: SnapshotContents, _ gone: Set<Int64>
  ) throws {
    let change = context.changed[ObjectIdentifier(object)]
    for property in properties where property.isToOne && !property.isOptional {
      guard RelationshipInfo.of(property, in: type(of: object).__entity).inverse == nil,
        change?.properties.contains(property.index) != true,
        contents[property]?.identifiers.contains(where: { gone.contains(snapshots.give($0).key) }) == true
      else { continue }
      throw SwiftDataError(
        .deleteDenied, entity: type(of: object).__entity.name, property: property.name,
        message: "the target of a required relationship cannot be deleted; delete the object too, or relate it"
          + " to another one")
    }
  }

  private func snapshot(of object: any PersistentModel) throws -> Base.Snapshot {
    guard Base.Snapshot.self == DefaultSnapshot.self else {
      for property in type(of: object).__entity.properties where !property.isAttribute {
        if object.relationship(property).isFault { object.__fire(property.index) }
      }
      var related = [PersistentIdentifier: any BackingData]()
      return Base.Snapshot(from: object.__backingData, relatedBackingDatas: &related)
    }
    let known = stored[ObjectIdentifier(object)]
    let gone = Set(deleted.map(\.persistentModelID))
    let contents = SnapshotContents(of: object, toMany: { known?[$0]?.identifiers })
      .mapIdentifiers { gone.contains($0) && !object.isDeleted ? nil : $0 }
    // The types were compared above.
    return DefaultSnapshot(contents) as! Base.Snapshot
  }

  // MARK: - What was written

  private func take(_ result: DataStoreSaveChangesResult<Base.Snapshot>) throws {
    var given = Set<Int64>()
    var keys = [(any PersistentModel, Int64)]()
    for object in inserted {
      guard let identifier = result.remappedIdentifiers[object.persistentModelID], !identifier.isTemporary else {
        throw SwiftDataError(
          .io, entity: type(of: object).__entity.name,
          message: "the store \"\(snapshots.name)\" saved a new object without an identifier; its save(_:) must"
            + " return one for each inserted snapshot in remappedIdentifiers")
      }
      // An object of another class could not become the alias of the registered one.
      let entity = type(of: object).__entity.name
      guard identifier.entityName == entity else {
        throw SwiftDataError(
          .io, entity: entity,
          message: "the store \"\(snapshots.name)\" saved a new \(entity) as a \(identifier.entityName); its save(_:)"
            + " must return an identifier of the class \(entity) in remappedIdentifiers")
      }
      let (key, isKnown) = snapshots.give(identifier)
      keys.append((object, key))
      if isKnown || !given.insert(key).inserted { merged[ObjectIdentifier(object)] = key }
      given.insert(key)
    }
    for (object, key) in keys { object.__state.key = key }
    reregistered = result.snapshotsToReregister.sorted { $0.key < $1.key }.map(\.value)
  }

  func didFinish() throws {
    for snapshot in reregistered {
      let contents = try snapshots.contents(of: snapshot)
      let table = try context.core.table(for: contents.entity)
      guard let object = context.registered(root: table.root, key: snapshots.give(contents.identifier).key) else {
        continue
      }
      try snapshots.refresh(object, contents, context)
    }
  }

  // MARK: - Batch deletes

  /// Performs a marked batch delete that is the only change (`prepareSnapshots`).
  /// - Returns: false if the store wants single deletions. The objects are then in `deleted`.
  private func deleteMarked() throws -> Bool {
    for (table, keys) in changes.marked {
      guard let batching = snapshots.base as? any DataStoreBatching else { continue }
      let identifiers = keys.map { snapshots.identifier(ofKey: $0, entity: table.entity.name) }
      do {
        try snapshots.call { _ in try delete(table.entity.type, identifiers, batching) }
      } catch DataStoreError.preferInMemoryFilter {
        try context.loadMarkedRows()
        changes = try UnsavedChanges(context, store: table.store)
        return false
      }
      savedRows.deleted.append(.init(root: table.root, entity: table.entity.name, keys: keys))
    }
    return true
  }

  private func delete<M: PersistentModel>(
    _ type: M.Type, _ identifiers: [PersistentIdentifier], _ store: any DataStoreBatching
  ) throws {
    try store.delete(
      DataStoreBatchDeleteRequest<M>(
        editingState: context.editing, predicate: SnapshotStore<Base>.predicate(identifiers), includeSubclasses: true))
  }
}

extension SnapshotStore {
  package func makeSave(_ changes: UnsavedChanges) -> any StoreSave { SnapshotSave(self, changes) }

  package var nesting: Int { 2 }

  package func delete<M: PersistentModel>(
    model: M.Type, where predicate: Predicate<M>?, includeSubclasses: Bool, in context: ContextState
  ) throws {
    let descriptor = FetchDescriptor<M>(predicate: predicate)
    let table = try context.core.table(for: M.__entity)
    if base is any DataStoreBatching, !context.hasChanges, context.undoManager == nil, table.family.count == 1,
      isUnrelated(M.__entity, context.core)
    {
      let keys = try fetchIdentifiers(descriptor, in: context).map { give($0).key }
      if keys.allSatisfy({ context.registered(root: table.root, key: $0) == nil }) {
        context.markedRows.add(keys, of: table)
        if !keys.isEmpty { context.didChange() }
        return
      }
    }
    for object in try fetch(descriptor, after: nil, in: context)
    where includeSubclasses || type(of: object).__entity === M.__entity {
      context.delete(object)
    }
  }

  /// Whether no relationship leads to or from a class, so that a deletion affects no other model.
  private func isUnrelated(_ entity: __Entity, _ core: ContainerCore) -> Bool {
    entity.properties.allSatisfy(\.isAttribute)
      && core.tables.all.allSatisfy { table in
        table.entity.properties.allSatisfy { property in
          guard let destination = property.destination?.__entity else { return true }
          return !entity.isKind(of: destination) && !destination.isKind(of: entity)
        }
      }
  }
}
