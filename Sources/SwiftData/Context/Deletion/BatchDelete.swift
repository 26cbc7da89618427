import Foundation

extension QueryExecutor {
  /// Deletes the rows of a query. Rows without a registered object are marked by key, together with their cascades, and
  /// the save removes them in one statement. Objects are loaded only if one is registered, or its deletion shortens a list with a
  /// minimum.
  func deleteRows<M: PersistentModel>(
    model: M.Type, where predicate: Predicate<M>?, includeSubclasses: Bool, _ store: any SQLStore
  ) throws {
    let descriptor = FetchDescriptor<M>(predicate: predicate)
    // Undo registers objects, and unsaved changes need them.
    guard context.undoManager == nil, try !pendingChangesMatter(to: lower(descriptor)) else {
      for object in try fetch(descriptor) where includeSubclasses || type(of: object).__entity === M.__entity {
        context.delete(object)
      }
      return
    }
    let marks = try settled(store) {
      var query = try lower(descriptor)
      if !includeSubclasses, query.table.hasDiscriminator {
        query.restrictions.append(SQLFragment("t0._entity = ?", [.text(M.__entity.name)]))
      }
      return try read(query.table, cancellable: true) { try Marks(query, context, store.dialect, $0) }
    }
    try mark(marks)
  }

  private func mark(_ marks: Marks) throws {
    for rows in marks.objects {
      let objects = try objects(withKeys: rows.keys, in: rows.table)
      for key in rows.keys { if let object = objects[key] { context.delete(object) } }
    }
    for rows in marks.rows {
      var unseen = [Int64]()
      for key in rows.keys {
        // Deleting those objects may have loaded it.
        if let object = context.registered(root: rows.table.root, key: key) {
          context.delete(object)
        } else {
          unseen.append(key)
        }
      }
      context.markedRows.add(unseen, of: rows.table)
    }
    guard !context.markedRows.isEmpty else { return }
    context.liveQueries.forEach { $0.noteEverything() }
    context.didChange()
  }
}

/// The rows that a batch delete removes with their cascades. The save applies the other delete rules.
private struct Marks {
  /// Rows whose objects are deleted one by one.
  private(set) var objects: [DeletePlan.Rows] = []
  /// Rows that need no object.
  private(set) var rows: [DeletePlan.Rows] = []

  init(_ query: StoreQuery, _ context: ContextState, _ dialect: any SQLDialect, _ connection: any SQLConnection) throws
  {
    let tables = context.core.tables
    func ask(_ statement: SQLFragment, _ table: EntityTable) throws -> [DeletePlan.Related] {
      try connection.rows(statement, of: table.entity) {
        DeletePlan.Related(key: $0.int64(0), entity: $0.text(1), owner: $0.int64(2))
      }
    }
    let name = query.table.hasDiscriminator ? "t0._entity" : "NULL"
    let start = try ask(query.statement(SQLFragment("t0._pk, \(name), t0._pk"), ordered: true), query.table)
    var objects = [DeletePlan.Rows]()
    let plan = try DeletePlan(
      deleting: try DeletePlan.grouped(start, of: query.table.entity, tables), tables, effects: [.cascade],
      admit: { found in
        let root = found.table.root
        let known = context.markedRows.contains(root: root) ? Set(context.markedRows.keys(root: root)) : []
        var new = known.isEmpty ? found.keys : found.keys.filter { !known.contains($0) }
        var shown = new.filter { context.registered(root: root, key: $0) != nil }
        if !shown.isEmpty { new.removeAll(where: Set(shown).contains) }
        // The objects are loaded, and their save checks the list.
        for (property, inverse) in found.table.bounding
        where !new.isEmpty && inverse.relationship?.minimumModelCount ?? 0 > 0 {
          let step = DeleteStep(
            effect: .unlink, link: .relationship(RelationshipInfo.of(property, in: found.table.entity)))
          let question = DeletePlan.Question(step: step, table: found.table, keys: new)
          let owned = Set(try ask(question.statement(tables, dialect), found.table).map(\.owner))
          shown += owned.sorted()
          new.removeAll(where: owned.contains)
        }
        if !shown.isEmpty { objects.append(DeletePlan.Rows(table: found.table, keys: shown)) }
        return new
      },
      ask: { questions in try questions.map { try ask($0.statement(tables, dialect), $0.table) } })
    (rows, self.objects) = (plan.deleted, objects)
  }
}
