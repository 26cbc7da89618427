#if Sync
import Crypto
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

/// The indices of a replica's records, in tables. Each question is one statement on an index, and the questions about many records are few
/// statements.
final class RecordIndices {
  private let tables: SyncTables

  // MARK: - Mutable State
  // The indices belong to one replica, which is used by one thread at a time.

  private var links = Change(.links)
  private var unique = Change(.uniqueValues)
  private var names = Change(.sharedNames)
  private var assets = Change(.assetHolders)
  /// Answers that were read for the next questions, until the tables change.
  private var leading: [RecordName: [Int]] = [:]
  private var knowing: [RecordName: [Int]] = [:]
  private var holding: [UniqueValue: [StatePages.Key]] = [:]

  /// The rows of a table that come and go.
  private struct Change {
    let table: SyncTable
    var added: [[SQLValue]] = []
    var removed: [[SQLValue]] = []

    init(_ table: SyncTable) { self.table = table }

    mutating func write(_ tables: SyncTables) throws {
      try tables.remove(table, removed)
      try tables.put(table, added)
      (added, removed) = ([], [])
    }
  }

  init(_ tables: SyncTables) { self.tables = tables }

  // MARK: - Writing

  /// Notes that a record has other registers. ``write()`` writes it.
  func change(
    _ key: RecordKey, _ place: StatePages.Key, from former: Registers?, to current: Registers?, _ models: SyncModels
  ) {
    let (zone, name) = (SQLValue.integer(Int64(place.zone)), SQLValue.blob(key.name.bytes))
    if key.zone.isShare, (former == nil) != (current == nil) {
      if former == nil { names.added.append([name, zone]) } else { names.removed.append([name, zone]) }
    }
    let removed = IndexEntries(former, in: key.zone, models)
    let added = IndexEntries(current, in: key.zone, models)
    if removed.links != added.links {
      func row(_ link: Link) -> [SQLValue] {
        [.blob(link.name.bytes), zone, tables.database.cell(link.property.text), name]
      }
      for link in removed.links where !added.links.contains(link) { links.removed.append(row(link)) }
      for link in added.links where !removed.links.contains(link) { links.added.append(row(link)) }
    }
    if removed.unique != added.unique {
      for value in removed.unique where !added.unique.contains(value) {
        unique.removed.append([.blob(value.digest), zone, name])
      }
      for value in added.unique where !removed.unique.contains(value) {
        unique.added.append([.blob(value.digest), zone, name])
      }
    }
    let (lost, gained) = (former?.assetNames ?? [], current?.assetNames ?? [])
    if lost != gained {
      for sha256 in lost.subtracting(gained) { assets.removed.append([tables.database.cell(sha256), zone, name]) }
      for sha256 in gained.subtracting(lost) { assets.added.append([tables.database.cell(sha256), zone, name]) }
    }
  }

  /// Notes the unique values of a record, which other models have. ``write()`` writes it.
  func addUnique(_ registers: Registers, of key: RecordKey, _ place: StatePages.Key, _ models: SyncModels) {
    for value in IndexEntries(registers, in: key.zone, models).unique {
      unique.added.append([.blob(value.digest), .integer(Int64(place.zone)), .blob(key.name.bytes)])
    }
  }

  /// Removes all unique values.
  func removeUnique() throws {
    forget()
    try tables.remove(.uniqueValues, where: "1 = 1", [])
  }

  /// Writes what was noted.
  /// - Throws: an error of the store.
  func write() throws {
    forget()
    try links.write(tables)
    try unique.write(tables)
    try names.write(tables)
    try assets.write(tables)
  }

  /// Forgets what was read.
  func forget() { (leading, knowing, holding) = ([:], [:], [:]) }

  // MARK: - Reading

  /// Reads the zones that lead to names, and for names that a record leads to the zones that know them.
  func prepare(leadingTo names: [RecordName]) throws {
    let names = names.filter { leading[$0] == nil }
    guard !names.isEmpty else { return }
    for name in names { leading[name] = [] }
    var found: [RecordName] = []
    for row in try tables.bounds(
      .links, of: "zone", where: "target", in: names.map { .blob($0.bytes) })
    {
      guard let name = RecordName(row[0].syncData), let least = row[1].syncInteger, let greatest = row[2].syncInteger
      else { continue }
      found.append(name)
      var zones = [Int(least)]
      // The records between are not read.
      while let last = zones.last, last < greatest {
        let next = try tables.rows(
          .links, "min(\"zone\")", "WHERE \"target\" = ? AND \"zone\" > ?",
          [.blob(name.bytes), .integer(Int64(last))])
        guard let zone = next.first?[0].syncInteger else { break }
        zones.append(Int(zone))
      }
      leading[name] = zones
    }
    try prepare(knowing: found)
  }

