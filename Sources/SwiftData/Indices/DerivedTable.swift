import Foundation
import GRDB

/// A table that is computed from another one and kept by triggers: a full-text index or an R*Tree.
///
/// What there is to make is compared with what the store says that it has, so a change of the models, of this
/// library, or an older store without the table all lead to the same: it is made anew, in one transaction.
///
/// Whoever changes the rows' tables (a migration) drops the tables derived from them first and rebuilds them at the end,
/// in its own transaction. Tables of models that a program does not name keep theirs.
struct DerivedTable: Sendable {
  enum Kind: String, Sendable {
    case view = "VIEW"
    case virtualTable = "VIRTUAL TABLE"
    case trigger = "TRIGGER"
  }

  /// A part of it as SQLite remembers it.
  struct Object: Sendable {
    let kind: Kind
    let name: String
    let sql: String

    /// `definition` is what follows the name.
    init(_ kind: Kind, _ name: String, _ definition: String) {
      self.kind = kind
      self.name = name
      self.sql = "CREATE \(kind.rawValue) \(name.quotedIdentifier) \(definition)"
    }
  }

  /// The virtual table's: `_swiftdata_…` with one of the suffixes.
  let name: String
  /// In the order of creation. All but the virtual table have its name with a suffix.
  let objects: [Object]
  /// The statement that computes it from the rows.
  let fill: String

  // No other name of ours has a dot, and no table that SQLite makes for a virtual one ends in these.
  static let suffixes = [".search", ".rtree"]
  static let partSuffixes = [".texts", ".insert", ".delete", ".update"]
}

extension DerivedTable {
  /// Makes, remakes and drops the derived tables of a store, in one transaction; a store that cannot be written is
  /// left as it is.
  /// - Returns: the names of those that can be used.
  static func update(
    _ connections: StoreConnections, for layout: StoreLayout, configuration: ModelConfiguration
  ) throws -> Set<String> {
    let wanted = layout.derivedTables
    let (current, stale) = try connections.read { database in
      (try self.current(wanted, in: database), try self.stale(wanted, layout, in: database))
    }
    let isComplete = current.count == wanted.count && stale.isEmpty
    guard !isComplete, configuration.allowsSave || configuration.isStoredInMemoryOnly else { return current }
    try connections.write { try rebuild(for: layout, on: $0) }
    return Set(wanted.map(\.name))
  }

  /// Makes the derived tables that are missing or not as they should be, and drops those that nothing asks for any
  /// more; inside a transaction.
  static func rebuild(for layout: StoreLayout, on database: Database) throws {
    let wanted = layout.derivedTables
    let current = try current(wanted, in: database)
    try drop(stale(wanted, layout, in: database), on: database)
    for table in wanted where !current.contains(table.name) {
      for object in table.objects { try database.execute(sql: object.sql) }
      try database.execute(sql: table.fill)
    }
  }

  /// Drops what is derived from some tables; inside a transaction.
  static func drop(of tables: Set<String>, on database: Database) throws {
    let existing = try existing(in: database)
    let derived = Set(existing.filter { $0.type == "trigger" && tables.contains($0.table) }.map(\.derived))
    try drop(existing.filter { derived.contains($0.derived) }, on: database)
  }

  /// The names of those that a store has as they should be.
  static func current(_ wanted: [DerivedTable], in database: Database) throws -> Set<String> {
    let existing = Dictionary(grouping: try existing(in: database), by: \.derived)
    return Set(
      wanted.filter { table in
        let found = existing[table.name] ?? []
        return found.count == table.objects.count
          && table.objects.allSatisfy { object in found.contains { $0.name == object.name && $0.sql == object.sql } }
      }.map(\.name))
  }

  // MARK: - What there is

  /// A part of a derived table that a store has.
  private struct Existing {
    let type: String
    let name: String
    let sql: String
    /// The table whose rows a trigger looks at.
    let table: String
    /// The name of the derived table.
    let derived: String

    init?(_ row: Row) {
      guard let type = String.fromDatabaseValue(row["type"]), let name = String.fromDatabaseValue(row["name"]),
        let sql = String.fromDatabaseValue(row["sql"]), let table = String.fromDatabaseValue(row["tbl_name"])
      else { return nil }
      let part = DerivedTable.partSuffixes.first { type != "table" && name.hasSuffix($0) }
      let derived = String(name.dropLast(part?.count ?? 0))
      guard DerivedTable.suffixes.contains(where: derived.hasSuffix) else { return nil }
      (self.type, self.name, self.derived) = (type, name, derived)
      (self.sql, self.table) = (sql, table)
    }
  }

  private static func existing(in database: Database) throws -> [Existing] {
    try Row.fetchAll(
      database,
      // The tables in which SQLite keeps a virtual table's content go with it.
      sql: "SELECT type, name, sql, tbl_name FROM sqlite_master WHERE substr(name, 1, 11) = '_swiftdata_'"
        + " AND (type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL TABLE%')"
    ).compactMap(Existing.init)
  }

  /// The parts of derived tables that are not as they should be. What is derived from tables of models that the program
  /// does not name is nobody's business here; what is derived from nothing can go.
  private static func stale(_ wanted: [DerivedTable], _ layout: StoreLayout, in database: Database) throws -> [Existing]
  {
    let current = try current(wanted, in: database)
    let existing = try existing(in: database)
    let named = Set(layout.record.tables.map(\.name))
    let others = existing.filter { $0.type == "trigger" && !named.contains($0.table) }
    let kept = current.union(others.map(\.derived))
    return existing.filter { !kept.contains($0.derived) }
  }

  private static func drop(_ objects: [Existing], on database: Database) throws {
    // Triggers write to tables, and these read views.
    for kind in ["trigger", "table", "view"] {
      for object in objects where object.type == kind {
        try database.execute(sql: "DROP \(kind.uppercased()) \(object.name.quotedIdentifier)")
      }
    }
  }
}
