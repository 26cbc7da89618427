import SwiftData

/// Executes a save on a server: `COPY` for many new rows, statements with arrays for the rest.
///
/// The server checks keys and unique values at the end of the transaction, so the order of rows inside it does not
/// matter.
final class PostgresRowWriter: RowWriter {
  let store: PostgresStore
  let transaction: PostgresTransaction
  /// The rows of a class that upserts are about to replace, and their cells by the properties that were asked for.
  private var merging: (keys: Set<Int64>, cells: [PropertySet: [Int64: [SQLValue]]]) = ([], [:])

  init(_ store: PostgresStore, _ transaction: PostgresTransaction) {
    (self.store, self.transaction) = (store, transaction)
  }

  func takeKeys(_ count: Int, for table: EntityTable) throws -> [Int64] {
    try transaction.takeKeys(count, for: table.name)
  }

  func newestTransaction() throws -> Int64 {
    // The row stays locked until the transaction ends; every commit takes its number from it.
    let result = try transaction.run(
      "INSERT INTO \(ServerNames.numbers) AS c (name, last) VALUES ('history', 0)"
        + " ON CONFLICT (name) DO UPDATE SET last = c.last RETURNING last", [])
    guard case .integer(let newest) = result.value(0, 0) else { return 0 }
    return newest
  }

  func rows(_ statement: SQLFragment) throws -> [[SQLValue]] {
    let result = try transaction.run(statement)
    return (0..<result.count).map { row in (0..<result.width).map { result.value(row, $0) } }
  }

  func rows(_ statements: [SQLFragment]) throws -> [[[SQLValue]]] {
    try transaction.run(statements).map { result in
      (0..<result.count).map { row in (0..<result.width).map { result.value(row, $0) } }
    }
  }

  /// A save that relates an object to a row locks the row too, until its commit. This lock waits for it, and the statements after it see
  /// what that save wrote.
  func lock(_ keys: [Int64], of table: EntityTable) {
    transaction.add(
      PostgresStatement(
        "SELECT count(*) FROM (SELECT 1 FROM \(table.name.quotedIdentifier) WHERE _pk = ANY($1::bigint[])"
          + " ORDER BY _pk FOR UPDATE) AS rows", [.keys(keys)]))
  }

  func clear(_ property: __Property, of keys: [Int64], in table: EntityTable) throws {
    let column = TableNames.column(for: property).quotedIdentifier
    _ = try rows(
      "UPDATE \(name: table.name) SET \(column) = NULL WHERE \(store.dialect.isAmong("_pk", keys))")
  }

  func cells(of keys: [Int64], _ properties: [__Property], in table: EntityTable) throws -> [Int64: [SQLValue]] {
    guard !merging.keys.isEmpty, merging.keys.isSuperset(of: keys) else {
      return try readCells(of: keys, properties, in: table)
    }
    // The plan asks for one row after the other, and one statement reads them all.
    let set = PropertySet(properties.map(\.index))
    if let known = merging.cells[set] { return known }
    let found = try readCells(of: merging.keys.sorted(), properties, in: table)
    merging.cells[set] = found
    return found
  }

  private func readCells(
    of keys: [Int64], _ properties: [__Property], in table: EntityTable
  ) throws -> [Int64: [SQLValue]] {
    let columns = store.layouts.update(table, properties).columns
    let list = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let result = try transaction.run(
      "SELECT _pk, _given, \(list) FROM \(table.name.quotedIdentifier) WHERE _pk = ANY($1::bigint[])", [.keys(keys)])
    var found = [Int64: [SQLValue]]()
    for row in 0..<result.count {
      let given = ServerCell.decode(given: result.value(row, 1))
      found[result.integer(row, 0)] = try columns.enumerated().map { index, column in
        try column.value(of: result.value(row, index + 2), given: given[column.name])
      }
    }
    return found
  }

  func delete(_ keys: [Int64], from table: EntityTable) {
    for reference in store.unenforcedReferences(to: table.name) {
      let (name, column) = (reference.table.quotedIdentifier, reference.column.quotedIdentifier)
      let change = reference.isPair ? "DELETE FROM \(name)" : "UPDATE \(name) SET \(column) = NULL"
      transaction.add(PostgresStatement("\(change) WHERE \(column) = ANY($1::bigint[])", [.keys(keys)]))
    }
    transaction.add(
      PostgresStatement("DELETE FROM \(table.name.quotedIdentifier) WHERE _pk = ANY($1::bigint[])", [.keys(keys)]))
  }

