import Foundation
import SwiftData
import SyncProtocol

/// What the ledger knows of a record.
struct LedgerRecord: Equatable {
  var entity: String
  var zone: String
  /// The object's identifier as text; nil if the user's store has no object for the record.
  var object: String?
  /// `RecordState.encoded`; nil before the log has the record.
  var state: Data?
  /// What the user's store has for fields whose values it cannot hold: cells by property, as JSON.
  var held: Data?

  init(entity: String, zone: String) { (self.entity, self.zone) = (entity, zone) }
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

  private let context: ModelContext

  // MARK: - Mutable State
  // The pages belong to one ledger, which is used by one thread at a time.

  /// The pages in order. The first one begins before all names.
  private var directory: [(first: RecordName, number: Int)]
  private var nextNumber: Int
  /// The pages that were used since ``forget()``, by number.
  private var loaded: [Int: Page] = [:]

  private struct Page {
    let row: LedgerPage
    var names: [RecordName]
    var records: [Data]
  }

  /// - Throws: an error of the store.
  init(_ context: ModelContext) throws {
    self.context = context
    var descriptor = FetchDescriptor<LedgerPage>()
    descriptor.propertiesToFetch = [\.number, \.first]
    let rows = try context.fetch(descriptor)
    directory = rows.map { (RecordName($0.first), $0.number) }.sorted { $0.first < $1.first }
    nextNumber = (rows.map(\.number).max() ?? 0) + 1
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
    var (low, high) = (0, directory.count)
    while low < high {
      let middle = (low + high) / 2
      if directory[middle].first <= name { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  /// Reads the pages of names in few statements.
  /// - Throws: an error of the store.
  func load(_ names: some Sequence<RecordName>) throws {
    guard !directory.isEmpty else { return }
    try load(Set(names.map(place)).sorted())
  }

  private func load(_ places: [Int]) throws {
    let missing = places.map { directory[$0].number }.filter { loaded[$0] == nil }
    for row in try rows(missing) { loaded[row.number] = try Self.read(row) }
  }

  private func rows(_ numbers: [Int]) throws -> [LedgerPage] {
    var found: [LedgerPage] = []
    for start in stride(from: 0, to: numbers.count, by: 500) {
      let part = Array(numbers[start..<min(start + 500, numbers.count)])
      found += try context.fetch(
        FetchDescriptor<LedgerPage>(predicate: #Predicate<LedgerPage> { part.contains($0.number) }))
    }
    return found
  }

  /// - Throws: an error of the store.
  func record(_ name: RecordName) throws -> LedgerRecord? {
    guard !directory.isEmpty else { return nil }
    let place = place(of: name)
    try load([place])
    guard let page = loaded[directory[place].number] else { return nil }
    let index = Self.index(of: name, in: page.names, from: 0)
    guard index < page.names.count, page.names[index] == name else { return nil }
    return try LedgerRecord(encoded: page.records[index])
  }

  private static func index(of name: RecordName, in names: [RecordName], from start: Int) -> Int {
    var (low, high) = (start, names.count)
    while low < high {
      let middle = (low + high) / 2
      if names[middle] < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Reads all records in the order of their names, a few pages at a time.
  /// - Throws: an error of the store, or of `body`.
  func forEach(_ body: (RecordName, LedgerRecord) throws -> Void) throws {
    let numbers = directory.map(\.number)
    for start in stride(from: 0, to: numbers.count, by: 50) {
      let part = numbers[start..<min(start + 50, numbers.count)]
      let rows = Dictionary(uniqueKeysWithValues: try rows(Array(part)).map { ($0.number, $0) })
      for number in part {
        guard let page = try rows[number].map(Self.read) else { continue }
        for (name, record) in zip(page.names, page.records) { try body(name, try LedgerRecord(encoded: record)) }
      }
    }
  }

  // MARK: - Writing

  /// Puts records into the pages. The context has to be saved afterwards.
  /// - Parameters:
  ///   - names: the names, in order.
  ///   - record: the record of a name; nil removes it.
  /// - Throws: an error of the store.
  func write(_ names: [RecordName], _ record: (RecordName) -> LedgerRecord?) throws {
    guard !names.isEmpty else { return }
    if directory.isEmpty {
      let row = LedgerPage(number: nextNumber, first: "")
      context.insert(row)
      directory = [(RecordName(""), nextNumber)]
      loaded[nextNumber] = Page(row: row, names: [], records: [])
      nextNumber += 1
    }
    try load(names)
    var end = names.count
    // From the last page to the first one, because new pages come behind theirs.
    while end > 0 {
      let place = place(of: names[end - 1])
      // The first page has all that is before the second one.
      let start = place == 0 ? 0 : Self.index(of: directory[place].first, in: names, from: 0)
      write(names[start..<end], record, at: place)
      end = start
    }
  }

  private func write(_ changes: ArraySlice<RecordName>, _ record: (RecordName) -> LedgerRecord?, at place: Int) {
    guard let page = loaded[directory[place].number] else { return }
    var names: [RecordName] = []
    var records: [Data] = []
    names.reserveCapacity(page.names.count + changes.count)
    records.reserveCapacity(page.names.count + changes.count)
    var old = 0
    func keep(until end: Int) {
      names += page.names[old..<end]
      records += page.records[old..<end]
      old = end
    }
    for name in changes {
      keep(until: Self.index(of: name, in: page.names, from: old))
      if old < page.names.count, page.names[old] == name { old += 1 }
      guard let record = record(name) else { continue }
      names.append(name)
      records.append(record.encoded)
    }
    keep(until: page.names.count)
    if names.isEmpty, place > 0 {
      context.delete(page.row)
      loaded[page.row.number] = nil
      directory.remove(at: place)
    } else {
      divide(page.row, names, records, at: place)
    }
  }

  /// Writes the records of a page, with new pages behind it for what has no room.
  private func divide(_ row: LedgerPage, _ names: [RecordName], _ records: [Data], at place: Int) {
    let size = records.reduce(0) { $0 + $1.count }
    var added: [(first: RecordName, number: Int)] = []
    var start = 0
    repeat {
      var (end, filled) = (start, 0)
      let room = size <= Self.limit ? Self.limit : Self.filling
      while end < names.count, end == start || filled + records[end].count <= room {
        filled += records[end].count
        end += 1
      }
      let target: LedgerPage
      if start == 0 {
        target = row
      } else {
        target = LedgerPage(number: nextNumber, first: names[start].text)
        context.insert(target)
        added.append((names[start], nextNumber))
        nextNumber += 1
      }
      let page = Page(row: target, names: Array(names[start..<end]), records: Array(records[start..<end]))
      target.records = Self.bytes(page)
      loaded[target.number] = page
      start = end
    } while start < names.count
    directory.insert(contentsOf: added, at: place + 1)
  }

  /// Forgets the pages that were read. They have to be saved.
  func forget() { loaded = [:] }

  // MARK: - Bytes

  private static func read(_ row: LedgerPage) throws -> Page {
    var page = Page(row: row, names: [], records: [])
    guard !row.records.isEmpty else { return page }
    var reader = BinaryReader(row.records)
    let count = try reader.count()
    page.names.reserveCapacity(count)
    page.records.reserveCapacity(count)
    for _ in 0..<count {
      page.names.append(try reader.record())
      page.records.append(try reader.blob())
    }
    try reader.end()
    return page
  }

  private static func bytes(_ page: Page) -> Data {
    var writer = BinaryWriter(capacity: limit * 3 / 2)
    writer.count(page.names.count)
    for (name, record) in zip(page.names, page.records) {
      writer.record(name)
      writer.blob(record)
    }
    return writer.data
  }
}

extension LedgerRecord {
  fileprivate var encoded: Data {
    var writer = BinaryWriter(capacity: 64 + (state?.count ?? 0) + (held?.count ?? 0))
    writer.text(entity)
    writer.text(zone)
    writer.optional(object) { $0.text($1) }
    writer.optional(state) { $0.blob($1) }
    writer.optional(held) { $0.blob($1) }
    return writer.data
  }

  fileprivate init(encoded: Data) throws {
    var reader = BinaryReader(encoded)
    self.init(entity: try reader.text(), zone: try reader.text())
    object = try reader.optional { try $0.text() }
    state = try reader.optional { try $0.blob() }
    held = try reader.optional { try $0.blob() }
    try reader.end()
  }
}
