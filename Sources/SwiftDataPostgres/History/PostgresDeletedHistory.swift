import Foundation
import SwiftData

/// The transactions that were deleted from the history.
///
/// A token stays valid as long as every later transaction that its holder would fetch is there. So deleting a transaction keeps
/// its head (number, time, author, program, process), on which a predicate is decided. The table keeps the newest heads. Of the
/// others only the greatest number is known, and every token before that number has expired.
struct PostgresDeletedHistory {
  /// How many heads the table keeps.
  static let capacity = 10_000
  private static let deleted = "deleted history"
  private static let unknown = "unknown history"

  /// A store that an earlier version of the library made lacks the table.
  static let table = """
    CREATE TABLE IF NOT EXISTS \(ServerNames.deletedHistory) (id bigint PRIMARY KEY, timestamp double precision NOT NULL, \
    author text, program text NOT NULL, process text NOT NULL)
    """

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// Deletes transactions with their changes.
  /// - Parameters:
  ///   - condition: which rows of the history.
  ///   - parameter: the value of `$1` in it.
  func delete(_ condition: String, _ parameter: PostgresParameter) throws {
    let (heads, numbers) = (ServerNames.deletedHistory, ServerNames.numbers)
    let raised = "ON CONFLICT (name) DO UPDATE SET last = greatest(n.last, excluded.last)"
    let (deleted, unknown) = (Self.deleted.quotedLiteral, Self.unknown.quotedLiteral)
    // The statements of a pipeline are parsed before the first one runs, so they cannot use a table that it makes.
    let isThere = try connection.run(
      "SELECT count(*) FROM (SELECT to_regclass($1::text) AS found) AS t WHERE found IS NOT NULL", [.text(heads)])
    if isThere.integer(0, 0) == 0 { try connection.script(Self.table) }
    _ = try connection.part([
      // An earlier version of the library kept no heads.
      PostgresStatement(
        "INSERT INTO \(numbers) (name, last)"
          + " SELECT \(unknown), coalesce((SELECT last FROM \(numbers) WHERE name = \(deleted)), 0)"
          + " ON CONFLICT (name) DO NOTHING"),
      PostgresStatement(
        """
        WITH gone AS (
          DELETE FROM \(ServerNames.history) WHERE \(condition) RETURNING id, timestamp, author, program, process
        ), changes AS (DELETE FROM \(ServerNames.changes) WHERE history IN (SELECT id FROM gone)),
        heads AS (INSERT INTO \(heads) SELECT * FROM gone ON CONFLICT DO NOTHING)
        INSERT INTO \(numbers) AS n (name, last)
        SELECT \(deleted), max(id) FROM gone HAVING count(*) > 0 \(raised)
        """, [parameter]),
      PostgresStatement(
        """
        WITH gone AS (
          DELETE FROM \(heads) WHERE id <= (SELECT id FROM \(heads) ORDER BY id DESC OFFSET \(Self.capacity) LIMIT 1)
          RETURNING id
        )
        INSERT INTO \(numbers) AS n (name, last)
        SELECT \(unknown), max(id) FROM gone HAVING count(*) > 0 \(raised)
        """),
    ])
  }

  /// - Throws: `SwiftDataError.historyTokenExpired` if a deleted transaction after the token is one that the filter takes.
  func check(_ token: Int64, _ filter: Predicate<DefaultHistoryTransaction>?, of store: PostgresStore) throws {
    let rows = try connection.run(
      "SELECT name, last FROM \(ServerNames.numbers) WHERE name IN ($1::text, $2::text)",
      [.text(Self.deleted), .text(Self.unknown)])
    let numbers = Dictionary(
      (0..<rows.count).map { (rows.text($0, 0) ?? "", rows.integer($0, 1)) }, uniquingKeysWith: max)
    let newest = numbers[Self.deleted] ?? 0
    guard token < newest else { return }
    var missed: [DefaultHistoryTransaction]?
    if let unknown = numbers[Self.unknown], token >= unknown {
      missed = try MissedHistory.transactions(try heads(after: token, of: store), filter)
    }
    guard missed?.isEmpty != true else { return }
    throw MissedHistory.error(token, missed, store: store.configuration.name, newest: newest)
  }

  private func heads(after token: Int64, of store: PostgresStore) throws -> [DefaultHistoryTransaction] {
    let rows = try connection.run(
      "SELECT id, timestamp, author, program, process FROM \(ServerNames.deletedHistory) WHERE id > $1::bigint ORDER BY id",
      [.integer(token)])
    return (0..<rows.count).map { row in
      DefaultHistoryTransaction(
        timestamp: Date(timeIntervalSinceReferenceDate: rows.real(row, 1)), changes: [], number: rows.integer(row, 0),
        store: store.identifier, author: rows.text(row, 2), program: rows.text(row, 3) ?? "",
        process: rows.text(row, 4) ?? "")
    }
  }
}