  func freeUniqueValues(_ updates: [ObjectGroup]) {}

  // MARK: - Inserts

  /// The number of rows from which `COPY` is worth its round trip.
  private static let copyLimit = 1_000

  func insert(_ groups: [ObjectGroup], of save: RowSave) throws {
    if try insertIfNew(groups, of: save) { return }
    var merges = [Merge]()
    for group in groups {
      let collisions = try UniqueValues(self, save.changes, group.table).collisions(of: group.objects)
      merging = (Set(collisions.map(\.key)), [:])
      defer { merging = ([], [:]) }
      for (object, key) in collisions {
        merges.append(try Merge(object, group.table, save.merge(object, group.table, into: key, by: self)))
      }
    }
    for group in groups {
      let new = merges.isEmpty ? group.objects : group.objects.filter { save.merged[ObjectIdentifier($0)] == nil }
      try insert(new, into: group.table)
    }
    try write(merges)
  }

  private func insert(_ objects: [any PersistentModel], into table: EntityTable) throws {
    let writer = PostgresCellWriter(store.layouts.insertion(table))
    // COPY sends each row to a shard by itself, INSERT a thousand at once.
    let isSharded = store.partitions.isSharded(table.name)
    if objects.count >= Self.copyLimit, !isSharded { return try copy(objects, into: table, by: writer) }
    for object in objects { try writer.append(object) }
    for part in writer.rows.parts() {
      transaction.add(
        PostgresStatement(writer.layout.insertion, part.parameters), writing: part.count, of: table,
        orThrow: Self.dropped)
    }
  }

  /// The error if the server did not write all new rows.
  private static func dropped(_ table: EntityTable) -> SwiftDataError {
    SwiftDataError(
      .unwritableValue, entity: table.entity.name,
      message:
        "the server did not write all new rows, because a trigger or a rule of the database drops some; change it")
  }

  /// The number of objects of a class to look up before assuming that all are new.
  private static let sampleCount = 100

  /// Writes many objects as new rows without looking up their unique values, and lets the server report collisions.
  /// Looking up costs about as much as writing.
  /// - Returns: false if there is or probably will be a collision. Then nothing was written.
  private func insertIfNew(_ groups: [ObjectGroup], of save: RowSave) throws -> Bool {
    let unique = groups.filter { $0.objects.count >= Self.copyLimit && !$0.table.uniqueness.isEmpty }
    guard !unique.isEmpty else { return false }
    for group in unique {
      let sample = Array(group.objects.prefix(Self.sampleCount))
      guard try UniqueValues(self, save.changes, group.table).collisions(of: sample).isEmpty else { return false }
    }
    // The constraints are deferred to the end of the transaction; these are checked now.
    let constraints = Set(groups.map(\.table.name)).flatMap(store.uniqueConstraints).map(\.quotedIdentifier)
    // The unique values on shards are checked at once.
    let check = constraints.isEmpty ? "" : Self.check(constraints.joined(separator: ", "))
    try transaction.flush()
    let connection = transaction.connection
    do {
      try connection.part {
        for group in groups { try insert(group.objects, into: group.table) }
        try transaction.flush()
        try connection.script(check)
      }
      return true
      // A value is taken, or a program of another version dropped a constraint.
    } catch let error as PostgresError where error.isUniquenessViolation || error.state == "42704" {
      return false
    }
  }

  private static func check(_ constraints: String) -> String {
    "SET CONSTRAINTS \(constraints) IMMEDIATE; SET CONSTRAINTS \(constraints) DEFERRED"
  }

