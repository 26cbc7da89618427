import Foundation

/// Reads and deletes the history of one store.
struct HistoryReader {
  let store: SQLiteStore
  /// A class of the container by name. Nil for a removed class, whose changes are omitted.
  var entity: (String) -> __Entity? = { _ in nil }

  typealias Transaction = DefaultHistoryTransaction

  private static let columns = HistoryQuery.Columns(
    number: "id", timestamp: "timestamp", author: "author", authorBytes: "length(CAST(author AS BLOB))")

  func fetch(_ descriptor: HistoryDescriptor<Transaction>) throws -> [Transaction] {
    try store.read { connection in try query(descriptor, connection).transactions() }
  }

  private func query(
    _ descriptor: HistoryDescriptor<Transaction>, _ connection: SQLiteConnection
  ) throws -> HistoryQuery {
    let bounds = HistoryBounds(descriptor.predicate, store: store.identifier)
    if let token = bounds.token {
      try DeletedHistory(connection: connection, store: store).check(token, descriptor.predicate)
    }
    return HistoryQuery(
      descriptor, bounds, Self.columns, heads: { try heads($0, connection) }, changes: { try changes($0, connection) })
  }

  // MARK: - Rows

  private func heads(_ clauses: SQLFragment, _ connection: SQLiteConnection) throws -> [Transaction] {
    let statement: SQLFragment = "SELECT id, timestamp, author, program, process FROM _swiftdata_history \(clauses)"
    return try connection.rows(statement) { cells in
      Transaction(
        timestamp: Date(timeIntervalSinceReferenceDate: cells.real(1)), changes: [], number: cells.integer(0),
        store: store.identifier, author: cells.text(2), program: cells.text(3) ?? "", process: cells.text(4) ?? "")
    }
  }

  private func changes(_ numbers: [Int64], _ connection: SQLiteConnection) throws -> [Int64: [HistoryChange]] {
    let list = SQLValue.list(numbers)
    let blocks = try connection.rows(SQLFragment(HistoryTables.blocksOfList, [list, list])) { cells in
      (cells.integer(0), cells.text(1) ?? "")
    }
    var result = [Int64: [HistoryChange]]()
    for (number, json) in blocks {
      for run in try HistoryBlocks.runs(json, number: number) {
        guard let entity = entity(run.entity) else { continue }
        let row = ChangeRow(run, entity: entity, store: store.identifier)
        result[run.transaction, default: []].append(contentsOf: (0..<run.count).lazy.map(row.change))
      }
    }
    return result
  }

  // MARK: - Deleting

  func delete(_ descriptor: HistoryDescriptor<Transaction>) throws {
    try store.write { connection in
      // Deleting everything needs no reading, which a damaged history may not support.
      if descriptor.predicate == nil, descriptor.fetchLimit == 0 { return try removeAll(connection) }
      try remove(try query(descriptor, connection).numbers(), connection)
    }
  }

  private func remove(_ transactions: [Int64], _ connection: SQLiteConnection) throws {
    guard let newest = transactions.max() else { return }
    let list = SQLValue.list(transactions)
    try DeletedHistory(connection: connection, store: store).keep(list, newest: newest)
    try connection.execute(
      SQLFragment(
        "DELETE FROM _swiftdata_changes WHERE id IN (SELECT _swiftdata_changes.id FROM json_each(?) AS gone"
          + " JOIN _swiftdata_changes ON \(HistoryTables.blocks(from: "gone.value", to: "gone.value")))", [list]))
    try connection.execute(
      SQLFragment("DELETE FROM _swiftdata_history WHERE id IN (SELECT value FROM json_each(?))", [list]))
  }

  func removeAll(_ connection: SQLiteConnection) throws {
    try remove(try connection.rows(SQLFragment("SELECT id FROM _swiftdata_history")) { $0.integer(0) }, connection)
  }

  /// Deletes transactions beyond the configured retention.
  func trim(_ connection: SQLiteConnection) throws {
    guard let retention = store.configuration.historyRetention else { return }
    let oldest = Date().timeIntervalSinceReferenceDate - retention.seconds
    let gone = try connection.rows(
      SQLFragment("SELECT id FROM _swiftdata_history WHERE timestamp < ?", [.real(oldest)])
    ) { $0.integer(0) }
    try remove(gone, connection)
  }
}

/// A run of changes in a row.
package struct ChangeRow {
  let id: Int64
  let transaction: Int64
  let kind: HistoryRecorder.Kind
  let entity: __Entity
  let store: String
  let key: Int64
  private let properties: [String]
  private let tombstone: [String: SQLValue]

  /// - Parameters:
  ///   - properties: the names of the changed properties as JSON.
  ///   - tombstone: the preserved values of a deleted object as JSON.
  package init(
    id: Int64, transaction: Int64, kind: HistoryRecorder.Kind, entity: __Entity, store: String, key: Int64,
    properties: String?, tombstone: String?
  ) {
    (self.id, self.transaction, self.kind, self.entity, self.store) = (id, transaction, kind, entity, store)
    self.key = key
    self.properties = properties.flatMap { try? JSONCoding.decode([String].self, from: Data($0.utf8)) } ?? []
    self.tombstone = tombstone.flatMap { try? JSONCoding.decode([String: SQLValue].self, from: Data($0.utf8)) } ?? [:]
  }

  init(_ run: HistoryBlocks.StoredRun, entity: __Entity, store: String) {
    (id, transaction, kind, self.entity, self.store) = (run.number, run.transaction, run.kind, entity, store)
    (key, properties, tombstone) = (run.first, run.properties, run.tombstone)
  }

  package func change(_ offset: Int64) -> HistoryChange { change(of: entity.type, offset) }

  private func change<M: PersistentModel>(of type: M.Type, _ offset: Int64) -> HistoryChange {
    let identifier = PersistentIdentifier(entityName: entity.name, storeIdentifier: store, key: key + offset)
    switch kind {
    case .insert:
      return .insert(
        DefaultHistoryInsert<M>(
          changeIdentifier: id + offset, transactionIdentifier: transaction, changedPersistentIdentifier: identifier))
    case .update:
      return .update(
        DefaultHistoryUpdate<M>(
          changeIdentifier: id + offset, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
          updatedAttributes: properties.compactMap { entity.property(named: $0).flatMap(keyPath) },
          updatedPropertyNames: properties.filter { entity.property(named: $0) != nil }))
    case .delete:
      let values = entity.properties.compactMap { property -> HistoryTombstone<M>.Value? in
        guard let cell = tombstone[property.name], let value = CellReader.value(of: property, in: entity, cell) else {
          return nil
        }
        // Safe, because an attribute's value is plain data, created here and not shared.
        return unchecked(value, as: (any Sendable).self).map { (property.name, keyPath(property), $0) }
      }
      return .delete(
        DefaultHistoryDelete<M>(
          changeIdentifier: id + offset, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
          tombstone: HistoryTombstone(values: values)))
    }
  }

  /// Returns nil for an inherited property, whose key path starts at the superclass.
  private func keyPath<M: PersistentModel>(_ property: __Property) -> (PartialKeyPath<M> & Sendable)? {
    // Safe, because key paths of models capture nothing.
    unchecked(property.keyPath, as: (PartialKeyPath<M> & Sendable).self)
  }

  /// Casts to a type that contains `Sendable`, which Swift cannot check and therefore rejects as a plain cast.
  private func unchecked<T>(_ value: Any, as type: T.Type) -> T? { value as? T }
}
