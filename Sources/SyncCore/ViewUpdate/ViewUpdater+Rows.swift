// Step 3 of a view: the rows, and how they differ from those before.
extension ViewUpdater {
  /// Finds the rows that may differ and compares them.
  func compareRows() throws {
    var rows = Set<RecordKey>()
    func add(_ key: RecordKey) throws {
      let (before, after) = (try old.source.row(showing: key), try new.source.row(showing: key))
      if let after, after.zone == key.zone { rows.insert(after) }
      if let before, before != after, before.zone == key.zone { rows.insert(before) }
    }
    for change in changed { try add(change.key) }
    for key in update.shown.keys { try add(key) }
    rows.formUnion(try rowsLeadingToChanges(rows))
    let contested = try contestedSources(rows)
    for (before, after) in contested.values {
      if let before { rows.insert(before) }
      if let after { rows.insert(after) }
    }
    try findRenamed(rows)
    for row in rows.subtracting(update.renamed.keys) {
      let origin = former[row] ?? row
      let (before, after) = (try old.storedRow(origin), try new.storedRow(row))
      if let after { compare(row, after, with: update.deleted.contains(origin) ? nil : before) }
      try compareLists(row, after, with: before, of: origin)
    }
    try compareInverses(Set(contested.keys.map { renamed($0.target) }))
  }

  private func renamed(_ row: RecordKey) -> RecordKey { update.renamed[row] ?? row }

  private func renamed(_ value: RowValue?) -> RowValue? {
    switch value {
    case .toOne(let target): .toOne(target.map(renamed))
    case .toMany(let targets): .toMany(targets.map(renamed))
    case .value, nil: value
    }
  }

  // MARK: - Rows that may differ

  /// The rows with a reference that leads to another row than before, or to a row of another class.
  private func rowsLeadingToChanges(_ rows: Set<RecordKey>) throws -> Set<RecordKey> {
    var names = Set(update.shown.keys.map(\.name))
    for change in changed where !skipping.contains(.movedTargets) {
      let (former, current) = (change.former, change.current)
      let isSame =
        (former == nil) == (current == nil) && (former?.dead == nil) == (current?.dead == nil)
        && (former?.born == nil) == (current?.born == nil) && former?.home == current?.home
      if !isSame { names.insert(change.key.name) }
    }
    for row in rows where !skipping.contains(.changedClasses) {
      guard let entity = try old.entity(of: row), let other = try new.entity(of: row), entity != other else { continue }
      names.formUnion(try new.source.records(shownBy: row).map(\.name))
    }
    var found = Set<RecordKey>()
    for name in names {
      let zones = try new.source.zones(leadingTo: name)
      if zones.isEmpty { continue }
      let known = Set(try old.source.zones(knowing: name)).union(try new.source.zones(knowing: name))
      let hints = [nil] + known.map(Optional.some)
      for zone in zones {
        if skipping.contains(.otherZones), !known.contains(zone) { continue }
        let isSame = try hints.allSatisfy { hint in
          let reference = Reference(name, hint: hint)
          let (before, after) = (try old.resolve(reference, from: zone), try new.resolve(reference, from: zone))
          return before?.row == after?.row && before?.entity == after?.entity
        }
        if isSame { continue }
        let holders = try new.source.holders(of: name, in: zone).map { RecordKey(zone, $0) }
        try new.source.prepare(holders)
        for holder in holders {
          if let row = try new.source.row(showing: holder), row.zone == zone { found.insert(row) }
        }
      }
    }
    return found
  }

  /// The one-to-ones whose sources may differ, with the source that each shows before and after.
  private func contestedSources(_ rows: Set<RecordKey>) throws -> [OneToOne: (before: RecordKey?, after: RecordKey?)] {
    guard !skipping.contains(.rivals) else { return [:] }
    var contested = Set<OneToOne>()
    func claims(_ row: RecordKey, _ reader: RowReader<some RowSource>) throws -> [OneToOne: HybridTime] {
      var claims: [OneToOne: HybridTime] = [:]
      for property in try reader.rules(of: row)?.exclusive ?? [] {
        guard let target = try reader.claimed(row, property) else { continue }
        let claim = OneToOne(target: target, declaringClass: property.declaringClass, property: property.name)
        claims[claim] = try reader.write(row, property)?.time ?? .zero
      }
      return claims
    }
    for row in rows {
      let (before, after) = (try claims(row, old), try claims(row, new))
      for claim in Set(before.keys).union(after.keys) where before[claim] != after[claim] { contested.insert(claim) }
    }
    var result: [OneToOne: (before: RecordKey?, after: RecordKey?)] = [:]
    for claim in contested { result[claim] = (try old.winner(claim), try new.winner(claim)) }
    return result
  }

  // MARK: - Identity

