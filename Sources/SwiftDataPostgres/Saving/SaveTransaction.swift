import Foundation
import SwiftData

/// One try to write all changes of a save, in one transaction.
///
/// The order is: deletions, inserts, updates of changed columns, positions, pairs, history. Keys and unique values are
/// checked by the server when the transaction ends, so that within it the order of rows does not matter.
final class SaveTransaction {
  let store: PostgresStore
  let changes: RelationalChanges
  /// Names the save in the history, whatever becomes of the connection.
  let save: UUID
  let connection: PostgresConnection
  /// The keys of inserted models.
  private(set) var assigned: [PersistentIdentifier: Int64]
  /// Which of them are those of stored models.
  private var merged: [PersistentIdentifier: Int64] = [:]
  /// The properties that a new model writes over a stored one.
  private var mergedProperties: [PersistentIdentifier: [__Property]] = [:]
  private var statements: [PostgresStatement] = []
  /// How many rows the statement at an index must have written, and of which class.
  private var expectations: [(index: Int, count: Int, entity: String)] = []
  var history = HistoryRecorder()

  init(
    _ store: PostgresStore, _ changes: RelationalChanges, keys: [PersistentIdentifier: Int64], save: UUID,
    _ connection: PostgresConnection
  ) {
    self.store = store
    self.changes = changes
    self.assigned = keys
    self.save = save
    self.connection = connection
  }

  /// Begins the transaction with the name of the save.
  func begin() throws {
    // First of all, so that whoever tries the same save again waits for the outcome of this one.
    _ = try connection.pipeline([
      PostgresStatement(isNested ? "SAVEPOINT _swiftdata_save" : "BEGIN"),
      PostgresStatement(
        "INSERT INTO \(ServerNames.history) (save, timestamp, author, program, process, origin)"
          + " VALUES ($1::uuid, $2::double precision, $3::text, $4::text, $5::text, $6::uuid)",
        [
          .uuid(save), PostgresParameter(.real(Date().timeIntervalSinceReferenceDate)),
          .text(changes.editingState.author.map(StoredText.of)), .text(HistoryRecorder.program),
          .text(HistoryRecorder.process), .uuid(store.instance),
        ]),
    ])
  }

