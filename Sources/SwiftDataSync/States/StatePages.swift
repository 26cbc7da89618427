#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol

/// The part of a record that a replica keeps.
struct StateRecord: Equatable {
  /// The registers that the log gives; nil for a record that the log does not have yet.
  var registers: Registers?
  /// The object that shows the record, by the text of its identifier; nil if no object does.
  var object: String?
  /// The row that shows the record; nil if no row does.
  var row: StatePages.Key?
  /// How many records of other keys the row of this key shows.
  var aliases = 0

  var isEmpty: Bool { registers == nil && object == nil && row == nil && aliases == 0 }
}

/// The records of a replica, sorted by zone and name. About fifty of them share a row, because records that were made together are
/// read and written together, and a row costs more than what is in it.
///
/// The names that pages begin with are in memory.
final class StatePages {
  /// The bytes of records that a page may grow to before it is divided.
  private static let limit = 8192
  /// The bytes that a page is filled with, so that its records have room to grow.
  private static let filling = 6144

  private let tables: SyncTables

  // MARK: - Mutable State
  // The pages belong to one replica, which is used by one thread at a time.

  /// The pages in order. The first one of a zone begins before all names.
  private var directory: [(first: Key, number: Int)]
  private var nextNumber: Int
  /// The place of the page that was looked for last. The next name is mostly in it, because names are looked for in order.
  private var lastPlace = 0
  /// The pages that were used since ``forget()``, by number.
  private var loaded: [Int: Page] = [:]
  /// The numbers of the pages that are not in their rows as they are in memory.
  private var changed: Set<Int> = []
  /// The numbers of the pages that are gone and still have rows.
  private var removed: Set<Int> = []

  /// The key of a record: the number of its zone, and its name.
  struct Key: Hashable, Comparable {
    let zone: Int
    let name: RecordName

    init(_ zone: Int, _ name: RecordName) { (self.zone, self.name) = (zone, name) }

    static func < (left: Key, right: Key) -> Bool {
      left.zone == right.zone ? left.name < right.name : left.zone < right.zone
    }
  }

  fileprivate struct Page {
    let number: Int
    /// The key that the page begins with. The name is empty for the first page of a zone.
    let first: Key
    var names: [Key] = []
    var bytes: [UInt8] = []
    /// Where the record of each name is in the bytes.
    var places: [Range<Int>] = []
  }

  /// - Throws: an error of the store.
  init(_ tables: SyncTables) throws {
    self.tables = tables
    let rows = try tables.rows(.statePages, "\"number\", \"zone\", \"first\"").map {
      (Key(Int($0[1].syncInteger ?? 0), RecordName($0[2].syncText)), Int($0[0].syncInteger ?? 0))
    }
    directory = rows.sorted { $0.0 < $1.0 }
    nextNumber = (rows.map(\.1).max() ?? 0) + 1
  }

  // MARK: - Reading

  /// The place of the page that has a name, or would have it.
  private func place(of name: Key) -> Int {
    if lastPlace < directory.count, lastPlace == 0 || directory[lastPlace].first <= name,
      lastPlace + 1 == directory.count || name < directory[lastPlace + 1].first
    {
      return lastPlace
    }
    var (low, high) = (0, directory.count)
    while low < high {
      let middle = (low + high) / 2
      if directory[middle].first <= name { low = middle + 1 } else { high = middle }
    }
    lastPlace = max(0, low - 1)
    return lastPlace
  }

  /// Reads the pages of names in few statements.
  /// - Throws: an error of the store.
  func load(_ names: some Sequence<Key>) throws {
    guard !directory.isEmpty else { return }
    var places: [Int] = []
    for name in names {
      let place = place(of: name)
      if places.last != place { places.append(place) }
    }
    try load(Set(places).sorted())
  }

  private func load(_ places: [Int]) throws {
    let missing = places.map { directory[$0].number }.filter { loaded[$0] == nil }
    for page in try read(missing) { loaded[page.number] = page }
  }

  private func read(_ numbers: [Int]) throws -> [Page] {
    try tables.rows(.statePages, where: "number", in: numbers.map { .integer(Int64($0)) }).map(Page.init)
  }

  /// - Throws: an error of the store.
  func record(_ name: Key) throws -> StateRecord? {
    guard !directory.isEmpty else { return nil }
    let place = place(of: name)
    try load([place])
    guard let page = loaded[directory[place].number] else { return nil }
    let index = Self.index(of: name, in: page.names, from: 0)
    guard index < page.names.count, page.names[index] == name else { return nil }
    return try page.record(index)
  }

