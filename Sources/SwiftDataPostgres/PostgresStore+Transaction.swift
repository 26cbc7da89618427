import SwiftData

extension PostgresStore: TransactionStore {
  package var hasTransactions: Bool { true }
  package var tableTypes: TableTypes {
    TableTypes(integer: "bigint", real: "double precision", text: "text", bytes: "bytea")
  }

  package func transaction<T>(_ body: () throws -> T) throws -> T {
    if connections.isInTransaction { return try body() }
    return try Self.report(configuration.name) {
      var hasBegun = false
      do {
        return try runTransaction(body, &hasBegun)
      } catch let error as PostgresError where error.isLost && !error.hasWaited && !hasBegun {
        // The server closed an idle connection of the pool, and probably the others too.
        connections.close()
        return try runTransaction(body, &hasBegun)
      }
    }
  }

  /// - Parameter hasBegun: whether the server began the transaction, so that `body` may have run.
  private func runTransaction<T>(_ body: () throws -> T, _ hasBegun: inout Bool) throws -> T {
    let (result, afterCommit) = try connections.share { transaction in
      // Each save begins with a row of the history. So it waits before it locks anything that this transaction needs.
      let result = try transaction.connection.runAlone(beginning: [.historyLock]) {
        hasBegun = true
        return try body()
      }
      do { try connections.replicas?.note(on: transaction.connection) } catch { connections.replicas?.noteUnknown() }
      return (result, transaction.afterCommit)
    }
    for step in afterCommit { step() }
    return result
  }

  package var isInTransaction: Bool { connections.ownTransaction != nil }

  package func afterCommit(_ body: @escaping () -> Void) {
    guard let transaction = connections.ownTransaction else { return body() }
    transaction.afterCommit.append(body)
  }

  // MARK: - Other tables

  package func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [[SQLValue]] {
    try read { connection in
      let result = try connection.run(PostgresStatement.numbered(sql), arguments.map { PostgresParameter($0) })
      return (0..<result.count).map { row in (0..<result.width).map { result.value(row, $0) } }
    }
  }

  package func execute(_ sql: String, _ arguments: [SQLValue]) throws {
    try Self.report(configuration.name) {
      try connections.with {
        _ = try $0.part([PostgresStatement(PostgresStatement.numbered(sql), arguments.map { PostgresParameter($0) })])
      }
    }
  }
}

extension PostgresStatement {
  /// Waits for running saves, and makes others wait until the end of the transaction.
  static let historyLock = PostgresStatement("LOCK TABLE \(ServerNames.history) IN SHARE ROW EXCLUSIVE MODE")
}
