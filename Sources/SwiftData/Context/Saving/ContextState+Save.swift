import Foundation

extension ContextState {
  /// Writes all unsaved changes, to all stores or to none.
  ///
  /// If the save fails, the stores and the memory are unchanged, and the changes stay unsaved.
  /// - Returns: the saves of the stores with changes.
  @discardableResult
  func save() throws -> [any StoreSave] {
    beginUse(.save)
    defer { endUse() }
    drainInbox()
    try throwProblem()
    if !unloaded.isEmpty {
      try checkUnloaded()
      deleteUnloaded()
      try throwProblem()
    }
    guard hasChanges else { return [] }
    core.metrics?.note(self)
    guard let spans = core.spans else { return try saveChanges() }
    return try traced(spans, saveChanges)
  }

  private func saveChanges() throws -> [any StoreSave] {
    post(ModelContext.willSave, nil)
    verifyLists()
    // An observer may fetch and save, and must find neither half of this save.
    let operations = try quietly { try savingWithoutDeletedRows(writeChanges) }
    // The remaining changes concern no store: objects whose deletion was never stored.
    postSave(of: operations)
    undoManager?.endImplicitGroup()
    settleLive()
    return operations
  }

  private func writeChanges() throws -> [any StoreSave] {
    try core.exclusively {
      try prepareSnapshots()
      try throwDeletedRow()
      try Validation(context: self).run()
      // The validation loads relationships, and what it could not load denies nothing.
      try throwProblem()
      let operations = try core.stores.enumerated().compactMap { index, store in
        let changes = try UnsavedChanges(self, store: index)
        return changes.isEmpty ? nil : try store.makeSave(changes)
      }
      try operations.sorted { $0.store.nesting < $1.store.nesting }.runNested()
      markedRows = MarkedRows()
      for operation in operations {
        var saved = SavedObjects(operation, context: self)
        announce(saved.settle(), in: operation.store)
      }
      hasForgotten = false
      incompleteLists = [:]
      return operations
    }
  }

  /// Posts the notification of a save when all stores have committed it.
  private func postSave(of operations: [any StoreSave]) {
    let open = operations.filter { $0.store.isInTransaction }
    guard !open.isEmpty else { return post(ModelContext.didSave, SaveNotification.userInfo(for: operations)) }
    // The program may release the context before the commit.
    let body = { [self, facade] in
      withExtendedLifetime(facade) { post(ModelContext.didSave, SaveNotification.userInfo(for: operations)) }
    }
    open.reduce(body) { next, operation in { operation.store.afterCommit(next) } }()
  }

  func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]?) {
    suspendingUse(.save) { NotificationCenter.default.post(name: name, object: facade, userInfo: userInfo) }
  }

  // MARK: - Rollback

  /// Discards all unsaved changes: new objects leave the context, changed ones get their old values back, deleted ones
  /// are restored.
  func rollback() {
    beginUse(.rollback)
    defer { endUse() }
    quietly(discardChanges)
    undoManager?.removeAllActions()
  }

  private func discardChanges() {
    let restored = changed
    let gone = inserted
    let revived = deleted
    let lost = restored.values.filter(\.isRowDeleted).map(\.object)
    mayHaveDeletedRows = false
    for object in restored.values.map(\.object) + Array(gone.values) + revived.values { noteLive(object) }
    if !markedRows.isEmpty { liveQueries.forEach { $0.noteEverything() } }
    changed.removeAll()
    inserted.removeAll()
    undoneInsertions.removeAll()
    deleted.removeAll()
    unsavedIndices.removeAll()
    forgetTemporaryIdentities()
    hasForgotten = false
    incompleteLists = [:]
    markedRows = MarkedRows()
    problems = []
    let unknown = unloaded.takeAll()
    unloaded = UnloadedRelationships()
    for object in revived.values { object.__state.flags = [] }
    for change in restored.values {
      change.object.__state.flags = []
      change.giveBack(notifying: notify)
    }
    let stale = restored.values.filter { $0.isStale && $0.object.__state.context === self }.map(\.object)
    for unloaded in unknown where unloaded.object.__state.context === self {
      unloaded.object.relationship(unloaded.property).becomeFault(unloaded.key)
    }
    do { try queries.reload(stale) } catch { note(error) }
    letGo(ofEdited: lost)
    for object in gone.values {
      object.__state.flags = []
      unregister(object)
    }
    // Arrays that were loaded with unsaved changes contain these, and no record says so.
    refault(pointingTo: nil)
  }
}

