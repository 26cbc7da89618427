extension SnapshotSave {
  /// Saves to a store that keeps rows: what changed, and nothing is read first.
  func run(on store: any RelationalStore, _ others: () throws -> Void) throws {
    let referring = try context.quietly { try objectsReferringToDeleted() }
    var changes = RelationalChanges(editingState: context.editing)
    // A relational store deals in default snapshots.
    func make(_ object: any PersistentModel) throws -> DefaultSnapshot { try snapshot(of: object) as! DefaultSnapshot }
    changes.inserted = try inserted.map(make)
    changes.deleted = try deleted.map(make)
    var seen = Set<ObjectIdentifier>()
    for change in changed {
      seen.insert(ObjectIdentifier(change.object))
      changes.updated.append(
        .init(try make(change.object), properties: change.properties, originals: originals(of: change)))
    }
    for object in referring + otherEnds() where seen.insert(ObjectIdentifier(object)).inserted {
      let properties = clearedKeys(of: object)
      if !properties.isEmpty {
        changes.updated.append(.init(try make(object), properties: properties, originals: [:]))
      }
    }
    changes.deletedRows = try marked.map(deletedRows)
    let result = try snapshots.call { _ in try store.save(changes) }
    // As above.
    try take(result as! DataStoreSaveChangesResult<Base.Snapshot>)
    try noteDeletedRows(changes)
    do {
      try others()
    } catch {
      for object in inserted { object.__state.key = 0 }
      throw error
    }
  }

  /// What the store has to do for rows that a batch delete marked.
  private func deletedRows(_ table: EntityTable, _ marked: [Int64]) throws -> RelationalChanges.DeletedRows {
    let name = table.entity.name
    let keys = marked.compactMap { snapshots.identifier(ofKey: $0, entity: name).key }.sorted()
    let rules = try DeletionRules(table, context.core)
    return .init(
      entity: name, keys: keys,
      denials: rules.denials.map { ($0.property.name, $0.owners(keys).onServer) },
      cleared: rules.cleared.map { ($0.property.name, $0.destination.name, $0.targets(keys).onServer) })
  }

  private func noteDeletedRows(_ changes: RelationalChanges) throws {
    guard !marked.isEmpty else { return }
    for (table, keys) in marked {
      savedRows.deleted.append(.init(root: table.root, entity: table.entity.name, keys: keys.sorted()))
    }
    for (property, entity, keys) in changes.outcome.cleared {
      let keys = keys.map { key in
        snapshots.give(
          PersistentIdentifier(entityName: entity, storeIdentifier: snapshots.identifier, key: key)
        ).key
      }
      savedRows.clear(property, of: entity, keys)
    }
    let own = try changed.map { change in
      SavedRows.Changed(
        root: try context.core.table(for: type(of: change.object).__entity).root, key: change.object.__state.key)
    }
    savedRows.finish(context.core, changed: Set(own))
  }

  /// The to-ones of an object without changes of its own that name a deleted object, or nothing any more. The store
  /// itself forgets the pairs of a row that goes.
  private func clearedKeys(of object: any PersistentModel) -> PropertySet {
    let gone = Set(deleted.map { $0.__state.key })
    let cleared = type(of: object).__entity.properties.filter { property in
      guard property.isToOne else { return false }
      switch object.__relationship(property.index, .read) {
      case .fault(let key): return gone.contains(key)
      case .targets(let targets, _): return targets.allSatisfy { $0.isDeleted || gone.contains($0.__state.key) }
      case .none, .change, .order: return false
      }
    }
    return PropertySet(cleared.map(\.index))
  }

  private func originals(of change: ContextState.ObjectChange) -> [Int: [PersistentIdentifier]] {
    let entity = type(of: change.object).__entity
    var result = [Int: [PersistentIdentifier]]()
    for original in change.originals where entity.properties[original.index].isToMany {
      result[original.index] = Self.models(in: original.value).map(\.persistentModelID)
    }
    return result
  }
}
