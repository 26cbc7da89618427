/// Records, indices and rows in memory. Each look-up is a look-up in a dictionary.
public struct MemoryRecords: RowSource, Sendable {
  /// The states of the zones.
  public private(set) var states = ZoneStates()
  /// The models, by which values are unique.
  public let models: SyncModels
  private var zones: [RecordName: Set<ZoneName>] = [:]
  private var holders: [RecordName: [ZoneName: [WireName: Set<RecordName>]]] = [:]
  private var unique: [UniqueValue: Set<RecordKey>] = [:]
  private var rows: [RecordKey: RecordKey] = [:]
  private var shown: [RecordKey: Set<RecordKey>] = [:]

  /// Makes an empty collection.
  public init(_ models: SyncModels) { self.models = models }

  /// Takes in states, without rows.
  public init(_ states: ZoneStates, _ models: SyncModels) {
    self.init(models)
    for (zone, state) in states.zones {
      for (name, record) in state.records { set(RecordKey(zone, name), record) }
    }
  }

  /// Replaces the registers of a record; nil removes it.
  public mutating func set(_ key: RecordKey, _ registers: Registers?) {
    let old = IndexEntries(states[key], in: key.zone, models)
    let new = IndexEntries(registers, in: key.zone, models)
    states[key.zone].records[key.name] = registers
    if registers == nil {
      zones[key.name]?.remove(key.zone)
      if zones[key.name]?.isEmpty ?? false { zones[key.name] = nil }
    } else {
      zones[key.name, default: []].insert(key.zone)
    }
    change(key, removed: old, added: new)
  }

  private mutating func change(_ key: RecordKey, removed: IndexEntries, added: IndexEntries) {
    for link in removed.links.subtracting(added.links) {
      holders[link.name]?[key.zone]?[link.property]?.remove(key.name)
      if holders[link.name]?[key.zone]?[link.property]?.isEmpty ?? false {
        holders[link.name]?[key.zone]?[link.property] = nil
      }
      if holders[link.name]?[key.zone]?.isEmpty ?? false { holders[link.name]?[key.zone] = nil }
      if holders[link.name]?.isEmpty ?? false { holders[link.name] = nil }
    }
    for link in added.links.subtracting(removed.links) {
      holders[link.name, default: [:]][key.zone, default: [:]][link.property, default: []].insert(key.name)
    }
    for value in removed.unique.subtracting(added.unique) {
      unique[value]?.remove(key)
      if unique[value]?.isEmpty ?? false { unique[value] = nil }
    }
    for value in added.unique.subtracting(removed.unique) { unique[value, default: []].insert(key) }
  }

  /// Replaces the row that shows a record; nil for a record that is not shown.
  public mutating func show(_ key: RecordKey, by row: RecordKey?) {
    if let old = rows[key] {
      shown[old]?.remove(key)
      if shown[old]?.isEmpty ?? false { shown[old] = nil }
    }
    rows[key] = row
    if let row { shown[row, default: []].insert(key) }
  }
}

extension MemoryRecords {
  /// The registers of a record; nil for a record that its zone does not know.
  public func registers(of key: RecordKey) -> Registers? { states[key] }
  /// The zones that know a name.
  public func zones(knowing name: RecordName) -> [ZoneName] { zones[name].map(Array.init) ?? [] }
  /// The zones in which a record leads to a name.
  public func zones(leadingTo name: RecordName) -> [ZoneName] { holders[name].map { Array($0.keys) } ?? [] }
  /// The records of a zone that lead to a name.
  public func holders(of name: RecordName, in zone: ZoneName) -> [RecordName] {
    Array((holders[name]?[zone] ?? [:]).values.reduce(into: Set()) { $0.formUnion($1) })
  }
  /// The records of a zone that lead to a name by a property.
  public func holders(of name: RecordName, in zone: ZoneName, by property: WireName) -> [RecordName] {
    holders[name]?[zone]?[property].map(Array.init) ?? []
  }
  /// The records of all zones that have a unique value.
  public func records(with value: UniqueValue) -> [RecordKey] { unique[value].map(Array.init) ?? [] }
  /// The row that shows a record; nil for a record that is not shown.
  public func row(showing key: RecordKey) -> RecordKey? { rows[key] }
  /// The records that a row shows.
  public func records(shownBy row: RecordKey) -> [RecordKey] { shown[row].map(Array.init) ?? [] }
}
