import Foundation
import SwiftData

extension PostgresStore: SQLStore, MigratedStore {
  package var name: String { configuration.name }
  package var dialect: any SQLDialect { PostgresDialect() }
  package var rowColumns: [String] { EntityRows.ownColumns }
  /// Other programs can save at any time, and an unobserved context gets no notification.
  package var refreshesOnFetch: Bool { true }

  package func selection(of table: EntityTable) -> String {
    (try? rows(of: table.entity))?.selection ?? makeSelection(of: table, only: nil)
  }

  package func withConnection(cancellable: Bool, _ body: (any SQLConnection) throws -> Void) throws {
    try body(PostgresStatements(store: self, cancellable: cancellable))
  }

  package func plan(
    of query: StoreQuery
  ) throws -> (steps: [PlanStep], findings: [PlanFinding]) {
    let statement = PostgresStatement(query.select)
    let result = try reading {
      try connections.read(cancellable: true) {
        try $0.run("EXPLAIN (COSTS OFF) \(statement.sql)", statement.parameters)
      }
    }
    let plan = ServerPlan(result)
    let advisor = ServerIndexAdvisor(store: self, rows: try rows(of: query.table.entity), query: query)
    return (plan.steps + partitionSteps(plan), advisor.findings(plan))
  }

  /// How many partitions of each table a plan reads.
  private func partitionSteps(_ plan: ServerPlan) -> [PlanStep] {
    partitions.all.compactMap { table in
      let count = plan.count(of: table.partitions)
      guard count > 0 else { return nil }
      return PlanStep(
        depth: 0, detail: "Partitions of \(table.table): \(count) of \(table.count)")
    }
  }

  /// Runs a reading statement.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if the server cannot compute Swift's answer.
  fileprivate func reading(_ body: () throws -> PostgresResult) throws -> PostgresResult {
    do {
      return try body()
    } catch let error as PostgresError {
      throw error.wantsSwift ? DataStoreError.preferInMemoryFilter : error.error(configuration.name)
    }
  }

  // MARK: - Deleting everything

  /// Deletes all rows and the history in one transaction, into which no save comes. Otherwise a save would lose the rows of the tables
  /// that are deleted after its commit, and keep the others.
  package func deleteAllRows() throws {
    let tables = (layout.record.pairTables.map(\.name) + layout.record.tables.map(\.name)).map(\.quotedIdentifier)
    let deletions = (tables + [ServerNames.changes]).map { PostgresStatement("DELETE FROM \($0)") }
    // The skipped number tells other programs that history was deleted. No head says which rows are gone, so every token expires.
    let gone = PostgresDeletedHistory.self
    let mark = PostgresStatement(
      """
      WITH n AS (
        INSERT INTO \(ServerNames.numbers) AS c (name, last) VALUES ('history', 2)
        ON CONFLICT (name) DO UPDATE SET last = c.last + 2 RETURNING last
      ), d AS (
        INSERT INTO \(ServerNames.numbers) AS c (name, last)
        SELECT v.name, n.last FROM n, (VALUES (\(gone.deleted.quotedLiteral)), (\(gone.unknown.quotedLiteral))) AS v (name)
        ON CONFLICT (name) DO UPDATE SET last = excluded.last
      )
      INSERT INTO \(ServerNames.history) (save, id, timestamp, program, process, origin)
      SELECT $1::uuid, n.last, $2::double precision, $3::text, $4::text, $5::uuid FROM n
      """,
      [
        .uuid(UUID()), PostgresParameter(.real(Date().timeIntervalSinceReferenceDate)), .text(HistoryRecorder.program),
        .text(HistoryRecorder.process), .uuid(instance),
      ])
    let notify = PostgresStatement(
      "SELECT pg_notify($1::text, $2::text)", [.text(channel), .text(instance.uuidString)])
    try read { connection in
      let history = try PostgresDeletedHistory(connection).deletion("id IS NOT NULL", [])
      _ = try connection.part([.historyLock] + deletions + history + [mark, notify])
    }
  }

  // MARK: - History

  package func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog
  ) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    // T is DefaultHistoryTransaction.
    return try fetchHistory(descriptor) as? [T]
  }

  package func newestTransaction() throws -> Int64? {
    try read { connection in
      let result = try connection.run("SELECT last FROM \(ServerNames.numbers) WHERE name = 'history'", [])
      guard result.count > 0, case .integer(let newest) = result.value(0, 0) else { return 0 }
      return newest
    }
  }

  package func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return false }
    try deleteHistory(descriptor)
    return true
  }
}

/// Runs statements on free connections of a store's pool.
final class PostgresStatements: SQLConnection {
  private let store: PostgresStore
  private let cancellable: Bool

  init(store: PostgresStore, cancellable: Bool) { (self.store, self.cancellable) = (store, cancellable) }

  func run(
    _ statement: SQLFragment, of table: EntityTable?, entity: __Entity, _ body: (SQLRows) throws -> Void
  ) throws {
    // The protocol counts parameters in 16 bits.
    guard statement.arguments.count <= Int(UInt16.max) else {
      throw SwiftDataError(
        .unsupportedPredicate, entity: entity.name,
        message: "the predicate has \(statement.arguments.count) values, and PostgreSQL takes \(UInt16.max); capture a"
          + " list instead of single values")
    }
    let result = try store.reading { try store.connections.run(statement, cancellable: cancellable) }
    if let column = result.unreadableColumn {
      // A sum may have a type that no cell has.
      guard let table, table.stored.contains(where: { TableNames.column(for: $0) == column }) else {
        throw DataStoreError.preferInMemoryFilter
      }
      if let change = store.change("Nothing was read") { throw change }
      throw SwiftDataError(
        .storeDamaged, entity: entity.name, property: column,
        message:
          "its column has another type than the store gave it; change it back with ALTER TABLE … ALTER COLUMN … TYPE")
    }
    // The result is complete, so `body` may run other statements.
    try body(PostgresRows(result, of: try table.map { try store.rows(of: $0.entity) }, entity: entity))
  }
}

extension PostgresStatement {
  /// Replaces the question marks of a statement by `$1`, `$2`, ….
  /// - Parameter first: the number of preceding parameters.
  init(_ fragment: SQLFragment, first: Int = 0) {
    self.init(
      Self.numbered(fragment.sql, first: first), fragment.arguments.map(PostgresParameter.init(comparing:)))
  }

  /// The text with `$1`, `$2`, … for question marks, which otherwise occur only inside quotes.
  static func numbered(_ text: String, first: Int = 0) -> String {
    var sql = [UInt8]()
    sql.reserveCapacity(text.utf8.count + 32)
    var number = first
    var quote: UInt8?
    for byte in text.utf8 {
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
    return String(decoding: sql, as: UTF8.self)
  }
}
