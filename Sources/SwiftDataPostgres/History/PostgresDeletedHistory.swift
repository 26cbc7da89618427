import Foundation
import SwiftData

/// The transactions that were deleted from the history.
///
/// A token stays valid as long as every later transaction that its holder would fetch is there. So deleting a transaction keeps
/// its head (number, time, author, program, process), on which a predicate is decided. The head also has the identifier of the save, by
/// which a save whose commit got no answer finds that it was committed. The table keeps the newest heads. Of the others only the greatest
/// number is known, and every token before that number has expired.
struct PostgresDeletedHistory {
  /// How many heads the table keeps.
  static let capacity = 10_000
  static let deleted = "deleted history"
  static let unknown = "unknown history"
  private static let formerColumns = "id, timestamp, author, program, process"
  private static let columns = formerColumns + ", save"

  /// A store that an earlier version of the library made lacks the table or its last column.
  static let table = """
    CREATE TABLE IF NOT EXISTS \(ServerNames.deletedHistory) (id bigint PRIMARY KEY, timestamp double precision NOT NULL, \
    author text, program text NOT NULL, process text NOT NULL, save uuid)
    """

  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// Deletes transactions with their changes.
  /// - Parameters:
  ///   - condition: which rows of the history.
  ///   - parameters: the values in it.
  func delete(_ condition: String, _ parameters: [PostgresParameter]) throws {
    try connection.part(try deletion(condition, parameters))
  }

  /// The statements that delete transactions with their changes, for one transaction. The statements of a pipeline are parsed before the
  /// first one runs, so they cannot use a table that it makes: this function makes the table.
  func deletion(_ condition: String, _ parameters: [PostgresParameter]) throws -> [PostgresStatement] {
    let (heads, numbers) = (ServerNames.deletedHistory, ServerNames.numbers)
    let raised = "ON CONFLICT (name) DO UPDATE SET last = greatest(n.last, excluded.last)"
    let (deleted, unknown) = (Self.deleted.quotedLiteral, Self.unknown.quotedLiteral)
    let columns = try preparedColumns()
    return [
      // An earlier version of the library kept no heads.
      PostgresStatement(
        "INSERT INTO \(numbers) (name, last)"
          + " SELECT \(unknown), coalesce((SELECT last FROM \(numbers) WHERE name = \(deleted)), 0)"
          + " ON CONFLICT (name) DO NOTHING"),
      PostgresStatement(
        """
        WITH gone AS (
          DELETE FROM \(ServerNames.history) WHERE \(condition) RETURNING \(columns)
        ), changes AS (DELETE FROM \(ServerNames.changes) WHERE history IN (SELECT id FROM gone)),
        heads AS (INSERT INTO \(heads) (\(columns)) SELECT \(columns) FROM gone ON CONFLICT DO NOTHING)
        INSERT INTO \(numbers) AS n (name, last)
        SELECT \(deleted), max(id) FROM gone HAVING count(*) > 0 \(raised)
        """, parameters),
      PostgresStatement(
        """
        WITH gone AS (
          DELETE FROM \(heads) WHERE id <= (SELECT id FROM \(heads) ORDER BY id DESC OFFSET \(Self.capacity) LIMIT 1)
          RETURNING id
        )
        INSERT INTO \(numbers) AS n (name, last)
        SELECT \(unknown), max(id) FROM gone HAVING count(*) > 0 \(raised)
        """),
    ]
  }

  /// Whether a deleted transaction is that save.
  func hasSave(_ save: UUID) throws -> Bool {
    guard try shape().hasSaves else { return false }
    let sql = "SELECT count(*) FROM \(ServerNames.deletedHistory) WHERE save = $1::uuid"
    return try connection.run(sql, [.uuid(save)]).integer(0, 0) > 0
  }

  /// Whether the table and its last column exist, and whether the user may change the table.
  private func shape() throws -> (isThere: Bool, hasSaves: Bool, isOwn: Bool) {
    let found = try connection.run(
      "SELECT count(*), count(a.attname), count(*) FILTER (WHERE pg_has_role(c.relowner, 'USAGE'))"
        + " FROM pg_catalog.pg_class AS c LEFT JOIN pg_catalog.pg_attribute AS a"
        + " ON a.attrelid = c.oid AND a.attname = 'save' AND NOT a.attisdropped WHERE c.oid = to_regclass($1::text)",
      [.text(ServerNames.deletedHistory)])
    return (found.integer(0, 0) > 0, found.integer(0, 1) > 0, found.integer(0, 2) > 0)
  }

  /// Makes the table, or the column that it lacks if the user may.
  /// - Returns: the columns of the table.
  private func preparedColumns() throws -> String {
    let (isThere, hasSaves, isOwn) = try shape()
    if hasSaves { return Self.columns }
    if isThere, !isOwn { return Self.formerColumns }
    try connection.run(Self.table)
    try connection.run("ALTER TABLE \(ServerNames.deletedHistory) ADD COLUMN IF NOT EXISTS save uuid")
    return Self.columns
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
