/// The counters in `_swiftdata_keys`: the greatest key that each table has given, and the newest deleted transaction of the
/// history. They never fall, so that an identifier means one object for ever and a token one place in the history.
package enum StoreCounters {
  /// A statement that raises a counter and never lowers it. Its parameters are the counter and the number.
  /// - Parameters:
  ///   - schema: the name under which the connection has the store.
  ///   - number: the number as SQL.
  package static func raising(in schema: String = "main", to number: String = "?") -> String {
    "INSERT INTO \(schema)._swiftdata_keys (entity, last) VALUES (?, \(number))"
      + " ON CONFLICT (entity) DO UPDATE SET last = max(last, excluded.last)"
  }

  /// The statements that delete the whole history of a store whose objects are replaced. All tokens expire, including the
  /// newest one, because no history says what became of the objects.
  package static func endingHistory(in schema: String) -> [SQLFragment] {
    [
      SQLFragment(
        raising(in: schema, to: "\(HistoryTables.newestNumber(in: "\(schema).")) + 1"), [.text(HistoryTables.deleted)]),
      // Without this table, nothing is known about the deleted transactions.
      "DROP TABLE IF EXISTS \(schema).\(DeletedHistory.table)",
      "DELETE FROM \(schema)._swiftdata_history", "DELETE FROM \(schema)._swiftdata_changes",
    ]
  }
}
