/// The reads that the laying of a transaction depends on.
struct ReadSet: Hashable, Sendable {
  /// The names of records that were read, in any zone, and the names whose holders were looked up.
  var names = Set<RecordName>()
  /// The unique values that were looked up.
  var values = Set<UniqueValue>()
  /// The zones whose permission matters.
  var zones = Set<ZoneName>()
}

/// Notes what is read of records.
final class ReadLog<Base: RecordSource>: RecordSource {
  private let base: Base
  private(set) var reads = ReadSet()

  init(_ base: Base) { self.base = base }

  func prepare(_ keys: [RecordKey]) throws { try base.prepare(keys) }
  func prepare(leadingTo names: [RecordName]) throws { try base.prepare(leadingTo: names) }
  func prepare(with values: [UniqueValue]) throws { try base.prepare(with: values) }

  func registers(of key: RecordKey) throws -> Registers? {
    reads.names.insert(key.name)
    return try base.registers(of: key)
  }

  func zones(knowing name: RecordName) throws -> [ZoneName] {
    reads.names.insert(name)
    return try base.zones(knowing: name)
  }

  func zones(leadingTo name: RecordName) throws -> [ZoneName] {
    reads.names.insert(name)
    return try base.zones(leadingTo: name)
  }

  func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] {
    reads.names.insert(name)
    return try base.holders(of: name, in: zone)
  }

  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    reads.names.insert(name)
    return try base.holders(of: name, in: zone, by: property)
  }

  func records(with value: UniqueValue) throws -> [RecordKey] {
    reads.values.insert(value)
    return try base.records(with: value)
  }
}

/// Finds the transactions of an outbox by what they read and write.
struct OutboxIndex: Sendable {
  private var writers: [RecordKey: TransactionNumbers] = [:]
  /// The number of transactions that write to a zone.
  private var writtenZones: [ZoneName: Int] = [:]
  private var names: [RecordName: TransactionNumbers] = [:]
  private var values: [UniqueValue: TransactionNumbers] = [:]
  private var zones: [ZoneName: TransactionNumbers] = [:]
  /// The transactions that change a record, by where the record was when the program saved.
  private var changes: [RecordKey: TransactionNumbers] = [:]
  /// The number of transactions that delete a record.
  private var deletions: [RecordKey: Int] = [:]
  /// The number of transactions that make a record lead to a name.
  private var links: [RecordName: [RecordKey: Int]] = [:]
  /// The number of transactions after which a record has a unique value.
  private var unique: [UniqueValue: [RecordKey: Int]] = [:]

  func readers(of name: RecordName) -> TransactionNumbers { names[name] ?? TransactionNumbers() }
  func readers(of value: UniqueValue) -> TransactionNumbers { values[value] ?? TransactionNumbers() }
  func readers(of zone: ZoneName) -> TransactionNumbers { zones[zone] ?? TransactionNumbers() }
  func changes(of key: RecordKey) -> TransactionNumbers { changes[key] ?? TransactionNumbers() }
  var hasDeletions: Bool { !deletions.isEmpty }
  /// The transactions that write a record, in their order.
  func writers(of key: RecordKey) -> TransactionNumbers { writers[key] ?? TransactionNumbers() }
  /// The zones in which a transaction before a number writes a record of a name.
  func zones(writing name: RecordName, before end: Int) -> [ZoneName] {
    writtenZones.keys.filter { zone in writers[RecordKey(zone, name)]?.first.map { $0 < end } ?? false }
  }
  /// The records that a transaction makes lead to a name. Others may have changed that.
  func holders(of name: RecordName) -> [RecordKey] { links[name].map { Array($0.keys) } ?? [] }
  /// The records that have a unique value after a transaction. Others may have changed that.
  func records(with value: UniqueValue) -> [RecordKey] { unique[value].map { Array($0.keys) } ?? [] }

  mutating func insert(_ laid: LaidOutbox.Laid, _ number: Int) { change(laid, number, by: 1) }
  mutating func remove(_ laid: LaidOutbox.Laid, _ number: Int) { change(laid, number, by: -1) }

