extension SaveOperation {
  /// Every object of this save whose to-manys may have to be written, with the old values where they are known.
  private var owners: [(object: any PersistentModel, change: ContextState.ObjectChange?)] {
    inserted.map { ($0, nil) } + changed.map { ($0.object, $0) }
  }

  /// What a save did to a loaded to-many; nil for all of a new object's.
  private func change(
    of owner: any PersistentModel, _ property: __Property, _ change: ContextState.ObjectChange?
  ) -> __ListChange? {
    guard let original = change?.original(property.index),
      case .change(let result) = owner.__relationship(property.index, .compare(original))
    else { return nil }
    return result
  }

  private func targets(of owner: any PersistentModel, _ property: __Property, _ range: Range<Int>)
    -> [any PersistentModel]
  {
    guard range.lowerBound >= 0, case .targets(let targets, _) = owner.__relationship(property.index, .slice(range))
    else { return [] }
    return targets
  }

  // MARK: - Positions

  /// Arrays are read back by age. One in another order has its positions written.
  func writePositions() throws {
    guard hasToManys else { return }
    for (owner, change) in owners {
      let table = try context.core.table(for: type(of: owner).__entity)
      for property in table.toMany where change == nil || change!.properties.contains(property.index) {
        guard case .inverseForeignKey(let inverse, let position) = RelationshipInfo.of(property, in: table.entity).storage,
          case .order(let order) = owner.__relationship(property.index, .order), order.positioned || !order.ascends
        else { continue }
        let list = try positions(of: owner, property, count: order.count, inverse, position)
        let known = order.positioned ? self.change(of: owner, property, change) : nil
        if let known, try writePositions(of: list, known, inverse) { continue }
        try list.writeAll()
        _ = owner.__relationship(property.index, .position)
      }
    }
  }

  private func positions(
    of owner: any PersistentModel, _ property: __Property, count: Int, _ inverse: __Property, _ position: String
  ) throws -> ListPositions {
    let destination = try context.core.table(for: property.destination!.__entity).name.quotedIdentifier
    let (place, key) = (position.quotedIdentifier, TableNames.column(for: inverse).quotedIdentifier)
    return ListPositions(
      targets: { self.targets(of: owner, property, $0) }, count: count,
      stored: { target in
        try self.connection.rows(
          SQLFragment(
            "SELECT \(place) FROM \(destination) WHERE _pk = ? AND \(key) = ?",
            [.integer(target.__state.key), .integer(owner.__state.key)])
        ) { $0.value(0) == .null ? nil : $0.integer(0) }.first
      },
      write: { target, position in
        try self.connection.write("UPDATE \(destination) SET \(place) = ? WHERE _pk = ?") { writer in
          try writer.integer(position)
          try writer.integer(target.__state.key)
        }
      })
  }

  /// Writes the positions that a change of an ordered list needs.
  /// - Returns: false where all have to be written.
  private func writePositions(of list: ListPositions, _ change: __ListChange, _ inverse: __Property) throws -> Bool {
    let range = change.moved.map { $0..<$0 + 1 } ?? change.range
    // Who came without a position is behind all that have one, by age: that is right for new objects only.
    var end = list.count
    while end > 0, change.isAppend || end > range.upperBound, let last = list.targets(end - 1..<end).first {
      guard last.__state.flags.contains(.inserted) else {
        if context.changed[ObjectIdentifier(last)]?.properties.contains(inverse.index) == true { return false }
        break
      }
      let next = list.targets(end..<end + 1).first
      guard merged[ObjectIdentifier(last)] == nil, next.map({ last.__state.key < $0.__state.key }) ?? true else {
        return false
      }
      end -= 1
    }
    if range.isEmpty || change.isAppend && end <= range.lowerBound { return true }
    return try list.place(range)
  }

  // MARK: - Pairs

  /// One object's end of a many-to-many that this save writes.
  private struct PairList {
    let owner: any PersistentModel
    let property: __Property
    let table: String
    let source: String
    let target: String
    let position: String
    let count: Int
    let positioned: Bool
    /// Nil for a new object, whose targets all came.
    let change: __ListChange?
    let added: [any PersistentModel]
  }

