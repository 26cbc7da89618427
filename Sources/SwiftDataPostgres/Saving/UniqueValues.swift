import SwiftData

/// Finds the rows with the unique values of new objects of a class.
struct UniqueValues {
  /// Bytes that are hashed at once, unlike an array.
  private struct Bytes: Hashable {
    let bytes: [UInt8]
    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }

  /// The most values that a save locks, so that an import does not fill the server's table of locks.
  private static let lockLimit = 32

  /// The column with the place of a value. No property has this name.
  private static let place = TableNames.part("place", of: "")

  private let writer: PostgresRowWriter
  private let table: EntityTable
  private let changes: UnsavedChanges

  init(_ writer: PostgresRowWriter, _ changes: UnsavedChanges, _ table: EntityTable) {
    (self.writer, self.table, self.changes) = (writer, table, changes)
  }

  /// The objects, in order, whose values an earlier row or object has, with its key.
  /// - Throws: `SwiftDataError.uniquenessViolation` if a row of another class has the values.
  func collisions(of objects: [any PersistentModel]) throws -> [(any PersistentModel, key: Int64)] {
    var keys = [ObjectIdentifier: Int64]()
    for constraint in table.uniqueness where constraint.terms.allSatisfy({ !$0.isMember }) {
      for (object, key) in try collisions(of: objects, constraint, merged: keys) {
        if keys[ObjectIdentifier(object)] == nil { keys[ObjectIdentifier(object)] = key }
      }
    }
    if keys.isEmpty { return [] }
    return objects.compactMap { object in keys[ObjectIdentifier(object)].map { (object, $0) } }
  }

  /// - Parameter merged: the rows that objects go into because of other constraints. A later object with one of their new values goes
  ///   there too.
  private func collisions(
    of objects: [any PersistentModel], _ constraint: UniqueConstraint, merged: [ObjectIdentifier: Int64]
  ) throws -> [(any PersistentModel, Int64)] {
    let properties = constraint.terms.map(\.property)
    let values = PostgresCellWriter(comparing: writer.store.layouts.update(table, properties), number: Self.place)
    let cells = values.rows.cells
    // The new objects by the bytes of their values: the first of each, and its duplicates.
    var firsts = [Bytes: Int]()
    var candidates = [any PersistentModel]()
    var repetitions = [(object: any PersistentModel, first: Int)]()
    firsts.reserveCapacity(objects.count)
    for object in objects {
      let start = cells.count
      values.hasNull = false
      values.rows.beginRow()
      try values.encode(object)
      // Nil does not collide.
      if values.hasNull {
        values.rows.removeRow(at: start)
        continue
      }
      let bytes = Bytes(bytes: Array(cells.bytes[start...]))
      if let first = firsts[bytes] {
        repetitions.append((object, first))
        values.rows.removeRow(at: start)
        continue
      }
      firsts[bytes] = candidates.count
      cells.appendCell(Int64(candidates.count))
      candidates.append(object)
    }
    guard !candidates.isEmpty else { return [] }
    if candidates.count <= Self.lockLimit {
      lock(firsts.keys, properties)
    } else if writer.transaction.isRepeated {
      lockAll(properties)
    }
    let stored = try stored(values.rows, properties, constraint.classCondition("t."), except: merged.values)
    var found = [(any PersistentModel, Int64)]()
    for (place, row) in stored {
      if let entity = row.entity, entity != table.entity.name {
        throw RowSave.otherClass(entity, table, properties.map(\.name))
      }
      found.append((candidates[place], row.key))
    }
    for (object, first) in repetitions {
      let earlier = candidates[first]
      found.append((object, merged[ObjectIdentifier(earlier)] ?? stored[first]?.key ?? earlier.__state.key))
    }
    return found
  }

  /// Makes other saves with one of the values wait until this transaction ends, so that they find its rows instead of
  /// failing at the unique constraint. A collision beyond the limit costs another attempt only.
  private func lock(_ values: some Sequence<Bytes>, _ properties: [__Property]) {
    let prefix = lockName(properties)
    // All saves take their locks in ascending order, which prevents deadlocks.
    let keys = values.map { Self.hash(prefix + $0.bytes) }.sorted()
    writer.transaction.add(
      PostgresStatement("SELECT pg_advisory_xact_lock(v) FROM unnest($1::bigint[]) AS v", [.keys(keys)]))
  }

  /// Makes other repeated saves of many values wait until this transaction ends. Otherwise several of them could collide in each attempt,
  /// until one has no attempt left.
  private func lockAll(_ properties: [__Property]) {
    writer.transaction.add(
      PostgresStatement(
        "SELECT pg_advisory_xact_lock(v) FROM unnest($1::bigint[]) AS v", [.keys([Self.hash(lockName(properties))])]))
  }

  private func lockName(_ properties: [__Property]) -> [UInt8] {
    let names = [writer.transaction.connection.namespace, table.name] + properties.map(\.name)
    return Array(names.joined(separator: "\0").utf8)
  }

  /// FNV-1a, because all programs must compute the same keys and Swift's hash differs by process.
  private static func hash(_ bytes: [UInt8]) -> Int64 {
    Int64(bitPattern: bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
  }

  /// The rows with some values, by the indices of the values, except for rows that this save deletes or gives other values.
  private func stored(
    _ values: RowBuffer, _ properties: [__Property], _ condition: String?, except merged: some Sequence<Int64>
  ) throws -> [Int: (key: Int64, entity: String?)] {
    let changed = changes.changed.filter { change in properties.contains { change.changesValue(at: $0.index) } }
    let left =
      (changed.map(\.object) + changes.deleted)
      .filter { type(of: $0).__entity.root === table.entity.root }.map { $0.__state.key } + merged
    var conditions = values.columns.dropLast().map { "t.\($0.name.quotedIdentifier) = v.\($0.name.quotedIdentifier)" }
    if writer.store.partitions.isSharded(table.name) {
      // A shard computes these itself, but not the join.
      conditions += values.columns.dropLast().enumerated().map { place, column in
        "t.\(column.name.quotedIdentifier) = ANY($\(place + 2)::\(column.type.name)[])"
      }
    }
    if let condition { conditions.append(condition) }
    let result = try writer.transaction.run(
      "SELECT v.\(Self.place.quotedIdentifier), t._pk\(table.hasDiscriminator ? ", t._entity" : "")"
        + " FROM \(values.source(first: 2)) AS v(\(values.list)) JOIN \(table.name.quotedIdentifier) AS t"
        + " ON \(conditions.joined(separator: " AND ")) WHERE t._pk <> ALL($1::bigint[])"
        // All saves lock the rows of a table in one order, which prevents deadlocks.
        + " ORDER BY t._pk FOR UPDATE OF t",
      [.keys(left)] + values.parameters)
    var found = [Int: (key: Int64, entity: String?)]()
    for row in 0..<result.count {
      found[Int(result.integer(row, 0))] = (result.integer(row, 1), table.hasDiscriminator ? result.text(row, 2) : nil)
    }
    return found
  }
}
