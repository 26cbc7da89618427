import SwiftData

/// Removes the store's objects and leaves those of others.
struct StoreErasure {
  let connection: PostgresConnection
  let configuration: PostgresConfiguration
  let record: LayoutRecord
  let search: [SearchColumns]

  func run() throws {
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
}
