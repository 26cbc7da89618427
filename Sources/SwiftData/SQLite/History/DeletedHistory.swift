import Foundation

/// The record of transactions that were deleted from the history.
///
/// A token stays valid while every later transaction that its holder would read exists. Deleting a transaction
/// therefore keeps its head (number, time, author, program, process), on which a predicate can be evaluated, and drops
/// its changes. Only the newest heads are kept. For older ones, and for deletions by programs without this record, only
/// the greatest number is known, and every earlier token has expired.
struct DeletedHistory {
  /// The predicate of the reader, or nil for all transactions.
  typealias Filter = Predicate<DefaultHistoryTransaction>

  static let table = "_swiftdata_history_gone"
  /// The counter with the greatest number without a head.
  private static let unknown = "_swiftdata_history_gone"
  /// The maximum number of heads.
  static let capacity = 10_000

  let connection: SQLiteConnection
  let store: SQLiteStore

  private func counter(_ name: String) throws -> Int64 {
    try connection.rows(SQLFragment("SELECT last FROM _swiftdata_keys WHERE entity = ?", [.text(name)])) {
      $0.integer(0)
    }.first ?? 0
  }

  private func raise(_ name: String, to number: Int64) throws {
    try connection.execute(SQLFragment(StoreCounters.raising(), [.text(name), .integer(number)]))
  }

  private var hasTable: Bool {
    get throws {
      try !connection.rows(
        SQLFragment("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(Self.table)])
      ) { _ in true }.isEmpty
    }
  }

  // MARK: - Keeping

  /// Keeps the heads of transactions that are about to be deleted.
  /// - Parameter list: their numbers as JSON.
  func keep(_ list: SQLValue, newest: Int64) throws {
    if try !hasTable {
      try connection.execute(
        SQLFragment(
          "CREATE TABLE \(Self.table) (id INTEGER PRIMARY KEY NOT NULL, timestamp REAL NOT NULL, author TEXT,"
            + " program TEXT NOT NULL, process TEXT NOT NULL)"))
      try raise(Self.unknown, to: try counter(HistoryTables.deleted))
    }
    try connection.execute(
      SQLFragment(
        "INSERT OR REPLACE INTO \(Self.table) (id, timestamp, author, program, process)"
          + " SELECT id, timestamp, author, program, process FROM _swiftdata_history"
          + " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT \(Self.capacity)", [list]))
    try raise(HistoryTables.deleted, to: newest)
    let excess = try connection.rows(
      SQLFragment("SELECT id FROM \(Self.table) ORDER BY id DESC LIMIT 1 OFFSET \(Self.capacity)")
    ) { $0.integer(0) }.first
    let oldest = try connection.rows(SQLFragment("SELECT min(id) FROM \(Self.table)")) { $0.integer(0) }.first ?? 0
    // Heads beyond the capacity count as unknown.
    let dropped =
      try connection.rows(
        SQLFragment(
          "SELECT max(value) FROM json_each(?) WHERE value < ? AND value NOT IN (SELECT id FROM \(Self.table))",
          [list, .integer(oldest)])
      ) { $0.integer(0) }.first ?? 0
    if dropped > 0 { try raise(Self.unknown, to: dropped) }
    guard let excess else { return }
    try connection.execute(SQLFragment("DELETE FROM \(Self.table) WHERE id <= ?", [.integer(excess)]))
    try raise(Self.unknown, to: excess)
  }

  // MARK: - Asking

  /// The deleted transactions after a token that the reader would have read, or nil if they are unknown.
  func missed(after token: Int64, _ filter: Filter?) throws -> [DefaultHistoryTransaction]? {
    guard token < (try counter(HistoryTables.deleted)) else { return [] }
    guard try hasTable, token >= (try counter(Self.unknown)) else { return nil }
    let gone = try connection.rows(
      SQLFragment(
        "SELECT id, timestamp, author, program, process FROM \(Self.table) WHERE id > ? ORDER BY id",
        [.integer(token)])
    ) { cells in
      DefaultHistoryTransaction(
        timestamp: Date(timeIntervalSinceReferenceDate: cells.real(1)), changes: [], number: cells.integer(0),
        store: store.identifier, author: cells.text(2), program: cells.text(3) ?? "", process: cells.text(4) ?? "")
    }
    return try MissedHistory.transactions(gone, filter)
  }

  /// - Throws: ``SwiftDataError/historyTokenExpired`` if a matching transaction after the token was deleted.
  func check(_ token: Int64, _ filter: Filter?) throws {
    let missed = try missed(after: token, filter)
    guard missed?.isEmpty != true else { return }
    throw MissedHistory.error(
      token, missed, store: store.configuration.name, newest: try counter(HistoryTables.deleted))
  }
}

/// The part of the deleted history that the holder of a token misses, for every database.
package enum MissedHistory {
  /// Returns the deleted transactions that a predicate would have taken.
  /// - Parameter gone: their heads, without changes. A condition on changes cannot be decided, and so takes all of them.
  package static func transactions(
    _ gone: [DefaultHistoryTransaction], _ filter: Predicate<DefaultHistoryTransaction>?
  ) throws -> [DefaultHistoryTransaction] {
    guard let filter, HeadExpression.isDecided(filter) else { return gone }
    return try gone.filter { try filter.evaluate($0) }
  }

  /// - Parameters:
  ///   - missed: nil if the heads were deleted too.
  ///   - newest: the number of the newest deleted transaction.
  package static func error(
    _ token: Int64, _ missed: [DefaultHistoryTransaction]?, store: String, newest: Int64
  ) -> SwiftDataError {
    let place = "the token is transaction \(token) of the store \"\(store)\", and"
    let advice = "; fetch all objects again and start with a new token"
    guard let missed else {
      return SwiftDataError(
        .historyTokenExpired, message: "\(place) transactions up to \(newest) were deleted\(advice)")
    }
    return SwiftDataError(
      .historyTokenExpired, message: "\(place) after it were deleted: \(list(missed))\(advice)")
  }

  /// The numbers in runs with their authors: `3, 5 to 9 by "import"`.
  private static func list(_ transactions: [DefaultHistoryTransaction]) -> String {
    var runs: [(numbers: ClosedRange<Int64>, author: String?)] = []
    for transaction in transactions {
      let number = transaction.transactionIdentifier
      if let last = runs.last, last.numbers.upperBound < .max, last.numbers.upperBound + 1 == number,
        last.author == transaction.author
      {
        runs[runs.count - 1].numbers = last.numbers.lowerBound...number
      } else {
        runs.append((number...number, transaction.author))
      }
    }
    let texts = runs.prefix(5).map { numbers, author in
      let range =
        numbers.count == 1 ? "\(numbers.lowerBound)" : "\(numbers.lowerBound) to \(numbers.upperBound)"
      return "transaction \(range)" + (author.map { " by \"\($0)\"" } ?? "")
    }
    return texts.joined(separator: ", ") + (runs.count > 5 ? " and others" : "")
  }
}
