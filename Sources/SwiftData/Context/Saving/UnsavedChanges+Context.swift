extension UnsavedChanges {
  /// The unsaved changes of a context to one store.
  /// - Parameter store: the index of the store among the container's.
  convenience init(_ context: ContextState, store: Int) throws {
    let tables = context.core.tables
    var last: EntityTable?
    var (hasRelationships, hasToManys) = (false, false)
    func isHere(_ object: any PersistentModel) throws -> Bool {
      if let last, last.entity.describes(object) { return last.store == store }
      let entity = type(of: object).__entity
      let table = try tables.table(for: entity)
      last = table
      hasToManys = hasToManys || !table.toMany.isEmpty
      hasRelationships = hasRelationships || !entity.properties.allSatisfy(\.isAttribute)
      return table.store == store
    }
    let inserted = try context.inserted.values.filter(isHere)
    let changed = try context.changed.values.filter {
      try !$0.object.__state.flags.contains(.deleted) && isHere($0.object)
    }
    let deleted = try context.deleted.values.filter(isHere)
    let before =
      deleted.isEmpty
      ? []
      : try context.changed.values.filter {
        try $0.object.__state.flags.contains(.deleted) && isHere($0.object)
      }
    self.init(
      host: context, tables: tables, editing: context.editing, inserted: inserted, changed: changed, deleted: deleted,
      changedBeforeDeletion: before,
      marked: context.markedRows.groups.filter { $0.table.store == store }, hasRelationships: hasRelationships,
      hasToManys: hasToManys, undoable: context.undoneInsertions.objects,
      removals: (context.inserted.removals, context.changed.removals, context.deleted.removals))
  }

  /// The saving context.
  var context: ContextState { unsafeDowncast(host, to: ContextState.self) }
}
