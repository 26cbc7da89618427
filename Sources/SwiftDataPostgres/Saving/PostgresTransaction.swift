import Foundation
import SwiftData

/// One attempt to write a save, in one transaction. It collects writing statements and sends them in one round trip.
final class PostgresTransaction {
  let connection: PostgresConnection
  private let store: PostgresStore
  /// The identifier of the save in the history, independent of the connection.
  private let save: UUID
  /// Whether an earlier attempt of the save conflicted with another save.
  let isRepeated: Bool
  private var statements: [PostgresStatement] = []
  /// The expected number of written rows and their class, by the index of the statement.
  private var expectations: [(index: Int, count: Int, table: EntityTable, error: (EntityTable) -> SwiftDataError)] = []
  /// The remainders of the blocks of keys that it took.
  private var restOfKeys: [KeyBlocks.Rest] = []
  /// Whether something was sent.
  private var hasBegun = false
  /// The changes for the history.
  var changes: [HistoryRecorder.Run] = []

  init(_ store: PostgresStore, save: UUID, _ connection: PostgresConnection, isRepeated: Bool = false) {
    (self.store, self.save, self.connection, self.isRepeated) = (store, save, connection, isRepeated)
    isShared = store.connections.ownTransaction != nil
    isNested = connection.isInTransaction
  }

  /// Whether it runs inside a transaction that this thread shares among its contexts.
  private let isShared: Bool
  /// Whether it is a part of another transaction: of a migration, or one that is shared.
  let isNested: Bool

  /// Begins with the identifier of the save, so that another attempt of the same save waits for the outcome of this
  /// one. Both statements travel with the next ones.
  func begin(author: String?) {
    statements = [
      isNested ? .beginPart : .begin,
      PostgresStatement(
        "INSERT INTO \(ServerNames.history) (save, timestamp, author, program, process, origin)"
          + " VALUES ($1::uuid, $2::double precision, $3::text, $4::text, $5::text, $6::uuid)"
          + " RETURNING \(StoreEpoch.sql(table: "tableoid"))",
        [
          .uuid(save), PostgresParameter(.real(Date().timeIntervalSinceReferenceDate)),
          .text(author.map(StoredText.of)), .text(HistoryRecorder.program), .text(HistoryRecorder.process),
          .uuid(store.instance),
        ]),
    ]
  }

  /// Begins and looks for a commit of an earlier attempt. If there is one, it ends, and the commit is as durable as any other one.
  func wasCommitted() throws -> Bool {
    do {
      try flush()
      guard try PostgresDeletedHistory(connection).hasSave(save) else { return false }
    } catch let error as PostgresError where error.constraint == "\(ServerNames.history)_pkey" {
      // The identifier is in the history.
    }
    connection.rollBack(isPart: false)
    // A commit is visible before a synchronous replica has it if the server was restarted meanwhile. The next commit waits for the
    // replica to have both.
    try connection.run("UPDATE \(ServerNames.numbers) SET last = last WHERE name = 'history'")
    return true
  }

  /// Adds a statement to the next round trip.
  /// - Parameters:
  ///   - count: the number of rows that it must write.
  ///   - error: the error if it writes another number.
  func add(
    _ statement: PostgresStatement, writing count: Int? = nil, of table: EntityTable? = nil,
    orThrow error: @escaping (EntityTable) -> SwiftDataError = RowSave.stale
  ) {
    if let count, let table { expectations.append((statements.count, count, table, error)) }
    statements.append(statement)
  }

  /// Reserves keys for new rows, ascending.
  func takeKeys(_ count: Int, for table: String) throws -> [Int64] {
    try store.keys.take(count, for: table, timeline: connection.timeline, rest: &restOfKeys, run)
  }

  /// Sends the added statements.
  /// - Throws: `SwiftDataError.staleObject` if a row to write no longer exists, and `SwiftDataError.unwritableValue` if
  ///   a trigger dropped a new one.
  func flush() throws {
    if !statements.isEmpty { _ = try send() }
  }

  /// Sends the added statements.
  /// - Returns: a result per statement.
  private func send() throws -> [PostgresResult] {
    defer { (statements, expectations) = ([], []) }
    let isFirst = !hasBegun
    // Before anything is sent. Otherwise there would be no savepoint to go back to.
    if isFirst { for statement in statements { try statement.checkSize() } }
    hasBegun = true
    let results = try connection.pipeline(statements)
    if isFirst { try checkEpoch(results[1].text(0, 0)) }
    for (index, count, table, error) in expectations where results[index].affected != count { throw error(table) }
    return results
  }

  /// Refuses a save to tables whose rows were replaced since the opening, as by a restore: the rows with the keys of this
  /// program's objects may be other ones.
  private func checkEpoch(_ epoch: String?) throws {
    guard !store.connections.isWithinTransaction, epoch != store.epoch else { return }
    if let change = store.change("Nothing was saved", on: connection) { throw change }
    throw SwiftDataError(
      .staleObject,
      message:
        "the rows of the store \"\(store.configuration.name)\" were replaced since this program opened it, as by a"
        + " restore or by their encryption, so that its objects may be other rows now; open a new container. Nothing was saved"
    )
  }

  /// Runs a reading statement after the added ones, in the same round trip.
  func run(_ sql: String, _ parameters: [PostgresParameter]) throws -> PostgresResult {
    add(PostgresStatement(sql, parameters))
    return try send().last!
  }

  /// Runs a reading statement with a `?` for each value after the added ones, in the same round trip.
  func run(_ fragment: SQLFragment) throws -> PostgresResult {
    add(PostgresStatement(marked: fragment))
    return try send().last!
  }

  /// Runs several reading statements after the added ones, in the same round trip.
  func run(_ fragments: [SQLFragment]) throws -> ArraySlice<PostgresResult> {
    for fragment in fragments { add(PostgresStatement(marked: fragment)) }
    return try send().suffix(fragments.count)
  }

  /// Numbers the transaction and commits it. The locked counter row makes numbers follow the order of commits, for no
  /// longer than this takes: the deferred checks, which may wait for another save, come before it.
  func commit() throws {
    try flush()
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
    let replicas = store.connections.replicas
    // The commit of a shared transaction would refuse all that it has.
    let checks = !isNested || isShared ? [PostgresStatement("SET CONSTRAINTS ALL IMMEDIATE")] : []
    let statements =
      checks + [
        PostgresStatement(numbering, [.uuid(save)] + rows.parameters),
        PostgresStatement(
          "SELECT pg_notify($1::text, $2::text)", [.text(store.channel), .text(store.instance.uuidString)]),
      ]
    if isNested {
      _ = try connection.pipeline(
        statements + (isShared ? [PostgresStatement("SET CONSTRAINTS ALL DEFERRED")] : []) + [.endPart])
    } else {
      let position = try connection.commit(after: statements, then: replicas.map { _ in ReplicaReads.position }).after
      if let position {
        replicas?.note((position.integer(0, 0), connection.timeline), isPrimary: true)
      } else {
        replicas?.noteUnknown()
      }
    }
    // Behind a pooler another server may take over unnoticed.
    if !connection.isPooled { store.keys.keep(restOfKeys) }
  }

  func rollback() {
    if hasBegun { connection.rollBack(isPart: isNested) }
  }
}
