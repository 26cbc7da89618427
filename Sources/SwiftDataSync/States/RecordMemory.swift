#if Sync
import SyncCore
import SyncProtocol

/// The records of a replica in memory, with their indices and rows.
final class RecordMemory: RowSource {
  // A class, so that a change copies nothing. It belongs to one replica.
  private(set) var records: MemoryRecords

  init(_ records: MemoryRecords) { self.records = records }

  var states: ZoneStates { records.states }

  func set(_ key: RecordKey, _ registers: Registers?) { records.set(key, registers) }
  func show(_ key: RecordKey, by row: RecordKey?) { records.show(key, by: row) }

  func registers(of key: RecordKey) -> Registers? { records.registers(of: key) }
  func zones(knowing name: RecordName) -> [ZoneName] { records.zones(knowing: name) }
  func zones(leadingTo name: RecordName) -> [ZoneName] { records.zones(leadingTo: name) }
  func holders(of name: RecordName, in zone: ZoneName) -> [RecordName] { records.holders(of: name, in: zone) }
  func holders(of name: RecordName, in zone: ZoneName, by property: WireName) -> [RecordName] {
    records.holders(of: name, in: zone, by: property)
  }
  func records(with value: UniqueValue) -> [RecordKey] { records.records(with: value) }
  func row(showing key: RecordKey) -> RecordKey? { records.row(showing: key) }
  func records(shownBy row: RecordKey) -> [RecordKey] { records.records(shownBy: row) }

  /// All rows.
  var rows: [RecordKey] {
    states.zones.flatMap { zone, state in
      state.records.keys.lazy.map { RecordKey(zone, $0) }.filter { self.row(showing: $0) == $0 }
    }
  }
}
#endif
