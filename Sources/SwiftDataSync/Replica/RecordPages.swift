#if Sync
import Foundation
import SwiftData
import SyncProtocol

/// What the ledger knows of a record.
struct LedgerRecord: Equatable {
  var entity: String
  var zone: String
  /// The object's identifier as text; nil if the user's store has no object for the record.
  var object: String?
  /// What the log says of it; nil before the log has the record.
  var state: StoredState?
  /// What the user's store has for fields whose values it cannot hold: cells by property, as JSON.
  var held: Data?

  init(entity: String, zone: String) { (self.entity, self.zone) = (entity, zone) }
}

/// A state that is read when it is asked for.
enum StoredState: Equatable {
  /// `RecordState.encoded`.
  case bytes(Data)
  // Records are copied more often than their states are read.
  indirect case value(RecordState)
}

/// The records of a ledger, sorted by name. About fifty of them share a row, because records that were made together are
/// read and written together, and a row costs more than what is in it.
///
/// The names that pages begin with are in memory.
final class RecordPages {
  /// The bytes of records that a page may grow to before it is divided.
  private static let limit = 8192
  /// The bytes that a page is filled with, so that its records have room to grow.
  private static let filling = 6144

  private let tables: SyncTables

  // MARK: - Mutable State
  // The pages belong to one ledger, which is used by one thread at a time.

  /// The pages in order. The first one begins before all names.
  private var directory: [(first: RecordName, number: Int)]
  private var nextNumber: Int
  /// The place of the page that was looked for last. The next name is mostly in it, because names are looked for in order.
  private var lastPlace = 0
  /// The pages that were used since ``forget()``, by number.
  private var loaded: [Int: Page] = [:]
  /// The numbers of the pages that are not in their rows as they are in memory.
  private var changed: Set<Int> = []
  /// The numbers of the pages that are gone and still have rows.
  private var removed: Set<Int> = []

  fileprivate struct Page {
    let number: Int
    /// The name that the page begins with. Empty for the first page.
    let first: String
    var names: [RecordName] = []
    var bytes: [UInt8] = []
    /// Where the record of each name is in the bytes.
    var places: [Range<Int>] = []
  }

  /// - Throws: an error of the store.
  init(_ tables: SyncTables) throws {
    self.tables = tables
    let rows = try tables.rows(.pages, "\"number\", \"first\"").map {
      (RecordName($0[1].syncText), Int($0[0].syncInteger ?? 0))
    }
    directory = rows.sorted { $0.0 < $1.0 }
    nextNumber = (rows.map(\.1).max() ?? 0) + 1
  }

  /// The greatest name that has a record.
  /// - Throws: an error of the store.
  func newestName() throws -> RecordName? {
    for place in directory.indices.reversed() {
      try load([place])
      if let name = loaded[directory[place].number]?.names.last { return name }
    }
    return nil
  }

  // MARK: - Reading

