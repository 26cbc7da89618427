/// What a save did with rows that nobody loaded.
struct SavedRows {
  var deleted: [SavedChanges.Objects] = []
  /// Rows whose to-one pointed at a deleted one.
  var updated: [SavedChanges.Objects] = []
}

extension SaveOperation {
  /// Removes the rows that batch deletes marked: one statement for each class.
  func deleteMarkedRows() throws {
    for (table, keys) in marked {
      let rules = try DeletionRules(table, context.core)
      try checkDenials(of: keys, table, rules)
      for (destination, targets) in rules.cleared {
        try noteCleared(targets(keys), try context.core.table(for: destination))
      }
      try noteOldFiles(of: keys, table)
      try connection.execute(
        SQLFragment(
          "DELETE FROM \(table.name.quotedIdentifier) WHERE _pk IN (SELECT value FROM json_each(?))",
          [ContextState.list(keys)]))
      savedRows.deleted.append(.init(root: table.root, entity: table.entity.name, keys: keys))
    }
    let gone = Dictionary(grouping: savedRows.deleted, by: \.root).mapValues { Set($0.flatMap(\.keys)) }
    savedRows.updated = savedRows.updated.compactMap { group in
      var group = group
      group.keys.removeAll { gone[group.root]?.contains($0) == true }
      return group.keys.isEmpty ? nil : group
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

  private func noteCleared(_ statement: SQLFragment, _ table: EntityTable) throws {
    var found = [String: [Int64]]()
    _ = try connection.rows(statement) { cells in
      found[cells.text(1) ?? table.entity.name, default: []].append(cells.integer(0))
    }
    for (name, keys) in found.sorted(by: { $0.key < $1.key }) {
      savedRows.updated.append(.init(root: table.root, entity: name, keys: keys))
    }
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
