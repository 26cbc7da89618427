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
  let skipping: Set<ViewUpdate.Step>

  init(_ models: SyncModels, skipping: Set<ViewUpdate.Step> = []) { (records, self.skipping) = (MemoryRecords(models), skipping) }

  /// A difference between what the updates made and the view of the states.
  struct Difference: Error, CustomStringConvertible {
    var description: String
  }

  mutating func take(_ changes: [RecordKey: Registers?]) throws {
    let update = try ViewUpdate(records, records.models, changes: changes, skipping: skipping)
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
      guard rows[key] != nil, update.created[key] == nil else { throw Difference(description: "\(key) is changed and not known") }
      for (name, value) in values { rows[key]?.values[name] = value }
    }
    for (list, change) in update.lists { try take(change, list) }
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
  private mutating func take(_ change: ViewUpdate.ListChange, _ list: ViewUpdate.ListKey) throws {
    guard let before = rows[list.row]?.values[list.property]?.targets else {
      throw Difference(description: "the list \(list) is not known")
    }
    let after = try records.list(list, records.models)
    rows[list.row]?.values[list.property] = .toMany(after)
    let stayed = before.filter { !change.left.contains($0) }
    let others = after.filter { change.arrived[$0] == nil }
    guard change.isReordered ? Set(stayed) == Set(others) : stayed == others else {
      throw Difference(description: "\(list): \(before) became \(after), but the change is \(change)")
    }
  }

  /// Makes the view anew in pages of names, as after an update of the program. Rows keep their objects where their keys stay.
  mutating func remake(_ models: SyncModels, page: Int) throws {
    let (states, known, count) = (records.states, objects, madeObjects)
    self = ShownView(models, skipping: skipping)
    madeObjects = count
    let names = Set(states.zones.values.flatMap(\.records.keys)).sorted()
    for start in stride(from: 0, to: names.count, by: page) {
      var changes: [RecordKey: Registers?] = [:]
      for name in names[start..<min(start + page, names.count)] {
        for (zone, state) in states.zones { if let record = state[name] { changes[RecordKey(zone, name)] = .some(record) } }
      }
      try take(changes)
    }
    for (key, object) in known where objects[key] != nil { objects[key] = object }
  }

  /// Compares the rows and the indices with the view of the states.
  func check() throws {
    let view = View(records.states, records.models)
    for key in Set(view.rows.keys).union(rows.keys).sorted() where view.rows[key] != rows[key] {
      throw Difference(
        description: "\(key): the view has \(String(describing: view.rows[key])), updates made \(String(describing: rows[key]))")
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
