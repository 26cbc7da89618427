#if Sync
import Foundation
import SyncCore
import SyncProtocol

// Unsent transactions as bytes of the outbox.

extension BinaryWriter {
  fileprivate mutating func key(_ key: RecordKey) {
    text(key.zone.text)
    record(key.name)
  }
}

extension BinaryReader {
  fileprivate mutating func zone() throws -> ZoneName {
    guard let zone = ZoneName(text: try text()) else {
      throw ReplicaError(description: "the bookkeeping has a zone without a name")
    }
    return zone
  }

  fileprivate mutating func key() throws -> RecordKey { RecordKey(try zone(), try record()) }
}

extension LocalTransaction {
  /// The transaction as bytes.
  var encoded: Data {
    var writer = BinaryWriter()
    writer.text(id.uuidString)
    writer.time(time)
    writer.byte(isResent ? 1 : 0)
    writer.count(changes.count)
    for (key, registers) in changes.sorted(by: { $0.key < $1.key }) {
      writer.key(key)
      registers.write(to: &writer)
    }
    writer.count(moves.count)
    for move in moves {
      writer.key(move.row)
      writer.text(move.zone.text)
    }
    writer.count(owners.count)
    for (key, owner) in owners.sorted(by: { $0.key < $1.key }) {
      writer.key(key)
      writer.key(owner)
    }
    return writer.data
  }

  /// Reads ``encoded``.
  /// - Throws: `DecodingError`, or ``ReplicaError``.
  init(encoded data: Data) throws {
    var reader = BinaryReader(data)
    guard let id = UUID(uuidString: try reader.text()) else {
      throw ReplicaError(description: "an unsent transaction has no identifier")
    }
    self.init(id: id, time: try reader.time(), changes: [:])
    isResent = try reader.byte() != 0
    for _ in 0..<(try reader.count()) {
      let key = try reader.key()
      changes[key] = try Registers(from: &reader)
    }
    for _ in 0..<(try reader.count()) {
      let row = try reader.key()
      moves.append(Move(row, to: try reader.zone()))
    }
    for _ in 0..<(try reader.count()) {
      let key = try reader.key()
      owners[key] = try reader.key()
    }
    try reader.end()
  }
}
#endif