  private static func index(of name: Key, in names: [Key], from start: Int) -> Int {
    var (low, high) = (start, names.count)
    while low < high {
      let middle = (low + high) / 2
      if names[middle] < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Reads the next records of a zone, in the order of their names.
  /// - Parameters:
  ///   - name: the name that they follow; nil for the first ones.
  ///   - limit: how many there are at least, unless there are no more.
  /// - Throws: an error of the store.
  func records(of zone: Int, after name: RecordName?, limit: Int) throws -> [(key: Key, record: StateRecord)] {
    guard !directory.isEmpty else { return [] }
    var place = place(of: Key(zone, name ?? RecordName("")))
    var found: [(key: Key, record: StateRecord)] = []
    while place < directory.count, directory[place].first.zone <= zone, found.count < limit {
      let end = directory[place...].prefix(min(limit, 4096) / 32 + 1).prefix { $0.first.zone <= zone }.endIndex
      try load(Array(place..<end))
      for place in place..<end where directory[place].first.zone == zone {
        guard let page = loaded[directory[place].number] else { continue }
        for (index, key) in page.names.enumerated() where name.map({ $0 < key.name }) ?? true {
          found.append((key, try page.record(index)))
        }
      }
      place = end
    }
    return found
  }

  /// Whether there is no record.
  /// - Throws: an error of the store.
  func isEmpty() throws -> Bool {
    for place in directory.indices {
      try load([place])
      if loaded[directory[place].number]?.names.isEmpty == false { return false }
    }
    return true
  }

  // MARK: - Writing

  /// Puts records into the pages, which have to be written afterwards.
  /// - Parameters:
  ///   - names: the names, in order.
  ///   - record: the record of the name at an index; nil removes it.
  /// - Throws: an error of the store.
  func put(_ names: [Key], _ record: (Int) -> StateRecord?) throws {
    guard !names.isEmpty else { return }
    for zone in Set(names.map(\.zone)) { addZone(zone) }
    try load(names)
    var end = names.count
    // From the last page to the first one, because new pages come behind theirs.
    while end > 0 {
      let place = place(of: names[end - 1])
      let start = Self.index(of: directory[place].first, in: names, from: 0)
      put(names[start..<end], record, at: place)
      end = start
    }
  }

  /// Makes the first page of a zone.
  private func addZone(_ zone: Int) {
    let first = Key(zone, RecordName(""))
    let index = directory.firstIndex { $0.first >= first } ?? directory.count
    guard index == directory.count || directory[index].first != first else { return }
    directory.insert((first, nextNumber), at: index)
    loaded[nextNumber] = Page(number: nextNumber, first: first)
    nextNumber += 1
  }

  /// Removes all records of a zone.
  /// - Throws: an error of the store.
  func remove(zone: Int) throws {
    guard directory.contains(where: { $0.first.zone == zone }) else { return }
    for page in directory where page.first.zone == zone {
      loaded[page.number] = nil
      changed.remove(page.number)
      removed.remove(page.number)
    }
    directory.removeAll { $0.first.zone == zone }
    lastPlace = 0
    try tables.remove(.statePages, where: "zone", in: [.integer(Int64(zone))])
  }

  private func put(_ changes: ArraySlice<Key>, _ record: (Int) -> StateRecord?, at place: Int) {
    guard let page = loaded[directory[place].number] else { return }
    var new = Page(number: page.number, first: page.first)
    var writer = BinaryWriter(capacity: page.bytes.count + changes.count * 128)
    new.names.reserveCapacity(page.names.count + changes.count)
    new.places.reserveCapacity(page.names.count + changes.count)
    var old = 0
    func keep(until end: Int) {
      for index in old..<end {
        let start = writer.bytes.count
        writer.raw(page.bytes[page.places[index]])
        new.names.append(page.names[index])
        new.places.append(start..<writer.bytes.count)
      }
      old = end
    }
    for index in changes.indices {
      let name = changes[index]
      keep(until: Self.index(of: name, in: page.names, from: old))
      if old < page.names.count, page.names[old] == name { old += 1 }
      guard let record = record(index), !record.isEmpty else { continue }
      let start = writer.bytes.count
      record.write(to: &writer, name)
      new.names.append(name)
      new.places.append(start..<writer.bytes.count)
    }
    keep(until: page.names.count)
    new.bytes = writer.bytes
    if new.names.isEmpty, page.first.name.text != "" {
      loaded[page.number] = nil
      changed.remove(page.number)
      removed.insert(page.number)
      directory.remove(at: place)
    } else {
      divide(new, at: place)
    }
  }

  /// Puts the records of a page into it, and records without room into new pages after it.
  private func divide(_ page: Page, at place: Int) {
    var added: [(first: Key, number: Int)] = []
    let room = page.bytes.count <= Self.limit ? Self.limit : Self.filling
    var start = 0
    repeat {
      var (end, filled) = (start, 0)
      while end < page.names.count, end == start || filled + page.places[end].count <= room {
        filled += page.places[end].count
        end += 1
      }
      var target = (number: page.number, first: page.first)
      if start > 0 {
        target = (nextNumber, page.names[start])
        added.append((page.names[start], nextNumber))
        nextNumber += 1
      }
      loaded[target.number] = Page(number: target.number, first: target.first, of: page, start..<end)
      changed.insert(target.number)
      start = end
    } while start < page.names.count
    directory.insert(contentsOf: added, at: place + 1)
  }

  /// Writes the pages that changed.
  /// - Throws: an error of the store.
  func write() throws {
    try tables.remove(.statePages, where: "number", in: removed.sorted().map { .integer(Int64($0)) })
    let rows = changed.sorted().compactMap { number in
      loaded[number].map { page -> [SQLValue] in
        [
          .integer(Int64(number)), .integer(Int64(page.first.zone)), tables.database.cell(page.first.name.text),
          .blob(Data(page.bytes)),
        ]
      }
    }
    try tables.put(.statePages, rows)
    (changed, removed) = ([], [])
  }

  /// Forgets the pages that were read. They have to be written.
  func forget() { loaded = [:] }
}

extension StatePages.Page {
  init(_ row: [SQLValue]) throws {
    number = Int(row[0].syncInteger ?? 0)
    first = StatePages.Key(Int(row[1].syncInteger ?? 0), RecordName(row[2].syncText))
    bytes = Array(row[3].syncData ?? Data())
    guard !bytes.isEmpty else { return }
    var reader = BinaryReader(bytes)
    let count = try reader.count()
    names.reserveCapacity(count)
    places.reserveCapacity(count)
    for _ in 0..<count {
      names.append(StatePages.Key(first.zone, try reader.record()))
      places.append(try reader.blobRange())
    }
    try reader.end()
  }

  /// Some of the records of a page, as the bytes of a row.
  init(number: Int, first: StatePages.Key, of page: StatePages.Page, _ part: Range<Int>) {
    (self.number, self.first) = (number, first)
    names = Array(page.names[part])
    var writer = BinaryWriter(capacity: 64 + part.reduce(0) { $0 + page.places[$1].count + 24 })
    writer.count(part.count)
    for index in part {
      let place = page.places[index]
      writer.record(page.names[index].name)
      writer.count(place.count)
      places.append(writer.bytes.count..<writer.bytes.count + place.count)
      writer.raw(page.bytes[place])
    }
    bytes = writer.bytes
  }

  func record(_ index: Int) throws -> StateRecord {
    var reader = BinaryReader(bytes, places[index])
    let record = try StateRecord(from: &reader, names[index])
    try reader.end()
    return record
  }
}

extension StateRecord {
  /// - Parameter key: the key of the record. Most records are rows of their own.
  fileprivate func write(to writer: inout BinaryWriter, _ key: StatePages.Key) {
    writer.byte(row == nil ? 0 : row == key ? 1 : 2)
    if let row, row != key {
      writer.count(row.zone)
      writer.record(row.name)
    }
    writer.count(aliases)
    writer.optional(object) { $0.text($1) }
    // Its names are its own, because other records are read without it.
    writer.optional(registers) { writer, registers in writer.blob { registers.write(to: &$0) } }
  }

  fileprivate init(from reader: inout BinaryReader, _ key: StatePages.Key) throws {
    switch try reader.byte() {
    case 0: row = nil
    case 1: row = key
    default: row = StatePages.Key(Int(truncatingIfNeeded: try reader.bits()), try reader.record())
    }
    // It is not a count of what follows.
    aliases = Int(truncatingIfNeeded: try reader.bits())
    object = try reader.optional { try $0.text() }
    registers = try reader.optional { reader in
      var part = BinaryReader(try reader.blob())
      return try Registers(from: &part)
    }
  }
}
#endif
