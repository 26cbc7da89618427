import Foundation

extension HistoryReader {
  /// What came after a transaction.
  struct News {
    /// The number of the newest transaction.
    let newest: Int64
    /// Whether a change is among it that somebody wants to know of, or may have been: some of it was deleted.
    let isRelevant: Bool
  }

  /// - Throws: ``SwiftDataError/historyTokenExpired`` where transactions after the token were deleted.
  func check(_ token: DefaultHistoryToken) throws {
    try store.read { try check(token.transaction, $0) }
  }

  /// - Parameters:
  ///   - authors: whose saves count; empty counts all.
  ///   - entities: the classes whose changes count; empty counts all.
  /// - Complexity: two statements; no transaction is made.
  func news(after last: Int64, authors: Set<String>, entities: [String]) throws -> News {
    try store.read { connection in
      let newest =
        try connection.rows(
          SQLFragment("SELECT seq FROM sqlite_sequence WHERE name = '_swiftdata_history'")
        ) { $0.integer(0) }.first ?? 0
      guard newest > last else { return News(newest: newest, isRelevant: false) }
      do { try check(last, connection) } catch { return News(newest: newest, isRelevant: true) }
      var sql = SQLFragment(
        "SELECT 1 FROM _swiftdata_history h JOIN _swiftdata_changes"
          + " ON \(HistoryRecorder.changes(from: "h.id", to: "h.id"))"
          + " WHERE h.id > ?",
        [.integer(last)])
      let wanted = [("h.author", Array(authors)), ("_swiftdata_changes.entity", entities)]
      for (column, names) in wanted where !names.isEmpty {
        let list = String(decoding: try JSONCoding.encode(names), as: UTF8.self)
        sql = sql + SQLFragment(" AND \(column) IN (SELECT value FROM json_each(?))", [.text(list)])
      }
      let found = try connection.rows(sql + SQLFragment(" LIMIT 1")) { _ in true }
      return News(newest: newest, isRelevant: !found.isEmpty)
    }
  }
}
