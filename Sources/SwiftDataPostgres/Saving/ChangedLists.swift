import SwiftData

/// The to-manys that a save writes: the order of lists, and the pairs of many-to-manys.
struct ChangedLists {
  /// One list of one owner.
  private struct List {
    let info: RelationshipInfo
    let owner: Int64
    /// The keys before the first change, as far as they were stored, and now.
    let before: [Int64]
    let now: [Int64]

    /// Whether the stored order goes on to hold: what was there is where it was, or is gone.
    var keepsOrder: Bool {
      now.prefix(before.count).elementsEqual(before) || now == before.filter(Set(now).contains)
    }
    var added: [Int64] {
      let known = Set(before)
      return now.filter { !known.contains($0) }
    }
    var removed: [Int64] {
      let kept = Set(now)
      return before.filter { !kept.contains($0) }
    }
  }

  private var lists: [List] = []

  init(_ transaction: SaveTransaction) {
    func take(_ contents: SnapshotContents, _ owner: Int64, _ index: Int, before: [PersistentIdentifier]) {
      let property = contents.entity.properties[index]
      guard property.isToMany, case .toMany(let targets) = contents[property] else { return }
      var seen = Set<Int64>()
      lists.append(
        List(
          info: RelationshipInfo.of(property, in: contents.entity), owner: owner,
          before: before.filter { !$0.isTemporary }.compactMap(transaction.key),
          now: targets.compactMap(transaction.key).filter { seen.insert($0).inserted }))
    }
    for snapshot in transaction.changes.inserted {
      guard let key = transaction.assigned[snapshot.persistentIdentifier] else { continue }
      for index in snapshot.contents.entity.properties.indices { take(snapshot.contents, key, index, before: []) }
    }
    for update in transaction.changes.updated {
      guard let key = update.snapshot.persistentIdentifier.key else { continue }
      for index in update.properties.indices {
        take(update.snapshot.contents, key, index, before: update.originals[index] ?? [])
      }
    }
  }

  // MARK: - The order of lists

  /// Lists are read back by the age of their targets. One in another order has its positions written.
  func positions() -> [PostgresStatement] {
    var statements = [PostgresStatement]()
    for (info, group) in grouped() {
      guard case .inverseForeignKey(let inverse, let position) = info.storage else { continue }
      let ordered = group.filter { !$0.keepsOrder || !Self.isYounger($0.added, than: $0.before) }
      let table = TableNames.table(for: info.destination).quotedIdentifier
      let (owner, place) = (TableNames.column(for: inverse).quotedIdentifier, position.quotedIdentifier)
      for part in Self.places(ordered).parts() {
        statements.append(
          PostgresStatement(
            "UPDATE \(table) AS t SET \(place) = v.place FROM \(part.source()) AS v(\(part.list))"
              + " WHERE t._pk = v.target AND t.\(owner) = v.owner", part.parameters))
      }
    }
    return statements
  }

  /// Whether keys that come to a list are ascending, and greater than all in it.
  private static func isYounger(_ added: [Int64], than before: [Int64]) -> Bool {
    let keys = [before.max() ?? 0] + added
    return zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
  }

  private static func places(_ lists: [List]) -> ColumnArrays {
    var places = ColumnArrays([("owner", .bigint), ("target", .bigint), ("place", .bigint)])
    for list in lists {
      for (place, target) in list.now.enumerated() {
        places.append([.integer(list.owner), .integer(target), .integer(Int64(place))])
      }
    }
    return places
  }

  // MARK: - Pairs

  func pairs() -> [PostgresStatement] {
    var removals = [PostgresStatement]()
    var additions = [PostgresStatement]()
    var orders = [PostgresStatement]()
    for (info, group) in grouped() {
      guard case .join(let join, let source, let target, let position) = info.storage else { continue }
      let table = join.quotedIdentifier
      var (removed, added) = (Self.ends(), Self.ends())
      for list in group {
        for key in list.removed { removed.append([.integer(list.owner), .integer(key)]) }
        for key in list.added { added.append([.integer(list.owner), .integer(key)]) }
      }
      for part in removed.parts() {
        removals.append(
          PostgresStatement(
            "DELETE FROM \(table) AS p USING \(part.source()) AS v(\(part.list))"
              + " WHERE p.\(source) = v.owner AND p.\(target) = v.target", part.parameters))
      }
      for part in added.parts() {
        additions.append(
          PostgresStatement(
            "INSERT INTO \(table) (\(source), \(target)) SELECT * FROM \(part.source())"
              + " ON CONFLICT (source, target) DO NOTHING", part.parameters))
      }
      // Several new pairs may have been written from the other side, in another order.
      for part in Self.places(group.filter { !$0.keepsOrder || $0.added.count > 1 }).parts() {
        orders.append(
          PostgresStatement(
            "UPDATE \(table) AS p SET \(position) = v.place FROM \(part.source()) AS v(\(part.list))"
              + " WHERE p.\(source) = v.owner AND p.\(target) = v.target", part.parameters))
      }
    }
    return removals + additions + orders
  }

  private static func ends() -> ColumnArrays { ColumnArrays([("owner", .bigint), ("target", .bigint)]) }

  /// The lists by relationship.
  private func grouped() -> [(RelationshipInfo, [List])] {
    Dictionary(grouping: lists) { ObjectIdentifier($0.info) }.values.map { ($0[0].info, $0) }
      .sorted { ($0.0.source.name, $0.0.property.name) < ($1.0.source.name, $1.0.property.name) }
  }
}
