import Foundation
import SwiftData

/// One try to write a save, in one transaction. What it writes is gathered and sent in one round trip.
final class PostgresTransaction {
  let connection: PostgresConnection
  private let store: PostgresStore
  /// Names the save in the history, whatever becomes of the connection.
  private let save: UUID
  private var statements: [PostgresStatement] = []
  /// How many rows the statement at an index must have written, and of which class.
  private var expectations: [(index: Int, count: Int, table: EntityTable)] = []
  /// What it does to the history.
  var changes: [HistoryRecorder.Run] = []

  init(_ store: PostgresStore, save: UUID, _ connection: PostgresConnection) {
    (self.store, self.save, self.connection) = (store, save, connection)
  }

  /// Whether a migration's transaction is around it.
  private var isNested: Bool { store.pool.transaction != nil }

  /// Begins with the name of the save: so whoever tries the same save again waits for the outcome of this one.
  func begin(author: String?) throws {
    _ = try connection.pipeline([
      PostgresStatement(isNested ? "SAVEPOINT _swiftdata_save" : "BEGIN"),
      PostgresStatement(
        "INSERT INTO \(ServerNames.history) (save, timestamp, author, program, process, origin)"
          + " VALUES ($1::uuid, $2::double precision, $3::text, $4::text, $5::text, $6::uuid)",
        [
          .uuid(save), PostgresParameter(.real(Date().timeIntervalSinceReferenceDate)),
          .text(author.map(StoredText.of)), .text(HistoryRecorder.program), .text(HistoryRecorder.process),
          .uuid(store.instance),
        ]),
    ])
  }

  /// Adds a statement to those that are sent together.
  /// - Parameter count: how many rows it must write.
  func add(_ statement: PostgresStatement, writing count: Int? = nil, of table: EntityTable? = nil) {
    if let count, let table { expectations.append((statements.count, count, table)) }
    statements.append(statement)
  }

  /// Sends what was added.
  /// - Throws: ``SwiftDataError/staleObject`` where a row that was to be written is gone.
  func flush() throws {
    guard !statements.isEmpty else { return }
    defer { (statements, expectations) = ([], []) }
    let results = try connection.pipeline(statements)
    for (index, count, table) in expectations where results[index].affected != count { throw RowSave.stale(table) }
  }

  /// Runs a statement that reads, after what was added.
  func run(_ sql: String, _ parameters: [PostgresParameter]) throws -> PostgresResult {
    try flush()
    return try connection.run(sql, parameters)
  }

  /// The same with a `?` for each value.
  func run(_ fragment: SQLFragment) throws -> PostgresResult {
    try flush()
    return try connection.run(fragment)
  }

  /// Numbers the transaction and ends it. Numbers are given in the order of commits, by a row that stays locked for no
  /// longer than this takes.
  func commit() throws {
    let rows = RowBuffer([
      ("place", .bigint), ("kind", .bigint), ("entity", .text), ("key", .bigint), ("count", .bigint),
      ("properties", .text), ("tombstone", .text),
    ])
    var place: Int64 = 0
    for run in changes {
      let texts = [run.propertiesJSON, run.tombstone].map { $0.map { SQLValue.text($0) } ?? .null }
      rows.append(
        [.integer(place), .integer(run.kind.rawValue), .text(run.entity), .integer(run.first), .integer(run.count)]
          + texts)
      place += run.count
    }
    let numbering = """
      WITH n AS (
        INSERT INTO \(ServerNames.numbers) AS c (name, last) VALUES ('history', 1)
        ON CONFLICT (name) DO UPDATE SET last = c.last + 1 RETURNING last
      ), h AS (UPDATE \(ServerNames.history) SET id = n.last FROM n WHERE save = $1::uuid)
      INSERT INTO \(ServerNames.changes) (id, history, kind, entity, key, count, properties, tombstone)
      SELECT (n.last << 32) + v.place, n.last, v.kind, v.entity, v.key, v.count, v.properties, v.tombstone
      FROM n, \(rows.source(first: 2)) AS v(\(rows.list))
      """
    _ = try connection.pipeline([
      PostgresStatement(numbering, [.uuid(save)] + rows.parameters),
      PostgresStatement(
        "SELECT pg_notify($1::text, $2::text)", [.text(store.channel), .text(store.instance.uuidString)]),
      PostgresStatement(isNested ? "RELEASE SAVEPOINT _swiftdata_save" : "COMMIT"),
    ])
  }

  func rollback() {
    try? connection.script(
      isNested ? "ROLLBACK TO SAVEPOINT _swiftdata_save; RELEASE SAVEPOINT _swiftdata_save" : "ROLLBACK")
  }
}