  private func copy(_ objects: [any PersistentModel], into table: EntityTable, by writer: PostgresCellWriter) throws {
    let (rows, cells) = (writer.rows, writer.rows.cells)
    try transaction.flush()
    let sql = "COPY \(table.name.quotedIdentifier) (\(rows.list)) FROM STDIN (FORMAT binary)"
    let count = try transaction.connection.copy(sql) { send in
      (Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]).withUnsafeBytes { cells.append($0) }
      cells.append(UInt64(0))
      for object in objects {
        try writer.append(object)
        guard cells.count > 1 << 16 else { continue }
        try send(cells.bytes)
        rows.removeAll()
      }
      cells.append(UInt16.max)
      try send(cells.bytes)
    }
    if count != objects.count { throw Self.dropped(table) }
  }

  /// A new object that updates a stored row.
  private struct Merge {
    let object: any PersistentModel
    let table: EntityTable
    let properties: [__Property]

    init(_ object: any PersistentModel, _ table: EntityTable, _ properties: [__Property]) {
      (self.object, self.table, self.properties) = (object, table, properties)
    }
  }

  /// Several objects may update one row; the last one wins.
  private func write(_ merges: [Merge]) throws {
    var groups = [(merge: Merge, writer: PostgresCellWriter)]()
    var keys = Set<Int64>()
    var root: Int?
    func finish() {
      for (merge, writer) in groups { add(writer, merge.table) }
      (groups, keys) = ([], [])
    }
    for merge in merges where !merge.properties.isEmpty {
      let isFirst = keys.insert(merge.object.__state.key).inserted
      if !isFirst || root != merge.table.root {
        finish()
        keys = [merge.object.__state.key]
        root = merge.table.root
      }
      let layout = store.layouts.update(merge.table, merge.properties)
      let place = groups.firstIndex { $0.writer.layout === layout } ?? groups.count
      if place == groups.count { groups.append((merge, PostgresCellWriter(layout))) }
      try groups[place].writer.append(merge.object)
    }
    finish()
  }

  // MARK: - Updates

  func update(_ group: ObjectGroup, _ properties: [__Property]) throws {
    let writer = PostgresCellWriter(store.layouts.update(group.table, properties))
    // All programs lock rows in one order as far as possible.
    for object in group.objects.sorted(by: { $0.__state.key < $1.__state.key }) { try writer.append(object) }
    add(writer, group.table)
  }

  private func add(_ writer: PostgresCellWriter, _ table: EntityTable) {
    for part in writer.rows.parts() {
      transaction.add(PostgresStatement(writer.layout.update, part.parameters), writing: part.count, of: table)
    }
  }

  // MARK: - Lists

  func removePairs(_ pairs: [ListMember], of info: RelationshipInfo) {
    guard case .join(let join, let source, let target, _) = info.storage else { return }
    let rows = Self.rows(pairs)
    for part in rows.parts() {
      transaction.add(
        PostgresStatement(
          "DELETE FROM \(join.quotedIdentifier) AS p USING \(rows.source()) AS v(\(rows.list))"
            + " WHERE p.\(source) = v.owner AND p.\(target) = v.target", part.parameters))
    }
  }

  func addPairs(_ pairs: [ListMember], of info: RelationshipInfo) {
    guard case .join(let join, let source, let target, _) = info.storage else { return }
    let rows = Self.rows(pairs)
    for part in rows.parts() {
      transaction.add(
        PostgresStatement(
          "INSERT INTO \(join.quotedIdentifier) (\(source), \(target)) SELECT owner, target"
            + " FROM \(rows.source()) AS v(\(rows.list)) ON CONFLICT (source, target) DO NOTHING", part.parameters))
    }
  }

  func place(_ members: [ListMember], of info: RelationshipInfo) {
    let (table, position, owner, target): (String, String, String, String)
    switch info.storage {
    case .inverseForeignKey(let inverse, let name):
      (table, position, target) = (TableNames.table(for: info.destination), name.quotedIdentifier, "_pk")
      owner = TableNames.column(for: inverse).quotedIdentifier
    case .join(let join, let source, let other, let name):
      (table, position, owner, target) = (join, name, source, other)
    case .foreignKey: return
    }
    let rows = Self.rows(members)
    for part in rows.parts() {
      transaction.add(
        PostgresStatement(
          "UPDATE \(table.quotedIdentifier) AS t SET \(position) = v.place FROM \(rows.source()) AS v(\(rows.list))"
            + " WHERE t.\(target) = v.target AND t.\(owner) = v.owner"
            + (store.partitions.isSharded(table) ? " AND t.\(target) = ANY($2::bigint[])" : ""), part.parameters))
    }
  }

  private static func rows(_ members: [ListMember]) -> RowBuffer {
    let rows = RowBuffer([("owner", .bigint), ("target", .bigint), ("place", .bigint)])
    for member in members {
      rows.beginRow()
      for number in [member.owner, member.target, member.place] { rows.cells.appendCell(number) }
    }
    return rows
  }

  func write(_ history: inout HistoryRecorder, author: String?) throws {
    try transaction.flush()
    transaction.changes = history.take()
  }
}
