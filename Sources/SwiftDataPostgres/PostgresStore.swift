import Foundation
public import SwiftData
import Synchronization

/// A store in a PostgreSQL database: many programs on many machines can use it at a time. (Our own.)
///
/// Tables and columns are called as classes and properties are; `Documentation/postgres.md` describes them. What the
/// server cannot answer exactly as Swift does, the context computes.
// @unchecked Sendable because it is immutable, and what it holds is Sendable or immutable.
public final class PostgresStore: DataStore, HistoryProviding, @unchecked Sendable {
  public typealias Configuration = PostgresConfiguration
  public typealias Snapshot = DefaultSnapshot
  public typealias HistoryType = DefaultHistoryTransaction

  /// What the store was opened with.
  public let configuration: PostgresConfiguration
  /// The identity of the store, which the database keeps.
  public let identifier: String
  /// The models that it keeps.
  public let schema: Schema

  let pool: PostgresPool
  package let layout: StoreLayout
  package let loweredQueries = LoweredQueries()
  let keys = KeyBlocks()
  let layouts: RowLayouts
  /// Tells this opened store from the same one opened elsewhere.
  let instance = UUID()
  let foreign = ForeignSaves()
  /// How many saves there were since it was opened.
  let saveCount = Atomic<Int>(0)
  private let rowsByName: [String: EntityRows]

  /// Opens the store, and makes or extends its tables where the models need it: in one transaction, also where many
  /// programs do it at a time.
  /// - Parameter migrationPlan: the versions of the models; the closures of its custom stages run in that transaction.
  /// - Throws: what the closures throw; ``SwiftDataError/loadIssueModelContainer`` where the tables cannot become what the models need,
  ///   ``SwiftDataError/newerSchema``, and ``SwiftDataError/io`` where the server cannot be reached.
  public init(_ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message: "the configuration \"\(configuration.name)\" has no schema, which a store needs that is opened without"
          + " a container; set its schema")
    }
    self.configuration = configuration
    self.schema = schema
    let layout = StoreLayout(tables: EntityTable.tables(of: schema) { _ in 0 })
    self.layout = layout
    layouts = RowLayouts(layout)
    let pool = PostgresPool(
      url: configuration.url, namespace: configuration.namespace, options: configuration.pool,
      log: StatementLog(store: configuration.name))
    self.pool = pool
    let identifier = try Self.report(configuration.name) {
      try pool.with { connection in
        try StoreOpening(
          connection: connection, configuration: configuration, current: VersionLayout(schema: schema, layout: layout),
          plan: migrationPlan
        ).open()
      }
    }
    self.identifier = identifier
    rowsByName = Self.rows(layout)
    try forgetOldHistory()
  }

  /// The store of one version of the models within the transaction of a migration.
  init(
    _ configuration: PostgresConfiguration, _ version: VersionLayout, identifier: String,
    within transaction: PostgresConnection
  ) {
    var configuration = configuration
    // Only the whole transaction can be tried again.
    configuration.attempts = 1
    configuration.historyRetention = nil
    configuration.schema = version.schema
    self.configuration = configuration
    self.identifier = identifier
    (schema, layout) = (version.schema, version.layout)
    layouts = RowLayouts(layout)
    pool = PostgresPool(within: transaction)
    rowsByName = Self.rows(version.layout)
  }

  private static func rows(_ layout: StoreLayout) -> [String: EntityRows] {
    let rows = layout.tables.map { ($0.entity.name, EntityRows($0, layout: layout)) }
    return Dictionary(rows) { first, _ in first }
  }

  /// Removes the tables of the store; its namespace too where nothing else is in it.
  /// - Throws: ``SwiftDataError/io``.
  public func erase() throws {
    try Self.report(configuration.name) {
      try pool.with { connection in
        try StoreErasure(
          connection: connection, configuration: configuration, record: layout.record,
          search: SearchColumns.all(of: layout)
        ).run()
      }
      pool.close()
    }
  }

  // MARK: - Inside

  /// The rows of a class.
  /// - Throws: ``SwiftDataError/unknownSchema``.
  func rows(of name: String) throws -> EntityRows {
    guard let rows = rowsByName[name] else {
      throw SwiftDataError(
        .unknownSchema, entity: name,
        message: "the store \"\(configuration.name)\" was not opened for this class; name it in its schema")
    }
    return rows
  }

  /// Reads from the server; once more on a fresh connection where the first was lost.
  /// - Parameter cancellable: whether it ends when the task is cancelled: not where the caller could not say so.
  func read<T>(cancellable: Bool = false, _ body: (PostgresConnection) throws -> T) throws -> T {
    try Self.report(configuration.name) { try readRaw(cancellable: cancellable, body) }
  }

  /// The same with the errors of the server.
  func readRaw<T>(cancellable: Bool = false, _ body: (PostgresConnection) throws -> T) throws -> T {
    do {
      return try pool.with(cancellable: cancellable, body)
    } catch let error as PostgresError where error.isLost {
      // What closed one has likely closed the others, though that may not have arrived yet.
      pool.close()
      return try pool.with(cancellable: cancellable, body)
    }
  }

  /// Gives errors of the server the form that callers know.
  static func report<T>(_ store: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as PostgresError {
      throw error.error(store)
    }
  }
}
