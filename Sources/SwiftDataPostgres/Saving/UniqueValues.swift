import SwiftData

/// Finds the stored models whose unique values new ones have.
struct UniqueValues {
  /// The keys of the rows that new models are written over.
  struct Collisions {
    var keys: [PersistentIdentifier: Int64] = [:]
  }

  private let transaction: SaveTransaction
  private var store: PostgresStore { transaction.store }

  init(_ transaction: SaveTransaction) { self.transaction = transaction }

  /// - Throws: ``SwiftDataError/uniquenessViolation`` where a model of another class has the values.
  func find() throws -> Collisions {
    var collisions = Collisions()
    let groups = Dictionary(grouping: transaction.changes.inserted) { $0.persistentIdentifier.entityName }
    for (name, snapshots) in groups.sorted(by: { $0.key < $1.key }) {
      let rows = try store.rows(of: name)
      for constraint in rows.table.uniqueness where constraint.allSatisfy({ !$0.isMember }) {
        let left = snapshots.filter { collisions.keys[$0.persistentIdentifier] == nil }
        try find(left, constraint.map(\.property), rows, &collisions)
      }
    }
    return collisions
  }

  private func find(
    _ snapshots: [DefaultSnapshot], _ properties: [__Property], _ rows: EntityRows, _ collisions: inout Collisions
  ) throws {
    var candidates = [(snapshot: DefaultSnapshot, cells: [SQLValue])]()
    for snapshot in snapshots {
      let cells = try rows.cells(of: snapshot.contents, properties, key: transaction.key).cells
      // Nil is unique as often as it likes.
      if !cells.contains(.null) { candidates.append((snapshot, cells)) }
    }
    guard !candidates.isEmpty else { return }
    var known = try stored(candidates.map(\.cells), properties, rows)
    for (snapshot, cells) in candidates {
      let identifier = snapshot.persistentIdentifier
      guard let (key, entity) = known[cells] else {
        // The next new model with these values goes into this one.
        known[cells] = (transaction.assigned[identifier]!, identifier.entityName)
        continue
      }
      // An object keeps its class for life: the row of another class cannot become this object.
      guard entity == identifier.entityName else {
        throw SwiftDataError(
          .uniquenessViolation, entity: identifier.entityName, property: properties.map(\.name).joined(separator: ", "),
          message: "a stored \(entity) has the same unique value, and an upsert cannot turn it into a"
            + " \(identifier.entityName); delete the \(entity) or choose another value")
      }
      collisions.keys[identifier] = key
    }
  }

  /// The rows with some values, by these; without those that this save deletes or gives other values.
  private func stored(
    _ values: [[SQLValue]], _ properties: [__Property], _ rows: EntityRows
  ) throws -> [[SQLValue]: (key: Int64, entity: String)] {
    let record = store.layout.record.table(named: rows.table.name)!
    // Without the key and what is kept beside.
    let columns = rows.updateColumns(properties, record).dropFirst().prefix(properties.count)
    var arrays = ColumnArrays(Array(columns) + [("place", .bigint)])
    for (place, cells) in values.enumerated() { arrays.append(cells + [.integer(Int64(place))]) }
    let changed = transaction.changes.updated.filter { update in
      properties.contains { update.properties.contains($0.index) }
    }.map(\.snapshot)
    let left = (changed + transaction.changes.deleted).map(\.persistentIdentifier)
      .filter { (try? store.rows(of: $0.entityName))?.table.name == rows.table.name }.compactMap(\.key)
    let conditions = columns.map { "t.\($0.0.quotedIdentifier) = v.\($0.0.quotedIdentifier)" }
    let result = try transaction.connection.run(
      "SELECT v.place, t._pk\(rows.table.hasDiscriminator ? ", t._entity" : "")"
        + " FROM \(arrays.source(first: 2)) AS v(\(arrays.list)) JOIN \(rows.table.name.quotedIdentifier) AS t"
        + " ON \(conditions.joined(separator: " AND ")) WHERE t._pk <> ALL($1::bigint[]) FOR UPDATE OF t",
      [.keys(left)] + arrays.parameters)
    var found = [[SQLValue]: (key: Int64, entity: String)]()
    for row in 0..<result.count {
      let entity = rows.table.hasDiscriminator ? result.text(row, 2) ?? "" : rows.table.entity.name
      found[values[Int(result.integer(row, 0))]] = (result.integer(row, 1), entity)
    }
    return found
  }
}
