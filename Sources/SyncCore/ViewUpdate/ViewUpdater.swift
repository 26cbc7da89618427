/// Makes a ``ViewUpdate`` in the three steps of a view: who is there, unique values, relationships.
final class ViewUpdater {
  let models: SyncModels
  let skipping: Set<ViewUpdate.Step>
  /// The records and rows before the update.
  let old: RowReader<KnownRows>
  /// The records and rows after it.
  let new: RowReader<ChangedRows>
  /// The records whose registers change.
  private(set) var changed: [Change] = []
  /// Whether a record is shown after the update, for each record that was looked at.
  var isShown: [RecordKey: Bool] = [:]
  /// The key before the update of each renamed row.
  var former: [RecordKey: RecordKey] = [:]
  var update = ViewUpdate()

  /// A record whose registers change.
  struct Change {
    let key: RecordKey
    /// The registers before the update and after it; nil for a record that its zone does not know.
    let former, current: Registers?
  }

  init(
    _ before: RowReader<KnownRows>, _ changes: [RecordKey: Registers?], _ skipping: Set<ViewUpdate.Step>
  ) throws {
    (models, self.skipping, old) = (before.models, skipping, before)
    let known = before.source
    new = RowReader(ChangedRows(known, models), models)
    changed.reserveCapacity(changes.count)
    try known.prepare(Array(changes.keys))
    var next = NextReads(models)
    for (key, registers) in changes {
      let former = try known.registers(of: key)
      guard former != registers else { continue }
      let removed = IndexEntries(former, in: key.zone, models)
      let added = new.source.records.set(key, registers)
      update.registers[key] = .some(registers)
      // A commit, which the log gives to what a save wrote, changes no row.
      if let former, let registers, former.isEqual(toValuesOf: registers) { continue }
      changed.append(Change(key: key, former: former, current: registers))
      next.add(key, former, registers, removed, added)
      guard removed != added else { continue }
      var change = ViewUpdate.EntryChange()
      change.removed.links = removed.links.subtracting(added.links)
      change.added.links = added.links.subtracting(removed.links)
      change.removed.unique = removed.unique.subtracting(added.unique)
      change.added.unique = added.unique.subtracting(removed.unique)
      update.entries[key] = change
    }
    try next.prepare(known)
  }

  func run() throws {
    guard !changed.isEmpty else { return }
    try findShown()
    try findRows()
    for (key, row) in new.source.shown where try old.source.row(showing: key) != row { update.shown[key] = .some(row) }
    try compareRows()
  }

  /// Whether a record is shown after the update.
  func isShownNow(_ key: RecordKey) throws -> Bool { try isShown[key] ?? (old.source.row(showing: key) != nil) }
}

/// The reads that an update needs for many changed records, so that they are made at once.
private struct NextReads {
  private let models: SyncModels
  private var records = Set<RecordKey>()
  private var names = Set<RecordName>()
  private var values = Set<UniqueValue>()

  init(_ models: SyncModels) { self.models = models }

  mutating func add(
    _ key: RecordKey, _ former: Registers?, _ current: Registers?, _ removed: IndexEntries, _ added: IndexEntries
  ) {
    values.formUnion(removed.unique)
    values.formUnion(added.unique)
    // The update reads the records that lead to a record which comes, goes or moves.
    if former?.isHere(key.zone) ?? false != current?.isHere(key.zone) ?? false { names.insert(key.name) }
    let links = added.links.symmetricDifference(removed.links)
    for link in links {
      records.insert(RecordKey(key.zone, link.name))
      let reference = current?.fields[link.property]?.value.reference
      let edge = current?.edges[link.property]?[link.name]
      if let hint = reference?.hint ?? edge?.hint { records.insert(RecordKey(hint, link.name)) }
    }
    guard !links.isEmpty, let current, let rules = current.born.flatMap({ models.rules[$0.value] }) else { return }
    // The target of a one-to-one may have another source already.
    for property in rules.exclusive {
      if let reference = current.field(property)?.value.reference { names.insert(reference.name) }
    }
  }

