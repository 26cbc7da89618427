/// Records and rows before an update. Each record is read once.
final class KnownRows: RowSource {
  private let source: any RowSource
  private var registers: [RecordKey: Registers?] = [:]
  private var rows: [RecordKey: RecordKey?] = [:]

  init(_ source: any RowSource) { self.source = source }

  func prepare(_ keys: [RecordKey]) throws { try source.prepare(keys.filter { registers[$0] == nil }) }

  func registers(of key: RecordKey) throws -> Registers? {
    if let known = registers[key] { return known }
    let found = try source.registers(of: key)
    registers[key] = .some(found)
    return found
  }

  func row(showing key: RecordKey) throws -> RecordKey? {
    if let known = rows[key] { return known }
    let found = try source.row(showing: key)
    rows[key] = .some(found)
    return found
  }

  func zones(knowing name: RecordName) throws -> [ZoneName] { try source.zones(knowing: name) }
  func zones(leadingTo name: RecordName) throws -> [ZoneName] { try source.zones(leadingTo: name) }
  func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] { try source.holders(of: name, in: zone) }
  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    try source.holders(of: name, in: zone, by: property)
  }
  func records(with value: UniqueValue) throws -> [RecordKey] { try source.records(with: value) }
  func records(shownBy row: RecordKey) throws -> [RecordKey] { try source.records(shownBy: row) }
}

/// Records with changes over a source.
struct RecordOverlay<Base: RecordSource>: RecordSource {
  let base: Base
  let models: SyncModels
  private(set) var changes: [RecordKey: Registers?] = [:]
  private var links: [RecordName: [RecordKey: Set<WireName>]] = [:]
  private var unique: [UniqueValue: Set<RecordKey>] = [:]
  private var zones: [RecordName: Set<ZoneName>] = [:]

  init(_ base: Base, _ models: SyncModels) { (self.base, self.models) = (base, models) }

  /// Replaces the registers of a record; nil removes it.
  /// - Returns: the index entries that the record has.
  @discardableResult mutating func set(_ key: RecordKey, _ registers: Registers?) -> IndexEntries {
    if let known = changes[key] {
      let entries = IndexEntries(known, in: key.zone, models)
      for link in entries.links { links[link.name]?[key] = nil }
      for value in entries.unique { unique[value]?.remove(key) }
    }
    changes[key] = .some(registers)
    if registers == nil { zones[key.name]?.remove(key.zone) } else { zones[key.name, default: []].insert(key.zone) }
    let entries = IndexEntries(registers, in: key.zone, models)
    for link in entries.links { links[link.name, default: [:]][key, default: []].insert(link.property) }
    for value in entries.unique { unique[value, default: []].insert(key) }
    return entries
  }

  func prepare(_ keys: [RecordKey]) throws { try base.prepare(keys.filter { changes[$0] == nil }) }

  func registers(of key: RecordKey) throws -> Registers? { try changes[key] ?? base.registers(of: key) }

  func zones(knowing name: RecordName) throws -> [ZoneName] {
    let unchanged = try base.zones(knowing: name).filter { changes[RecordKey($0, name)] == nil }
    return unchanged + (zones[name] ?? [])
  }

  func zones(leadingTo name: RecordName) throws -> [ZoneName] {
    // A zone whose only holder does not lead to the name any more may be among them.
    Array(Set(try base.zones(leadingTo: name)).union((links[name] ?? [:]).keys.map(\.zone)))
  }

  func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] {
    let unchanged = try base.holders(of: name, in: zone).filter { changes[RecordKey(zone, $0)] == nil }
    return unchanged + (links[name] ?? [:]).keys.filter { $0.zone == zone }.map(\.name)
  }

  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    let unchanged = try base.holders(of: name, in: zone, by: property).filter { changes[RecordKey(zone, $0)] == nil }
    return unchanged
      + (links[name] ?? [:]).filter { $0.key.zone == zone && $0.value.contains(property) }.map(\.key.name)
  }

  func records(with value: UniqueValue) throws -> [RecordKey] {
    try base.records(with: value).filter { changes[$0] == nil } + (unique[value] ?? [])
  }
}

/// Records and rows after an update.
final class ChangedRows: RowSource {
  var records: RecordOverlay<KnownRows>
  private(set) var shown: [RecordKey: RecordKey?] = [:]
  private var gained: [RecordKey: Set<RecordKey>] = [:]

  init(_ old: KnownRows, _ models: SyncModels) { records = RecordOverlay(old, models) }

  /// Decides which row shows a record.
  func show(_ key: RecordKey, by row: RecordKey?) {
    if let known = shown[key], let known { gained[known]?.remove(key) }
    shown[key] = .some(row)
    if let row { gained[row, default: []].insert(key) }
  }

  func row(showing key: RecordKey) throws -> RecordKey? { try shown[key] ?? records.base.row(showing: key) }

  func records(shownBy row: RecordKey) throws -> [RecordKey] {
    try records.base.records(shownBy: row).filter { shown[$0] == nil } + (gained[row] ?? [])
  }

  func prepare(_ keys: [RecordKey]) throws { try records.prepare(keys) }
  func registers(of key: RecordKey) throws -> Registers? { try records.registers(of: key) }
  func zones(knowing name: RecordName) throws -> [ZoneName] { try records.zones(knowing: name) }
  func zones(leadingTo name: RecordName) throws -> [ZoneName] { try records.zones(leadingTo: name) }
  func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] { try records.holders(of: name, in: zone) }
  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    try records.holders(of: name, in: zone, by: property)
  }
  func records(with value: UniqueValue) throws -> [RecordKey] { try records.records(with: value) }
}
