import GRDB

/// The actions of foreign keys, which a migration has to switch off.
enum ForeignKeys {
  /// Clears keys of deleted rows in the given tables, and removes pairs with such rows.
  static func apply(_ layout: LayoutRecord, to tables: Set<String>, _ database: Database) throws {
    for table in layout.tables {
      for column in table.columns {
        guard let reference = column.reference, reference.setsNull, tables.contains(reference.table) else { continue }
        let name = column.name.quotedIdentifier
        try database.execute(
          sql: "UPDATE \(table.name.quotedIdentifier) SET \(name) = NULL WHERE \(name) IS NOT NULL"
            + " AND \(name) NOT IN (SELECT _pk FROM \(reference.table.quotedIdentifier))")
      }
    }
    for pairs in layout.pairTables {
      for (column, target) in [("source", pairs.source), ("target", pairs.target)] where tables.contains(target) {
        try database.execute(
          sql: "DELETE FROM \(pairs.name.quotedIdentifier)"
            + " WHERE \(column) NOT IN (SELECT _pk FROM \(target.quotedIdentifier))")
      }
    }
  }

  /// - Throws: ``SwiftDataError/modelValidationFailure`` if a key refers to a missing row.
  static func check(_ database: Database) throws {
    guard let violation = try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") else { return }
    let table: String = violation[0]
    let key: Int64? = violation[1]
    throw SwiftDataError(
      .modelValidationFailure, entity: table, property: nil,
      message: "the stored object with the key \(key.map(String.init) ?? "?") is related to a \(violation[2] as String)"
        + " that goes, and the relationship is required; delete the object, or relate it to another one, in a custom"
        + " stage's willMigrate")
  }
}
