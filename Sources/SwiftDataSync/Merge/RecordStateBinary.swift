#if Sync
import Foundation
import SyncProtocol

// The bytes of states, as the ledger keeps them. A new field of a state has to be written and read here.

extension RecordState {
  /// The first byte, so that another format can be told from this one.
  private static let format: UInt8 = 1

  /// The state as bytes. Equal states are equal bytes.
  var encoded: Data {
    var writer = BinaryWriter()
    write(to: &writer)
    return writer.data
  }

  func write(to writer: inout BinaryWriter) {
    writer.byte(Self.format)
    writer.text(entity)
    writer.optional(deleted) { $0.time($1) }
    writer.optional(alias) { $0.record($1) }
    writer.byte((isAway == true ? 1 : 0) | (zone == nil ? 0 : 2))
    if let zone { writer.text(zone) }
    writer.count(fields.count)
    for (property, field) in fields {
      writer.text(property)
      field.write(to: &writer)
    }
    writer.count(members.count)
    for (property, members) in members.sorted(by: { $0.key < $1.key }) {
      writer.text(property)
      writer.count(members.count)
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        writer.record(name)
        writer.count(member.tags.count)
        for tag in member.tags.sorted() { writer.time(tag) }
        writer.optional(member.place) { $1.write(to: &$0) }
        writer.optional(member.inversePlace) { $1.write(to: &$0) }
      }
    }
  }

  /// Reads ``encoded``.
  /// - Throws: `DecodingError`.
  init(encoded: Data) throws {
    var reader = BinaryReader(encoded)
    guard try reader.byte() == Self.format else { throw ReplicaError.otherFormat }
    self.init(entity: try reader.text())
    deleted = try reader.optional { try $0.time() }
    alias = try reader.optional { try $0.record() }
    let flags = try reader.byte()
    isAway = flags & 1 == 1 ? true : nil
    zone = flags & 2 == 2 ? try reader.text() : nil
    fields = try PropertyMap(count: try reader.count()) { (try reader.text(), try Field(from: &reader)) }
    for _ in 0..<(try reader.count()) {
      let property = try reader.text()
      var members: [RecordName: Member] = [:]
      for _ in 0..<(try reader.count()) {
        let name = try reader.record()
        var member = Member()
        for _ in 0..<(try reader.count()) { member.tags.insert(try reader.time()) }
        member.place = try reader.optional { try Field(from: &$0) }
        member.inversePlace = try reader.optional { try Field(from: &$0) }
        members[name] = member
      }
      self.members[property] = members
    }
    try reader.end()
  }
}

extension RecordState.Field {
  fileprivate func write(to writer: inout BinaryWriter) {
    writer.time(time)
    value.write(to: &writer)
  }

  fileprivate init(from reader: inout BinaryReader) throws {
    time = try reader.time()
    value = try FieldValue(from: &reader)
  }
}
#endif
