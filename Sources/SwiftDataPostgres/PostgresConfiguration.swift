import Foundation
public import SwiftData

/// The configuration of a PostgreSQL store. (Our own.)
///
///     let container = try ModelContainer(
///       for: Trip.self, configurations: PostgresConfiguration(url: "postgres://user@host/database"))
public struct PostgresConfiguration: DataStoreConfiguration, Sendable {
  /// The type of store that the configuration opens.
  public typealias Store = PostgresStore

  /// The name of the configuration.
  public var name: String
  /// The models in the store, or nil for the container's.
  public var schema: Schema?
  /// The server in libpq's URL format: `postgres://user:password@host:port/database?sslmode=verify-full`.
  ///
  /// With several hosts, `postgres://a:5432,b:5432/database`, the store uses the primary. If the primary is lost,
  /// fetches and saves wait for another one, at most the `timeout` of ``pool``.
  public var url: String
  /// The server to listen to for external saves. Nil is ``url``. A pooler does not forward notifications, so name the
  /// server itself here. Without it, a store behind a pooler polls the history once a second while it is observed.
  public var listenURL: String?
  /// The server that answers a fetch. The replicas are the hosts of ``url`` other than the primary.
  public var readPreference: ReadPreference
  /// The schema of the database with the tables. The store creates it if it does not exist.
  public var namespace: String
  /// The classes whose rows are divided into partitions, by a property of the class.
  public var partitions: [PostgresPartitions]
  /// The options of the connection pool.
  public var pool: PostgresPoolOptions
  /// The maximum number of attempts of a save that conflicts with another one.
  public var maximumSaveAttempts: Int
  /// The time that the history keeps a transaction, or nil for no limit. Older transactions are deleted when
  /// a program opens the store, and after every hundredth save.
  public var historyRetention: Duration?

  /// Whether programs with older models may use the store while it is opened. The opening then refuses a change of the
  /// models that they could not go on with, and says which steps work.
  public var isRolling: Bool

  /// The key that encrypts attributes with the option `.allowsCloudEncryption`, before they are sent. With nil, the
  /// default, the database has them unencrypted. Opening an existing store encrypts or decrypts it.
  public var encryptionKey: ModelConfiguration.EncryptionKey?
  /// Former values of ``encryptionKey``, which decrypt older values. `ModelContainer.reencrypt()` makes them unnecessary.
  public var previousEncryptionKeys: [ModelConfiguration.EncryptionKey] = []

  /// Makes a configuration.
  /// - Parameters:
  ///   - name: distinguishes the configurations of a container.
  ///   - url: the server in libpq's URL format, including TLS settings (`sslmode`, `sslrootcert`).
  ///   - schema: the models in the store, or nil for the container's.
  ///   - namespace: the schema of the database with the tables. Each store needs its own.
  ///   - pool: the options of the connection pool.
  ///   - maximumSaveAttempts: the maximum number of attempts of a save that ends with a serialization failure or a deadlock.
  ///   - historyRetention: the time that the history keeps a transaction, or nil for no limit.
  ///   - readPreference: the server that answers a fetch.
  ///   - partitions: the classes whose rows are divided into partitions.
  ///   - listenURL: the server to listen to for external saves, if `url` is a pooler's.
  ///   - isRolling: whether programs with older models may use the store while it is opened.
  public init(
    _ name: String = "postgres", url: String, schema: Schema? = nil, namespace: String = "swiftdata",
    pool: PostgresPoolOptions = PostgresPoolOptions(), maximumSaveAttempts: Int = 8,
    historyRetention: Duration? = nil, readPreference: ReadPreference = .primary, listenURL: String? = nil,
    partitions: [PostgresPartitions] = [], isRolling: Bool = false
  ) {
    self.name = name
    self.url = url
    self.schema = schema
    self.namespace = namespace
    self.pool = pool
    self.maximumSaveAttempts = max(1, maximumSaveAttempts)
    self.historyRetention = historyRetention
    self.readPreference = readPreference
    self.listenURL = listenURL
    self.partitions = partitions
    self.isRolling = isRolling
  }

  /// Checks the form of the URL and the name of the schema.
  /// - Throws: `SwiftDataError.loadIssueModelContainer`.
  public func validate() throws {
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the URL of the configuration \"\(name)\" does not begin with postgres://; write"
          + " postgres://user@host:port/database")
    }
    guard PostgresURL(url) != nil, listenURL.map({ PostgresURL($0) != nil }) ?? true else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the URL of the configuration \"\(name)\" cannot be read; write"
          + " postgres://user:password@host:port/database, with @ / : ? # % and spaces in the password as %40 %2F %3A %3F"
          + " %23 %25 %20")
    }
    guard !namespace.isEmpty, namespace.utf8.count < 64, !namespace.utf8.contains(0) else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the namespace of configuration \"\(name)\" is not a name of a PostgreSQL schema; use 1 to 63 bytes")
    }
    guard namespace != "$user" else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the namespace of configuration \"\(name)\" is $user, which PostgreSQL replaces by the user; write the"
          + " name of the schema")
    }
  }
}

extension PostgresConfiguration: EncryptedConfiguration {
  package var columnCoding: ColumnCoding? { KeyRing(self).map(ColumnCoding.program) }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name, the server, the database and the schema. The URL is omitted because it may contain a password.
  public var description: String { "PostgresConfiguration(\(name), \(PostgresURL(url)?.place ?? "?"), \(namespace))" }
  /// As ``description``.
  public var debugDescription: String { description }
  /// The contents of ``description``.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "server": PostgresURL(url)?.place ?? "?", "namespace": namespace])
  }
}
