import Foundation
public import SwiftData

extension PostgresStore {
  /// The saves that a descriptor asks for.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where the descriptor names a token whose followers were deleted,
  ///   and ``SwiftDataError/io``.
  /// - Complexity: two statements for each 500 transactions.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try read { connection in try fetchHistory(descriptor, connection) }
  }

  /// Forgets the saves that a descriptor asks for.
  /// - Throws: as ``fetchHistory(_:)``.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try read { connection in
      let gone = try fetchHistory(descriptor, connection).map(\.transactionIdentifier)
      guard let newest = gone.max() else { return }
      _ = try connection.pipeline([
        PostgresStatement("BEGIN"),
        PostgresStatement("DELETE FROM \(ServerNames.changes) WHERE history = ANY($1::bigint[])", [.keys(gone)]),
        PostgresStatement("DELETE FROM \(ServerNames.history) WHERE id = ANY($1::bigint[])", [.keys(gone)]),
        PostgresStatement(
          "INSERT INTO \(ServerNames.numbers) AS n (name, last) VALUES ('deleted history', $1::bigint)"
            + " ON CONFLICT (name) DO UPDATE SET last = greatest(n.last, excluded.last)", [.integer(newest)]),
        PostgresStatement("COMMIT"),
      ])
    }
  }

  /// Forgets what is older than the configuration says, if it says so.
  func forgetOldHistory() throws {
    guard let age = configuration.historyRetention else { return }
    let limit = Date().timeIntervalSinceReferenceDate - age
    _ = try read {
      try $0.run(
        """
        WITH gone AS (DELETE FROM \(ServerNames.history) WHERE id IS NOT NULL AND timestamp < $1 RETURNING id),
          changes AS (DELETE FROM \(ServerNames.changes) WHERE history IN (SELECT id FROM gone))
        INSERT INTO \(ServerNames.numbers) AS n (name, last)
        SELECT 'deleted history', max(id) FROM gone HAVING count(*) > 0
        ON CONFLICT (name) DO UPDATE SET last = greatest(n.last, excluded.last)
        """, [PostgresParameter(.real(limit))])
    }
  }

  /// Called after each save, which is done whatever becomes of this.
  func forgetOldHistoryNowAndThen() {
    guard configuration.historyRetention != nil,
      saveCount.wrappingAdd(1, ordering: .relaxed).newValue.isMultiple(of: 100)
    else { return }
    try? forgetOldHistory()
  }

  private func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ connection: PostgresConnection
  ) throws -> [DefaultHistoryTransaction] {
    let bounds = HistoryBounds(descriptor.predicate, store: identifier)
    if let token = bounds.token { try check(token, connection) }
    // With an order of its own, the limit counts in that order.
    let limit = descriptor.fetchLimit > 0 && descriptor.sortBy.isEmpty ? Int(clamping: descriptor.fetchLimit) : Int.max
    var result = [DefaultHistoryTransaction]()
    var last = bounds.after
    while result.count < limit {
      let page = try transactions(after: last, connection)
      guard let newest = page.last else { break }
      last = newest.transactionIdentifier
      for transaction in page where try descriptor.predicate?.evaluate(transaction) ?? true {
        result.append(transaction)
      }
    }
    if !descriptor.sortBy.isEmpty { result.sort(using: descriptor.sortBy) }
    return descriptor.fetchLimit > 0 ? Array(result.prefix(Int(clamping: descriptor.fetchLimit))) : result
  }

  /// A token is of use as long as everything after it is there.
  private func check(_ token: Int64, _ connection: PostgresConnection) throws {
    let deleted = try connection.run("SELECT last FROM \(ServerNames.numbers) WHERE name = 'deleted history'")
    guard deleted.count == 1, token < deleted.integer(0, 0) else { return }
    throw SwiftDataError(
      .historyTokenExpired,
      message:
        "the token stands for transaction \(token) of the store \"\(configuration.name)\", and the history up to"
        + " transaction \(deleted.integer(0, 0)) was deleted; read the models anew and start with a fresh token")
  }

  private func transactions(
    after last: Int64, _ connection: PostgresConnection
  ) throws -> [DefaultHistoryTransaction] {
    let rows = try connection.run(
      "SELECT id, timestamp, author, program, process FROM \(ServerNames.history) WHERE id > $1::bigint ORDER BY id"
        + " LIMIT 500", [.integer(last)])
    guard rows.count > 0 else { return [] }
    let changes = try changes(from: rows.integer(0, 0), to: rows.integer(rows.count - 1, 0), connection)
    return (0..<rows.count).map { row in
      let number = rows.integer(row, 0)
      return DefaultHistoryTransaction(
        timestamp: Date(timeIntervalSinceReferenceDate: rows.real(row, 1)), changes: changes[number] ?? [],
        number: number, store: identifier, author: rows.text(row, 2), program: rows.text(row, 3) ?? "",
        process: rows.text(row, 4) ?? "")
    }
  }

  private func changes(
    from first: Int64, to last: Int64, _ connection: PostgresConnection
  ) throws -> [Int64: [HistoryChange]] {
    let rows = try connection.run(
      "SELECT id, history, kind, entity, key, count, properties, tombstone FROM \(ServerNames.changes)"
        + " WHERE history BETWEEN $1::bigint AND $2::bigint ORDER BY history, id", [.integer(first), .integer(last)])
    var result = [Int64: [HistoryChange]]()
    for row in 0..<rows.count {
      // A class that the program does not have any more is left out.
      guard let entity = layout.tables.first(where: { $0.entity.name == rows.text(row, 3) })?.entity,
        let kind = HistoryRecorder.Kind(rawValue: rows.integer(row, 2))
      else { continue }
      let change = ChangeRow(
        id: rows.integer(row, 0), transaction: rows.integer(row, 1), kind: kind, entity: entity, store: identifier,
        key: rows.integer(row, 4), properties: rows.text(row, 6), tombstone: rows.text(row, 7))
      for offset in 0..<rows.integer(row, 5) { result[rows.integer(row, 1), default: []].append(change.change(offset)) }
    }
    return result
  }
}
