#if Sync
import Foundation
import SwiftData
import SyncProtocol

/// Which records the objects of the user's store show. An object that stands for several records has the one that names its row. Objects whose keys are neighbours share a row.
final class RowRecords {
  private let tables: SyncTables

  // MARK: - Mutable State
  // It belongs to one replica, which is used by one thread at a time.

  /// The groups that were used since ``forget()``.
  private var groups: [Group] = []
  private var indices: [GroupName: Int] = [:]
  /// The group that was used last. The next object is mostly of the same one.
  private var last: (name: GroupName, index: Int)?

  /// The text before the keys and the number of the group.
  private struct GroupName: Hashable {
    let prefix: String
    let number: Int64

    /// The text in the group's row.
    var text: String { prefix + String(number) }
  }

  private struct Group {
    let name: GroupName
    /// Whether the group has a row.
    var isWritten = false
    /// The records of objects whose keys are numbers: 64 places, or none.
    var numbered: [StatePages.Key?] = []
    /// The records of other objects, by the texts of their identifiers.
    var named: [String: StatePages.Key] = [:]
    var isChanged = false

    init(_ name: GroupName) { self.name = name }

    subscript(object: String, place: Int?) -> StatePages.Key? {
      get {
        guard let place else { return named[object] }
        return numbered.isEmpty ? nil : numbered[place]
      }
      set {
        guard let place else { return named[object] = newValue }
        if numbered.isEmpty { numbered = Array(repeating: nil, count: 64) }
        numbered[place] = newValue
      }
    }
  }

  init(_ tables: SyncTables) { self.tables = tables }

  // MARK: - Places

  /// The group of an object, by the text of its identifier, and the object's place if its key is a number.
  private static func place(of object: String) -> (group: GroupName, place: Int?) {
    var object = object
    return object.withUTF8 { text in
      if let slash = text.lastIndex(of: UInt8(ascii: "/")) {
        let digits = text[(slash + 1)...]
        let prefix = String(decoding: text[...slash], as: UTF8.self)
        if let key = number(digits) { return (GroupName(prefix: prefix, number: key >> 6), Int(key & 63)) }
        if let key = Int64(String(decoding: digits, as: UTF8.self)) {
          return (GroupName(prefix: prefix, number: key >> 6), nil)
        }
      }
      // Keys of other stores are texts, which say nothing of neighbours.
      var hash: UInt32 = 2_166_136_261
      for byte in text { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
      return (GroupName(prefix: "=", number: Int64(hash & 0xFFF)), nil)
    }
  }

  /// A number that is not negative, written as numbers are.
  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
    guard (1...18).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return number
  }

  private func index(of name: GroupName) -> Int? {
    if let last, last.name == name { return last.index }
    guard let index = indices[name] else { return nil }
    last = (name, index)
    return index
  }

  /// The group of an object, which is read if it was not, and the object's place.
  private func group(of object: String) throws -> (index: Int, place: Int?) {
    let (name, place) = Self.place(of: object)
    if let index = index(of: name) { return (index, place) }
    try load([name])
    return (indices[name]!, place)
  }

  private func load(_ names: [GroupName]) throws {
    for start in stride(from: 0, to: names.count, by: 500) {
      let part = names[start..<min(start + 500, names.count)]
      var added: [String: Int] = [:]
      for name in part {
        (indices[name], added[name.text]) = (groups.count, groups.count)
        groups.append(Group(name))
      }
      for row in try tables.rows(.rowRecords, where: "place", in: added.keys.sorted().map(tables.database.cell)) {
        guard let index = added[row[0].syncText] else { continue }
        groups[index].isWritten = true
        try Self.read(row[1].syncData ?? Data(), into: &groups[index])
      }
    }
  }

  // MARK: - Names

  /// The records that objects are, by the texts of their identifiers; nil for an object without a record.
  /// - Throws: an error of the store.
  func names(of objects: [String]) throws -> [StatePages.Key?] {
    let places = objects.map(Self.place)
    var missing: [GroupName] = []
    for (name, _) in places where index(of: name) == nil && missing.last != name { missing.append(name) }
    if !missing.isEmpty { try load(Set(missing).sorted { $0.text < $1.text }) }
    return zip(objects, places).map { object, place in groups[index(of: place.group)!][object, place.place] }
  }

  /// Notes which record an object is.
  /// - Throws: an error of the store.
  func set(_ object: String, _ name: StatePages.Key) throws {
    let (index, place) = try group(of: object)
    groups[index][object, place] = name
    groups[index].isChanged = true
  }

  /// Forgets the object of a record, unless another record has it now.
  /// - Throws: an error of the store.
  func remove(_ object: String, _ name: StatePages.Key) throws {
    let (index, place) = try group(of: object)
    guard groups[index][object, place] == name else { return }
    groups[index][object, place] = nil
    groups[index].isChanged = true
  }

  /// Writes what was changed.
  /// - Throws: an error of the store.
  func write() throws {
    var (rows, gone): ([[SQLValue]], [SQLValue]) = ([], [])
    for index in groups.indices where groups[index].isChanged {
      let place = tables.database.cell(groups[index].name.text)
      let bytes = Self.bytes(groups[index])
      if let bytes { rows.append([place, .blob(bytes)]) } else if groups[index].isWritten { gone.append(place) }
      (groups[index].isChanged, groups[index].isWritten) = (false, bytes != nil)
    }
    try tables.put(.rowRecords, rows)
    try tables.remove(.rowRecords, where: "place", in: gone)
  }

  /// Forgets what was read. It has to be written.
  func forget() { (groups, indices, last) = ([], [:], nil) }

  // MARK: - Bytes

  private static func key(_ reader: inout BinaryReader) throws -> StatePages.Key {
    let zone = Int(truncatingIfNeeded: try reader.bits())
    return StatePages.Key(zone, try reader.record())
  }

  private static func read(_ bytes: Data, into group: inout Group) throws {
    var reader = BinaryReader(bytes)
    for _ in 0..<(try reader.count()) {
      let object = try reader.text()
      group[object, place(of: object).place] = try key(&reader)
    }
    try reader.end()
  }

  /// The bytes of a group; nil for one without records.
  private static func bytes(_ group: Group) -> Data? {
    let count = group.numbered.count { $0 != nil } + group.named.count
    guard count > 0 else { return nil }
    var writer = BinaryWriter(capacity: count * 40)
    writer.count(count)
    for (place, name) in group.numbered.enumerated() {
      guard let name else { continue }
      writer.text(group.name.prefix + String(group.name.number << 6 | Int64(place)))
      writer.count(name.zone)
      writer.record(name.name)
    }
    for (object, name) in group.named {
      writer.text(object)
      writer.count(name.zone)
      writer.record(name.name)
    }
    return writer.data
  }
}
#endif
