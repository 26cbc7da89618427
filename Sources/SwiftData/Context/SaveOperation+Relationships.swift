extension SaveOperation {
  /// Every object of this save whose to-manys may have to be written, with the old values where they are known.
  private var owners: [(object: any PersistentModel, change: ContextState.ObjectChange?)] {
    inserted.map { ($0, nil) } + changed.map { ($0.object, $0) }
  }

  // MARK: - Positions

  /// Arrays are read back by age. One in another order has its positions written.
  func writePositions() throws {
    guard hasToManys else { return }
    for (owner, change) in owners {
      let table = try context.core.table(for: type(of: owner).__entity)
      for property in table.toMany where change == nil || change!.properties.contains(property.index) {
        guard case .targets(let targets, let positioned) = owner.__relationship(property.index, .read) else { continue }
        let keys = targets.map { $0.__state.key }
        guard positioned || !isAscending(keys) else { continue }
        let info = RelationshipInfo.of(property, in: table.entity)
        guard case .inverseForeignKey(_, let position) = info.storage else { continue }
        let destination = try context.core.table(for: info.destination)
        let sql =
          "UPDATE \(destination.name.quotedIdentifier) SET \(position.quotedIdentifier) = ? WHERE _pk = ?"
        for (index, key) in keys.enumerated() {
          try connection.write(sql) { writer in
            try writer.integer(Int64(index))
            try writer.integer(key)
          }
        }
        _ = owner.__relationship(property.index, .load(targets, positioned: true))
      }
    }
  }

  private func isAscending(_ keys: [Int64]) -> Bool { zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 } }

  // MARK: - Pairs

  /// One object's end of a many-to-many that this save writes.
  private struct PairList {
    let owner: any PersistentModel
    let property: __Property
    let table: String
    let source: String
    let target: String
    let position: String
    let targets: [any PersistentModel]
    let positioned: Bool
    /// The keys in the array before the first change, and now.
    let before: [Int64]
    let now: [Int64]
  }

  /// A row end: how many new pairs it got tells whether their order in the table can be the array's.
  private struct PairEnd: Hashable {
    let table: String
    let column: String
    let key: Int64
  }

  /// Writes the difference between the stored pairs of many-to-manys and the arrays in memory, then the order of
  /// arrays that the table does not have by itself.
  func writePairs() throws {
    guard hasToManys else { return }
    let lists = try pairLists()
    var added = [PairEnd: Int]()
    for list in lists { try writePairs(of: list, &added) }
    for list in lists {
      let key = list.owner.__state.key
      let isOrdered =
        list.now.prefix(list.before.count).elementsEqual(list.before)
        || list.now == list.before.filter(Set(list.now).contains)
      // Several new pairs may have been written from the other side, in another order.
      let isAmbiguous = added[PairEnd(table: list.table, column: list.source, key: key), default: 0] > 1
      guard list.positioned || !isOrdered || isAmbiguous else { continue }
      for (index, target) in list.now.enumerated() {
        try connection.write(
          "UPDATE \(list.table) SET \(list.position) = ? WHERE \(list.source) = ? AND \(list.target) = ?"
        ) { writer in
          try writer.integer(Int64(index))
          try writer.integer(key)
          try writer.integer(target)
        }
      }
      _ = list.owner.__relationship(list.property.index, .load(list.targets, positioned: true))
    }
  }

  private func pairLists() throws -> [PairList] {
    var lists = [PairList]()
    for (owner, change) in owners {
      let table = try context.core.table(for: type(of: owner).__entity)
      for property in table.toMany where change == nil || change!.properties.contains(property.index) {
        let info = RelationshipInfo.of(property, in: table.entity)
        guard case .join(let join, let source, let target, let position) = info.storage,
          case .targets(let targets, let positioned) = owner.__relationship(property.index, .read)
        else { continue }
        lists.append(
          PairList(
            owner: owner, property: property, table: join.quotedIdentifier, source: source, target: target,
            position: position, targets: targets, positioned: positioned,
            before: change.map { storedKeys($0, property.index) } ?? [],
            now: targets.filter { !$0.isDeleted && $0.__state.context != nil }.map { $0.__state.key }))
      }
    }
    return lists
  }

  private func storedKeys(_ change: ContextState.ObjectChange, _ index: Int) -> [Int64] {
    guard let original = change.originals.first(where: { $0.index == index })?.value else { return [] }
    let targets = (original as? [any PersistentModel]) ?? []
    return targets.map { $0.__state.key }.filter { $0 != 0 }
  }

  private func writePairs(of list: PairList, _ added: inout [PairEnd: Int]) throws {
    let owner = list.owner.__state.key
    let kept = Set(list.now)
    for key in list.before where !kept.contains(key) {
      try connection.write("DELETE FROM \(list.table) WHERE \(list.source) = ? AND \(list.target) = ?") { writer in
        try writer.integer(owner)
        try writer.integer(key)
      }
    }
    let known = Set(list.before)
    for key in list.now where !known.contains(key) {
      let count = try connection.write(
        "INSERT OR IGNORE INTO \(list.table) (\(list.source), \(list.target)) VALUES (?, ?)"
      ) { writer in
        try writer.integer(owner)
        try writer.integer(key)
      }
      guard count > 0 else { continue }
      added[PairEnd(table: list.table, column: list.source, key: owner), default: 0] += 1
      added[PairEnd(table: list.table, column: list.target, key: key), default: 0] += 1
    }
  }
}