  func prepare(_ source: KnownRows) throws {
    if !records.isEmpty { try source.prepare(Array(records)) }
    if !names.isEmpty { try source.prepare(leadingTo: Array(names)) }
    if !values.isEmpty { try source.prepare(with: Array(values)) }
  }
}

// MARK: - Step 1: who is there

extension ViewUpdater {
  /// Finds which records are shown.
  ///
  /// A hidden record that may have lost the owner that hid it is a suspect, with the hidden records that it owns. Suspects count as shown
  /// until an owner hides them again. So records that own each other do not keep each other hidden.
  private func findShown() throws {
    let (before, after) = (old.source, new.source)
    var suspects = Set<RecordKey>()
    var hidden = Set<RecordKey>()
    var stack: [RecordKey] = []
    var candidates: [RecordKey] = []
    func wasHidden(_ key: RecordKey) throws -> Bool {
      try before.row(showing: key) == nil && before.isHere(key, models)
    }
    func suspect(_ key: RecordKey) throws {
      guard !suspects.contains(key), try wasHidden(key), !skipping.contains(.lostOwners) else { return }
      suspects.insert(key)
      stack.append(key)
    }
    for change in changed {
      let (key, former, current) = (change.key, change.former, change.current)
      let (wasDead, isDead) = (former?.dead != nil, current?.dead != nil)
      let isHere = current?.isHere(key.zone, models) ?? false
      let (formerOwners, owners) = (former?.ownerNames(models) ?? [], current?.ownerNames(models) ?? [])
      let hasSameOwners = formerOwners == owners || Set(formerOwners) == Set(owners)
      let wasHidden = try former != nil && wasHidden(key)
      let wasHere = former?.isHere(key.zone, models) ?? false
      // Nothing hides a record where nothing owns anything.
      if isHere, !wasHere || !hasSameOwners, models.hasOwners { candidates.append(key) }
      if wasHidden, isHere, !hasSameOwners { try suspect(key) }
      guard wasDead || wasHidden || isDead else { continue }
      let (owned, owns) = (Set(former?.ownedNames(models) ?? []), Set(current?.ownedNames(models) ?? []))
      let stillHides = isDead || wasHidden && isHere && hasSameOwners
      if wasDead || wasHidden {
        let lost =
          stillHides
          ? Set(owned.subtracting(owns).map { RecordKey(key.zone, $0) }) : try before.owned(by: key, models)
        for child in lost { try suspect(child) }
      }
      if isDead, !wasDead {
        candidates += try after.owned(by: key, models)
      } else if stillHides {
        candidates += owns.subtracting(owned).map { RecordKey(key.zone, $0) }
      }
    }
    while let key = stack.popLast() {
      for child in try before.owned(by: key, models) { try suspect(child) }
    }
    func isHidden(_ key: RecordKey) throws -> Bool {
      if hidden.contains(key) { return true }
      return try !suspects.contains(key) && wasHidden(key)
    }
    candidates += suspects
    while let key = candidates.popLast() {
      guard try after.isHere(key, models), try !isHidden(key) else { continue }
      let isOwned = try after.owners(of: key, models).contains { owner in
        if try after.registers(of: owner)?.dead != nil { return true }
        return try !skipping.contains(.hiddenOwners) && after.isHere(owner, models) && isHidden(owner)
      }
      guard isOwned else { continue }
      hidden.insert(key)
      candidates += try after.owned(by: key, models)
    }
    for change in changed {
      let isHere = change.current?.isHere(change.key.zone, models) ?? false
      let isHidden = try change.former == nil ? hidden.contains(change.key) : isHidden(change.key)
      isShown[change.key] = isHere && !isHidden
    }
    for key in suspects.union(hidden) where isShown[key] == nil {
      isShown[key] = try after.isHere(key, models) && !isHidden(key)
    }
  }
}

// MARK: - Step 2: unique values

extension ViewUpdater {
  private func formerValues(_ key: RecordKey) throws -> [UniqueValue] {
    guard try old.source.row(showing: key) != nil, let record = try old.source.registers(of: key) else { return [] }
    return UniqueValue.all(of: record, models)
  }

