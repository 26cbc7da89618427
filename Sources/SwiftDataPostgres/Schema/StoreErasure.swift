import Foundation
import SwiftData

/// Removes the store's objects and leaves the objects of other stores.
struct StoreErasure {
  let connection: PostgresConnection
  let configuration: PostgresConfiguration
  let record: LayoutRecord
  let search: [SearchColumns]
  let partitions: PartitionedTables

  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the configuration does not name a shard.
  func run() throws {
    let shards = ShardConnections(configuration)
    for table in partitions.sharded {
      // Before the store's own tables, whose metadata is needed to find the shards in a second attempt.
      try shards.run(for: table) { _ in ["DROP TABLE IF EXISTS \(table.table.quotedIdentifier) CASCADE"] }
    }
    let record = (try? storedRecord()) ?? record
    do {
      try connection.script("BEGIN")
      let own = [
        ServerNames.metadata, ServerNames.numbers, ServerNames.history, ServerNames.changes, ServerNames.deletedHistory,
      ]
      for table in record.pairTables.map(\.name) + record.tables.map(\.name) + own {
        try connection.script("DROP TABLE IF EXISTS \(table.quotedIdentifier) CASCADE")
      }
      for sequence in record.tables.map({ ServerNames.keys(of: $0.name) }) + [ServerNames.pairs] {
        try connection.script("DROP SEQUENCE IF EXISTS \(sequence.quotedIdentifier)")
      }
      for columns in search { try columns.remove(on: connection) }
      let others = try connection.run(
        "SELECT 1 FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
          + " WHERE n.nspname = $1::text LIMIT 1", [.text(configuration.namespace)])
      if others.count == 0, configuration.namespace != "public" {
        try connection.script("DROP SCHEMA IF EXISTS \(configuration.namespace.quotedIdentifier) CASCADE")
      }
      try connection.script("COMMIT")
    } catch {
      try? connection.script("ROLLBACK")
      throw error
    }
  }

  /// The tables of all programs that used the store.
  private func storedRecord() throws -> LayoutRecord? {
    let stored = try connection.run(
      "SELECT value FROM \(ServerNames.metadata) WHERE key = $1::text", [.text(PostgresOpening.Keys.layout)])
    guard stored.count == 1, let text = stored.text(0, 0) else { return nil }
    return try JSONCoding.decode(LayoutRecord.self, from: Data(text.utf8))
  }
}
