import SyncCore
import SyncProtocol

/// A replica that keeps rows and indices by what each ``ViewUpdate`` says, as a client does.
struct ShownView {
  private(set) var records: MemoryRecords
  private(set) var rows: [RecordKey: Row] = [:]
  /// The object of each row. A row that is renamed keeps its object.
  private(set) var objects: [RecordKey: Int] = [:]
  private var links: [RecordKey: IndexEntries] = [:]
  private var madeObjects = 0
  /// What the updates and views had.
  private(set) var seen: [String: Int] = [:]
  let skipping: Set<ViewUpdate.Step>

  init(_ models: SyncModels, skipping: Set<ViewUpdate.Step> = []) {
    (records, self.skipping) = (MemoryRecords(models), skipping)
  }

  /// A difference between what the updates made and the view of the states.
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  mutating func take(_ changes: [RecordKey: Registers?]) throws {
    try take(ViewUpdate(records, records.models, changes: changes, skipping: skipping))
  }

  /// Takes changes that an update finds in another source of the same records and rows.
  mutating func take(_ changes: [RecordKey: Registers?], from source: some RowSource) throws -> ViewUpdate {
    let update = try ViewUpdate(source, records.models, changes: changes)
    try take(update)
    return update
  }

  /// - Parameter end: the key of the first record that is not there yet; nil if all are.
  private mutating func take(_ update: ViewUpdate, before end: RecordKey? = nil) throws {
    try checkObjects(update)
    for (key, registers) in update.registers { records.set(key, registers) }
    for (key, row) in update.shown { records.show(key, by: row) }
    for (key, change) in update.entries {
      links[key, default: IndexEntries()].links.subtract(change.removed.links)
      links[key, default: IndexEntries()].links.formUnion(change.added.links)
      links[key, default: IndexEntries()].unique.subtract(change.removed.unique)
      links[key, default: IndexEntries()].unique.formUnion(change.added.unique)
    }
    rename(update.renamed)
    for row in update.deleted {
      guard rows.removeValue(forKey: row) != nil else { throw Difference(description: "\(row) was deleted twice") }
      objects[row] = nil
    }
    for (key, row) in update.created {
      guard rows[key] == nil else { throw Difference(description: "\(key) was created twice") }
      rows[key] = row
      for property in records.models.classes[row.entity] ?? [] where row.values[property.name] == nil {
        rows[key]?.values[property.name] = .toMany([])
      }
      madeObjects += 1
      objects[key] = madeObjects
    }
    for (key, values) in update.changed {
      guard rows[key] != nil, update.created[key] == nil else {
        throw Difference(description: "\(key) is changed and not known")
      }
      for (name, value) in values { rows[key]?.values[name] = value }
    }
    for (list, change) in update.lists { try take(change, list, before: end) }
    count("renamed rows", update.renamed.count)
    count("rows of another class", update.deleted.count { update.created[$0] != nil })
    count("lists in another order", update.lists.values.count(where: \.isReordered))
    count("members that came", update.lists.values.reduce(0) { $0 + $1.arrived.count })
  }

  private mutating func count(_ what: String, _ count: Int) { seen[what, default: 0] += count }

  /// Checks that a row which comes keeps the object of one that goes, if both show records of one name.
  private func checkObjects(_ update: ViewUpdate) throws {
    var former: [RecordName: Set<RecordKey>] = [:]
    for row in update.deleted where update.created[row] == nil {
      for key in records.records(shownBy: row) { former[key.name, default: []].insert(row) }
    }
    for (key, row) in update.shown {
      guard let row, row.zone == key.zone, let created = update.created[row], !update.deleted.contains(row) else {
        continue
      }
      for other in former[key.name] ?? [] where rows[other]?.entity == created.entity {
        throw Difference(description: "\(row) could keep the object of \(other)")
      }
    }
    for (old, new) in update.renamed where rows[old] == nil || rows[new] != nil {
      throw Difference(description: "\(old) is renamed to \(new)")
    }
  }

