import Foundation
import GRDB

/// A table that is computed from another one and kept by triggers: a full-text index or an R*Tree.
///
/// What there is to make is compared with what the store says that it has, so a change of the models, of this
/// library, or an older store without the table all lead to the same: it is made anew, in one transaction.
///
/// Whoever changes the rows' tables under it (a migration) calls `dropAll` first, in its own transaction; the opening of
/// the store that follows calls `update`.
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

  let name: String
  /// In the order of creation.
  let objects: [Object]
  /// The statement that computes it from the rows.
  let fill: String

  /// How the names of all derived tables begin.
  static let prefixes = ["_swiftdata_search_", "_swiftdata_rtree_"]
}

extension DerivedTable {
  /// Makes, remakes and drops the derived tables of a store, in one transaction; a store that cannot be written is
  /// left as it is.
  /// - Returns: the names of those that can be used.
  static func update(
    _ database: any DatabaseWriter, _ wanted: [DerivedTable], configuration: ModelConfiguration
  ) throws -> Set<String> {
    let existing = try database.read { try existingObjects($0) }
    let current = Set(wanted.filter { $0.isCurrent(in: existing) }.map(\.name))
    let known = Set(wanted.flatMap(\.objects).map(\.name))
    let isComplete = current.count == wanted.count && existing.allSatisfy { known.contains($0.name) }
    guard !isComplete, configuration.allowsSave || configuration.isStoredInMemoryOnly else { return current }
    try database.writeWithoutTransaction { database in
      try database.inTransaction(.immediate) {
        try rebuild(wanted, on: database)
        return .commit
      }
    }
    return Set(wanted.map(\.name))
  }

  /// Drops all derived tables with their triggers: what moves or renames the rows' tables does so first. Opening the
  /// store makes them anew.
  static func dropAll(_ database: Database) throws { try drop(existingObjects(database), on: database) }

  private static func rebuild(_ wanted: [DerivedTable], on database: Database) throws {
    // A process that opened the store a moment earlier may have done it.
    let existing = try existingObjects(database)
    let current = wanted.filter { $0.isCurrent(in: existing) }
    let kept = Set(current.flatMap(\.objects).map(\.name))
    try drop(existing.filter { !kept.contains($0.name) }, on: database)
    for table in wanted where !current.contains(where: { $0.name == table.name }) {
      for object in table.objects { try database.execute(sql: object.sql) }
      try database.execute(sql: table.fill)
    }
  }

  private static func drop(_ objects: [Existing], on database: Database) throws {
    // Triggers write to tables, and these read views.
    for kind in ["trigger", "table", "view"] {
      for object in objects where object.type == kind {
        try database.execute(sql: "DROP \(kind.uppercased()) \(object.name.quotedIdentifier)")
      }
    }
  }

  private struct Existing {
    let type: String
    let name: String
    let sql: String
  }

  private static func existingObjects(_ database: Database) throws -> [Existing] {
    let condition = prefixes.map { _ in "substr(name, 1, ?) = ?" }.joined(separator: " OR ")
    return try Row.fetchAll(
      database,
      // The tables in which SQLite keeps a virtual table's content go with it.
      sql: "SELECT type, name, sql FROM sqlite_master WHERE (\(condition)) AND (type IN ('view', 'trigger')"
        + " OR sql LIKE 'CREATE VIRTUAL TABLE%')",
      arguments: StatementArguments(prefixes.flatMap { [$0.count, $0] as [any DatabaseValueConvertible] })
    ).map { Existing(type: $0["type"], name: $0["name"], sql: $0["sql"]) }
  }

  private func isCurrent(in existing: [Existing]) -> Bool {
    objects.allSatisfy { object in existing.contains { $0.name == object.name && $0.sql == object.sql } }
  }
}
