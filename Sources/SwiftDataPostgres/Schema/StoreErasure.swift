import Foundation
import SwiftData

/// Removes the store's objects and leaves the objects of other stores. The schema `public` stays.
struct StoreErasure {
  let connection: PostgresConnection
  let configuration: PostgresConfiguration
  let record: LayoutRecord
  let search: [SearchColumns]
  let partitions: PartitionedTables

  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the configuration does not name a shard.
  func run() throws {
    // Before anything is dropped on a shard.
    try connection.refuseInTransaction()
    let shards = configuration.shards
    for table in partitions.sharded {
      // Before the store's own tables, whose metadata is needed to find the shards in a second attempt.
      try shards.run(["DROP TABLE IF EXISTS \(table.table.quotedIdentifier) CASCADE"], for: table)
    }
    let record = (try? storedRecord()) ?? record
    try connection.runAlone {
      let own = [
        ServerNames.metadata, ServerNames.numbers, ServerNames.history, ServerNames.changes, ServerNames.deletedHistory,
      ]
      for table in record.pairTables.map(\.name) + record.tables.map(\.name) + own + (try syncTables()) {
        try connection.script("DROP TABLE IF EXISTS \(table.quotedIdentifier) CASCADE")
      }
      for sequence in record.tables.map({ ServerNames.keys(of: $0.name) }) + [ServerNames.pairs] {
        try connection.script("DROP SEQUENCE IF EXISTS \(sequence.quotedIdentifier)")
      }
      for columns in search { try columns.remove(on: connection) }
      do {
        try connection.part { try dropFunctions() }
      } catch let error as PostgresError where error.state == "2BP01" {
        // Other objects depend on what was to be dropped.
      }
    }
  }

  /// Drops the store's functions and its schema, unless the schema has anything else, or something depends on them.
  private func dropFunctions() throws {
    let schema = configuration.namespace.quotedIdentifier
    try connection.script("DROP OPERATOR IF EXISTS \(schema).= (boolean, integer)")
    let functions = try connection.run(
      "SELECT p.oid::regprocedure::text FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n"
        + " ON n.oid = p.pronamespace WHERE n.nspname = $1::text AND (starts_with(p.proname::text, 'swift_')"
        + " OR starts_with(p.proname::text, 'swiftdata_')"
        // The functions of searchable texts have names that tables give them.
        + " OR p.prorettype = 'trigger'::regtype AND strpos(p.prosrc, \(SearchColumns.forgettingEnd.quotedLiteral)) > 0)",
      [.text(configuration.namespace)])
    for row in 0..<functions.count {
      if let function = functions.text(row, 0) { try connection.script("DROP FUNCTION \(function)") }
    }
    if configuration.namespace != "public" { try connection.script("DROP SCHEMA IF EXISTS \(schema)") }
  }

  /// The tables with the bookkeeping of the sync.
  private func syncTables() throws -> [String] {
    let found = try connection.run(
      "SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = $1::text"
        + " AND starts_with(tablename::text, '_swiftdata_sync')", [.text(configuration.namespace)])
    return (0..<found.count).compactMap { found.text($0, 0) }
  }

  /// The tables of all programs that used the store.
  private func storedRecord() throws -> LayoutRecord? {
    let stored = try connection.run(
      "SELECT value FROM \(ServerNames.metadata) WHERE key = $1::text", [.text(PostgresOpening.Keys.layout)])
    guard stored.count == 1, let text = stored.text(0, 0) else { return nil }
    return try JSONCoding.decode(LayoutRecord.self, from: Data(text.utf8))
  }
}
