import Foundation

/// The writes to a record that a replica had seen when it deleted the record.
///
/// The times of one replica's writes ascend in the log, so the latest time of each replica is enough. The conflict log gets the writes that
/// were not seen.
package struct SeenWrites: Hashable, Sendable {
  private var latest: [UInt64: HybridTime] = [:]

  /// Makes a set without writes.
  package init() {}

  /// Adds a write and those of its replica before it.
  package mutating func insert(_ time: HybridTime) { latest[time.replica] = max(latest[time.replica] ?? .zero, time) }

  /// Adds other writes.
  package mutating func formUnion(_ other: SeenWrites) { for time in other.latest.values { insert(time) } }

  /// Whether a write is among them.
  package func contains(_ time: HybridTime) -> Bool { latest[time.replica].map { time <= $0 } ?? false }
}

extension RecordChange {
  /// Makes a deletion.
  /// - Parameter seen: the moments of all writes that its replica has seen.
  package init(deleting record: RecordName, _ entity: String, at time: HybridTime, seen: some Sequence<HybridTime>) {
    self.init(record, entity)
    deleted = time
    var writes = SeenWrites()
    for write in seen where write.replica != time.replica { writes.insert(write) }
    fields[SyncWire.seenField] = FieldWrite(.data(writes.encoded), time, over: nil)
  }

  /// The writes that the replica had seen; nil for a deletion that does not say so, and for other changes. Its own ones are among them.
  package var seenWrites: SeenWrites? {
    guard let deleted, case .data(let bytes)? = fields[SyncWire.seenField]?.value,
      var writes = SeenWrites(encoded: bytes)
    else { return nil }
    writes.insert(deleted)
    return writes
  }
}

extension SyncWire {
  /// The field of a deletion that names the writes which its replica had seen. A program that does not know it drops it with the other fields
  /// of the deleted record.
  public static let seenField = ".seen"
}

extension SeenWrites {
  fileprivate var encoded: Data {
    var writer = BinaryWriter()
    writer.count(latest.count)
    for time in latest.values.sorted() { writer.time(time) }
    return writer.data
  }

  /// Reads ``encoded``; nil for anything else.
  fileprivate init?(encoded: Data) {
    var reader = BinaryReader(encoded)
    do {
      for _ in 0..<(try reader.count()) { insert(try reader.time()) }
      try reader.end()
    } catch {
      return nil
    }
  }
}