/// The user info of a save's notification.
enum SaveNotification {
  private typealias Key = ModelContext.NotificationKey

  /// The user info of a save that wrote nothing. A copy of it is filled at the keys' places, because to convert and hash the
  /// keys takes longer than to make the identifiers of a row.
  // nonisolated(unsafe) because it is only read, and has nothing but empty lists.
  nonisolated(unsafe) private static let template: [AnyHashable: Any] = Dictionary(
    uniqueKeysWithValues: [Key.insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers].flatMap {
      // Programs ask for the key itself, as Apple's documentation does, or for its raw value.
      [(AnyHashable($0), [PersistentIdentifier]() as Any), (AnyHashable($0.rawValue), [PersistentIdentifier]() as Any)]
    })

  /// The places in any copy of the template.
  // nonisolated(unsafe) because it is only read.
  nonisolated(unsafe) private static let places = (
    inserted: places(of: .insertedIdentifiers), updated: places(of: .updatedIdentifiers),
    deleted: places(of: .deletedIdentifiers)
  )

  private typealias Places = (key: Dictionary<AnyHashable, Any>.Index, rawValue: Dictionary<AnyHashable, Any>.Index)

  private static func places(of key: Key) -> Places {
    (template.index(forKey: key)!, template.index(forKey: key.rawValue)!)
  }

  static func userInfo(for operations: [any StoreSave]) -> [AnyHashable: Any] {
    var inserted = [PersistentIdentifier]()
    var updated = [PersistentIdentifier]()
    var deleted = [PersistentIdentifier]()
    for operation in operations {
      let store = operation.store
      var last: __Entity?
      func identifier(_ object: any PersistentModel) -> PersistentIdentifier {
        if last?.describes(object) != true { last = type(of: object).__entity }
        return store.identifier(ofKey: object.__state.key, entity: last!.name)
      }
      inserted.reserveCapacity(inserted.count + operation.inserted.count)
      for object in operation.inserted {
        if !operation.merged.isEmpty, operation.merged[ObjectIdentifier(object)] != nil {
          updated.append(identifier(object))
        } else {
          inserted.append(identifier(object))
        }
      }
      updated.reserveCapacity(updated.count + operation.changed.count)
      let changed = operation.changed
      for index in changed.indices { updated.append(identifier(changed[index].object)) }
      if !operation.merged.isEmpty {
        // Several new objects, and a changed one, may be one row.
        var seen = Set<PersistentIdentifier>()
        updated.removeAll { !seen.insert($0).inserted }
      }
      // In place: a list that is made first would be copied, and needs as much memory again.
      deleted.reserveCapacity(deleted.count + operation.deleted.count)
      for object in operation.deleted { deleted.append(identifier(object)) }
      updated += operation.savedRows.updated.flatMap { $0.identifiers(in: operation.store) }
      deleted += operation.savedRows.deleted.flatMap { $0.identifiers(in: operation.store) }
    }
    return userInfo(inserted: inserted, updated: updated, deleted: deleted)
  }

  static func userInfo(
    inserted: [PersistentIdentifier] = [], updated: [PersistentIdentifier] = [], deleted: [PersistentIdentifier] = []
  ) -> [AnyHashable: Any] {
    var info = template
    func put(_ identifiers: [PersistentIdentifier], _ places: Places) {
      guard !identifiers.isEmpty else { return }
      info.values[places.key] = identifiers
      info.values[places.rawValue] = identifiers
    }
    put(inserted, places.inserted)
    put(updated, places.updated)
    put(deleted, places.deleted)
    return info
  }
}

extension ContextState {
  /// Prepares a save to a store with snapshots while it is locked: merges other saves, and turns marked deletions into
  /// ordinary ones unless they are the only change.
  func prepareSnapshots() throws {
    guard core.stores.contains(where: { $0 is any ObjectStore }) else { return }
    drainInbox()
    try throwProblem()
    let custom = markedRows.groups.filter { core.stores[$0.table.store] is any ObjectStore }
    guard !custom.isEmpty else { return }
    if custom.count > 1 || custom.contains(where: { queries.hasUnsaved(in: $0.table.store) }) { try loadMarkedRows() }
  }
}
