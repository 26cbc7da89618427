import Logging
import SwiftData

/// Makes the plain indices that a store lacks without keeping other programs from writing.
///
/// The server builds such an index in several transactions. An opening that ends meanwhile leaves an invalid index, which
/// no fetch uses. The next opening replaces it.
struct ConcurrentIndices {
  let connection: PostgresConnection
  let configuration: PostgresConfiguration
  let layout: StoreLayout
  let partitions: PartitionedTables

  /// The bytes of a table from which its new indices are made after the transaction of the opening. The server indexes
  /// smaller tables in a fraction of a second.
  static let size: Int64 = 8 << 20

  private struct Missing {
    let name: String
    let definition: String
    /// Whether an opening did not finish it.
    let isInvalid: Bool
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
      for index in try missing() {
        let name = index.name.quotedIdentifier
        if index.isInvalid {
          try connection.script("DROP INDEX CONCURRENTLY IF EXISTS \(configuration.namespace.quotedIdentifier).\(name)")
        }
        try connection.script("CREATE INDEX CONCURRENTLY IF NOT EXISTS \(name) ON \(index.definition)")
      }
    } catch let error as PostgresError where ["42501", "25006"].contains(error.state) {
      // A program that only reads and writes rows goes on without the index.
      Logger(label: "SwiftData.Migration").warning(
        "\(configuration.name): an index is missing, and the user of the URL may not make it (\(error.message)); open the store as the owner of its schema"
      )
    }
  }

  private func missing() throws -> [Missing] {
    let all = layout.record.tables.filter { partitions[$0.name] == nil }.flatMap { table in
      table.indices.filter { !$0.isUnique }.compactMap { index in
        table.definition(of: index, in: layout, namespace: configuration.namespace).map {
          (name: ServerNames.index(index, of: table.name), definition: $0)
        }
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
      return Missing(name: index.name, definition: index.definition, isInvalid: found.integer(row, 1) == 1)
    }
  }
}