  /// Finds the new rows that keep the object of a row which is gone: the row of a record that moved, or of a group that has another least record.
  private func findRenamed(_ rows: Set<RecordKey>) throws {
    var (gone, new) = (Set<RecordKey>(), [RecordKey]())
    for row in rows {
      let (before, after) = (try old.entity(of: row), try self.new.entity(of: row))
      if before != nil, after == nil { gone.insert(row) }
      if before == nil, after != nil { new.append(row) }
      if let before, let after, before != after { update.deleted.insert(row) }
    }
    if skipping.contains(.renames) || gone.isEmpty { new = [] }
    var candidates: [(row: RecordKey, others: Set<RecordKey>)] = []
    for row in new.sorted() {
      var others = Set<RecordKey>()
      for name in Set(try self.new.members(of: row).map(\.name)) {
        for zone in try old.source.zones(knowing: name) {
          if let other = try old.source.row(showing: RecordKey(zone, name)), gone.contains(other) {
            others.insert(other)
          }
        }
      }
      if !others.isEmpty { candidates.append((row, others)) }
    }
    for hasSameName in [true, false] {
      for (row, others) in candidates where former[row] == nil {
        let entity = try self.new.entity(of: row)
        let fitting = try others.filter { other in
          guard gone.contains(other), try old.entity(of: other) == entity else { return false }
          return !hasSameName || other.name == row.name
        }
        guard let other = fitting.min() else { continue }
        gone.remove(other)
        update.renamed[other] = row
        former[row] = other
      }
    }
    update.deleted.formUnion(gone)
  }

  // MARK: - Values

  private func compare(_ row: RecordKey, _ current: Row, with former: Row?) {
    guard let former else {
      update.created[row] = current
      return
    }
    let values = current.values.filter { $0.value != renamed(former.values[$0.key]) }
    if !values.isEmpty { update.changed[row] = values }
  }

  /// Compares the derived to-ones of rows.
  private func compareInverses(_ rows: Set<RecordKey>) throws {
    for row in rows where update.created[row] == nil {
      for property in try new.rules(of: row)?.derived ?? [] {
        guard case .inverseToOne = property.kind else { continue }
        let value = try new.value(row, property)
        if value != renamed(try old.value(former[row] ?? row, property)) {
          update.changed[row, default: [:]][property.name] = value
        }
      }
    }
  }

  // MARK: - Derived to-manys

  /// Compares the places of a row in derived to-manys.
  private func compareLists(_ row: RecordKey, _ current: Row?, with former: Row?, of origin: RecordKey) throws {
    var before: [ViewUpdate.ListKey: ListPlace] = [:]
    for (key, place) in try places(origin, former, old) {
      let list = ViewUpdate.ListKey(renamed(key.row), key.property)
      if try isKept(list.row) { before[list] = place }
    }
    let isNew = update.created[row] != nil
    for (list, place) in try places(row, current, new) {
      if let other = before.removeValue(forKey: list), !isNew {
        if other != place, !skipping.contains(.places) { update.lists[list, default: .init()].isReordered = true }
      } else {
        update.lists[list, default: .init()].arrived[row] = place.place
        if isNew, former != nil { update.lists[list]?.left.insert(origin) }
      }
    }
    for list in before.keys { update.lists[list, default: .init()].left.insert(row) }
    if current != nil, !isNew { try compareStoredOrder(row, origin) }
  }

  /// Whether a row was there before the update, with the same object.
  private func isKept(_ row: RecordKey) throws -> Bool {
    guard try new.exists(row) else { return false }
    if former[row] != nil { return true }
    return try old.exists(row) && !update.deleted.contains(row)
  }

  /// The derived to-manys that show a row, with its place in each.
  private func places(
    _ row: RecordKey, _ stored: Row?, _ reader: RowReader<some RowSource>
  ) throws -> [ViewUpdate.ListKey: ListPlace] {
    guard let stored, let relationships = models.rules[stored.entity]?.stored, !relationships.isEmpty else {
      return [:]
    }
    var places: [ViewUpdate.ListKey: ListPlace] = [:]
    for property in relationships {
      let value = stored.values[property.name]
      for target in value?.target.map({ [$0] }) ?? value?.targets ?? [] {
        for list in try reader.rules(of: target)?.derived ?? [] where list.inverse == property.name {
          guard let destination = list.destination, models.isKind(stored.entity, of: destination) else { continue }
          let place: ExactText
          switch list.kind {
          case .list: place = try reader.place(row, property)
          case .inverseMembers: place = try reader.place(of: row, in: target, list)
          default: continue
          }
          places[ViewUpdate.ListKey(target, list.name)] = ListPlace(place: place, row: row)
        }
      }
    }
    return places
  }

  /// Compares the order that a row stores of its derived to-manys.
  private func compareStoredOrder(_ row: RecordKey, _ former: RecordKey) throws {
    for property in try new.rules(of: row)?.derived ?? [] {
      guard case .inverseMembers = property.kind else { continue }
      if try new.storedPlaces(row, property) != old.storedPlaces(former, property) {
        update.lists[ViewUpdate.ListKey(row, property.name), default: .init()].isReordered = true
      }
    }
  }
}
