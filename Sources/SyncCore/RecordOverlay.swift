/// The records of a source with other registers for some of them.
///
/// A client has the records of the log in tables. It shows an overlay with the registers of a ``LaidOutbox``, for each record that an
/// unsent transaction writes.
public struct RecordOverlay<Base: RecordSource>: RecordSource {
  /// The source.
  public var base: Base
  private let models: SyncModels
  /// The other registers, by record; nil for a record that is not there.
  public private(set) var changes: [RecordKey: Registers?] = [:]
  private var links: [RecordName: [RecordKey: Set<WireName>]] = [:]
  private var unique: [UniqueValue: Set<RecordKey>] = [:]
  /// The number of records with other registers, by zone.
  private var zones: [ZoneName: Int] = [:]

  /// Takes a source without other registers.
  public init(_ base: Base, _ models: SyncModels) { (self.base, self.models) = (base, models) }

  /// Gives a record other registers; nil for a record that is not there.
  /// - Returns: the index entries that the record has.
  @discardableResult
  public mutating func set(_ key: RecordKey, _ registers: Registers?) -> IndexEntries {
    reset(key)
    changes[key] = .some(registers)
    zones[key.zone, default: 0] += 1
    let entries = IndexEntries(registers, in: key.zone, models)
    for link in entries.links { links[link.name, default: [:]][key, default: []].insert(link.property) }
    for value in entries.unique { unique[value, default: []].insert(key) }
    return entries
  }

  /// Gives a record the registers of the source again.
  public mutating func reset(_ key: RecordKey) {
    guard let known = changes.removeValue(forKey: key) else { return }
    let entries = IndexEntries(known, in: key.zone, models)
    for link in entries.links { Self.remove(key, from: &links, link.name) { $0[key] = nil } }
    for value in entries.unique { Self.remove(key, from: &unique, value) { $0.remove(key) } }
    let count = (zones[key.zone] ?? 0) - 1
    zones[key.zone] = count > 0 ? count : nil
  }

  private static func remove<Index, Found: Collection>(
    _ key: RecordKey, from index: inout [Index: Found], _ entry: Index, _ body: (inout Found) -> Void
  ) {
    guard index[entry] != nil else { return }
    body(&index[entry]!)
    if index[entry]!.isEmpty { index[entry] = nil }
  }

  /// Says which records are read next.
  public func prepare(_ keys: [RecordKey]) throws { try base.prepare(keys.filter { changes[$0] == nil }) }
  /// Says for which names ``zones(leadingTo:)`` is asked next.
  public func prepare(leadingTo names: [RecordName]) throws { try base.prepare(leadingTo: names) }
  /// Says for which values ``records(with:)`` is asked next.
  public func prepare(with values: [UniqueValue]) throws { try base.prepare(with: values) }

  /// The registers of a record; nil for a record that its zone does not know.
  public func registers(of key: RecordKey) throws -> Registers? { try changes[key] ?? base.registers(of: key) }

  /// The zones that know a name.
  public func zones(knowing name: RecordName) throws -> [ZoneName] {
    let unchanged = try base.zones(knowing: name).filter { changes[RecordKey($0, name)] == nil }
    return unchanged + zones.keys.filter { changes[RecordKey($0, name)].flatMap(\.self) != nil }
  }

  /// The zones in which a record leads to a name. A zone may be among them whose only such record leads elsewhere now.
  public func zones(leadingTo name: RecordName) throws -> [ZoneName] {
    let zones = try base.zones(leadingTo: name)
    guard let own = links[name] else { return zones }
    return Array(Set(zones).union(own.keys.map(\.zone)))
  }

  /// The records of a zone that lead to a name.
  public func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] {
    let unchanged = try base.holders(of: name, in: zone).filter { changes[RecordKey(zone, $0)] == nil }
    return unchanged + (links[name] ?? [:]).keys.filter { $0.zone == zone }.map(\.name)
  }

  /// The records of a zone that lead to a name by a property.
  public func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    let unchanged = try base.holders(of: name, in: zone, by: property).filter { changes[RecordKey(zone, $0)] == nil }
    return unchanged
      + (links[name] ?? [:]).filter { $0.key.zone == zone && $0.value.contains(property) }.map(\.key.name)
  }

  /// The records of all zones that have a unique value.
  public func records(with value: UniqueValue) throws -> [RecordKey] {
    try base.records(with: value).filter { changes[$0] == nil } + (unique[value] ?? [])
  }
}

extension RecordOverlay: RowSource where Base: RowSource {
  /// The row that shows a record; nil for a record that is not shown.
  public func row(showing key: RecordKey) throws -> RecordKey? { try base.row(showing: key) }
  /// The records that a row shows.
  public func records(shownBy row: RecordKey) throws -> [RecordKey] { try base.records(shownBy: row) }
}