  private mutating func rename(_ renamed: [RecordKey: RecordKey]) {
    guard !renamed.isEmpty else { return }
    func map(_ key: RecordKey) -> RecordKey { renamed[key] ?? key }
    rows = Dictionary(
      uniqueKeysWithValues: rows.map { key, row in
        var row = row
        row.values = row.values.mapValues { value in
          switch value {
          case .value: value
          case .toOne(let target): .toOne(target.map(map))
          case .toMany(let targets): .toMany(targets.map(map))
          }
        }
        return (map(key), row)
      })
    objects = Dictionary(uniqueKeysWithValues: objects.map { (map($0), $1) })
  }

  /// Reads the list again, and checks what the change says of it.
  private mutating func take(
    _ change: ViewUpdate.ListChange, _ list: ViewUpdate.ListKey, before end: RecordKey?
  ) throws {
    guard let before = rows[list.row]?.values[list.property]?.targets else {
      throw Difference(description: "the list \(list) is not known")
    }
    let after =
      try end.map { try FirstRecords(records, before: $0).list(list, records.models) }
      ?? records.list(list, records.models)
    rows[list.row]?.values[list.property] = .toMany(after)
    let stayed = before.filter { !change.left.contains($0) }
    let others = after.filter { change.arrived[$0] == nil }
    guard change.isReordered ? Set(stayed) == Set(others) : stayed == others else {
      throw Difference(description: "\(list): \(before) became \(after), but the change is \(change)")
    }
  }

  /// Makes the view anew in pages of keys, as after an update of the program. Rows keep their objects where their keys stay.
  mutating func remake(_ models: SyncModels, page: Int) throws {
    let (states, known, made, seen) = (records.states, objects, madeObjects, seen)
    self = ShownView(models, skipping: skipping)
    (records, madeObjects, self.seen) = (MemoryRecords(states, models), made, seen)
    let keys = states.zones.flatMap { zone, state in state.records.keys.map { RecordKey(zone, $0) } }.sorted()
    for start in stride(from: 0, to: keys.count, by: page) {
      let part = keys[start..<min(start + page, keys.count)]
      let changes = Dictionary(uniqueKeysWithValues: part.map { ($0, states[$0]) })
      let source = FirstRecords(records, before: keys[start])
      let next = start + page < keys.count ? keys[start + page] : nil
      try take(ViewUpdate(source, models, changes: changes, skipping: skipping), before: next)
    }
    for (key, object) in known where objects[key] != nil { objects[key] = object }
  }

  /// Compares the rows and the indices with the view of the states.
  mutating func check() throws {
    let view = View(records.states, records.models)
    count("rows", rows.count)
    count("rows of several records", view.groups.members.values.count { $0.count > 1 })
    count("rows for other zones", view.groups.aliases.values.count { $0.count > 1 })
    count(
      "hidden records",
      records.states.zones.reduce(0) { count, zone in
        count
          + zone.value.records.count {
            $0.value.isHere(zone.key) && view.groups.row[RecordKey(zone.key, $0.key)] == nil
          }
      })
    let values = rows.values.flatMap(\.values.values)
    count("to-ones", values.count { $0.target != nil })
    count("lists of several", values.count { $0.targets.count > 1 })
    for key in Set(view.rows.keys).union(rows.keys).sorted() where view.rows[key] != rows[key] {
      throw Difference(
        description:
          "\(key): the view has \(String(describing: view.rows[key])), updates made \(String(describing: rows[key]))")
    }
    if let (key, row) = view.rows.randomElement(), try records.row(at: key, records.models) != row {
      throw Difference(description: "\(key) is read as another row")
    }
    for (zone, state) in records.states.zones {
      for (name, record) in state.records {
        let key = RecordKey(zone, name)
        if records.row(showing: key) != view.groups.row[key] {
          throw Difference(description: "\(key) is shown by another row")
        }
        if IndexEntries(record, in: zone, records.models) != links[key] ?? IndexEntries() {
          throw Difference(description: "\(key) has other index entries")
        }
      }
    }
    let gone = links.first { records.states[$0.key] == nil && $0.value != IndexEntries() }
    if let gone { throw Difference(description: "\(gone.key) has index entries") }
    guard Set(objects.keys) == Set(rows.keys), Set(objects.values).count == objects.count else {
      throw Difference(description: "a row has no object of its own")
    }
  }
}
