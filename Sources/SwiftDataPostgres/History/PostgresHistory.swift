import Foundation
public import SwiftData

extension PostgresStore {
  /// Fetches the saves that match a descriptor.
  /// - Throws: `SwiftDataError.historyTokenExpired` if the descriptor names a token whose successors were deleted, and
  ///   `SwiftDataError.io`.
  /// - Complexity: two statements per 500 transactions.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try read { connection in try fetchHistory(descriptor, connection) }
  }

  /// Deletes the saves that match a descriptor from the history.
  /// - Throws: as ``fetchHistory(_:)``.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try read { connection in
      let gone = try fetchHistory(descriptor, connection).map(\.transactionIdentifier)
      if !gone.isEmpty { try PostgresDeletedHistory(connection).delete("id = ANY($1::bigint[])", .keys(gone)) }
    }
  }

  /// Deletes transactions beyond the configured retention.
  func forgetOldHistory() throws {
    guard let age = configuration.historyRetention else { return }
    let limit = Date().timeIntervalSinceReferenceDate - age
    try read {
      try PostgresDeletedHistory($0).delete("id IS NOT NULL AND timestamp < $1", PostgresParameter(.real(limit)))
    }
  }

  /// Called after each save. Its errors do not affect the save.
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
    if let token = bounds.token {
      try PostgresDeletedHistory(connection).check(token, descriptor.predicate, of: self)
    }
    return try bounds.transactions(descriptor) { try transactions(after: $0, connection) }
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
      // A class that the program no longer has is omitted.
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
