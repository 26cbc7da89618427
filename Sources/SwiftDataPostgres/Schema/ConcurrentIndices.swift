import Foundation
import Logging
import SwiftData

/// Makes the plain indices that a store lacks without keeping other programs from writing.
///
/// The server builds such an index in several transactions. An opening that ends meanwhile leaves an invalid index, which
/// no fetch uses. The next opening replaces it.
///
/// The server cannot build the index of a divided table in this way. The store builds one index for each partition, and attaches
/// it to the index of the table, which is valid when all partitions have one. The next opening goes on with the partitions
/// that are left.
struct ConcurrentIndices {
  let connection: PostgresConnection
  let configuration: PostgresConfiguration
  let layout: StoreLayout
  let partitions: PartitionedTables

  /// The bytes of a table from which its new indices are made after the transaction of the opening. The server indexes
  /// smaller tables in a fraction of a second.
  static let size: Int64 = 8 << 20

  private struct Missing {
    let index: LayoutRecord.Index
    let table: LayoutRecord.Table
    /// Whether an opening did not finish it.
    let isInvalid: Bool
  }

  /// A partition without an index of the table's index.
  private struct MissingPart {
    let name: String
    /// Whether there is an index that is not attached.
    let isThere: Bool
    /// Whether that index is finished.
    let isValid: Bool
  }

  /// - Complexity: one statement if there is nothing to do.
  func make() throws {
    // A pooler may give each statement another session, and a session holds the lock.
    guard !connection.isPooled, try !missing().isEmpty else { return }
    let key = PostgresParameter.text("swiftdata indices \(configuration.namespace)")
    // The indices of a program that makes them now are invalid too.
    guard
      try connection.run("SELECT pg_try_advisory_lock(hashtextextended($1::text, 7))::int::bigint", [key]).integer(0, 0)
        == 1
    else { return }
    defer { _ = try? connection.run("SELECT pg_advisory_unlock(hashtextextended($1::text, 7))", [key]) }
    // The time depends on the rows, and on the transactions that the server waits for.
    try connection.script("SET statement_timeout = 0; SET lock_timeout = 0")
    defer { try? connection.script("RESET statement_timeout; RESET lock_timeout") }
    do {
      for missing in try missing() {
        if let partitioned = partitions[missing.table.name] {
          try make(missing.index, of: missing.table, partitioned)
        } else {
          try make(missing.index, of: missing.table, missing.table.name, replacing: missing.isInvalid)
        }
      }
    } catch let error as PostgresError where ["42501", "25006"].contains(error.state) {
      // A program that only reads and writes rows goes on without the index.
      Logger(label: "SwiftData.Migration").warning(
        "\(configuration.name): an index is missing, and the user of the URL may not make it (\(error.message)); open the store as the owner of its schema"
      )
    }
  }

  // MARK: - Making

  /// Makes the index of a table or of a partition.
  private func make(
    _ index: LayoutRecord.Index, of table: LayoutRecord.Table, _ part: String, replacing: Bool
  ) throws {
    if replacing { try connection.script("DROP INDEX CONCURRENTLY IF EXISTS \(name(index, part))") }
    try connection.script(
      "CREATE INDEX CONCURRENTLY IF NOT EXISTS \(ServerNames.index(index, of: part).quotedIdentifier)"
        + " ON \(definition(index, table, part))")
  }

  /// Makes the indices of a divided table that are left.
  private func make(
    _ index: LayoutRecord.Index, of table: LayoutRecord.Table, _ partitioned: PartitionedTable
  ) throws {
    try briefly(
      "CREATE INDEX IF NOT EXISTS \(ServerNames.index(index, of: table.name).quotedIdentifier)"
        + " ON ONLY \(definition(index, table, table.name))")
    for part in try missingParts(index, table, partitioned) {
      if !part.isValid { try make(index, of: table, part.name, replacing: part.isThere) }
      try briefly("ALTER INDEX \(name(index, table.name)) ATTACH PARTITION \(name(index, part.name))")
    }
  }

