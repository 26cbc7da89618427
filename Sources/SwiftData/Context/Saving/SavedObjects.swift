/// Updates the memory after the commit of a save.
struct SavedObjects {
  private let operation: any StoreSave
  private let context: ContextState
  /// The objects of upserted rows, which may have more than the new objects.
  private var adopted: [(object: any PersistentModel, table: EntityTable)] = []
  /// The last table, because consecutive objects are often of one class.
  private var lastTable: EntityTable?

  init(_ operation: any StoreSave, context: ContextState) { (self.operation, self.context) = (operation, context) }

  /// Registers what was inserted, lets go of what was deleted, and turns relationships that may differ from their rows into
  /// faults.
  mutating func settle() -> SavedChanges {
    var changes = SavedChanges()
    changes.deleted = operation.savedRows.deleted
    changes.updated = operation.savedRows.updated
    if operation.changes.hasRelationships {
      // Before lists that name what is dropped become faults.
      dropRegained()
      refaultUnrecorded()
      dropForgotten()
    }
    var last: EntityTable?
    for object in operation.deleted {
      let table = if let last, last.entity.describes(object) { last } else { table(of: object) }
      last = table
      changes.deleted.add(object.__state.key, of: table)
      object.__state.flags = []
      context.unregister(object)
    }
    forgetSaved()
    for object in operation.inserted {
      let table = table(of: object)
      let key = object.__state.key
      if !operation.merged.isEmpty, operation.merged[ObjectIdentifier(object)] != nil {
        changes.updated.add(key, of: table)
        adopt(object, table, key)
        context.undoneInsertions.end(
          object, in: ReplacedRow(table: table, key: key, cells: operation.replaced[ObjectIdentifier(object)] ?? []))
      } else {
        context.undoneInsertions.end(object)
        changes.inserted.add(key, of: table)
        context.register(object, root: table.root, key: key)
      }
    }
    if !operation.merged.isEmpty {
      reloadAdopted()
      redirectReferences(to: operation.inserted.filter { operation.merged[ObjectIdentifier($0)] != nil })
    }
    // In place, because a copy of a change would count its references.
    let changed = operation.changed
    for index in changed.indices {
      let object = changed[index].object
      let table = table(of: object)
      changes.updated.add(object.__state.key, of: table)
      // Other contexts may have loaded its arrays. They are found by what they contain.
      for property in table.toMany where changed[index].properties.contains(property.index) {
        changes.entities.insert(property.destination!.__entity.name)
      }
    }
    for groups in [changes.inserted, changes.updated, changes.deleted] {
      for group in groups { changes.entities.insert(group.entity) }
    }
    let rows = operation.savedRows
    // The store cleared to-ones that the delete rules did not find in memory.
    LoadedReferences(context: context).drop(to: operation.deleted, oneSided: rows.updated.isEmpty)
    if !rows.found.isEmpty { context.letGo(of: rows.found) }
    if !operation.merged.isEmpty { reloadFormerPartners() }
    do { try operation.didFinish() } catch { context.note(error) }
    return changes
  }

  /// Removes saved changes all at once, because removing one costs as much as removing all.
  private func forgetSaved() {
    for object in operation.inserted { object.__state.flags = [] }
    let changed = operation.changed
    for index in changed.indices { changed[index].object.__state.flags = [] }
    let removals = operation.changes.removals
    if !operation.deleted.isEmpty {
      context.deleted.removeSaved(operation.deleted.count, since: removals.deleted) {
        !$0.__state.flags.contains(.deleted)
      }
    }
    if !operation.inserted.isEmpty {
      context.inserted.removeSaved(operation.inserted.count, since: removals.inserted) {
        !$0.__state.flags.contains(.inserted)
      }
    }
    if !operation.changed.isEmpty || !operation.deleted.isEmpty {
      context.changed.removeSaved(operation.changed.count, since: removals.changed) {
        !$0.object.__state.flags.contains(.changed)
      }
    }
    context.unsavedIndices.removeAll()
    context.forgetTemporaryIdentities()
  }

  /// An array that was loaded after its targets changed has these at its end. The stored order may differ.
  private func refaultUnrecorded() {
    var seen = Set<ObjectIdentifier>()
    for (object, change) in operation.inserted.map({ ($0, nil) }) + operation.changed.map({ ($0.object, Optional($0)) })
    {
      let entity = type(of: object).__entity
      for property in entity.properties
      where !property.isAttribute && change?.properties.contains(property.index) != false {
        guard let inverse = RelationshipInfo.of(property, in: entity).inverse, inverse.isToMany else { continue }
        for target in Self.newTargets(of: object, property, change) where !target.__state.flags.contains(.inserted) {
          guard context.changed[ObjectIdentifier(target)]?.properties.contains(inverse.index) != true else { continue }
          let isNew = property.isToMany || seen.insert(ObjectIdentifier(target)).inserted
          if isNew { refault(target, inverse) }
        }
      }
    }
  }

  /// The targets that an object gained in this save.
  private static func newTargets(
    of object: any PersistentModel, _ property: __Property, _ change: ObjectChange?
  ) -> [any PersistentModel] {
    if property.isToMany, let original = change?.original(property.index) {
      guard let change = object.relationship(property).change(since: original) else { return [] }
      return change.added
    }
    guard let targets = object.relationship(property).targets else { return [] }
    return targets
  }

