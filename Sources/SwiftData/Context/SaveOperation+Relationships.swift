extension SaveOperation {
  /// Every object of this save whose to-manys may have to be written, with the old values where they are known.
  private var owners: [(object: any PersistentModel, change: ContextState.ObjectChange?)] {
    inserted.map { ($0, nil) } + changed.map { ($0.object, $0) }
  }

  // MARK: - Positions

  /// Arrays are read back by age. One in another order has its positions written.
  func writePositions() throws {
    for (owner, change) in owners {
      let table = try context.core.table(for: type(of: owner).__entity)
      for property in table.toMany where change == nil || change!.properties.contains(property.index) {
        guard case .targets(let targets, let positioned) = owner.__relationship(property.index, .read) else { continue }
        let keys = targets.map(\.__state.key)
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

  /// Writes the difference between the stored pairs of a many-to-many and the arrays in memory.
  func writePairs() throws {
    for (owner, change) in owners {
      let table = try context.core.table(for: type(of: owner).__entity)
      for property in table.toMany where change == nil || change!.properties.contains(property.index) {
        let info = RelationshipInfo.of(property, in: table.entity)
        guard case .join(let join, let source, let target, let position) = info.storage,
          case .targets(let targets, let positioned) = owner.__relationship(property.index, .read)
        else { continue }
        let before = change.map { storedKeys($0, property.index) } ?? []
        let now = targets.map(\.__state.key)
        try writePairs(
          of: owner.__state.key, before: before, now: now, join: join.quotedIdentifier, source: source, target: target)
        let isOrdered = Array(now.prefix(before.count)) == before || now == before.filter(Set(now).contains)
        // The other side may have written some of the new pairs first, in its own order.
        guard positioned || !isOrdered || (before.isEmpty && now.count > 1) else { continue }
        for (index, key) in now.enumerated() {
          try connection.write(
            "UPDATE \(join.quotedIdentifier) SET \(position) = ? WHERE \(source) = ? AND \(target) = ?"
          ) { writer in
            try writer.integer(Int64(index))
            try writer.integer(owner.__state.key)
            try writer.integer(key)
          }
        }
        _ = owner.__relationship(property.index, .load(targets, positioned: true))
      }
    }
  }

  private func storedKeys(_ change: ContextState.ObjectChange, _ index: Int) -> [Int64] {
    guard let original = change.originals.first(where: { $0.index == index })?.value else { return [] }
    let targets = (original as? [any PersistentModel]) ?? []
    return targets.map(\.__state.key).filter { $0 != 0 }
  }

  private func writePairs(
    of owner: Int64, before: [Int64], now: [Int64], join: String, source: String, target: String
  ) throws {
    let kept = Set(now)
    for key in before where !kept.contains(key) {
      try connection.write("DELETE FROM \(join) WHERE \(source) = ? AND \(target) = ?") { writer in
        try writer.integer(owner)
        try writer.integer(key)
      }
    }
    let known = Set(before)
    for key in now where !known.contains(key) {
      try connection.write("INSERT OR IGNORE INTO \(join) (\(source), \(target)) VALUES (?, ?)") { writer in
        try writer.integer(owner)
        try writer.integer(key)
      }
    }
  }
}
