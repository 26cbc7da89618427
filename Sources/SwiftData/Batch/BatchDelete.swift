import Foundation

extension ContextState {
  /// Rows without an object here are marked by key and removed by the save in one statement, with what cascades from
  /// them. Objects are made only where the rules have something to decide or to show: where one is registered, denied,
  /// or required by another.
  func deleteRows<M: PersistentModel>(model: M.Type, where predicate: Predicate<M>?, includeSubclasses: Bool) throws {
    let descriptor = FetchDescriptor<M>(predicate: predicate)
    var query = try lower(descriptor)
    // Undo registers objects, and unsaved changes need them.
    guard undoManager == nil, !pendingChangesMatter(to: query) else {
      for object in try fetch(descriptor) where includeSubclasses || type(of: object).__entity === M.__entity {
        delete(object)
      }
      return
    }
    if !includeSubclasses, query.table.hasDiscriminator {
      query.restrictions.append(SQLFragment("t0._entity = ?", [.text(M.__entity.name)]))
    }
    var closure = DeletionClosure(context: self)
    try read(query.table) { try closure.add(query, $0) }
    for (table, keys) in closure.objects {
      let objects = try objects(withKeys: keys, in: table)
      for key in keys { if let object = objects[key] { delete(object) } }
    }
    for (table, keys) in closure.rows {
      var unseen = [Int64]()
      for key in keys {
        // Deleting those objects may have loaded it.
        if let object = registered(root: table.root, key: key) { delete(object) } else { unseen.append(key) }
      }
      markedRows.add(unseen, of: table)
    }
    guard !markedRows.isEmpty else { return }
    liveQueries.forEach { $0.noteEverything() }
    didChange()
  }
}

/// The rows that go with some rows, by the delete rules.
struct DeletionClosure {
  let context: ContextState
  /// Rows whose objects are deleted one by one.
  private(set) var objects: [(table: EntityTable, keys: [Int64])] = []
  /// Rows that nobody has to see.
  private(set) var rows: [(table: EntityTable, keys: [Int64])] = []
  private var seen: [Int: Set<Int64>] = [:]

  init(context: ContextState) { self.context = context }

  /// Adds the rows of a query and what cascades from them.
  mutating func add(_ query: StoreQuery, _ connection: SQLiteConnection) throws {
    let name = query.table.hasDiscriminator ? "t0._entity" : "NULL"
    try add(query.statement(SQLFragment("t0._pk, \(name)"), ordered: true), of: query.table, connection)
  }

  /// - Parameter statement: selects keys and class names.
  private mutating func add(_ statement: SQLFragment, of table: EntityTable, _ connection: SQLiteConnection) throws {
    var found = [String: [Int64]]()
    _ = try connection.rows(statement) { cells in
      found[cells.text(1) ?? table.entity.name, default: []].append(cells.integer(0))
    }
    for (name, keys) in found.sorted(by: { $0.key < $1.key }) {
      guard let own = context.core.table(named: name) else {
        throw SwiftDataError(
          .unknownSchema, entity: name,
          message: "the store holds an object of this class, which is not in the container's schema")
      }
      try add(keys, of: own, connection)
    }
  }

  private mutating func add(_ keys: [Int64], of table: EntityTable, _ connection: SQLiteConnection) throws {
    let isKnown = context.markedRows.contains(root: table.root) ? Set(context.markedRows.keys(root: table.root)) : []
    var new = keys.filter { !isKnown.contains($0) && seen[table.root, default: []].insert($0).inserted }
    let rules = try DeletionRules(table, context.core)
    var shown = new.filter { context.registered(root: table.root, key: $0) != nil }
    if !shown.isEmpty { new.removeAll(where: Set(shown).contains) }
    for question in rules.refusals where !new.isEmpty {
      let refused = try connection.rows(question(new)) { $0.integer(0) }
      shown += refused
      if !refused.isEmpty { new.removeAll(where: Set(refused).contains) }
    }
    if !shown.isEmpty { objects.append((table, shown)) }
    guard !new.isEmpty else { return }
    rows.append((table, new))
    for (destination, targets) in rules.cascades {
      try add(targets(new), of: try context.core.table(for: destination), connection)
    }
  }
}
