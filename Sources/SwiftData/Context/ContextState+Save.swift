import Foundation

extension ContextState {
  /// Writes all unsaved changes, to all stores or to none.
  ///
  /// If the save fails, the stores and the memory are unchanged, and the changes stay unsaved.
  func save() throws {
    beginUse(.save)
    defer { endUse() }
    drainInbox()
    if let problem = problems.first {
      problems = []
      throw problem
    }
    guard hasChanges else { return }
    post(ModelContext.willSave, nil)
    verifyLists()
    let operations = try core.exclusively {
      try prepareSnapshots()
      try Validation(context: self).run()
      let operations = try core.stores.enumerated().compactMap { index, store in
        let changes = try UnsavedChanges(self, store: index)
        return changes.isEmpty ? nil : try store.makeSave(changes, in: self)
      }
      try operations.sorted { $0.store.nesting < $1.store.nesting }.runNested()
      markedRows = MarkedRows()
      for operation in operations { announce(finish(operation)) }
      hasForgotten = false
      return operations
    }
    // The remaining changes concern no store: objects whose deletion was never stored.
    post(ModelContext.didSave, SaveNotification.userInfo(for: operations))
    undoManager?.endImplicitGroup()
    settleLive()
  }

  func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]?) {
    NotificationCenter.default.post(name: name, object: facade, userInfo: userInfo)
  }

  /// Updates the memory after a commit.
  private func finish(_ operation: any StoreSave) -> SavedChanges {
    var changes = SavedChanges()
    changes.deleted = operation.savedRows.deleted
    changes.updated = operation.savedRows.updated
    if operation.changes.hasRelationships {
      refaultUnrecorded(operation)
      dropForgotten(operation)
    }
    forgetSaved(operation)
    for object in operation.deleted {
      let table = table(of: object)
      changes.deleted.add(object.__state.key, of: table)
      unregister(object)
    }
    for object in operation.inserted {
      let table = table(of: object)
      let key = object.__state.key
      if !operation.merged.isEmpty, operation.merged[ObjectIdentifier(object)] != nil {
        changes.updated.add(key, of: table)
        adopt(object, table, key)
      } else {
        changes.inserted.add(key, of: table)
        register(object, root: table.root, key: key)
      }
    }
    if !operation.merged.isEmpty {
      redirectReferences(
        to: operation.inserted.filter { operation.merged[ObjectIdentifier($0)] != nil }, of: operation)
    }
    for change in operation.changed {
      let table = table(of: change.object)
      changes.updated.add(change.object.__state.key, of: table)
      // Other contexts may have loaded its arrays. They are found by what they contain.
      for property in table.toMany where change.properties.contains(property.index) {
        changes.entities.insert(property.destination!.__entity.name)
      }
    }
    changes.entities.formUnion((changes.inserted + changes.updated + changes.deleted).map(\.entity))
    dropReferences(to: operation.deleted)
    do { try operation.didFinish() } catch { note(error) }
    return changes
  }

  /// Removes saved changes all at once, because removing one costs as much as removing all.
  private func forgetSaved(_ operation: any StoreSave) {
    for object in operation.deleted { object.__state.flags = [] }
    for object in operation.inserted { object.__state.flags = [] }
    for change in operation.changed { change.object.__state.flags = [] }
    if !operation.deleted.isEmpty { deleted.removeAll { !$0.__state.flags.contains(.deleted) } }
    if !operation.inserted.isEmpty { inserted.removeAll { !$0.__state.flags.contains(.inserted) } }
    if !operation.changed.isEmpty || !operation.deleted.isEmpty {
      changed.removeAll { !$0.object.__state.flags.contains(.changed) }
    }
    unsavedIndices.removeAll()
    forgetTemporaryIdentities()
  }

  /// An array that was loaded after its targets changed has these at its end. The stored order may differ.
  private func refaultUnrecorded(_ operation: any StoreSave) {
    var seen = Set<ObjectIdentifier>()
    for (object, change) in operation.inserted.map({ ($0, nil) }) + operation.changed.map({ ($0.object, Optional($0)) })
    {
      let entity = type(of: object).__entity
      for property in entity.properties
      where !property.isAttribute && change?.properties.contains(property.index) != false {
        guard let inverse = RelationshipInfo.of(property, in: entity).inverse, inverse.isToMany else { continue }
        for target in Self.newTargets(of: object, property, change) where !target.__state.flags.contains(.inserted) {
          guard changed[ObjectIdentifier(target)]?.properties.contains(inverse.index) != true else { continue }
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
      guard case .change(let change) = object.__relationship(property.index, .compare(original)) else { return [] }
      return change.added
    }
    guard case .targets(let targets, _) = object.__relationship(property.index, .read) else { return [] }
    return targets
  }

  /// Removes new objects that were deleted before the save from relationships that still contain them.
  private func dropForgotten(_ operation: any StoreSave) {
    guard hasForgotten else { return }
    func isForgotten(_ target: any PersistentModel) -> Bool {
      target.__state.context == nil && target.__state.key == 0
    }
    for (object, change) in operation.inserted.map({ ($0, nil) }) + operation.changed.map({ ($0.object, Optional($0)) })
    {
      for property in type(of: object).__entity.properties
      where !property.isAttribute && change?.properties.contains(property.index) != false {
        guard Self.newTargets(of: object, property, change).contains(where: isForgotten),
          case .targets(let targets, let positioned) = object.__relationship(property.index, .read),
          property.isOptional || property.isToMany
        else { continue }
        _ = object.__relationship(property.index, .load(targets.filter { !isForgotten($0) }, positioned: positioned))
        notify(object, property.index)
      }
    }
  }

  private func refault(_ object: any PersistentModel, _ property: __Property) {
    if case .fault = object.__relationship(property.index, .check) { return }
    _ = object.__relationship(property.index, .fault(0))
    notify(object, property.index)
  }

  /// Clears relationships to deleted targets that no delete rule cleared: those without an inverse, which the store
  /// cleared, and those with `.noAction`, which read as nil from now on.
  /// - Parameter oneSided: false if another context deleted the targets, so that no delete rule ran here.
  func dropReferences(to gone: [any PersistentModel], oneSided: Bool = true) {
    forEachReference(to: gone) { property, inverse in
      (property.isToMany || property.isOptional)
        && (!oneSided || inverse == nil || inverse?.relationship?.deleteRule == .noAction)
    } _: { object, property, targets, positioned, isGone in
      _ = object.__relationship(property.index, .load(targets.filter { !isGone($0) }, positioned: positioned))
    }
  }

  /// Redirects relationships without an inverse from a new object to the row that it updated. Only new or changed
  /// objects can refer to it.
  private func redirectReferences(to merged: [any PersistentModel], of operation: any StoreSave) {
    let ids = Set(merged.map { ObjectIdentifier($0) })
    for (object, properties) in operation.inserted.map({ ($0, nil) })
      + operation.changed.map({ ($0.object, Optional($0.properties)) })
    {
      let entity = type(of: object).__entity
      for property in entity.properties where !property.isAttribute && properties?.contains(property.index) != false {
        guard RelationshipInfo.of(property, in: entity).inverse == nil,
          case .targets(let targets, _) = object.__relationship(property.index, .read),
          let target = targets.first(where: { ids.contains(ObjectIdentifier($0)) })
        else { continue }
        _ = object.__relationship(property.index, .fault(property.isToMany ? 0 : target.__state.key))
        notify(object, property.index)
      }
    }
  }

  /// Calls `change` for each loaded relationship that leads to one of `sought`, and notifies observers.
  /// - Parameter isAffected: whether a relationship with that inverse counts.
  private func forEachReference(
    to sought: [any PersistentModel], where isAffected: (__Property, _ inverse: __Property?) -> Bool,
    _ change: (
      _ object: any PersistentModel, __Property, _ targets: [any PersistentModel], _ positioned: Bool,
      _ isSought: (any PersistentModel) -> Bool
    ) -> Void
  ) {
    guard !sought.isEmpty else { return }
    let ids = Set(sought.map { ObjectIdentifier($0) })
    let entities = Set(sought.map { type(of: $0).__entity.root.name })
    func isSought(_ object: any PersistentModel) -> Bool { ids.contains(ObjectIdentifier(object)) }
    // A long list is not built for a target that it does not contain.
    func mayName(_ object: any PersistentModel, _ property: __Property) -> Bool {
      sought.count > 4
        || sought.contains { target in
          guard case .targets(let found, _) = object.__relationship(property.index, .contains(target)) else {
            return false
          }
          return !found.isEmpty
        }
    }
    for table in core.allTables {
      let affected = table.entity.properties.filter { property in
        guard let destination = property.destination?.__entity, entities.contains(destination.root.name) else {
          return false
        }
        return isAffected(property, RelationshipInfo.of(property, in: table.entity).inverse)
      }
      guard !affected.isEmpty else { continue }
      for object in identityMaps[table.root].objects where type(of: object).__entity === table.entity {
        work.note(\.registered)
        for property in affected {
          guard mayName(object, property),
            case .targets(let targets, let positioned) = object.__relationship(property.index, .read),
            targets.contains(where: isSought)
          else { continue }
          change(object, property, targets, positioned, isSought)
          notify(object, property.index)
        }
      }
    }
  }

  private func table(of object: any PersistentModel) -> EntityTable {
    // A context contains only objects of known entities.
    guard let table = try? core.table(for: type(of: object).__entity) else {
      preconditionFailure("an object of an unknown entity was saved")
    }
    return table
  }

  /// Completes an upsert. If the row has a registered object, that object takes the new values, and the new object
  /// shares its identity.
  private func adopt(_ object: any PersistentModel, _ table: EntityTable, _ key: Int64) {
    guard let existing = registered(root: table.root, key: key), existing !== object else {
      register(object, root: table.root, key: key)
      // The row may have more than the new object: targets of empty to-ones, and array elements.
      do { try reload([object]) } catch { note(error) }
      for property in table.toMany { _ = object.__relationship(property.index, .fault(0)) }
      return
    }
    for property in table.entity.properties where !property.isAttribute {
      guard case .targets(let targets, _) = object.__relationship(property.index, .read) else { continue }
      if let inverse = RelationshipInfo.of(property, in: table.entity).inverse {
        for target in targets { _ = target.__relationship(inverse.index, .fault(inverse.isToMany ? 0 : key)) }
      }
    }
    // Former related objects may have lost the row.
    for property in table.entity.properties where !property.isAttribute {
      guard let inverse = RelationshipInfo.of(property, in: table.entity).inverse,
        case .targets(let targets, _) = existing.__relationship(property.index, .read)
      else { continue }
      for target in targets { refault(target, inverse) }
    }
    object.__state.context = self
    changed[ObjectIdentifier(existing)] = nil
    existing.__state.flags.remove(.changed)
    do { try reload([existing]) } catch { note(error) }
    for property in table.entity.properties where !property.isAttribute {
      _ = property.isToMany ? existing.__relationship(property.index, .fault(0)) : .none
      _ = property.isToMany ? object.__relationship(property.index, .fault(0)) : .none
    }
  }

  // MARK: - Rollback

  /// Discards all unsaved changes: new objects leave the context, changed ones get their old values back, deleted ones
  /// are restored.
  func rollback() {
    beginUse(.rollback)
    defer { endUse() }
    let restored = changed
    let gone = inserted
    let revived = deleted
    for object in restored.values.map(\.object) + Array(gone.values) + revived.values { noteLive(object) }
    if !markedRows.isEmpty { liveQueries.forEach { $0.noteEverything() } }
    changed.removeAll()
    inserted.removeAll()
    deleted.removeAll()
    unsavedIndices.removeAll()
    forgetTemporaryIdentities()
    hasForgotten = false
    markedRows = MarkedRows()
    problems = []
    for object in revived.values { object.__state.flags = [] }
    for change in restored.values {
      change.object.__state.flags = []
      change.giveBack()
    }
    let stale = restored.values.filter { $0.isStale && $0.object.__state.context === self }.map(\.object)
    do { try reload(stale) } catch { note(error) }
    for object in gone.values {
      object.__state.flags = []
      unregister(object)
    }
    // Arrays that were loaded with unsaved changes contain these, and no record says so.
    refault(pointingTo: nil)
    undoManager?.removeAllActions()
  }
}

/// The user info of a save's notification.
enum SaveNotification {
  static func userInfo(for operations: [any StoreSave]) -> [AnyHashable: Any] {
    var inserted = [PersistentIdentifier]()
    var updated = [PersistentIdentifier]()
    var deleted = [PersistentIdentifier]()
    for operation in operations {
      func identifier(_ object: any PersistentModel) -> PersistentIdentifier {
        operation.store.identifier(ofKey: object.__state.key, entity: type(of: object).__entity.name)
      }
      for object in operation.inserted {
        if !operation.merged.isEmpty, operation.merged[ObjectIdentifier(object)] != nil {
          updated.append(identifier(object))
        } else {
          inserted.append(identifier(object))
        }
      }
      updated += operation.changed.map { identifier($0.object) }
      if !operation.merged.isEmpty {
        // Several new objects, and a changed one, may be one row.
        var seen = Set<PersistentIdentifier>()
        updated.removeAll { !seen.insert($0).inserted }
      }
      deleted += operation.deleted.map(identifier)
      updated += operation.savedRows.updated.flatMap { $0.identifiers(in: operation.store) }
      deleted += operation.savedRows.deleted.flatMap { $0.identifiers(in: operation.store) }
    }
    return [
      ModelContext.NotificationKey.insertedIdentifiers.rawValue: inserted,
      ModelContext.NotificationKey.updatedIdentifiers.rawValue: updated,
      ModelContext.NotificationKey.deletedIdentifiers.rawValue: deleted,
    ]
  }
}
