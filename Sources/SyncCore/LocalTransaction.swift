public import Foundation

/// A save that the server has not taken yet, with its changes in all zones.
public struct LocalTransaction: Hashable, Sendable, Identifiable {
  /// A row that the program shared, and the zone of the share.
  public struct Move: Hashable, Sendable {
    /// The row.
    public var row: RecordKey
    /// The zone of the share.
    public var zone: ZoneName

    /// Makes a move.
    public init(_ row: RecordKey, to zone: ZoneName) { (self.row, self.zone) = (row, zone) }
  }

  /// The identity, by which the server's log acknowledges the transaction.
  public var id: UUID
  /// The time of all writes of the save.
  public var time: HybridTime
  /// The registers that the save wrote.
  public var changes: [RecordKey: Registers]
  /// The rows that the program shared.
  public var moves: [Move] = []
  /// The deleted owner of each record that a cascade deleted.
  public var owners: [RecordKey: RecordKey] = [:]
  /// Whether the transaction brings back registers that a restored server lost. Their times are their own, and they go
  /// where they were.
  public var isResent = false

  /// Makes a transaction.
  public init(id: UUID = UUID(), time: HybridTime, changes: [RecordKey: Registers]) {
    (self.id, self.time, self.changes) = (id, time, changes)
  }

  /// The changes in the order of their application. New records go first, so that the others can lead to them. A deletion by a
  /// cascade goes after the deletion of the owner, because the object stays where the owner stays.
  var ordered: [(key: RecordKey, value: Registers)] {
    var sorted = changes.sorted { $0.key < $1.key }
    if !owners.isEmpty {
      var counts: [RecordKey: Int] = [:]
      for (key, _) in sorted { counts[key] = ownerCount(of: key, &counts) }
      // `sort` is not documented as stable.
      sorted.sort { (counts[$0.key] ?? 0, $0.key) < (counts[$1.key] ?? 0, $1.key) }
    }
    return sorted.filter { $0.value.born != nil } + sorted.filter { $0.value.born == nil }
  }

  /// The number of deleted owners that a deletion follows from, one after the other.
  private func ownerCount(of key: RecordKey, _ counts: inout [RecordKey: Int]) -> Int {
    var path: [RecordKey] = []
    var next = key
    // A count of its own for each one on the way ends a circle.
    while counts[next] == nil, let owner = owners[next] {
      counts[next] = 0
      path.append(next)
      next = owner
    }
    let base = counts[next] ?? 0
    for (index, key) in path.reversed().enumerated() { counts[key] = base + index + 1 }
    return counts[key] ?? 0
  }
}

/// A transaction as the server gets it.
public struct OutgoingTransaction: Hashable, Sendable, Identifiable {
  /// The identity.
  public var id: UUID
  /// The time of the save.
  public var time: HybridTime
  /// The registers that it writes, by zone and record. The server appends them to the logs of all these zones or to none.
  public var parts: [ZoneName: [RecordName: Registers]]
  /// Whether it has changes that cannot be sent now, and perhaps later. The transaction waits, and later ones too.
  public var isUndecided = false
}

/// A change that cannot be sent, for the conflict log.
public struct DroppedChange: Hashable, Sendable {
  /// The reason why a change was dropped.
  public enum Reason: String, Hashable, Sendable {
    /// Another device deleted the record.
    case deleted
    /// The zone does not know the record, for example because the server forgot it.
    case unknown = "gone"
    /// The record moved to a zone that the account cannot read.
    case movedOutOfSight = "moved out of sight"
    /// The account may not write the zone.
    case readOnly = "read only"
    /// A cascade deleted the record, and the record had moved away from the owner.
    case movedAway = "moved away from what was deleted"
    /// A cascade deleted the record, and the deletion of the owner was dropped.
    case ownerStays = "its owner stays"
  }

  /// The transaction.
  public var transaction: UUID
  /// The record that it changed.
  public var key: RecordKey
  /// The registers that it wrote.
  public var registers: Registers
  /// The reason.
  public var reason: Reason
  /// The part of the change that is sent: relationships of a dead record, so that a child goes with its owner.
  public var sent: Registers
}
