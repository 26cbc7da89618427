import SwiftData

/// The servers that keep partitions of a store's tables, for changes of these tables. Reading and writing goes through the store's
/// server. `SwiftDataPostgresShards` has the implementation.
package protocol PartitionServers: SendableMetatype {
  /// The name that a server has on the store's server, or nil if its URL cannot be read.
  static func name(ofServerAt url: String) -> String?

  init(_ configuration: PostgresConfiguration)

  /// The statements that let the store's server reach them. They may contain passwords.
  var foreignServers: [String] { get }

  /// Runs statements on each server of a table. Each statement commits at once, and does nothing if its result exists.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the configuration does not name a server.
  func run(_ statements: [String], for table: PartitionedTable) throws

  /// Creates a table with its indices and the partitions of each server.
  func create(_ table: LayoutRecord.Table, _ partitioned: PartitionedTable, _ layout: StoreLayout) throws

  /// Creates an index of a table.
  func create(
    _ index: LayoutRecord.Index, of table: LayoutRecord.Table, _ partitioned: PartitionedTable, _ layout: StoreLayout
  ) throws

  /// The bytes of a table on its servers.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the configuration does not name a server.
  func size(of table: PartitionedTable) throws -> Int64
}

/// The URLs of servers with partitions, and what reaches these servers.
package struct Shards: Sendable {
  let urls: [String]
  let host: any PartitionServers.Type

  package init(urls: [String], host: any PartitionServers.Type) { (self.urls, self.host) = (urls, host) }
}

/// The servers of a configuration that names none. The tables of its store may have partitions on servers nevertheless.
private struct UnnamedServers: PartitionServers {
  static func name(ofServerAt url: String) -> String? { nil }

  init(_ configuration: PostgresConfiguration) {}

  var foreignServers: [String] { [] }

  func run(_ statements: [String], for table: PartitionedTable) throws { throw Self.unnamed(table.servers[0], table) }

  func size(of table: PartitionedTable) throws -> Int64 { throw Self.unnamed(table.servers[0], table) }

  func create(_ table: LayoutRecord.Table, _ partitioned: PartitionedTable, _ layout: StoreLayout) throws {
    try run([], for: partitioned)
  }

  func create(
    _ index: LayoutRecord.Index, of table: LayoutRecord.Table, _ partitioned: PartitionedTable, _ layout: StoreLayout
  ) throws {
    try run([], for: partitioned)
  }
}

extension PartitionServers {
  /// The error for a server that the configuration does not name.
  package static func unnamed(_ server: String, _ table: PartitionedTable) -> SwiftDataError {
    SwiftDataError(
      .loadIssueModelContainer, entity: table.table,
      message: "its tables have to be changed on the server \"\(server)\" too, which the configuration does not name;"
        + " name the shards in `partitions` with `import SwiftDataPostgresShards`")
  }
}

extension PostgresConfiguration {
  /// The servers that keep partitions of the store's tables.
  var shards: any PartitionServers {
    (partitions.lazy.compactMap(\.shards).first?.host ?? UnnamedServers.self).init(self)
  }

  /// The URLs of the servers that keep partitions.
  package var shardURLs: [String] { partitions.flatMap { $0.shards?.urls ?? [] } }
}
