public import SwiftData

/// Stores of one database that differ in their namespace only, one per tenant. (Our own.)
///
///     let tenants = PostgresTenants(PostgresConfiguration(url: url, schema: schema))
///     let container = try ModelContainer(for: schema, configurations: tenants.configuration(forNamespace: "tenant_17"))
///
/// They share connections: at most the `size` of the pool, and one more that listens.
public struct PostgresTenants: Sendable {
  /// The common configuration of all tenants.
  public let configuration: PostgresConfiguration
  /// The beginning of all tenants' namespaces.
  public let prefix: String

  /// Makes tenants.
  /// - Parameters:
  ///   - configuration: the common configuration. Its namespace is ignored, and its pool is shared.
  ///   - prefix: the beginning of all tenants' namespaces. It distinguishes them from other stores of the same models.
  public init(_ configuration: PostgresConfiguration, prefix: String = "") {
    var configuration = configuration
    configuration.pool.isShared = true
    self.configuration = configuration
    self.prefix = prefix
  }

  /// The configuration of one tenant.
  /// - Parameter namespace: the schema of the database for the tenant's tables.
  public func configuration(forNamespace namespace: String) -> PostgresConfiguration {
    var configuration = configuration
    configuration.namespace = namespace
    return configuration
  }

  /// The namespaces of the database with a store of these models, in order. A store is one if it has a class of the
  /// models, or of a version of the plan, and its namespace begins with ``prefix``.
  /// - Parameter plan: the versions of the models.
  /// - Throws: `SwiftDataError.io` if the server is unreachable, and `SwiftDataError.loadIssueModelContainer` if the
  ///   configuration has no schema.
  /// - Complexity: one statement, and one per hundred stores of the database.
  public func namespaces(migrationPlan plan: (any SchemaMigrationPlan.Type)? = nil) throws -> [String] {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the configuration \"\(configuration.name)\" has no schema, by which tenants are recognized; set it")
    }
    let connections = ServerConnections(configuration)
    return try PostgresStore.report(configuration.name) {
      try connections.read(cancellable: true) { connection in
        try TenantList(connection: connection, prefix: prefix, owner: StoreOwner(schema, plan)).namespaces()
      }
    }
  }

  /// The progress of a migration of many tenants.
  public struct Progress: Sendable {
    /// The namespace of the tenant that was tried last.
    public let namespace: String
    /// The reason why it could not be migrated, or nil.
    public let failure: (any Error)?
    /// The number of tenants tried so far.
    public let completedCount: Int
    /// The number of tenants.
    public let totalCount: Int
  }

  /// Migrates the tables of many tenants to the program's models, one tenant after another, each in its own
  /// transaction.
  ///
  /// A tenant that fails stays unchanged, and the others continue. The store of other models fails so. An interrupted migration continues when it is called
  /// again: a tenant that has the models is only checked.
  /// - Parameters:
  ///   - namespaces: the tenants. One without a store gets one.
  ///   - plan: the versions of the models. See ``PostgresStore/init(_:migrationPlan:)``.
  ///   - progress: called after each tenant.
  /// - Returns: the tenants that failed, with the reasons.
  /// - Throws: `CancellationError` between two tenants if the task was cancelled, and the error of `progress`.
  /// - Complexity: a few statements per tenant.
  public func migrate(
    _ namespaces: [String], migrationPlan plan: (any SchemaMigrationPlan.Type)? = nil,
    progress: (Progress) throws -> Void = { _ in }
  ) throws -> [String: any Error] {
    // Keeps the shared connections between two tenants.
    let connections = ServerConnections(configuration)
    defer { withExtendedLifetime(connections) {} }
    var failures = [String: any Error]()
    for (index, namespace) in namespaces.enumerated() {
      try Task.checkCancellation()
      do {
        _ = try PostgresStore(configuration(forNamespace: namespace), migrationPlan: plan)
      } catch {
        failures[namespace] = error
      }
      try progress(
        Progress(
          namespace: namespace, failure: failures[namespace], completedCount: index + 1, totalCount: namespaces.count))
    }
    return failures
  }
}
