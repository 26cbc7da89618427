/// The actions of foreign keys, which a migration has to switch off.
package enum ForeignKeys {
  /// Clears keys of deleted rows in the given tables, and removes pairs with such rows.
  package static func apply(_ layout: LayoutRecord, to tables: Set<String>, _ database: SQLiteDatabase) throws {
    for table in layout.tables {
      for column in table.columns {
        guard let reference = column.reference, reference.setsNull, tables.contains(reference.table) else { continue }
        let name = column.name.quotedIdentifier
        try database.execute(
          "UPDATE \(table.name.quotedIdentifier) SET \(name) = NULL WHERE \(name) IS NOT NULL"
            + " AND \(name) NOT IN (SELECT _pk FROM \(reference.table.quotedIdentifier))")
      }
    }
    for pairs in layout.pairTables {
      for (column, target) in [("source", pairs.source), ("target", pairs.target)] where tables.contains(target) {
        try database.execute(
          "DELETE FROM \(pairs.name.quotedIdentifier)"
            + " WHERE \(column) NOT IN (SELECT _pk FROM \(target.quotedIdentifier))")
      }
    }
  }

  /// - Throws: ``SwiftDataError/modelValidationFailure`` if a key refers to a missing row.
  static func check(_ database: SQLiteDatabase) throws {
    let violation = try database.first("PRAGMA foreign_key_check") { row in
      (table: row.string(0), key: row.isNull(1) ? "?" : String(row.integer(1)), target: row.string(2))
    }
    guard let violation else { return }
    throw SwiftDataError(
      .modelValidationFailure, entity: violation.table, property: nil,
      message: "the stored object with the key \(violation.key) is related to a \(violation.target)"
        + " that goes, and the relationship is required; delete the object, or relate it to another one, in a custom"
        + " stage's willMigrate")
  }
}