  /// Removes new objects that were deleted before the save from relationships that still contain them.
  private func dropForgotten() {
    guard context.hasForgotten else { return }
    func isForgotten(_ target: any PersistentModel) -> Bool {
      target.__state.context == nil && target.__state.key == 0
    }
    for (object, change) in operation.inserted.map({ ($0, nil) }) + operation.changed.map({ ($0.object, Optional($0)) })
    {
      for property in type(of: object).__entity.properties
      where !property.isAttribute && change?.properties.contains(property.index) != false {
        guard Self.newTargets(of: object, property, change).contains(where: isForgotten),
          let (targets, positioned) = object.relationship(property).list,
          property.isOptional || property.isToMany
        else { continue }
        object.relationship(property).load(targets.filter { !isForgotten($0) }, positioned: positioned)
        context.notify(object, property.index)
      }
    }
  }

  /// Removes the objects that this save deletes from relationships that gained them while their deletion was pending. No
  /// delete rule cleared these.
  private func dropRegained() {
    for object in operation.deleted where object.__state.flags.contains(.regained) {
      for (target, inverse) in RelationshipMaintenance.loadedReferences(to: object)
      where inverse.isToMany || inverse.isOptional {
        target.relationship(inverse).remove(object)
        context.notify(target, inverse.index)
      }
    }
  }

  private func refault(_ object: any PersistentModel, _ property: __Property) {
    if object.relationship(property).isFault { return }
    object.relationship(property).becomeFault(0)
    context.notify(object, property.index)
  }

  /// Redirects relationships without an inverse from a new object to the row that it updated. Only new or changed
  /// objects can refer to it.
  private func redirectReferences(to merged: [any PersistentModel]) {
    let ids = Set(merged.map { ObjectIdentifier($0) })
    for (object, properties) in operation.inserted.map({ ($0, nil) })
      + operation.changed.map({ ($0.object, Optional($0.properties)) })
    {
      let entity = type(of: object).__entity
      for property in entity.properties where !property.isAttribute && properties?.contains(property.index) != false {
        guard RelationshipInfo.of(property, in: entity).inverse == nil,
          let targets = object.relationship(property).targets,
          let target = targets.first(where: { ids.contains(ObjectIdentifier($0)) })
        else { continue }
        object.relationship(property).becomeFault(property.isToMany ? 0 : target.__state.key)
        context.notify(object, property.index)
      }
    }
  }

  /// Rows that an upsert took from their one-to-one partner are registered without that change.
  private func reloadFormerPartners() {
    for group in operation.savedRows.updated {
      let objects = group.keys.compactMap { context.registered(root: group.root, key: $0) }
      do { try context.queries.reload(objects) } catch { context.note(error) }
    }
  }

  private mutating func table(of object: any PersistentModel) -> EntityTable {
    if let lastTable, lastTable.entity.describes(object) { return lastTable }
    // A context contains only objects of known entities.
    guard let table = try? context.core.table(for: type(of: object).__entity) else {
      preconditionFailure("an object of an unknown entity was saved")
    }
    lastTable = table
    return table
  }

  /// Completes an upsert. If the row has a registered object, that object takes the new values, and the new object becomes
  /// an alias of it.
  private mutating func adopt(_ object: any PersistentModel, _ table: EntityTable, _ key: Int64) {
    guard let existing = context.registered(root: table.root, key: key), existing !== object else {
      context.register(object, root: table.root, key: key)
      adopted.append((object, table))
      return
    }
    for property in table.entity.properties where !property.isAttribute {
      guard let targets = object.relationship(property).targets else { continue }
      if let inverse = RelationshipInfo.of(property, in: table.entity).inverse {
        for target in targets { target.relationship(inverse).becomeFault(inverse.isToMany ? 0 : key) }
      }
    }
    // Former related objects may have lost the row.
    for property in table.entity.properties where !property.isAttribute {
      guard let inverse = RelationshipInfo.of(property, in: table.entity).inverse,
        let targets = existing.relationship(property).targets
      else { continue }
      for target in targets { refault(target, inverse) }
    }
    context.changed[ObjectIdentifier(existing)] = nil
    existing.__state.flags.remove(.changed)
    adopted.append((existing, table))
    // The row does not have these values, so they are not reloaded.
    for property in table.entity.properties where property.isAttribute && !property.isStored {
      existing.__setValue(object.__value(at: property.index), at: property.index)
      context.notify(existing, property.index)
    }
    context.makeAlias(object, of: existing, key: key)
  }

  /// Gives the objects of upserted rows what the rows have more than the new objects: targets of empty to-ones, and array
  /// elements. One statement for each class.
  private func reloadAdopted() {
    var seen = Set<ObjectIdentifier>()
    let objects = adopted.map(\.object).filter { seen.insert(ObjectIdentifier($0)).inserted }
    do { try context.queries.reload(objects) } catch { context.note(error) }
    for (object, table) in adopted {
      for property in table.toMany { object.relationship(property).becomeFault(0) }
    }
  }
}
