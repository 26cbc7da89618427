import Foundation

/// A batch update of a SQLite store, including history and bookkeeping.
struct SQLiteBatchUpdate {
  private let update: BatchUpdate
  private let store: SQLiteStore
  private var query: StoreQuery { update.query }
  private var columns: [AssignedColumn] { update.columns }
  private var table: EntityTable { update.table }

  /// The changed keys by class, and the columns that received text outside normal form C.
  private struct Result {
    var keys: [String: [Int64]] = [:]
    var nonNFC: Set<String> = []
  }

  init(_ update: BatchUpdate, _ store: SQLiteStore) { (self.update, self.store) = (update, store) }

  /// - Returns: the keys of the changed rows, by class.
  func run() throws -> [String: [Int64]] {
    var result = Result()
    try store.checkPacks(update)
    do {
      try store.write { connection in
        // A text outside normal form C may have come after the conditions were made.
        guard store.textChanges == update.textChanges else { throw BatchUpdate.TextMovedOn() }
        try checkFailures(connection)
        result = try change(connection)
        try store.noteNonNFC(result.nonNFC, on: connection)
        try checkEquivalents(result.nonNFC, connection)
        try recordHistory(result.keys, connection)
      }
    } catch let error as SwiftDataError where error.code == .uniquenessViolation {
      throw SwiftDataError(
        .uniquenessViolation, entity: table.entity.name, property: error.property,
        message: "the update would give two objects the same value; nothing was changed. Narrow its predicate or assign"
          + " other values", sql: error.sql, underlying: error)
    }
    return result.keys
  }

  /// - Throws: ``SwiftDataError/unreadableValue`` if Swift cannot compute a value.
  private func checkFailures(_ connection: SQLiteConnection) throws {
    for column in columns {
      guard let failure = column.failure else { continue }
      var failing = query
      failing.restrictions.append(failure)
      let statement = failing.statement(SQLFragment("count(*)"), ordered: false, joining: query.valueJoins)
      let count = try connection.rows(statement) { Int($0.integer(0)) }[0]
      guard count == 0 else {
        throw LoweredValue.failure(table.entity, "the new value of \(column.property.name)", count: count)
      }
    }
  }

  /// Checks that no two rows have unique values that are equal with other Unicode scalars.
  private func checkEquivalents(_ nonNFC: Set<String>, _ connection: SQLiteConnection) throws {
    let assigned = columns.map(\.property.index)
    for constraint in EquivalentRows.constraints(of: table, where: { store.isNonNFC($0) || nonNFC.contains($0) })
    where constraint.terms.contains(where: { assigned.contains($0.property.index) }) {
      guard try EquivalentRows.areAny(in: table, constraint, connection) else { continue }
      throw SwiftDataError(
        .uniquenessViolation, entity: table.entity.name, property: constraint.terms.map(\.name).joined(separator: ", "))
    }
  }

  private func recordHistory(_ changed: [String: [Int64]], _ connection: SQLiteConnection) throws {
    var history = HistoryRecorder()
    let names = columns.map(\.property.name)
    for (entity, keys) in changed.sorted(by: { $0.key < $1.key }) {
      for key in keys.sorted() { history.update(entity, key, names) }
    }
    try history.write(to: connection, author: update.editing.author, trimming: store)
  }

  // MARK: - Statements

  private func change(_ connection: SQLiteConnection) throws -> Result {
    do {
      return try execute(assignment, connection)
    } catch let error as SwiftDataError where error.code == .uniquenessViolation {
      return try updateInTwoSteps(connection)
    }
  }

  /// Updates in two steps: first the rows release their values, then they receive new ones. SQLite checks uniqueness
  /// row by row, so values could not move between rows otherwise.
  private func updateInTwoSteps(_ connection: SQLiteConnection) throws -> Result {
    let rows = SQLFragment("temp._swiftdata_new")
    try connection.execute(SQLFragment("CREATE TEMP TABLE _swiftdata_new AS ") + values)
    let unique = Set(table.uniqueness.flatMap(\.terms).map(\.property.index))
    let room = columns.filter { unique.contains($0.property.index) }
      .map { SQLFragment(SQLiteRowWriter.makeRoom($0.property)) }
    try connection.execute(
      SQLFragment("UPDATE \(table.name.quotedIdentifier) SET ") + room.list
        + SQLFragment(" WHERE _pk IN (SELECT pk FROM ")
        + rows + SQLFragment(")"))
    let result = try execute(assignment(from: rows), connection)
    try connection.execute("DROP TABLE temp._swiftdata_new")
    return result
  }

  private func execute(_ assignment: SQLFragment, _ connection: SQLiteConnection) throws -> Result {
    let unclear = columns.filter { $0.isNonNFC == nil }
    var returned = ["_pk"] + (table.hasDiscriminator ? ["_entity"] : [])
    let first = Int32(returned.count)
    returned += unclear.map { column in
      let cell = table.codecs.read(column.column)
      return "\(cell) IS NOT swift_nfc(\(cell))"
    }
    var result = Result()
    result.nonNFC = Set(columns.filter { $0.isNonNFC == true }.map(name))
    let statement = assignment + SQLFragment(" RETURNING \(returned.joined(separator: ", "))")
    _ = try connection.rows(statement) { cells in
      result.keys[table.hasDiscriminator ? cells.text(1)! : table.entity.name, default: []].append(cells.integer(0))
      for (index, column) in unclear.enumerated() where cells.integer(first + Int32(index)) != 0 {
        result.nonNFC.insert(name(of: column))
      }
    }
    return result
  }

  private func name(of column: AssignedColumn) -> String { "\(table.name).\(column.column)" }

  /// The assignments. They refer to the row itself if the new values depend on nothing else.
  ///
  /// SQLite computes such values row by row. A value that reads other rows of the table would see the new values of some of them.
  private var assignment: SQLFragment {
    guard (query.joins + query.valueJoins).isEmpty, query.reads.values.related[table.name] == nil else {
      return assignment(from: SQLFragment("(") + values + SQLFragment(")"))
    }
    let list = columns.map { SQLFragment("\($0.column.quotedIdentifier) = ") + $0.value }.list
    return SQLFragment("UPDATE \(table.name.quotedIdentifier) AS t0 SET ") + list + query.conditions
  }

  private func assignment(from rows: SQLFragment) -> SQLFragment {
    let list = columns.enumerated().map { SQLFragment("\($1.column.quotedIdentifier) = new.c\($0)") }.list
    return SQLFragment("UPDATE \(table.name.quotedIdentifier) AS t0 SET ") + list + SQLFragment(" FROM ") + rows
      + SQLFragment(" AS new WHERE t0._pk = new.pk")
  }

  /// The keys of the rows with their new values.
  private var values: SQLFragment {
    let values = columns.enumerated().map { $1.value + SQLFragment(" AS c\($0)") } + [SQLFragment("t0._pk AS pk")]
    return query.statement(values.list, ordered: false, joining: query.valueJoins)
  }
}
