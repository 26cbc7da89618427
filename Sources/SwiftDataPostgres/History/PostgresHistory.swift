import Foundation
public import SwiftData

extension PostgresStore {
  /// Fetches the saves that match a descriptor.
  /// - Throws: `SwiftDataError.historyTokenExpired` if the descriptor names a token whose successors were deleted, and
  ///   `SwiftDataError.io`.
  /// - Complexity: a statement per 500 transactions within the bounds that the descriptor implies, and one per 500
  ///   selected transactions.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try read { connection in try query(descriptor, connection).transactions() }
  }

  /// Deletes the saves that match a descriptor from the history.
  /// - Throws: as ``fetchHistory(_:)``.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try read { connection in
      let gone = try query(descriptor, connection).numbers()
      if !gone.isEmpty { try PostgresDeletedHistory(connection).delete("id = ANY($1::bigint[])", [.keys(gone)]) }
    }
  }

  /// Deletes transactions beyond the configured retention. They come first in the order of the numbers, which has an index. The walk ends
  /// where none is old and the clock that gave some their times was not fast.
  func forgetOldHistory() throws {
    guard let age = configuration.historyRetention else { return }
    let now = Date().timeIntervalSinceReferenceDate
    let (limit, end) = (PostgresParameter(.real(now - age.seconds)), PostgresParameter(.real(now)))
    try read { connection in
      var last: Int64 = 0
      while true {
        let page = try connection.run(
          """
          SELECT coalesce(max(id), 0), count(*) FILTER (WHERE timestamp < $2::double precision),
            count(*) FILTER (WHERE timestamp >= $2::double precision AND timestamp <= $3::double precision)
          FROM (SELECT id, timestamp FROM \(ServerNames.history) WHERE id > $1::bigint ORDER BY id LIMIT 1000) AS page
          """, [.integer(last), limit, end])
        let (first, old, young) = (last, page.integer(0, 1), page.integer(0, 2))
        last = page.integer(0, 0)
        if old > 0 {
          try PostgresDeletedHistory(connection).delete(
            "id > $1::bigint AND id <= $2::bigint AND timestamp < $3::double precision",
            [.integer(first), .integer(last), limit])
        }
        if last == 0 || old == 0 && young > 0 { return }
      }
    }
  }

  /// Called after each save. Its errors do not affect the save.
  func forgetOldHistoryNowAndThen() {
    guard configuration.historyRetention != nil,
      saveCount.wrappingAdd(1, ordering: .relaxed).newValue.isMultiple(of: 100)
    else { return }
    try? forgetOldHistory()
  }

  private static let columns = HistoryQuery.Columns(
    number: "id", timestamp: "timestamp", author: "author", authorBytes: "octet_length(author)")

  private func query(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ connection: PostgresConnection
  ) throws -> HistoryQuery {
    let bounds = HistoryBounds(descriptor.predicate, store: identifier)
    if let token = bounds.token {
      try PostgresDeletedHistory(connection).check(token, descriptor.predicate, of: self)
    }
    return HistoryQuery(
      descriptor, bounds, Self.columns, heads: { [self] in try heads($0, connection) },
      changes: { [self] in try changes($0, connection) })
  }

  private func heads(_ clauses: SQLFragment, _ connection: PostgresConnection) throws -> [DefaultHistoryTransaction] {
    let rows = try connection.run(
      "SELECT id, timestamp, author, program, process FROM \(ServerNames.history) \(clauses)" as SQLFragment)
    return (0..<rows.count).map { row in
      DefaultHistoryTransaction(
        timestamp: Date(timeIntervalSinceReferenceDate: rows.real(row, 1)), changes: [], number: rows.integer(row, 0),
        store: identifier, author: rows.text(row, 2), program: rows.text(row, 3) ?? "", process: rows.text(row, 4) ?? ""
      )
    }
  }

  private func changes(_ numbers: [Int64], _ connection: PostgresConnection) throws -> [Int64: [HistoryChange]] {
    let rows = try connection.run(
      "SELECT id, history, kind, entity, key, count, properties, tombstone FROM \(ServerNames.changes)"
        + " WHERE history = ANY($1::bigint[]) ORDER BY history, id", [.keys(numbers)])
    var result = [Int64: [HistoryChange]]()
    for row in 0..<rows.count {
      // A class that the program no longer has is omitted.
      guard let entity = layout.tables.first(where: { $0.entity.name == rows.text(row, 3) })?.entity,
        let kind = HistoryRecorder.Kind(rawValue: rows.integer(row, 2))
      else { continue }
      let change = ChangeRow(
        id: rows.integer(row, 0), transaction: rows.integer(row, 1), kind: kind, entity: entity, store: identifier,
        key: rows.integer(row, 4), properties: rows.text(row, 6), tombstone: rows.text(row, 7))
      // Another program may have written any numbers.
      guard HistoryBlocks.isRun(rows.integer(row, 4), rows.integer(row, 5)),
        HistoryBlocks.isRun(rows.integer(row, 0), rows.integer(row, 5))
      else { throw HistoryBlocks.damaged(rows.integer(row, 0), nil) }
      for offset in 0..<rows.integer(row, 5) { result[rows.integer(row, 1), default: []].append(change.change(offset)) }
    }
    return result
  }
}
