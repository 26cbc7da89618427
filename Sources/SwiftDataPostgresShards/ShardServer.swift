import SwiftData
import SwiftDataPostgres

/// A server with partitions of another server's tables.
///
/// Its tables are partitioned like the store's, with the partitions that it keeps. A row outside of these is
/// refused there. No column is required and nothing refers to another table: the store's server checks the values.
struct ShardServer {
  /// The name of the foreign server on the store's server.
  let name: String
  let url: String
  private let options: [String: String]

  /// Returns nil if libpq cannot parse the URL.
  init?(_ url: String) {
    guard let parsed = PostgresURL(url) else { return nil }
    name = FormerServerNames.short("swiftdata " + parsed.place.dropFirst("postgres://".count))
    (self.url, options) = (url, parsed.options)
  }

  /// The statements that let the store's server reach it.
  var foreignServer: [String] {
    // Rows are written a thousand a round trip. They are read 200 a round trip, because a page reads the first ones of each
    // partition. All shards are asked at once.
    let tuning = ["fetch_size": "200", "batch_size": "1000", "async_capable": "true"]
    let secrets: Set = ["user", "password", "sslcert", "sslkey", "sslpassword"]
    let user = options.filter { secrets.contains($0.key) }
    let named = options.filter { !secrets.contains($0.key) }
    // Otherwise a shard that vanished would keep the store's server waiting for hours.
    let server = PostgresURL.keepalives.merging(named) { $1 }.merging(tuning) { $1 }
    func list(_ options: [String: String]) -> String {
      options.sorted { $0.key < $1.key }.map { "\($0.quotedIdentifier) \($1.quotedLiteral)" }.joined(separator: ", ")
    }
    let mapping = "CREATE USER MAPPING IF NOT EXISTS FOR CURRENT_USER SERVER \(name.quotedIdentifier)"
    return [
      "CREATE EXTENSION IF NOT EXISTS postgres_fdw WITH SCHEMA public",
      "CREATE SERVER IF NOT EXISTS \(name.quotedIdentifier) FOREIGN DATA WRAPPER postgres_fdw OPTIONS (\(list(server)))",
      user.isEmpty ? mapping : mapping + " OPTIONS (\(list(user)))",
    ]
  }
}

/// The connections to a store's shards, for changes of their tables. If the migration of the store fails after such a change, the next
/// attempt continues it.
final class ShardConnections: PartitionServers {
  private let namespace: String
  private let servers: [String: ShardServer]
  private var connections: [String: PostgresConnection] = [:]

  static func name(ofServerAt url: String) -> String? { ShardServer(url)?.name }

  init(_ configuration: PostgresConfiguration) {
    namespace = configuration.namespace
    let servers = configuration.shardURLs.compactMap(ShardServer.init).map { ($0.name, $0) }
    self.servers = Dictionary(servers) { first, _ in first }
  }

  var foreignServers: [String] { servers.sorted { $0.key < $1.key }.flatMap(\.value.foreignServer) }

  func run(_ statements: [String], for table: PartitionedTable) throws { try run(for: table) { _ in statements } }

  func create(_ table: LayoutRecord.Table, _ partitioned: PartitionedTable, _ layout: StoreLayout) throws {
    try run(for: partitioned) { table.shardCreation(partitioned, on: $0, layout) }
  }

  func create(
    _ index: LayoutRecord.Index, of table: LayoutRecord.Table, _ partitioned: PartitionedTable, _ layout: StoreLayout
  ) throws {
    try run(for: partitioned) { table.shardCreation(index, partitioned, on: $0, layout) }
  }

  private func run(for table: PartitionedTable, _ statements: (_ server: String) -> [String]) throws {
    for server in Set(table.servers).sorted() {
      let connection = try connection(to: server, table)
      for statement in statements(server) { try connection.script(statement) }
    }
  }

  func size(of table: PartitionedTable) throws -> Int64 {
    try Set(table.servers).sorted().reduce(0) { sum, server in
      let names = table.indices(on: server).map { SQLValue.text(table.partitions[$0]) }
      let size = try connection(to: server, table).run(
        "SELECT coalesce(sum(pg_relation_size(c.oid)), 0)::bigint FROM pg_catalog.pg_class AS c"
          + " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
          + " WHERE n.nspname = $1::text AND c.relname::text = ANY($2::text[])",
        [.text(namespace), .array(names, .text)])
      return sum + size.integer(0, 0)
    }
  }

  private func connection(to name: String, _ table: PartitionedTable) throws -> PostgresConnection {
    if let connection = connections[name] { return connection }
    guard let server = servers[name] else { throw Self.unnamed(name, table) }
    let connection = try PostgresConnection(url: server.url, namespace: namespace)
    // The migration's own locks on the shard, which it holds through the store's server, are not a deadlock for the shard.
    try connection.script("SET lock_timeout = '10s'")
    try connection.script("CREATE SCHEMA IF NOT EXISTS \(namespace.quotedIdentifier)")
    connections[name] = connection
    return connection
  }
}