  private mutating func change(_ laid: LaidOutbox.Laid, _ number: Int, by count: Int) {
    for zone in laid.parts.keys {
      let sum = (writtenZones[zone] ?? 0) + count
      writtenZones[zone] = sum > 0 ? sum : nil
    }
    for name in laid.reads.names { Self.change(&names, name, number, by: count) }
    for value in laid.reads.values { Self.change(&values, value, number, by: count) }
    for zone in laid.reads.zones { Self.change(&zones, zone, number, by: count) }
    // A transaction that goes again to a restored server does not change anything for the program.
    for (key, registers) in laid.transaction.isResent ? [:] : laid.transaction.changes {
      Self.change(&changes, key, number, by: count)
      guard registers.dead != nil else { continue }
      let sum = (deletions[key] ?? 0) + count
      deletions[key] = sum > 0 ? sum : nil
    }
    laid.forEachWritten { key, registers in
      Self.change(&writers, key, number, by: count)
      for name in registers.referencedNames { Self.count(&links, name, key, count) }
      for value in Set(laid.values[key] ?? []) { Self.count(&unique, value, key, count) }
    }
  }

  private static func change<Key>(
    _ numbers: inout [Key: TransactionNumbers], _ key: Key, _ number: Int, by count: Int
  ) {
    if count > 0 { return numbers[key, default: TransactionNumbers()].insert(number) }
    numbers[key]?.remove(number)
    if numbers[key]?.isEmpty ?? false { numbers[key] = nil }
  }

  private static func count<Key>(_ counts: inout [Key: [RecordKey: Int]], _ key: Key, _ record: RecordKey, _ count: Int)
  {
    let sum = (counts[key]?[record] ?? 0) + count
    counts[key, default: [:]][record] = sum > 0 ? sum : nil
    if counts[key]?.isEmpty ?? false { counts[key] = nil }
  }
}

/// The records of the log with what the first transactions of an outbox write.
struct OutboxRecords<Base: RecordSource>: RecordSource {
  let base: Base
  let outbox: LaidOutbox
  /// The number of the first transaction that does not count.
  let end: Int

  func prepare(_ keys: [RecordKey]) throws { try base.prepare(keys) }
  func prepare(leadingTo names: [RecordName]) throws { try base.prepare(leadingTo: names) }
  func prepare(with values: [UniqueValue]) throws { try base.prepare(with: values) }

  func registers(of key: RecordKey) throws -> Registers? { try outbox.registers(of: key, over: base, before: end) }

  func zones(knowing name: RecordName) throws -> [ZoneName] {
    Array(Set(try base.zones(knowing: name)).union(outbox.index.zones(writing: name, before: end)))
  }

  func zones(leadingTo name: RecordName) throws -> [ZoneName] {
    Array(Set(try base.zones(leadingTo: name)).union(outbox.index.holders(of: name).map(\.zone)))
  }

  func holders(of name: RecordName, in zone: ZoneName) throws -> [RecordName] {
    let written = outbox.index.holders(of: name).filter { $0.zone == zone }.map(\.name)
    return try Set(try base.holders(of: name, in: zone)).union(written).filter { holder in
      try registers(of: RecordKey(zone, holder))?.referencedNames.contains(name) ?? false
    }
  }

  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) throws -> [RecordName] {
    let written = outbox.index.holders(of: name).filter { $0.zone == zone }.map(\.name)
    return try Set(try base.holders(of: name, in: zone, by: property)).union(written).filter { holder in
      guard let record = try registers(of: RecordKey(zone, holder)) else { return false }
      return record.fields[property]?.value.reference?.name == name || record.edges[property]?[name]?.isPresent ?? false
    }
  }

  func records(with value: UniqueValue) throws -> [RecordKey] {
    try Set(try base.records(with: value)).union(outbox.index.records(with: value)).filter { key in
      guard let record = try registers(of: key), record.isHere(key.zone) else { return false }
      return UniqueValue.all(of: record, outbox.models).contains(value)
    }
  }
}