  /// Runs a statement that takes a moment, and whose lock waits for running transactions and keeps later ones waiting. It gives its place
  /// in the queue back after a short time, and tries again.
  private func briefly(_ statement: String) throws {
    try connection.script("SET lock_timeout = '\(OpeningAttempts.lockTimeout)'")
    defer { try? connection.script("SET lock_timeout = 0") }
    while true {
      do {
        return try connection.script(statement)
      } catch let error as PostgresError where error.isTransient {
        Thread.sleep(forTimeInterval: Double.random(in: 0.1...0.5))
      }
    }
  }

  private func name(_ index: LayoutRecord.Index, _ part: String) -> String {
    "\(configuration.namespace.quotedIdentifier).\(ServerNames.index(index, of: part).quotedIdentifier)"
  }

  private func definition(_ index: LayoutRecord.Index, _ table: LayoutRecord.Table, _ part: String) -> String {
    // An index without a definition is not missing.
    table.definition(of: index, in: layout, of: part, namespace: configuration.namespace) ?? ""
  }

  // MARK: - What is there

  private func missing() throws -> [Missing] {
    let all = layout.record.tables.filter { !partitions.isSharded($0.name) }.flatMap { table in
      table.indices.filter { !$0.isUnique && $0.serverTerms(of: table.name, in: layout) != nil }.map {
        (name: ServerNames.index($0, of: table.name), index: $0, table: table)
      }
    }
    guard !all.isEmpty else { return [] }
    let found = try connection.run(
      "SELECT n.place - 1, (i.indexrelid IS NOT NULL)::int::bigint"
        + " FROM unnest($1::text[]) WITH ORDINALITY AS n (name, place)"
        + " LEFT JOIN pg_catalog.pg_class AS c ON c.relname = n.name::name"
        + " AND c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $2::text)"
        + " LEFT JOIN pg_catalog.pg_index AS i ON i.indexrelid = c.oid WHERE i.indisvalid IS NOT TRUE",
      [.array(all.map { .text($0.name) }, .text), .text(configuration.namespace)])
    return (0..<found.count).map { row in
      let index = all[Int(found.integer(row, 0))]
      return Missing(index: index.index, table: index.table, isInvalid: found.integer(row, 1) == 1)
    }
  }

  private func missingParts(
    _ index: LayoutRecord.Index, _ table: LayoutRecord.Table, _ partitioned: PartitionedTable
  ) throws -> [MissingPart] {
    let parts = partitioned.partitions
    let found = try connection.run(
      "SELECT p.place - 1, (i.indexrelid IS NOT NULL)::int::bigint, coalesce(i.indisvalid, false)::int::bigint"
        + " FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS p (part, name, place)"
        + " JOIN pg_catalog.pg_namespace AS n ON n.nspname = $3::text"
        + " JOIN pg_catalog.pg_class AS t ON t.relname = p.part::name AND t.relnamespace = n.oid"
        + " LEFT JOIN pg_catalog.pg_class AS c ON c.relname = p.name::name AND c.relnamespace = n.oid"
        + " LEFT JOIN pg_catalog.pg_index AS i ON i.indexrelid = c.oid AND i.indrelid = t.oid"
        + " WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_inherits AS h"
        + " JOIN pg_catalog.pg_index AS a ON a.indexrelid = h.inhrelid JOIN pg_catalog.pg_class AS q ON q.oid = h.inhparent"
        + " WHERE a.indrelid = t.oid AND q.relname = $4::text::name AND q.relnamespace = n.oid) ORDER BY p.place",
      [
        .array(parts.map { .text($0) }, .text), .array(parts.map { .text(ServerNames.index(index, of: $0)) }, .text),
        .text(configuration.namespace), .text(ServerNames.index(index, of: table.name)),
      ])
    return (0..<found.count).map { row in
      MissingPart(
        name: parts[Int(found.integer(row, 0))], isThere: found.integer(row, 1) == 1,
        isValid: found.integer(row, 2) == 1)
    }
  }
}