  /// The place of the page that has a name, or would have it.
  private func place(of name: RecordName) -> Int {
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
  func load(_ names: some Sequence<RecordName>) throws {
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
    try tables.rows(.pages, where: "number", in: numbers.map { .integer(Int64($0)) }).map(Page.init)
  }

  /// - Throws: an error of the store.
  func record(_ name: RecordName) throws -> LedgerRecord? {
    guard !directory.isEmpty else { return nil }
    let place = place(of: name)
    try load([place])
    guard let page = loaded[directory[place].number] else { return nil }
    let index = Self.index(of: name, in: page.names, from: 0)
    guard index < page.names.count, page.names[index] == name else { return nil }
    return try page.record(index)
  }

  private static func index(of name: RecordName, in names: [RecordName], from start: Int) -> Int {
    var (low, high) = (start, names.count)
    while low < high {
      let middle = (low + high) / 2
      if names[middle] < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The zones of what is kept apart for a record. Its names come directly behind that of the record, maybe on further pages.
  /// - Throws: an error of the store.
  func zonesApart(of name: RecordName) throws -> Set<String> {
    guard !directory.isEmpty else { return [] }
    let first = name.apart("")
    var (place, found) = (place(of: first), Set<String>())
    while true {
      try load([place])
      guard let page = loaded[directory[place].number] else { return found }
      for other in page.names[Self.index(of: first, in: page.names, from: 0)...] {
        guard let zone = other.zoneApart, other.joined == name else { return found }
        found.insert(zone)
      }
      place += 1
      guard place < directory.count, directory[place].first.joined == name else { return found }
    }
  }

  /// Reads all records in the order of their names, a few pages at a time.
  /// - Throws: an error of the store, or of `body`.
  func forEach(_ body: (RecordName, LedgerRecord) throws -> Void) throws {
    let numbers = directory.map(\.number)
    for start in stride(from: 0, to: numbers.count, by: 50) {
      let part = numbers[start..<min(start + 50, numbers.count)]
      let pages = Dictionary(uniqueKeysWithValues: try read(part.filter { loaded[$0] == nil }).map { ($0.number, $0) })
      for number in part {
        guard let page = loaded[number] ?? pages[number] else { continue }
        for (index, name) in page.names.enumerated() { try body(name, try page.record(index)) }
      }
    }
  }

  // MARK: - Writing

  /// Puts records into the pages, which have to be written afterwards.
  /// - Parameters:
  ///   - names: the names, in order.
  ///   - record: the record of the name at an index; nil removes it.
  /// - Throws: an error of the store.
  func put(_ names: [RecordName], _ record: (Int) -> LedgerRecord?) throws {
    guard !names.isEmpty else { return }
    if directory.isEmpty {
      directory = [(RecordName(""), nextNumber)]
      loaded[nextNumber] = Page(number: nextNumber, first: "")
      nextNumber += 1
    }
    try load(names)
    var end = names.count
    // From the last page to the first one, because new pages come behind theirs.
    while end > 0 {
      let place = place(of: names[end - 1])
      // The first page has all that is before the second one.
      let start = place == 0 ? 0 : Self.index(of: directory[place].first, in: names, from: 0)
      put(names[start..<end], record, at: place)
      end = start
    }
  }

  private func put(_ changes: ArraySlice<RecordName>, _ record: (Int) -> LedgerRecord?, at place: Int) {
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
      guard let record = record(index) else { continue }
      let start = writer.bytes.count
      record.write(to: &writer)
      new.names.append(name)
      new.places.append(start..<writer.bytes.count)
    }
    keep(until: page.names.count)
    new.bytes = writer.bytes
    if new.names.isEmpty, place > 0 {
      loaded[page.number] = nil
      changed.remove(page.number)
      removed.insert(page.number)
      directory.remove(at: place)
    } else {
      divide(new, at: place)
    }
  }

  /// Puts the records of a page into it, with new pages behind it for what has no room.
  private func divide(_ page: Page, at place: Int) {
    var added: [(first: RecordName, number: Int)] = []
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
        target = (nextNumber, page.names[start].text)
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
    try tables.remove(.pages, where: "number", in: removed.sorted().map { .integer(Int64($0)) })
    let rows = changed.sorted().compactMap { number in
      loaded[number].map { page -> [SQLValue] in
        [.integer(Int64(number)), tables.database.cell(page.first), .blob(Data(page.bytes))]
      }
    }
    try tables.put(.pages, rows)
    (changed, removed) = ([], [])
  }

  /// Forgets the pages that were read. They have to be written.
  func forget() { loaded = [:] }
}

extension RecordPages.Page {
  init(_ row: [SQLValue]) throws {
    (number, first) = (Int(row[0].syncInteger ?? 0), row[1].syncText)
    bytes = Array(row[2].syncData ?? Data())
    guard !bytes.isEmpty else { return }
    var reader = BinaryReader(bytes)
    let count = try reader.count()
    names.reserveCapacity(count)
    places.reserveCapacity(count)
    for _ in 0..<count {
      names.append(try reader.record())
      places.append(try reader.blobRange())
    }
    try reader.end()
  }

  /// Some of the records of a page, as the bytes of a row.
  init(number: Int, first: String, of page: RecordPages.Page, _ part: Range<Int>) {
    (self.number, self.first) = (number, first)
    names = Array(page.names[part])
    var writer = BinaryWriter(capacity: 64 + part.reduce(0) { $0 + page.places[$1].count + 24 })
    writer.count(part.count)
    for index in part {
      let place = page.places[index]
      writer.record(page.names[index])
      writer.count(place.count)
      places.append(writer.bytes.count..<writer.bytes.count + place.count)
      writer.raw(page.bytes[place])
    }
    bytes = writer.bytes
  }

  func record(_ index: Int) throws -> LedgerRecord {
    var reader = BinaryReader(bytes, places[index])
    let record = try LedgerRecord(from: &reader)
    try reader.end()
    return record
  }
}

extension LedgerRecord {
  fileprivate func write(to writer: inout BinaryWriter) {
    writer.text(entity)
    writer.text(zone)
    writer.optional(object) { $0.text($1) }
    writer.optional(state) { writer, state in
      switch state {
      case .bytes(let data): writer.blob(data)
      case .value(let state): writer.blob { state.write(to: &$0) }
      }
    }
    writer.optional(held) { $0.blob($1) }
  }

  fileprivate init(from reader: inout BinaryReader) throws {
    self.init(entity: try reader.text(), zone: try reader.text())
    object = try reader.optional { try $0.text() }
    state = try reader.optional { .bytes(try $0.blob()) }
    held = try reader.optional { try $0.blob() }
  }
}
#endif
