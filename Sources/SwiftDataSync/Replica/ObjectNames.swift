import Foundation
import SwiftData
import SyncProtocol

/// Which records the objects of the user's store are. Objects whose keys are neighbours share a row.
final class ObjectNames {
  private let context: ModelContext

  // MARK: - Mutable State
  // It belongs to one ledger, which is used by one thread at a time.

  /// The groups that were used since ``forget()``.
  private var groups: [String: Group] = [:]

  private struct Group {
    var row: LedgerObjects?
    var names: [String: RecordName] = [:]
    var isChanged = false
  }

  init(_ context: ModelContext) { self.context = context }

  /// The group of an object, by the text of its identifier.
  private static func group(of object: String) -> String {
    var object = object
    return object.withUTF8 { text in
      if let slash = text.lastIndex(of: UInt8(ascii: "/")),
        let key = Int64(String(decoding: text[(slash + 1)...], as: UTF8.self))
      {
        return String(decoding: text[...slash], as: UTF8.self) + String(key >> 6)
      }
      // Keys of other stores are texts, which say nothing of neighbours.
      var hash: UInt32 = 2_166_136_261
      for byte in text { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
      return "=\(hash & 0xFFF)"
    }
  }

  /// The records that objects are, by the texts of their identifiers.
  /// - Throws: an error of the store.
  func names(of objects: [String]) throws -> [String: RecordName] {
    let places = objects.map(Self.group)
    try load(places)
    var found: [String: RecordName] = [:]
    for (object, place) in zip(objects, places) {
      if let name = groups[place]?.names[object] { found[object] = name }
    }
    return found
  }

  private func load(_ places: [String]) throws {
    let missing = Set(places.filter { groups[$0] == nil }).sorted()
    for start in stride(from: 0, to: missing.count, by: 500) {
      let part = Array(missing[start..<min(start + 500, missing.count)])
      for place in part { groups[place] = Group() }
      let rows = try context.fetch(
        FetchDescriptor<LedgerObjects>(predicate: #Predicate<LedgerObjects> { part.contains($0.group) }))
      for row in rows { groups[row.group] = Group(row: row, names: try Self.read(row.names)) }
    }
  }

  /// Notes which record an object is.
  /// - Throws: an error of the store.
  func set(_ object: String, _ name: RecordName) throws {
    let place = Self.group(of: object)
    try load([place])
    groups[place]!.names[object] = name
    groups[place]!.isChanged = true
  }

  /// Forgets the object of a record, unless another record has it now.
  /// - Throws: an error of the store.
  func remove(_ object: String, _ name: RecordName) throws {
    let place = Self.group(of: object)
    try load([place])
    guard groups[place]!.names[object] == name else { return }
    groups[place]!.names[object] = nil
    groups[place]!.isChanged = true
  }

  /// Puts what was changed into the context, which has to be saved afterwards.
  func write() {
    for (place, group) in groups where group.isChanged {
      groups[place]!.isChanged = false
      if group.names.isEmpty {
        if let row = group.row { context.delete(row) }
        groups[place]!.row = nil
      } else if let row = group.row {
        row.names = Self.bytes(group.names)
      } else {
        let row = LedgerObjects(group: place, names: Self.bytes(group.names))
        context.insert(row)
        groups[place]!.row = row
      }
    }
  }

  /// Forgets what was read. It has to be written.
  func forget() { groups = [:] }

  // MARK: - Bytes

  private static func read(_ bytes: Data) throws -> [String: RecordName] {
    var reader = BinaryReader(bytes)
    let count = try reader.count()
    var names = [String: RecordName](minimumCapacity: count)
    for _ in 0..<count {
      let object = try reader.text()
      names[object] = try reader.record()
    }
    try reader.end()
    return names
  }

  private static func bytes(_ names: [String: RecordName]) -> Data {
    var writer = BinaryWriter(capacity: names.count * 40)
    writer.count(names.count)
    for (object, name) in names {
      writer.text(object)
      writer.record(name)
    }
    return writer.data
  }
}
