public import Foundation

extension ModelContext {
  /// Changes properties of all matching objects in the store, without loading them.
  ///
  ///     try context.update(
  ///       model: Message.self, where: #Predicate { $0.sent < date },
  ///       set: .assign(\.isRead, true), .assign(\.rank, #Expression<Message, Int> { $0.rank + 1 }))
  ///
  /// The update commits at once, completely or not at all, and posts the notifications of a save. Registered objects in
  /// all contexts are refreshed. Objects of this context with unsaved changes are updated in memory and saved with the
  /// rest. If an unsaved change of another class affects which objects match or what they get, all of them are updated
  /// in memory. The update cannot be undone. Property observers (`didSet`) run only for objects that are updated in
  /// memory. (Not Apple's.)
  /// - Parameters:
  ///   - model: the class; objects of its subclasses are updated too.
  ///   - predicate: nil matches all.
  ///   - assignments: each is computed from the object before the update. The last assignment to a property wins.
  /// - Returns: the number of changed objects.
  /// - Throws: ``SwiftDataError``, and then nothing changed: as ``fetch(_:)``; ``SwiftDataError/unsupportedKeyPath``
  ///   for an unsupported assignment; ``SwiftDataError/unreadableValue`` if an expression has no value for an object;
  ///   ``SwiftDataError/uniquenessViolation``; and as ``save()``.
  /// - Complexity: one statement, one more if an expression can fail, and one more if this context has some of the
  ///   objects.
  @discardableResult
  public func update<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, set assignments: ModelContext.Assignment<T>...
  ) throws -> Int {
    try state.used(.change) { try state.queries.update(model: model, where: predicate, set: assignments) }
  }
}

extension QueryExecutor {
  func update<M: PersistentModel>(
    model: M.Type, where predicate: Predicate<M>?, set assignments: [ModelContext.Assignment<M>]
  ) throws -> Int {
    context.drainInbox()
    guard case .sql(let store) = context.core.kind(of: try context.core.table(for: M.__entity)) else {
      return try updateObjects(where: predicate, set: assignments)
    }
    try store.noticeExternalCommits()
    return try deferring {
      while true {
        // Each time, a further column is known to have such text, so this ends.
        do { return try updateRows(where: predicate, set: assignments, store) } catch is BatchUpdate.TextMovedOn {}
      }
    } otherwise: {
      try updateObjects(where: predicate, set: assignments)
    }
  }

  private func updateRows<M: PersistentModel>(
    where predicate: Predicate<M>?, set assignments: [ModelContext.Assignment<M>], _ store: any SQLStore
  ) throws -> Int {
    let descriptor = FetchDescriptor<M>(predicate: predicate)
    let known = store.textChanges
    var columns = [AssignedColumn]()
    var query = try lower(descriptor) { state in
      columns = try assignments.map { try $0.plan(&state) }
      return columns.flatMap { [$0.value] + ($0.failure.map { [$0] } ?? []) }
    }
    guard !columns.isEmpty else { return 0 }
    var objects = [M]()
    if pendingChangesMatter(to: query) {
      if dependsOnOthers(query, includingValues: true) {
        objects = try fetchWithPendingChanges(descriptor, query)
        for assign in try prepare(assignments, for: objects) { assign() }
        return objects.count
      }
      let condition = predicate.map { MemoisedCondition($0) }
      objects = try context.loading {
        unsaved(M.self).filter { !$0.__state.flags.contains(.deleted) && condition?.takes($0) ?? true }
      }
      query.exclude(unsavedKeys(in: query.table))
    }
    let assigns = try prepare(assignments, for: objects)
    context.post(ModelContext.willSave, nil)
    let changed = try context.core.exclusively {
      try store.update(BatchUpdate(query: query, columns: columns, editing: context.editing, textChanges: known))
    }
    didUpdate(query.table, changed)
    for assign in assigns { assign() }
    return changed.values.reduce(0) { $0 + $1.count } + objects.count
  }

  /// Informs contexts about the rows that a batch update changed: keys by class.
  private func didUpdate(_ table: EntityTable, _ changed: [String: [Int64]]) {
    var changes = SavedChanges()
    for (entity, keys) in changed.sorted(by: { $0.key < $1.key }) {
      changes.updated.append(.init(root: table.root, entity: entity, keys: keys))
      changes.entities.insert(entity)
      let objects = keys.compactMap { context.registered(root: table.root, key: $0) }
      do { if !objects.isEmpty { _ = try context.quietly { try reload(objects) } } } catch { context.note(error) }
    }
    let store = context.core.store(of: table)
    context.announce(changes, in: store)
    let identifiers = changes.updated.flatMap { $0.identifiers(in: store) }
    // The program may release the context before the commit.
    store.afterCommit { [context, facade = context.facade] in
      withExtendedLifetime(facade) {
        context.post(ModelContext.didSave, SaveNotification.userInfo(updated: identifiers))
      }
    }
  }

  func prepare<M: PersistentModel>(
    _ assignments: [ModelContext.Assignment<M>], for objects: [M]
  ) throws -> [() -> Void] {
    try context.loading { try objects.flatMap { object in try assignments.map { try $0.prepare(object) } } }
  }

  /// The keys of changed and deleted objects of a class.
  func unsavedKeys(in table: EntityTable) -> [Int64] {
    let keys =
      context.changed.entries(of: table.family).map { $0.object.__state.key }
      + context.deleted.entries(of: table.family).map { $0.__state.key }
    context.work.note(\.excluded, keys.count)
    return keys
  }
}