  /// A row end: the order of the pairs that it got tells whether the table's can be the array's.
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
    var came = [PairEnd: [Int64]]()
    for list in lists { try writePairs(of: list, &came) }
    for list in lists {
      let new = came[PairEnd(table: list.table, column: list.source, key: list.owner.__state.key)] ?? []
      try writeOrder(of: list, new)
    }
  }

  /// - Parameter new: the keys that the list got in this save, in the order of the table.
  private func writeOrder(of list: PairList, _ new: [Int64]) throws {
    let end = targets(of: list.owner, list.property, list.count - new.count..<list.count).map { $0.__state.key }
    // New pairs without a position are behind all others, in the order in which they were written, from whichever side.
    let isOrdered = end == new
    let positions = positions(of: list)
    if !list.positioned {
      if isOrdered, list.change?.keepsOrder ?? true { return }
    } else if isOrdered, let change = list.change {
      let range = change.moved.map { $0..<$0 + 1 } ?? change.range
      if range.isEmpty || range.lowerBound >= list.count - new.count { return }
      if range.upperBound <= list.count - new.count, try positions.place(range) { return }
    }
    try positions.writeAll()
    _ = list.owner.__relationship(list.property.index, .position)
  }

  private func positions(of list: PairList) -> ListPositions {
    let condition = "\(list.source) = ? AND \(list.target) = ?"
    let owner = list.owner.__state.key
    return ListPositions(
      targets: { self.targets(of: list.owner, list.property, $0) }, count: list.count,
      stored: { target in
        try self.connection.rows(
          SQLFragment(
            "SELECT \(list.position) FROM \(list.table) WHERE \(condition)",
            [.integer(owner), .integer(target.__state.key)])
        ) { $0.value(0) == .null ? nil : $0.integer(0) }.first
      },
      write: { target, position in
        try self.connection.write("UPDATE \(list.table) SET \(list.position) = ? WHERE \(condition)") { writer in
          try writer.integer(position)
          try writer.integer(owner)
          try writer.integer(target.__state.key)
        }
      })
  }

  private func pairLists() throws -> [PairList] {
    var lists = [PairList]()
    for (owner, change) in owners {
      let table = try context.core.table(for: type(of: owner).__entity)
      for property in table.toMany where change == nil || change!.properties.contains(property.index) {
        let info = RelationshipInfo.of(property, in: table.entity)
        guard case .join(let join, let source, let target, let position) = info.storage else { continue }
        let known = self.change(of: owner, property, change)
        let content = owner.__relationship(property.index, known == nil ? .read : .check)
        guard case .targets(let all, let positioned) = content else { continue }
        lists.append(
          PairList(
            owner: owner, property: property, table: join.quotedIdentifier, source: source, target: target,
            position: position, count: known?.count ?? all.count, positioned: positioned, change: known,
            added: (known?.added ?? all).filter { !$0.isDeleted && $0.__state.context != nil }))
      }
    }
    return lists
  }

  private func writePairs(of list: PairList, _ came: inout [PairEnd: [Int64]]) throws {
    let owner = list.owner.__state.key
    for target in list.change?.removed ?? [] where target.__state.key != 0 {
      try connection.write("DELETE FROM \(list.table) WHERE \(list.source) = ? AND \(list.target) = ?") { writer in
        try writer.integer(owner)
        try writer.integer(target.__state.key)
      }
    }
    for target in list.added {
      let key = target.__state.key
      let count = try connection.write(
        "INSERT OR IGNORE INTO \(list.table) (\(list.source), \(list.target)) VALUES (?, ?)"
      ) { writer in
        try writer.integer(owner)
        try writer.integer(key)
      }
      guard count > 0 else { continue }
      came[PairEnd(table: list.table, column: list.source, key: owner), default: []].append(key)
      came[PairEnd(table: list.table, column: list.target, key: key), default: []].append(owner)
    }
  }
}
