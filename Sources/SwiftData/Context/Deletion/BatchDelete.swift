import Foundation

extension QueryExecutor {
  /// Deletes the rows of a query. Rows without a registered object are marked by key, together with their cascades, and
  /// the save removes them in one statement. Objects are loaded only if a delete rule needs them: if one is registered,
  /// denied, or required by another.
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
    let closure = try settled(store) {
      var query = try lower(descriptor)
      if !includeSubclasses, query.table.hasDiscriminator {
        query.restrictions.append(SQLFragment("t0._entity = ?", [.text(M.__entity.name)]))
      }
      return try read(query.table, cancellable: true) { connection in
        var closure = DeletionClosure(context: context) { statement, table in
          try connection.rows(statement, of: table.entity) { ($0.int64(0), $0.text(1)) }
        }
        try closure.add(query)
        return closure
      }
    }
    try mark(closure)
  }

  private func mark(_ closure: DeletionClosure) throws {
    for (table, keys) in closure.objects {
      let objects = try objects(withKeys: keys, in: table)
      for key in keys { if let object = objects[key] { context.delete(object) } }
    }
    for (table, keys) in closure.rows {
      var unseen = [Int64]()
      for key in keys {
        // Deleting those objects may have loaded it.
        if let object = context.registered(root: table.root, key: key) {
          context.delete(object)
        } else {
          unseen.append(key)
        }
      }
      context.markedRows.add(unseen, of: table)
    }
    guard !context.markedRows.isEmpty else { return }
    context.liveQueries.forEach { $0.noteEverything() }
    context.didChange()
  }
}

/// Collects the rows that delete rules remove with some rows.
struct DeletionClosure {
  let context: ContextState
  /// Reads the keys of rows and the names of their classes.
  let ask: (SQLFragment, EntityTable) throws -> [(key: Int64, name: String?)]
  /// Rows whose objects are deleted one by one.
  private(set) var objects: [(table: EntityTable, keys: [Int64])] = []
  /// Rows that need no object.
  private(set) var rows: [(table: EntityTable, keys: [Int64])] = []
  private var seen: [Int: Set<Int64>] = [:]
  /// Rows that were found, and whose cascades were not.
  private var pending: [(table: EntityTable, keys: [Int64])] = []

  init(
    context: ContextState, ask: @escaping (SQLFragment, EntityTable) throws -> [(key: Int64, name: String?)]
  ) {
    (self.context, self.ask) = (context, ask)
  }

  /// Adds the rows of a query and their cascades.
  mutating func add(_ query: StoreQuery) throws {
    let name = query.table.hasDiscriminator ? "t0._entity" : "NULL"
    try find(query.statement(SQLFragment("t0._pk, \(name)"), ordered: true), of: query.table)
    // Not recursive, because a chain of cascades may be long.
    while let (table, keys) = pending.popLast() { try add(keys, of: table) }
  }

  /// - Parameter statement: selects keys and class names.
  private mutating func find(_ statement: SQLFragment, of table: EntityTable) throws {
    var found = [String: [Int64]]()
    for row in try ask(statement, table) { found[row.name ?? table.entity.name, default: []].append(row.key) }
    for (name, keys) in found.sorted(by: { $0.key < $1.key }) {
      guard let own = context.core.table(named: name) else {
        throw SwiftDataError(
          .unknownSchema, entity: name,
          message: "the store has objects of this class, which the container does not know; add it to"
            + " ModelContainer(for:)")
      }
      pending.append((own, keys))
    }
  }

  private mutating func add(_ keys: [Int64], of table: EntityTable) throws {
    let isKnown = context.markedRows.contains(root: table.root) ? Set(context.markedRows.keys(root: table.root)) : []
    var new = keys.filter { !isKnown.contains($0) && seen[table.root, default: []].insert($0).inserted }
    let rules = try DeletionRules(table, context.core.tables, context.core.sqlStore(of: table).dialect)
    var shown = new.filter { context.registered(root: table.root, key: $0) != nil }
    if !shown.isEmpty { new.removeAll(where: Set(shown).contains) }
    for question in rules.refusals where !new.isEmpty {
      let refused = try ask(question(new), table).map(\.key)
      shown += refused
      if !refused.isEmpty { new.removeAll(where: Set(refused).contains) }
    }
    if !shown.isEmpty { objects.append((table, shown)) }
    guard !new.isEmpty else { return }
    rows.append((table, new))
    for (destination, targets) in rules.cascades {
      try find(targets(new), of: try context.core.table(for: destination))
    }
  }
}
