import CLibPQ
import Foundation
import SwiftData

/// A server with partitions of another server's tables.
///
/// Its tables are partitioned like the store's, with the partitions that it keeps. A row outside of these is
/// refused there. No column is required and nothing refers to another table: the store's server checks the values.
struct ShardServer {
  /// The name of the foreign server on the store's server.
  let name: String
  let url: String
  private let server: [(String, String)]
  private let user: [(String, String)]

  /// Returns nil if libpq cannot parse the URL.
  init?(_ url: String) {
    guard let parsed = PostgresURL(url), let options = PQconninfoParse(url, nil) else { return nil }
    defer { PQconninfoFree(options) }
    var (server, user) = ([(String, String)](), [(String, String)]())
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        let pair = (String(cString: keyword), String(cString: value))
        if ["user", "password", "sslcert", "sslkey", "sslpassword"].contains(pair.0) {
          user.append(pair)
        } else {
          server.append(pair)
        }
      }
      option += 1
    }
    name = FormerServerNames.short("swiftdata " + parsed.place.dropFirst("postgres://".count))
    (self.url, self.server, self.user) = (url, server, user)
  }

  /// The statements that let the store's server reach it.
  var foreignServer: [String] {
    // Rows are written a thousand a round trip. They are read 200 a round trip, because a page reads the first ones of each
    // partition. All shards are asked at once.
    let tuning = [
      ("fetch_size", "200"), ("batch_size", "1000"), ("async_capable", "true"),
    ]
    func list(_ options: [(String, String)]) -> String {
      options.map { "\($0.quotedIdentifier) \($1.quotedLiteral)" }.joined(separator: ", ")
    }
    let mapping = "CREATE USER MAPPING IF NOT EXISTS FOR CURRENT_USER SERVER \(name.quotedIdentifier)"
    return [
      "CREATE EXTENSION IF NOT EXISTS postgres_fdw WITH SCHEMA public",
      "CREATE SERVER IF NOT EXISTS \(name.quotedIdentifier) FOREIGN DATA WRAPPER postgres_fdw OPTIONS (\(list(server + tuning)))",
      user.isEmpty ? mapping : mapping + " OPTIONS (\(list(user)))",
    ]
  }
}

/// The connections to a store's shards, for changes of their tables. Reading and writing goes through the store's server.
///
/// Each statement commits at once, and does nothing if its result exists. If the migration of the store then fails, the
/// next attempt continues it.
final class ShardConnections {
  private let namespace: String
  private let servers: [String: ShardServer]
  private var connections: [String: PostgresConnection] = [:]

  init(_ configuration: PostgresConfiguration) {
    namespace = configuration.namespace
    let servers = configuration.partitions.flatMap(\.shards).compactMap(ShardServer.init).map { ($0.name, $0) }
    self.servers = Dictionary(servers) { first, _ in first }
  }

  /// The statements that let the store's server reach the shards.
  var foreignServers: [String] { servers.sorted { $0.key < $1.key }.flatMap(\.value.foreignServer) }

  /// Runs statements for a sharded table on each of its servers.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the configuration does not name a server.
  func run(for table: PartitionedTable, _ statements: (_ server: String) -> [String]) throws {
    for server in Set(table.servers).sorted() {
      let connection = try connection(to: server, table.table)
      for statement in statements(server) { try connection.script(statement) }
    }
  }

  /// The bytes of a table on its servers.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the configuration does not name a server.
  func size(of table: PartitionedTable) throws -> Int64 {
    try Set(table.servers).sorted().reduce(0) { sum, server in
      let names = table.indices(on: server).map { SQLValue.text(table.partitions[$0]) }
      let size = try connection(to: server, table.table).run(
        "SELECT coalesce(sum(pg_relation_size(c.oid)), 0)::bigint FROM pg_catalog.pg_class AS c"
          + " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
          + " WHERE n.nspname = $1::text AND c.relname::text = ANY($2::text[])",
        [.text(namespace), .array(names, .text)])
      return sum + size.integer(0, 0)
    }
  }

  private func connection(to name: String, _ table: String) throws -> PostgresConnection {
    if let connection = connections[name] { return connection }
    guard let server = servers[name] else {
      throw SwiftDataError(
        .loadIssueModelContainer, entity: table,
        message: "its tables have to be changed on the server \"\(name)\" too, which the configuration does not name;"
          + " name the shards in `partitions`")
    }
    let connection = try PostgresConnection(url: server.url, namespace: namespace)
    // The migration's own locks on the shard, which it holds through the store's server, are not a deadlock for the shard.
    try connection.script("SET lock_timeout = '10s'")
    try connection.script("CREATE SCHEMA IF NOT EXISTS \(namespace.quotedIdentifier)")
    connections[name] = connection
    return connection
  }
}
