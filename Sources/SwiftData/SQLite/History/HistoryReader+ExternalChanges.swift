import Foundation

extension HistoryReader {
  /// The external changes after a transaction.
  struct ExternalSummary {
    /// The number of the newest transaction.
    let newest: Int64
    /// Whether an observer wants one of the changes. It may also want one that was deleted from the history.
    let isRelevant: Bool
  }

  /// - Parameter authors: whose saves count; empty counts all.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where transactions after the token were deleted that count.
  func check(_ token: DefaultHistoryToken, authors: Set<String>) throws {
    try store.read {
      try DeletedHistory(connection: $0, store: store).check(token.transaction, Self.filter(authors))
    }
  }

  private static func filter(_ authors: Set<String>) -> DeletedHistory.Filter? {
    guard !authors.isEmpty else { return nil }
    let wanted = authors.map(Optional.some)
    return Predicate { transaction in
      PredicateExpressions.build_contains(
        PredicateExpressions.build_Arg(wanted),
        PredicateExpressions.build_KeyPath(root: transaction, keyPath: \.author))
    }
  }

  /// - Parameters:
  ///   - authors: whose saves count; empty counts all.
  ///   - entities: the classes whose changes count; empty counts all.
  /// - Complexity: two statements; no transaction is made.
  func externalSummary(after last: Int64, authors: Set<String>, entities: [String]) throws -> ExternalSummary {
    try store.read { connection in
      let newest =
        try connection.rows(SQLFragment("SELECT \(HistoryTables.newest)")) { $0.integer(0) }.first ?? 0
      guard newest > last else { return ExternalSummary(newest: newest, isRelevant: false) }
      let missed = try DeletedHistory(connection: connection, store: store).missed(after: last, Self.filter(authors))
      guard missed?.isEmpty == true else { return ExternalSummary(newest: newest, isRelevant: true) }
      var sql = SQLFragment("SELECT 1 FROM _swiftdata_history h WHERE h.id > ?", [.integer(last)])
      if !authors.isEmpty {
        sql = sql + SQLFragment(" AND h.author IN (SELECT value FROM json_each(?))", [try Self.list(Array(authors))])
      }
      if !entities.isEmpty {
        let isWanted = "json_extract(entry.value, '$.class') IN (SELECT value FROM json_each(?))"
        let list = try Self.list(entities)
        sql =
          sql
          + SQLFragment(
            " AND (EXISTS (SELECT 1 FROM json_each(h.changes) AS entry WHERE \(isWanted)) OR EXISTS (SELECT 1 FROM"
              + " _swiftdata_changes JOIN json_each(_swiftdata_changes.changes) AS entry"
              + " WHERE \(HistoryTables.blocks(from: "h.id", to: "h.id")) AND \(isWanted)))", [list, list])
      }
      let found = try connection.rows(sql + SQLFragment(" LIMIT 1")) { _ in true }
      return ExternalSummary(newest: newest, isRelevant: !found.isEmpty)
    }
  }

  private static func list(_ names: [String]) throws -> SQLValue {
    .text(String(decoding: try JSONCoding.encode(names), as: UTF8.self))
  }
}