  private func values(_ key: RecordKey) throws -> [UniqueValue] {
    guard try isShownNow(key), let record = try new.source.registers(of: key) else { return [] }
    return UniqueValue.all(of: record, models)
  }

  /// Finds the row of each record, zone by zone: what a zone shows depends on the zones before it alone.
  private func findRows() throws {
    var pending: [ZoneName: Set<RecordKey>] = [:]
    for (key, isShown) in isShown {
      let wasShown = try old.source.row(showing: key) != nil
      guard wasShown || isShown else { continue }
      let (former, current) = (try formerValues(key), try values(key))
      if former.isEmpty, current.isEmpty {
        // No other record has to do with its row.
        if wasShown != isShown { new.source.show(key, by: isShown ? key : nil) }
      } else if wasShown != isShown || former != current {
        pending[key.zone, default: []].insert(key)
      }
    }
    while let zone = pending.keys.min(), let seeds = pending.removeValue(forKey: zone) {
      let affected = try connected(seeds)
      var (before, after) = ([UniqueValue: RecordKey](), [UniqueValue: RecordKey]())
      for key in affected where try old.source.row(showing: key)?.zone == zone {
        for value in try formerValues(key) { before[value] = try old.source.row(showing: key) }
      }
      for (lead, keys) in try groups(affected) {
        let row = try rowOfEarlierZone(keys, before: zone) ?? lead
        for key in keys {
          new.source.show(key, by: row)
          if row == lead { for value in try values(key) { after[value] = row } }
        }
      }
      for key in affected where try !isShownNow(key) { new.source.show(key, by: nil) }
      for value in Set(before.keys).union(after.keys) where before[value] != after[value] {
        guard !skipping.contains(.laterZones) else { break }
        for key in try new.source.records(with: value) where zone < key.zone {
          if try isShownNow(key) { pending[key.zone, default: []].insert(key) }
        }
      }
    }
  }

  /// The records whose groups can change together with the groups of the given records: they have or had a value in common, in one zone, directly
  /// or through others.
  private func connected(_ seeds: Set<RecordKey>) throws -> Set<RecordKey> {
    var (found, stack, seen) = (seeds, Array(seeds), Set<UniqueValue>())
    while let key = stack.popLast() {
      let former = skipping.contains(.formerValues) ? [] : try formerValues(key)
      for value in try former + values(key) where seen.insert(value).inserted {
        for other in try old.source.records(with: value) + new.source.records(with: value)
        where other.zone == key.zone && !found.contains(other) {
          guard try old.source.row(showing: other) != nil || isShownNow(other) else { continue }
          found.insert(other)
          stack.append(other)
        }
      }
    }
    return found
  }

  /// The groups of shown records that have a value in common, among the given ones. Each group is sorted, and its least key names it.
  private func groups(_ keys: Set<RecordKey>) throws -> [RecordKey: [RecordKey]] {
    var (groups, unseen) = ([RecordKey: [RecordKey]](), [UniqueValue: [RecordKey]]())
    var rest: [RecordKey: [UniqueValue]] = [:]
    for key in keys where try isShownNow(key) {
      let values = try values(key)
      rest[key] = values
      for value in values { unseen[value, default: []].append(key) }
    }
    while let start = rest.first {
      rest[start.key] = nil
      var (members, stack) = ([start.key], start.value)
      while let value = stack.popLast() {
        for key in unseen.removeValue(forKey: value) ?? [] {
          guard let values = rest.removeValue(forKey: key) else { continue }
          members.append(key)
          stack += values
        }
      }
      members.sort()
      groups[members[0]] = members
    }
    return groups
  }

  /// The row of an earlier zone that stands for a group.
  private func rowOfEarlierZone(_ keys: [RecordKey], before zone: ZoneName) throws -> RecordKey? {
    for key in keys {
      for value in try values(key) {
        let rivals = try new.source.records(with: value).filter { $0.zone < zone }.sorted()
        for rival in rivals where try isShownNow(rival) {
          if let row = try new.source.row(showing: rival), row.zone == rival.zone { return row }
        }
      }
    }
    return nil
  }
}
