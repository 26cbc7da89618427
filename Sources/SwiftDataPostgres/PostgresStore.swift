import Foundation
public import SwiftData
import Synchronization

// @unchecked Sendable because it is immutable with Sendable or immutable contents.
/// A store in a PostgreSQL database, for many programs on many machines. (Our own.)
///
/// Tables and columns have the names of classes and properties; `Documentation/postgres.md` describes them. The context
/// computes what the server cannot compute exactly as Swift does.
public final class PostgresStore: DataStore, HistoryProviding, @unchecked Sendable {
  /// The type of its configuration.
  public typealias Configuration = PostgresConfiguration
  /// The type of its snapshots.
  public typealias Snapshot = DefaultSnapshot
  /// The type of its transactions.
  public typealias HistoryType = DefaultHistoryTransaction

  /// The configuration that opened the store.
  public let configuration: PostgresConfiguration
  /// The identifier of the store, which the database records.
  public let identifier: String
  /// The models in the store.
  public let schema: Schema
  package let migration: ModelContainer.MigrationSummary

  let connections: ServerConnections
  package let layout: StoreLayout
  package let loweredQueries = LoweredQueries()
  let keys = KeyBlocks()
  let layouts: RowLayouts
  let partitions: PartitionedTables
  /// Distinguishes this opened store from the same one opened elsewhere.
  let instance = UUID()
  /// The ``StoreEpoch`` at opening. Empty inside a migration.
  let epoch: String
  /// The timeline of the primary when the history was read last.
  let watchedTimeline = Atomic<Int64>(0)
  /// The number of saves since opening.
  let saveCount = Atomic<Int>(0)
  private let rowsByEntity: [ObjectIdentifier: EntityRows]

  /// Opens the store, and creates or extends its tables, in one transaction. Many programs may do so at once.
  ///
  /// While other programs use the tables, the opening waits and tries again, at most for the timeout of the pool. A lost
  /// connection is replaced. Closures of custom stages then run again.
  /// - Parameters:
  ///   - configuration: the server, the namespace and the pool.
  ///   - migrationPlan: the versions of the models. The closures of its custom stages run in that transaction.
  /// - Throws: errors of the closures; `SwiftDataError.loadIssueModelContainer` if the tables cannot be migrated to the
  ///   models or if the namespace belongs to other models, `SwiftDataError.newerSchema`, `SwiftDataError.storeLocked`, and
  ///   `SwiftDataError.io` if the server is unreachable.
  public init(_ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message:
          "the configuration \"\(configuration.name)\" has no schema, but a store that is opened without a container"
          + " needs one; set its schema")
    }
    self.configuration = configuration
    self.schema = schema
    let current = VersionLayout(schema, coding: configuration.columnCoding)
    let layout = current.layout
    self.layout = layout
    for table in layout.tables { try table.validateCodecs() }
    let connections = ServerConnections(configuration)
    self.connections = connections
    let opened = try Self.report(configuration.name) {
      try OpeningAttempts(
        connections: connections, configuration: configuration, current: current, plan: migrationPlan
      ).run { try $0.open() }
    }
    (identifier, partitions, epoch) = (opened.identifier, opened.partitions, opened.epoch)
    migration = ModelContainer.MigrationSummary(configuration: configuration.name, steps: opened.steps)
    layouts = RowLayouts(layout, opened.partitions)
    rowsByEntity = Self.rows(layout)
    try forgetOldHistory()
  }

  /// Makes the store of one schema version inside the transaction of a migration.
  init(
    _ configuration: PostgresConfiguration, _ version: VersionLayout, _ opened: PostgresOpening.Opened,
    within transaction: PostgresConnection
  ) {
    var configuration = configuration
    // Only the whole transaction can be retried.
    configuration.maximumSaveAttempts = 1
    configuration.historyRetention = nil
    configuration.schema = version.schema
    self.configuration = configuration
    (identifier, partitions, epoch) = (opened.identifier, opened.partitions, "")
    (schema, layout) = (version.schema, version.layout)
    migration = ModelContainer.MigrationSummary(configuration: configuration.name, steps: [])
    layouts = RowLayouts(version.layout, opened.partitions)
    connections = ServerConnections(within: transaction)
    rowsByEntity = Self.rows(version.layout)
  }

  private static func rows(_ layout: StoreLayout) -> [ObjectIdentifier: EntityRows] {
    let rows = layout.tables.map { (ObjectIdentifier($0.entity), EntityRows($0, layout: layout)) }
    return Dictionary(rows) { first, _ in first }
  }

  /// Removes the tables of the store, and its namespace if that is empty then.
  /// - Throws: `SwiftDataError.io`.
  public func erase() throws {
    try Self.report(configuration.name) {
      try connections.with { connection in
        try StoreErasure(
          connection: connection, configuration: configuration, record: layout.record,
          search: SearchColumns.all(of: layout), partitions: partitions
        ).run()
      }
      connections.close()
    }
  }

  // MARK: - Inside

  /// The rows of a class.
  /// - Throws: `SwiftDataError.unknownSchema`.
  func rows(of entity: __Entity) throws -> EntityRows {
    guard let rows = rowsByEntity[ObjectIdentifier(entity)] else {
      throw SwiftDataError(
        .unknownSchema, entity: entity.name,
        message: "the store \"\(configuration.name)\" was not opened for this class; name it in its schema")
    }
    return rows
  }

  /// Reads from the primary. Retries on a new connection if the first was lost.
  /// - Parameter cancellable: whether cancelling the task ends it. False if the caller could not report that.
  func read<T>(cancellable: Bool = false, _ body: (PostgresConnection) throws -> T) throws -> T {
    try Self.report(configuration.name) { try connections.read(cancellable: cancellable, body) }
  }

  /// Converts errors of the server to the store's errors.
  static func report<T>(_ store: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as PostgresError {
      throw error.error(store)
    }
  }
}
