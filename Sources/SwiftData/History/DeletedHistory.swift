import Foundation

/// What is known of transactions that were deleted from the history.
///
/// A token is of use as long as everything after it that its holder would have seen is there. So deleting a transaction
/// keeps its head (number, time, author, program, process), on which a predicate can be decided; its changes go.
/// Only the newest heads are kept. Of older ones, and of what programs deleted that kept none, only the greatest number is
/// known, and every token before that has expired.
struct DeletedHistory {
  /// The predicate over the transactions that somebody asks for; nil where all are.
  typealias Filter = Predicate<DefaultHistoryTransaction>

  static let table = "_swiftdata_history_gone"
  /// The counter of the greatest number whose head is not known.
  private static let unknown = "_swiftdata_history_gone"
  /// How many heads are kept.
  static let capacity = 10_000

  let connection: SQLiteConnection
  let store: SQLiteStore

  private func counter(_ name: String) throws -> Int64 {
    try connection.rows(SQLFragment("SELECT last FROM _swiftdata_keys WHERE entity = ?", [.text(name)])) {
      $0.integer(0)
    }.first ?? 0
  }

  private func raise(_ name: String, to number: Int64) throws {
    try connection.execute(
      SQLFragment(
        "INSERT INTO _swiftdata_keys (entity, last) VALUES (?, ?)"
          + " ON CONFLICT (entity) DO UPDATE SET last = max(last, excluded.last)",
        [.text(name), .integer(number)]))
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
  /// - Parameter list: their numbers, as JSON.
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
    // Of a list that was longer than what is kept, the rest counts as unknown.
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

  /// The deleted transactions after a token that somebody would have seen; nil where nobody knows what is gone.
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
    // The changes are gone, so that a condition on them cannot be decided: all of them may have been wanted.
    guard let filter, !KeyPathsOfExpression(filter.expression).contain(\DefaultHistoryTransaction.changes) else {
      return gone
    }
    return try gone.filter { try filter.evaluate($0) }
  }

  /// - Throws: ``SwiftDataError/historyTokenExpired`` where something after the token is gone that the filter takes.
  func check(_ token: Int64, _ filter: Filter?) throws {
    let missed = try missed(after: token, filter)
    guard missed?.isEmpty != true else { return }
    let place = "the token stands for transaction \(token) of the store \"\(store.configuration.name)\", and"
    let advice = "; read the models anew and start with a fresh token"
    guard let missed else {
      let last = try counter(HistoryTables.deleted)
      throw SwiftDataError(
        .historyTokenExpired, message: "\(place) of the history up to transaction \(last) some was deleted\(advice)")
    }
    throw SwiftDataError(.historyTokenExpired, message: "\(place) after it were deleted: \(Self.list(missed))\(advice)")
  }

  /// The numbers in runs, each with its author: `3, 5 to 9 by "import"`.
  private static func list(_ transactions: [DefaultHistoryTransaction]) -> String {
    var runs: [(numbers: ClosedRange<Int64>, author: String?)] = []
    for transaction in transactions {
      let number = transaction.transactionIdentifier
      if let last = runs.last, last.numbers.upperBound + 1 == number, last.author == transaction.author {
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

/// The key paths that an expression reads, wherever in it they are.
private struct KeyPathsOfExpression {
  private var found: Set<AnyKeyPath> = []

  init(_ expression: Any) { visit(expression) }

  func contain(_ path: AnyKeyPath) -> Bool { found.contains(path) }

  // Expressions are structs of expressions, of which there is no list: their stored properties are looked at.
  private mutating func visit(_ value: Any) {
    if let path = value as? AnyKeyPath {
      found.insert(path)
      return
    }
    guard value is any PredicateExpression || Mirror(reflecting: value).displayStyle == .tuple else { return }
    for child in Mirror(reflecting: value).children { visit(child.value) }
  }
}
