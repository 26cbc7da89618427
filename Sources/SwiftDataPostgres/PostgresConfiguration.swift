import Foundation
public import SwiftData

/// Where a PostgreSQL store is. (Our own.)
///
///     let container = try ModelContainer(
///       for: Trip.self, configurations: PostgresConfiguration(url: "postgres://user@host/database"))
public struct PostgresConfiguration: DataStoreConfiguration, Sendable {
  /// The store that is opened with it.
  public typealias Store = PostgresStore

  /// The name of the configuration.
  public var name: String
  /// The models that the store keeps; nil is those of the container.
  public var schema: Schema?
  /// Where the server is, as libpq reads it: `postgres://user:password@host:port/database?sslmode=verify-full`.
  public var url: String
  /// The schema of the database in which the tables are. It is made where there is none.
  public var namespace: String
  /// The connections.
  public var pool: PostgresPoolOptions
  /// How often a save is tried where the server found that it and another one were in each other's way.
  public var attempts: Int
  /// How long, in seconds, the history keeps a transaction; nil keeps all. Older ones are forgotten when a program opens
  /// the store, and after every hundredth save of one.
  public var historyRetention: Double?

  /// Makes a configuration.
  /// - Parameters:
  ///   - name: tells the configurations of one container apart.
  ///   - url: where the server is, as libpq reads it; settings of TLS (`sslmode`, `sslrootcert`) are part of it.
  ///   - schema: the models that the store keeps; nil is those of the container.
  ///   - namespace: the schema of the database in which the tables are, a store for each.
  ///   - pool: the connections.
  ///   - attempts: how often a save is tried that a serialization failure or a deadlock ended.
  ///   - historyRetention: how many seconds the history keeps a transaction; nil keeps all.
  public init(
    _ name: String = "postgres", url: String, schema: Schema? = nil, namespace: String = "swiftdata",
    pool: PostgresPoolOptions = PostgresPoolOptions(), attempts: Int = 8,
    historyRetention: Double? = nil
  ) {
    self.name = name
    self.url = url
    self.schema = schema
    self.namespace = namespace
    self.pool = pool
    self.attempts = max(1, attempts)
    self.historyRetention = historyRetention
  }

  /// Checks the form of the URL and the name of the schema.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer``.
  public func validate() throws {
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the URL of the configuration \"\(name)\" does not begin with postgres://; write"
          + " postgres://user@host:port/database")
    }
    guard PostgresURL(url) != nil else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the URL of the configuration \"\(name)\" cannot be read; write"
          + " postgres://user:password@host:port/database, with @ / : ? # % and spaces in the password as %40 %2F %3A %3F"
          + " %23 %25 %20")
    }
    guard !namespace.isEmpty, namespace.utf8.count < 64, !namespace.utf8.contains(0) else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the namespace of the configuration \"\(name)\" is no name of a PostgreSQL schema; use 1 to 63 bytes")
    }
  }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Its name, server, database and schema; the URL may have a password in it.
  public var description: String { "PostgresConfiguration(\(name), \(PostgresURL(url)?.place ?? "?"), \(namespace))" }
  /// As ``description``.
  public var debugDescription: String { description }
  /// What ``description`` shows.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "server": PostgresURL(url)?.place ?? "?", "namespace": namespace])
  }
}
