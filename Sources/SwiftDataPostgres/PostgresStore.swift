import Foundation
public import SwiftData

/// A store in a PostgreSQL database: many programs on many machines can use it at a time. (Our own.)
///
/// Tables and columns are called as classes and properties are; `Documentation/postgres.md` describes them. What the
/// server cannot answer exactly as Swift does, the context computes.
// @unchecked Sendable because it is immutable, and what it holds is Sendable or immutable.
public final class PostgresStore: RelationalStore, HistoryProviding, @unchecked Sendable {
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
  let layout: StoreLayout
  let keys = KeyBlocks()
  /// Tells this opened store from the same one opened elsewhere.
  let instance = UUID()
  let foreign = ForeignSaves()
  private let rowsByName: [String: EntityRows]

  /// Opens the store, and makes or extends its tables where the models need it: in one transaction, also where many
  /// programs do it at a time.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` where the tables cannot become what the models need,
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
    let pool = PostgresPool(url: configuration.url, namespace: configuration.namespace, options: configuration.pool)
    self.pool = pool
    let identifier = try Self.report(configuration.name) {
      try pool.with { connection in
        try StoreOpening(
          connection: connection, configuration: configuration, tables: layout.tables, record: layout.record
        ).open()
      }
    }
    self.identifier = identifier
    let rows = layout.tables.map { ($0.entity.name, EntityRows($0, store: identifier, layout: layout)) }
    rowsByName = Dictionary(rows) { first, _ in first }
  }

  /// Removes the tables of the store; its namespace too where nothing else is in it.
  /// - Throws: ``SwiftDataError/io``.
  public func erase() throws {
    try Self.report(configuration.name) {
      try pool.with { try StoreErasure(connection: $0, configuration: configuration, record: layout.record).run() }
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
  func read<T>(_ body: (PostgresConnection) throws -> T) throws -> T {
    try Self.report(configuration.name) { try readRaw(body) }
  }

  /// The same with the errors of the server.
  func readRaw<T>(_ body: (PostgresConnection) throws -> T) throws -> T {
    do {
      return try pool.with(body)
    } catch let error as PostgresError where error.isLost {
      // What closed one has likely closed the others, though that may not have arrived yet.
      pool.close()
      return try pool.with(body)
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
