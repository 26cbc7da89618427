/// What a save did with rows that nobody loaded.
package struct SavedRows {
  private struct Row: Hashable {
    let entity: String
    let key: Int64
  }

  var deleted: [SavedChanges.Objects] = []
  /// Rows whose to-one pointed at a deleted one, other than those of changed objects.
  var updated: [SavedChanges.Objects] = []
  /// The names of those to-ones.
  private var cleared: [Row: [String]] = [:]

  mutating func clear(_ property: String, of entity: String, _ keys: [Int64]) {
    for key in keys { cleared[Row(entity: entity, key: key), default: []].append(property) }
  }

  /// The to-ones of a row, which the caller records.
  mutating func takeCleared(_ entity: String, _ key: Int64) -> [String] {
    cleared.isEmpty ? [] : cleared.removeValue(forKey: Row(entity: entity, key: key)) ?? []
  }

  /// The rows that are left, in order, with their to-ones.
  var allCleared: [(entity: String, key: Int64, names: [String])] {
    cleared.map { ($0.key.entity, $0.key.key, $0.value) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
  }

  /// Forgets what was cleared of rows that were deleted too, and finds the rest.
  mutating func finish(_ core: ContainerCore, changed: Set<SavedRows.Changed>) {
    let gone = Dictionary(grouping: deleted, by: \.root).mapValues { Set($0.flatMap(\.keys)) }
    func root(_ entity: String) -> Int { core.table(named: entity)?.root ?? -1 }
    cleared = cleared.filter { gone[root($0.key.entity)]?.contains($0.key.key) != true }
    for (entity, rows) in Dictionary(grouping: cleared.keys, by: \.entity).sorted(by: { $0.key < $1.key }) {
      let keys = rows.map(\.key).filter { !changed.contains(Changed(root: root(entity), key: $0)) }.sorted()
      if !keys.isEmpty { updated.append(.init(root: root(entity), entity: entity, keys: keys)) }
    }
  }

  /// An object with unsaved changes of its own.
  struct Changed: Hashable {
    let root: Int
    let key: Int64
  }
}

extension SaveOperation {
  /// Removes the rows that batch deletes marked: one statement for each class.
  func deleteMarkedRows() throws {
    guard !marked.isEmpty else { return }
    for (table, keys) in marked {
      let keys = keys.sorted()
      let rules = try DeletionRules(table, context.core)
      try checkDenials(of: keys, table, rules)
      for (property, destination, targets) in rules.cleared {
        try noteCleared(property, targets(keys), try context.core.table(for: destination))
      }
      try noteOldFiles(of: keys, table)
      try noteHistory(of: keys, table)
      try connection.execute(
        SQLFragment(
          "DELETE FROM \(table.name.quotedIdentifier) WHERE _pk IN (SELECT value FROM json_each(?))",
          [ContextState.list(keys)]))
      savedRows.deleted.append(.init(root: table.root, entity: table.entity.name, keys: keys))
    }
    let own = try changed.map { change in
      SavedRows.Changed(
        root: try context.core.table(for: type(of: change.object).__entity).root, key: change.object.__state.key)
    }
    savedRows.finish(context.core, changed: Set(own))
  }

  private func noteHistory(of keys: [Int64], _ table: EntityTable) throws {
    let kept = table.stored.filter { $0.attribute?.options.contains(.preserveValueOnDeletion) == true }
    guard !kept.isEmpty else {
      for key in keys { history.delete(table.entity.name, key) }
      return
    }
    let columns = kept.map { TableNames.column(for: $0).quotedIdentifier }
    let query = SQLFragment(
      "SELECT _pk, \(columns.joined(separator: ", ")) FROM \(table.name.quotedIdentifier)"
        + " WHERE _pk IN (SELECT value FROM json_each(?)) ORDER BY _pk", [ContextState.list(keys)])
    _ = try connection.rows(query) { cells in
      let values = kept.indices.map { cells.value(Int32($0 + 1)) }
      history.delete(
        table.entity.name, cells.integer(0),
        tombstone: Dictionary(zip(kept.map(\.name), values)) { first, _ in first })
    }
  }

  /// There was nothing to protect when the rows were marked; others may have saved since.
  private func checkDenials(of keys: [Int64], _ table: EntityTable, _ rules: DeletionRules) throws {
    for (property, owners) in rules.denials {
      let denied = try connection.rows(owners(keys)) { $0.integer(0) }
      guard !denied.isEmpty else { continue }
      throw SwiftDataError(
        .deleteDenied, entity: table.entity.name, property: property.name,
        message: "\(denied.count) of the objects cannot be deleted while related objects exist; delete or move these"
          + " first, or call rollback()")
    }
  }

  private func noteCleared(_ property: __Property, _ statement: SQLFragment, _ table: EntityTable) throws {
    var found = [String: [Int64]]()
    _ = try connection.rows(statement) { cells in
      found[cells.text(1) ?? table.entity.name, default: []].append(cells.integer(0))
    }
    for (entity, keys) in found { savedRows.clear(property.name, of: entity, keys) }
  }

  private func noteOldFiles(of keys: [Int64], _ table: EntityTable) throws {
    let columns = table.stored.filter { $0.attribute?.options.contains(.externalStorage) == true }
      .map { TableNames.column(for: $0).quotedIdentifier }
    for column in columns {
      let names = try connection.rows(
        SQLFragment(
          "SELECT \(column) FROM \(table.name.quotedIdentifier) WHERE typeof(\(column)) = 'text'"
            + " AND _pk IN (SELECT value FROM json_each(?))", [ContextState.list(keys)])
      ) { $0.text(0) }
      oldFiles += names.compactMap { $0 }
    }
  }
}