  /// Reads the zones of shares that know names.
  private func prepare(knowing names: [RecordName]) throws {
    let names = names.filter { knowing[$0] == nil }
    guard !names.isEmpty else { return }
    for name in names { knowing[name] = [] }
    for row in try tables.rows(.sharedNames, where: "name", in: names.map { .blob($0.bytes) }) {
      guard let name = RecordName(row[0].syncData), let zone = row[1].syncInteger else { continue }
      knowing[name]?.append(Int(zone))
    }
  }

  /// Reads the records that have unique values.
  func prepare(with values: [UniqueValue]) throws {
    let values = values.filter { holding[$0] == nil }
    guard !values.isEmpty else { return }
    var sought: [Data: UniqueValue] = [:]
    for value in values {
      holding[value] = []
      sought[value.digest] = value
    }
    for row in try tables.rows(.uniqueValues, where: "value", in: sought.keys.map { .blob($0) }) {
      guard let value = row[0].syncData.flatMap({ sought[$0] }), let key = StatePages.Key(row[1], row[2]) else {
        continue
      }
      holding[value]?.append(key)
    }
  }

  /// The zones in which a record leads to a name.
  func zones(leadingTo name: RecordName) throws -> [Int] {
    if let known = leading[name] { return known }
    try prepare(leadingTo: [name])
    return leading[name] ?? []
  }

  /// The zones of shares that know a name.
  func sharedZones(knowing name: RecordName) throws -> [Int] {
    try prepare(knowing: [name])
    return knowing[name] ?? []
  }

  /// The records that have a unique value.
  func records(with value: UniqueValue) throws -> [StatePages.Key] {
    try prepare(with: [value])
    return holding[value] ?? []
  }

  /// The records of a zone that lead to a name.
  /// - Parameter property: the property by which they lead there; nil is any.
  func holders(of name: RecordName, in zone: Int, by property: WireName?) throws -> [RecordName] {
    var (condition, arguments) = (
      "WHERE \"target\" = ? AND \"zone\" = ?", [SQLValue.blob(name.bytes), .integer(Int64(zone))]
    )
    if let property {
      condition += " AND \"property\" = ?"
      arguments.append(tables.database.cell(property.text))
    }
    return try tables.rows(.links, property == nil ? "DISTINCT \"holder\"" : "\"holder\"", condition, arguments)
      .compactMap { RecordName($0[0].syncData) }
  }

  /// The records that name an asset.
  func holders(ofAsset sha256: String) throws -> [StatePages.Key] {
    try tables.rows(.assetHolders, "\"zone\", \"name\"", where: "sha256", in: [tables.database.cell(sha256)])
      .compactMap { StatePages.Key($0[0], $0[1]) }
  }
}

extension UniqueValue {
  /// A hash, because a database has no index of long texts. No account can choose two values with equal hashes.
  fileprivate var digest: Data { Data(SHA256.hash(data: Data(text.text.utf8)).prefix(16)) }
}

extension Registers {
  fileprivate var assetNames: Set<String> { Set(assets.map(\.sha256)) }
}

extension StatePages.Key {
  /// Reads the cells of a zone's number and of a name.
  init?(_ zone: SQLValue, _ name: SQLValue) {
    guard let zone = zone.syncInteger, let name = RecordName(name.syncData) else { return nil }
    self.init(Int(zone), name)
  }
}

extension RecordName {
  /// The name as bytes of an index: 16 for a UUID, and more for others.
  var bytes: Data {
    guard !isUUID else {
      var data = Data(capacity: 16)
      for half in [high, low] { withUnsafeBytes(of: half.bigEndian) { data.append(contentsOf: $0) } }
      return data
    }
    return Data(repeating: 0, count: 17) + Data(text.utf8)
  }

  /// Reads ``bytes``.
  init?(_ bytes: Data?) {
    guard let bytes, bytes.count >= 16 else { return nil }
    guard bytes.count == 16 else {
      self.init(String(decoding: bytes.dropFirst(17), as: UTF8.self))
      return
    }
    func half(_ part: Data) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: half(bytes.prefix(8)), low: half(bytes.suffix(8)))
  }
}
#endif
