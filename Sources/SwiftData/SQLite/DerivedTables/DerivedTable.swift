import Foundation

/// A table that triggers derive from another one: a full-text index or an R*Tree.
///
/// Opening a store compares the wanted derived tables with the existing ones. A table that is missing or different,
/// because the models or this library changed, is created again in one transaction.
///
/// A migration drops derived tables before it changes their source tables, and rebuilds them at the end of its
/// transaction. Derived tables of models that the program does not list stay.
struct DerivedTable: Sendable {
  enum Kind: String, Sendable {
    case view = "VIEW"
    case virtualTable = "VIRTUAL TABLE"
    case trigger = "TRIGGER"
  }

  /// A database object of the derived table, as SQLite records it.
  struct Object: Sendable {
    let kind: Kind
    let name: String
    let sql: String

    /// `definition` is the SQL after the name.
    init(_ kind: Kind, _ name: String, _ definition: String) {
      self.kind = kind
      self.name = name
      self.sql = "CREATE \(kind.rawValue) \(name.quotedIdentifier) \(definition)"
    }
  }

  /// The name of the virtual table: `_swiftdata_…` with one of the suffixes.
  let name: String
  /// The objects in creation order. The virtual table's name is a prefix of the other names.
  let objects: [Object]
  /// The statement that fills the table from the rows.
  let fill: String

  // No other name of ours contains a dot, and SQLite's shadow tables have other suffixes.
  static let suffixes = [".search", ".rtree"]
  static let partSuffixes = [".texts", ".insert", ".delete", ".update"]
}

extension DerivedTable {
  /// Creates, recreates and drops the derived tables of a store, in one transaction. A read-only store stays as it is.
  /// - Returns: the names of the usable tables.
  static func update(
    _ connections: StoreConnections, for layout: StoreLayout, configuration: ModelConfiguration
  ) throws -> Set<String> {
    let wanted = layout.derivedTables
    let found = try connections.look { try existing(in: $0) }
    let current = current(wanted, found)
    let stale = stale(current, layout, found)
    let isComplete = current.count == wanted.count && stale.isEmpty
    guard !isComplete, configuration.allowsSave || configuration.isStoredInMemoryOnly else { return current }
    try connections.write { try rebuild(for: layout, on: $0) }
    return Set(wanted.map(\.name))
  }

  /// Creates missing or outdated derived tables and drops unused ones. Call it inside a transaction.
  static func rebuild(for layout: StoreLayout, on database: SQLiteDatabase) throws {
    let wanted = layout.derivedTables
    let found = try existing(in: database)
    let current = current(wanted, found)
    try drop(stale(current, layout, found), on: database)
    for table in wanted where !current.contains(table.name) {
      for object in table.objects { try database.execute(object.sql) }
      try database.execute(table.fill)
    }
  }

  /// Drops what is derived from some tables. Call it inside a transaction.
  static func drop(of tables: Set<String>, on database: SQLiteDatabase) throws {
    let existing = try existing(in: database)
    let derived = Set(existing.filter { $0.type == "trigger" && tables.contains($0.table) }.map(\.derived))
    try drop(existing.filter { derived.contains($0.derived) }, on: database)
  }

  /// The names of the derived tables that exist and are up to date.
  static func current(_ wanted: [DerivedTable], in database: SQLiteDatabase) throws -> Set<String> {
    current(wanted, try existing(in: database))
  }

  private static func current(_ wanted: [DerivedTable], _ existing: [Existing]) -> Set<String> {
    guard !wanted.isEmpty else { return [] }
    let existing = Dictionary(grouping: existing, by: \.derived)
    return Set(
      wanted.filter { table in
        let found = existing[table.name] ?? []
        return found.count == table.objects.count
          && table.objects.allSatisfy { object in found.contains { $0.name == object.name && $0.sql == object.sql } }
      }.map(\.name))
  }

  // MARK: - What there is

  /// An existing object of a derived table.
  private struct Existing {
    let type: String
    let name: String
    let sql: String
    /// The table that a trigger observes.
    let table: String
    /// The name of the derived table.
    let derived: String

    /// A row of type, name, SQL and table.
    init?(_ row: SQLiteCells) {
      guard (0..<4).allSatisfy(row.isText), let type = row.text(0), let name = row.text(1), let sql = row.text(2),
        let table = row.text(3)
      else { return nil }
      let part = DerivedTable.partSuffixes.first { type != "table" && name.hasSuffix($0) }
      let derived = String(name.dropLast(part?.count ?? 0))
      guard DerivedTable.suffixes.contains(where: derived.hasSuffix) else { return nil }
      (self.type, self.name, self.derived) = (type, name, derived)
      (self.sql, self.table) = (sql, table)
    }
  }

  private static func existing(in database: SQLiteDatabase) throws -> [Existing] {
    var found = [Existing]()
    try database.step(
      // Dropping a virtual table drops its shadow tables.
      "SELECT type, name, sql, tbl_name FROM sqlite_master WHERE substr(name, 1, 11) = '_swiftdata_'"
        + " AND (type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL TABLE%')"
    ) { row in
      if let object = Existing(row) { found.append(object) }
    }
    return found
  }

  /// The outdated objects of derived tables. Objects of models that the program does not list are ignored. Objects
  /// without a source table are outdated.
  /// - Parameter current: the names of the tables that are up to date.
  private static func stale(_ current: Set<String>, _ layout: StoreLayout, _ existing: [Existing]) -> [Existing] {
    guard !existing.isEmpty else { return [] }
    let named = Set(layout.record.tables.map(\.name))
    let others = existing.filter { $0.type == "trigger" && !named.contains($0.table) }
    let kept = current.union(others.map(\.derived))
    return existing.filter { !kept.contains($0.derived) }
  }

  private static func drop(_ objects: [Existing], on database: SQLiteDatabase) throws {
    // Triggers write to tables, and these read views.
    for kind in ["trigger", "table", "view"] {
      for object in objects where object.type == kind {
        try database.execute("DROP \(kind.uppercased()) \(object.name.quotedIdentifier)")
      }
    }
  }
}