  /// Writes everything up to the end of the transaction, which ``commit()`` is.
  func write() throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try begin()
    let collisions = try UniqueValues(self).find()
    for (identifier, key) in collisions.keys {
      assigned[identifier] = key
      merged[identifier] = key
    }
    try deleteRows()
    try deleteMarkedRows()
    try insertRows(collisions)
    try updateRows()
    let lists = ChangedLists(self)
    statements += lists.positions() + lists.pairs()
    try runStatements()
    recordUpdates()
    return try result()
  }

  /// Numbers the transaction and ends it. Numbers are given in the order of commits, by a row that stays locked for no
  /// longer than this takes.
  func commit() throws {
    let runs = history.take()
    var rows = ColumnArrays([
      ("place", .bigint), ("kind", .bigint), ("entity", .text), ("key", .bigint), ("count", .bigint),
      ("properties", .text), ("tombstone", .text),
    ])
    var place: Int64 = 0
    for run in runs {
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

  static func rollback(_ connection: PostgresConnection, isNested: Bool) {
    try? connection.script(
      isNested ? "ROLLBACK TO SAVEPOINT _swiftdata_save; RELEASE SAVEPOINT _swiftdata_save" : "ROLLBACK")
  }

  /// Whether a migration's transaction is around it.
  private var isNested: Bool { store.pool.transaction != nil }

  /// The key of a model that a relationship names; nil where it is of another store.
  func key(of identifier: PersistentIdentifier) -> Int64? {
    assigned[identifier] ?? (identifier.storeIdentifier == store.identifier ? identifier.key : nil)
  }

  // MARK: - Deletions

  private func deleteRows() throws {
    let groups = Dictionary(grouping: changes.deleted) { $0.persistentIdentifier.entityName }
    for (name, snapshots) in groups.sorted(by: { $0.key < $1.key }) {
      let rows = try store.rows(of: name)
      let keys = snapshots.compactMap(\.persistentIdentifier.key)
      let tombstones = try tombstones(rows, keys)
      for key in keys { history.delete(name, key, tombstone: tombstones[key] ?? [:]) }
      statements.append(
        PostgresStatement(
          "DELETE FROM \(rows.table.name.quotedIdentifier) WHERE _pk = ANY($1::bigint[])", [.keys(keys)]))
    }
  }

  /// The same of rows that nobody loaded.
  private func deleteMarkedRows() throws {
    changes.outcome.cleared = []
    for group in changes.deletedRows {
      let rows = try store.rows(of: group.entity)
      for (property, statement) in group.denials where try run(statement).count > 0 {
        throw SwiftDataError(
          .deleteDenied, entity: group.entity, property: property,
          message: "objects cannot be deleted while related objects exist; delete or move these first, or call"
            + " rollback()")
      }
      for (property, entity, statement) in group.cleared {
        let found = try run(statement)
        let all = (0..<found.count).map { (found.text($0, 1) ?? entity, found.integer($0, 0)) }
        for (name, keys) in Dictionary(grouping: all, by: \.0) {
          changes.outcome.cleared.append((property, name, keys.map(\.1)))
        }
      }
      let tombstones = try tombstones(rows, group.keys)
      for key in group.keys { history.delete(group.entity, key, tombstone: tombstones[key] ?? [:]) }
      statements.append(
        PostgresStatement(
          "DELETE FROM \(rows.table.name.quotedIdentifier) WHERE _pk = ANY($1::bigint[])", [.keys(group.keys)]))
    }
  }

  private func run(_ fragment: SQLFragment) throws -> PostgresResult {
    let statement = FetchQuery.numbered(fragment)
    return try connection.run(statement.sql, statement.parameters)
  }

  /// The stored cells of the attributes that the history keeps of deleted models.
  private func tombstones(_ rows: EntityRows, _ keys: [Int64]) throws -> [Int64: [String: SQLValue]] {
    let kept = rows.table.stored.filter { $0.attribute?.options.contains(.preserveValueOnDeletion) == true }
    guard !kept.isEmpty else { return [:] }
    let columns = kept.map { TableNames.column(for: $0) }
    let result = try connection.run(
      "SELECT _pk, _given, \(columns.map(\.quotedIdentifier).joined(separator: ", "))"
        + " FROM \(rows.table.name.quotedIdentifier) WHERE _pk = ANY($1::bigint[])", [.keys(keys)])
    var found = [Int64: [String: SQLValue]]()
    for row in 0..<result.count {
      let given = ServerCell.decode(given: result.value(row, 1))
      for (index, property) in kept.enumerated() {
        let cell = given[columns[index]].map { .text($0) } ?? result.value(row, index + 2)
        found[result.integer(row, 0), default: [:]][property.name] = cell
      }
    }
    return found
  }

  // MARK: - Inserts

  private func insertRows(_ collisions: UniqueValues.Collisions) throws {
    let new = changes.inserted.filter { merged[$0.persistentIdentifier] == nil }
    let names = new.map(\.persistentIdentifier.entityName)
    for name in Set(names).sorted() {
      let rows = try store.rows(of: name)
      let record = store.layout.record.table(named: rows.table.name)!
      var arrays = ColumnArrays(rows.insertColumns(record))
      for snapshot in new where snapshot.persistentIdentifier.entityName == name {
        let (cells, given) = try rows.cells(of: snapshot.contents, rows.table.stored, key: key)
        let words = try rows.words(rows.table.stored, cells)
        let identity: [SQLValue] = [.integer(assigned[snapshot.persistentIdentifier]!)]
        arrays.append(identity + (rows.table.hasDiscriminator ? [.text(name)] : []) + cells + [given] + words)
      }
      // Keys are checked when the transaction ends, so it does not matter what comes first.
      if arrays.count < ColumnArrays.copyLimit {
        statements += arrays.inserts(into: rows.table.name)
      } else {
        try arrays.copy(into: rows.table.name, on: connection)
      }
    }
    for snapshot in new {
      history.insert(snapshot.persistentIdentifier.entityName, assigned[snapshot.persistentIdentifier]!)
    }
    // One after the other: several may go into one row.
    for snapshot in changes.inserted where merged[snapshot.persistentIdentifier] != nil {
      let rows = try store.rows(of: snapshot.persistentIdentifier.entityName)
      // A to-one that the new model leaves empty keeps its stored target.
      let written = rows.table.stored.filter { property in
        guard property.isToOne else { return true }
        return snapshot.contents[property]?.identifiers.isEmpty == false
      }
      mergedProperties[snapshot.persistentIdentifier] = written
      try update([(snapshot.contents, assigned[snapshot.persistentIdentifier]!)], written, rows)
    }
  }

  // MARK: - Updates

  private func update(
    _ models: [(contents: SnapshotContents, key: Int64)], _ properties: [__Property], _ rows: EntityRows
  ) throws {
    guard !properties.isEmpty else { return }
    let record = store.layout.record.table(named: rows.table.name)!
    var arrays = ColumnArrays(rows.updateColumns(properties, record))
    for (contents, key) in models {
      let (cells, given) = try rows.cells(of: contents, properties, key: self.key)
      arrays.append([.integer(key)] + cells + [given] + (try rows.words(properties, cells)))
    }
    for (statement, part) in zip(rows.updates(properties, arrays), arrays.parts()) {
      expectations.append((statements.count, part.count, rows.table.entity.name))
      statements.append(statement)
    }
  }

  private struct UpdateGroup: Hashable {
    let entity: String
    let properties: [Int]
  }

  private func updateRows() throws {
    let groups = Dictionary(grouping: changes.updated) {
      UpdateGroup(entity: $0.snapshot.persistentIdentifier.entityName, properties: $0.properties.indices)
    }
    // Rows are locked in one order by all programs, as far as that goes.
    for (group, updates) in groups.sorted(by: { ($0.key.entity, $0.value.count) < ($1.key.entity, $1.value.count) }) {
      let rows = try store.rows(of: group.entity)
      let properties = rows.table.stored.filter { group.properties.contains($0.index) }
      let models = updates.compactMap { update in
        update.snapshot.persistentIdentifier.key.map { (update.snapshot.contents, $0) }
      }
      try update(models.sorted { $0.1 < $1.1 }, properties, rows)
    }
  }

  private func runStatements() throws {
    guard !statements.isEmpty else { return }
    let results = try connection.pipeline(statements)
    for (index, count, entity) in expectations where results[index].affected != count {
      throw SwiftDataError(
        .staleObject, entity: entity,
        message: "an object with unsaved changes was deleted by another context or process; rollback() forgets the"
          + " changes, insert a new object to keep them")
    }
  }

  private func recordUpdates() {
    var cleared = clearedNames()
    for snapshot in changes.inserted {
      guard let properties = mergedProperties[snapshot.persistentIdentifier],
        let key = assigned[snapshot.persistentIdentifier]
      else { continue }
      history.update(snapshot.persistentIdentifier.entityName, key, properties.map(\.name))
    }
    for update in changes.updated {
      guard let key = update.snapshot.persistentIdentifier.key else { continue }
      let properties = update.snapshot.contents.entity.properties
      let names = update.properties.indices.map { properties[$0].name }
      let others = cleared.removeValue(forKey: Row(update.snapshot.persistentIdentifier.entityName, key)) ?? []
      history.update(
        update.snapshot.persistentIdentifier.entityName, key, names + others.filter { !names.contains($0) })
    }
    for (row, names) in cleared.sorted(by: { ($0.key.entity, $0.key.key) < ($1.key.entity, $1.key.key) }) {
      history.update(row.entity, row.key, names)
    }
  }

  private struct Row: Hashable {
    let entity: String
    let key: Int64
    init(_ entity: String, _ key: Int64) { (self.entity, self.key) = (entity, key) }
  }

  /// The to-ones of rows that stay which named rows that go.
  private func clearedNames() -> [Row: [String]] {
    guard !changes.outcome.cleared.isEmpty else { return [:] }
    let gone = Set(
      changes.deletedRows.flatMap { group in group.keys.map { Row(group.entity, $0) } }
        + changes.deleted.compactMap { snapshot in
          snapshot.persistentIdentifier.key.map { Row(snapshot.persistentIdentifier.entityName, $0) }
        })
    var names = [Row: [String]]()
    for (property, entity, keys) in changes.outcome.cleared {
      for key in keys where !gone.contains(Row(entity, key)) { names[Row(entity, key), default: []].append(property) }
    }
    return names
  }

  // MARK: - The result

  private func result() throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped = [PersistentIdentifier: PersistentIdentifier]()
    for snapshot in changes.inserted {
      let temporary = snapshot.persistentIdentifier
      remapped[temporary] = store.identifier(temporary.entityName, assigned[temporary]!)
    }
    var stored = [PersistentIdentifier: DefaultSnapshot]()
    for (name, group) in Dictionary(grouping: merged, by: { $0.key.entityName }) {
      let rows = try store.rows(of: name)
      let result = try connection.run(
        "SELECT \(rows.fullSelection) FROM \(rows.table.name.quotedIdentifier) AS t0 WHERE t0._pk = ANY($1::bigint[])",
        [.keys(group.map(\.value))])
      for row in 0..<result.count {
        let snapshot = try rows.snapshot(result, row, hasLists: true)
        stored[snapshot.persistentIdentifier] = snapshot
      }
    }
    return DataStoreSaveChangesResult(
      for: store.identifier, remappedIdentifiers: remapped, snapshotsToReregister: stored)
  }
}
