/// Records and rows before an update. The source is asked each question once, and not at all if another answer implies the answer.
final class KnownRows: RowSource {
  private struct Relationship: Hashable {
    var target: RecordName
    var zone: ZoneName
    var property: WireName
  }

  private let source: any RowSource
  private var registers: [RecordKey: Registers?] = [:]
  private var rows: [RecordKey: RecordKey?] = [:]
  private var shown: [RecordKey: [RecordKey]] = [:]
  private var leading: [RecordName: [ZoneName]] = [:]
  private var holders: [Relationship: [RecordName]] = [:]
  private var unique: [UniqueValue: [RecordKey]] = [:]

  init(_ source: any RowSource) { self.source = source }

  func prepare(_ keys: [RecordKey]) throws { try source.prepare(keys.filter { registers[$0] == nil }) }
  func prepare(leadingTo names: [RecordName]) throws {
    try source.prepare(leadingTo: names.filter { leading[$0] == nil })
  }
  func prepare(with values: [UniqueValue]) throws { try source.prepare(with: values.filter { unique[$0] == nil }) }

  func registers(of key: RecordKey) throws -> Registers? {
    if let known = registers[key] { return known }
    let found = try source.registers(of: key)
    registers[key] = .some(found)
    return found
  }

  func row(showing key: RecordKey) throws -> RecordKey? {
    // No row shows a record that its zone does not know.
    guard try registers(of: key) != nil else { return nil }
    if let known = rows[key] { return known }
    let found = try source.row(showing: key)
    rows[key] = .some(found)
    return found
  }

  func records(shownBy row: RecordKey) throws -> [RecordKey] {
    guard try self.row(showing: row) == row else { return [] }
    if let known = shown[row] { return known }
    let found = try source.records(shownBy: row)
    shown[row] = found
    return found
  }

  func zones(knowing name: RecordName) throws -> [ZoneName] { try source.zones(knowing: name) }

  func zones(leadingTo name: RecordName) throws -> [ZoneName] {
    if let known = leading[name] { return known }
    let found = try source.zones(leadingTo: name)
    leading[name] = found
    return found
  }

  func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] { try source.holders(of: name, in: zone) }

  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    guard try zones(leadingTo: name).contains(zone) else { return [] }
    let relationship = Relationship(target: name, zone: zone, property: property)
    if let known = holders[relationship] { return known }
    let found = try source.holders(of: name, in: zone, by: property)
    holders[relationship] = found
    return found
  }

  func records(with value: UniqueValue) throws -> [RecordKey] {
    if let known = unique[value] { return known }
    let found = try source.records(with: value)
    unique[value] = found
    return found
  }
}

/// Records and rows after an update.
final class ChangedRows: RowSource {
  var records: RecordOverlay<KnownRows>
  private(set) var shown: [RecordKey: RecordKey?] = [:]
  /// The records that rows of other keys show now, by row.
  private var gained: [RecordKey: Set<RecordKey>] = [:]

  init(_ old: KnownRows, _ models: SyncModels) { records = RecordOverlay(old, models) }

  /// Decides which row shows a record.
  func show(_ key: RecordKey, by row: RecordKey?) {
    if let known = shown.updateValue(row, forKey: key), let known, known != key { gained[known]?.remove(key) }
    if let row, row != key { gained[row, default: []].insert(key) }
  }

  func row(showing key: RecordKey) throws -> RecordKey? { try shown[key] ?? records.base.row(showing: key) }

  func records(shownBy row: RecordKey) throws -> [RecordKey] {
    var found = try records.base.records(shownBy: row).filter { shown[$0] == nil }
    if let known = shown[row], known == row { found.append(row) }
    if let gained = gained[row] { found += gained }
    return found
  }

  func prepare(_ keys: [RecordKey]) throws { try records.prepare(keys) }
  func prepare(leadingTo names: [RecordName]) throws { try records.prepare(leadingTo: names) }
  func prepare(with values: [UniqueValue]) throws { try records.prepare(with: values) }
  func registers(of key: RecordKey) throws -> Registers? { try records.registers(of: key) }
  func zones(knowing name: RecordName) throws -> [ZoneName] { try records.zones(knowing: name) }
  func zones(leadingTo name: RecordName) throws -> [ZoneName] { try records.zones(leadingTo: name) }
  func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] {
    try records.holders(of: name, in: zone)
  }
  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    try records.holders(of: name, in: zone, by: property)
  }
  func records(with value: UniqueValue) throws -> [RecordKey] { try records.records(with: value) }
}
