#if Sync
import Foundation
import SyncProtocol

// A batch on its way into the user's store, as bytes: it may have many thousand records.

extension ReplicaState.Intent {
  /// Reads ``encoded``.
  /// - Throws: `DecodingError`.
  init(encoded: Data) throws {
    var reader = BinaryReader(encoded)
    zone = try reader.text()
    expected = Int64(bitPattern: try reader.fixed())
    entries = try (0..<(try reader.count())).map { _ in
      LogEntry(
        sequence: try reader.sequenceNumber(), account: try reader.name(),
        transaction: try SyncTransaction(encoded: try reader.blob()))
    }
    inserted = try (0..<(try reader.count())).map { _ in try reader.record() }
    moved = try reader.optional { reader in
      try (0..<(try reader.count())).map { _ in
        ReplicaState.Move(from: try reader.record(), to: try reader.record(), object: try reader.text())
      }
    }
    held = try reader.optional { reader in
      var held: [RecordName: [String: FieldValue]] = [:]
      for _ in 0..<(try reader.count()) {
        let name = try reader.record()
        var values: [String: FieldValue] = [:]
        for _ in 0..<(try reader.count()) {
          let property = try reader.name()
          values[property] = try FieldValue(from: &reader)
        }
        held[name] = values
      }
      return held
    }
    refolded = try reader.optional { reader in
      var refolded = ReplicaState.Refolded()
      for _ in 0..<(try reader.count()) {
        let name = try reader.record()
        refolded.states[name] = try RecordState(encoded: try reader.blob())
      }
      for _ in 0..<(try reader.count()) {
        let unique = try reader.text()
        refolded.holders[unique] = .some(try reader.optional { try $0.record() })
      }
      // An earlier build ends here.
      guard reader.remaining > 0 else { return refolded }
      for _ in 0..<(try reader.count()) {
        let zone = try reader.text()
        refolded.positions[zone] = try reader.sequenceNumber()
      }
      return refolded
    }
    if reader.remaining > 0 {
      snapshot = try reader.optional { try $0.sequenceNumber() }
      for _ in 0..<(try reader.count()) { sent.insert(try UUID(from: &reader)) }
    }
    try reader.end()
  }

  var encoded: Data {
    var writer = BinaryWriter(capacity: 4096)
    writer.text(zone)
    writer.fixed(UInt64(bitPattern: expected))
    writer.count(entries.count)
    for entry in entries {
      writer.number(UInt64(bitPattern: entry.sequence))
      writer.name(entry.account)
      writer.blob(entry.transaction.encoded)
    }
    writer.count(inserted.count)
    for name in inserted { writer.record(name) }
    writer.optional(moved) { writer, moved in
      writer.count(moved.count)
      for move in moved {
        writer.record(move.from)
        writer.record(move.to)
        writer.text(move.object)
      }
    }
    writer.optional(held) { writer, held in
      writer.count(held.count)
      for (name, values) in held {
        writer.record(name)
        writer.count(values.count)
        for (property, value) in values {
          writer.name(property)
          value.write(to: &writer)
        }
      }
    }
    writer.optional(refolded) { writer, refolded in
      writer.count(refolded.states.count)
      for (name, state) in refolded.states {
        writer.record(name)
        writer.blob(state.encoded)
      }
      writer.count(refolded.holders.count)
      for (unique, holder) in refolded.holders {
        writer.text(unique)
        writer.optional(holder) { $0.record($1) }
      }
      writer.count(refolded.positions.count)
      for (zone, position) in refolded.positions {
        writer.text(zone)
        writer.number(UInt64(bitPattern: position))
      }
    }
    writer.optional(snapshot) { $0.number(UInt64(bitPattern: $1)) }
    writer.count(sent.count)
    for id in sent { id.write(to: &writer) }
    return writer.data
  }
}

extension ReplicaState.Intent: Codable {
  init(from decoder: any Decoder) throws {
    try self.init(encoded: try decoder.singleValueContainer().decode(Data.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(encoded)
  }
}
#endif
