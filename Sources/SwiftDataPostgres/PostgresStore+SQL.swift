import Foundation
import SwiftData

extension PostgresStore: SQLStore {
  package var name: String { configuration.name }
  package var dialect: any SQLDialect { PostgresDialect() }
  /// What the server cannot keep of the texts of a row.
  package var rowColumns: [String] { ["_given"] }
  /// Other programs save at any time, and a context that nobody observes does not hear of it.
  package var refreshesOnFetch: Bool { true }

  package func withConnection(cancellable: Bool, _ body: (any SQLConnection) throws -> Void) throws {
    try body(PostgresStatements(store: self, cancellable: cancellable))
  }

  package func plan(
    of query: StoreQuery
  ) throws -> (steps: [FetchExplanation.Step], findings: [FetchExplanation.Finding]) {
    let statement = PostgresStatement(query.select)
    let result = try run("EXPLAIN (COSTS OFF) \(statement.sql)", statement.parameters, cancellable: true)
    let plan = ServerPlan(result)
    let advisor = ServerIndexAdvisor(store: self, rows: try rows(of: query.table.entity.name), query: query)
    return (plan.steps, advisor.findings(plan))
  }

  /// Runs a statement that reads; on a fresh connection if the first was lost or knew older tables.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if the server cannot answer as Swift does.
  func run(_ sql: String, _ parameters: [PostgresParameter], cancellable: Bool) throws -> PostgresResult {
    do {
      return try readRaw(cancellable: cancellable) { try $0.run(sql, parameters) }
    } catch let error as PostgresError {
      throw error.wantsSwift ? DataStoreError.preferInMemoryFilter : error.error(configuration.name)
    }
  }

  // MARK: - History

  package func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ core: ContainerCore
  ) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    // T is DefaultHistoryTransaction.
    return try fetchHistory(descriptor) as? [T]
  }

  package func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ core: ContainerCore
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return false }
    try deleteHistory(descriptor)
    return true
  }
}

/// Runs statements on connections of a store's pool, each on one that is free.
final class PostgresStatements: SQLConnection {
  private let store: PostgresStore
  private let cancellable: Bool

  init(store: PostgresStore, cancellable: Bool) { (self.store, self.cancellable) = (store, cancellable) }

  func run(
    _ statement: SQLFragment, of table: EntityTable?, entity: __Entity, _ body: (SQLRows) throws -> Void
  ) throws {
    let statement = PostgresStatement(statement)
    let result = try store.run(statement.sql, statement.parameters, cancellable: cancellable)
    // A sum may be of a type that no cell is read from.
    guard result.isReadable else { throw DataStoreError.preferInMemoryFilter }
    // The whole result is here, so that `body` may run other statements meanwhile.
    try body(PostgresRows(result, of: try table.map { try store.rows(of: $0.entity.name) }, entity: entity))
  }
}

extension PostgresStatement {
  /// The statement with `$1`, `$2` for its question marks, which elsewhere stand only in quotes.
  /// - Parameter first: how many parameters come before.
  init(_ fragment: SQLFragment, first: Int = 0) {
    var sql = [UInt8]()
    sql.reserveCapacity(fragment.sql.utf8.count + fragment.arguments.count * 2)
    var number = first
    var quote: UInt8?
    for byte in fragment.sql.utf8 {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        if quote == nil { quote = byte } else if quote == byte { quote = nil }
        sql.append(byte)
      case UInt8(ascii: "?") where quote == nil:
        number += 1
        sql.append(UInt8(ascii: "$"))
        sql += String(number).utf8
      default: sql.append(byte)
      }
    }
    self.init(String(decoding: sql, as: UTF8.self), fragment.arguments.map(PostgresParameter.init(comparing:)))
  }
}
