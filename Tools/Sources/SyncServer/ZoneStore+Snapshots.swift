import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Snapshots: a device of the owner sends the parts of a snapshot and then finishes it. From then on the server serves the snapshot in place
// of the log up to its sequence number. `ZoneStore+Compaction.swift` deletes that log.

extension ZoneStore {
  /// The number of bytes by which an unfinished snapshot may exceed the size of its zone.
  private static let unfinishedAllowance: Int64 = 1 << 20

  /// Returns the size of the log that a snapshot would replace if the server asks the account for a snapshot, and otherwise nil.
  func snapshotWanted(_ zone: ServerZone, _ account: String) -> Int64? {
    let (entries, bytes) = (zone.latest - zone.snapshot, zone.logBytes)
    // Until the server deletes the log that the last snapshot replaced, another snapshot takes room and frees none.
    guard zone.account == account, zone.snapshot == zone.compacted, entries >= limits.snapshotAfter,
      entries >= zone.snapshotAskAt, bytes >= zone.snapshotSize
    else { return nil }
    return bytes
  }

  /// Checks that an account may send a snapshot of a zone up to a sequence number, and returns both.
  private func snapshotZone(
    _ account: String, _ name: String, _ through: Untrusted<Int64>, _ context: ModelContext
  ) throws -> (zone: ServerZone, through: Int64) {
    let access = try access(account, name, context)
    guard access.owner == account else {
      throw SyncFailure(.forbidden, "only \(access.owner), the owner of the zone, can send a snapshot of the zone")
    }
    let zone = try zone(access.key, context)
    let latest = zone?.latest ?? 0
    guard let zone, through <= Untrusted(latest) else {
      throw SyncFailure(
        .unknownSequence,
        "the snapshot has the number \(through), and the zone ends with \(latest); the server was restored from a backup"
      )
    }
    guard through > 0 else { throw SyncFailure(.invalid, "the number of a snapshot is above 0") }
    guard let through = through.value(in: zone.snapshot...latest) else {
      throw SyncFailure(
        .invalid,
        "the zone already has a newer snapshot with the number \(zone.snapshot); wait until the server asks again")
    }
    return (zone, through)
  }

  /// Stores a part of a snapshot. A part that is sent again replaces the stored part.
  ///
  /// A zone has at most one unfinished snapshot, so the parts of several devices do not mix and do not fill the disk. The first part of
  /// another snapshot replaces the unfinished one.
  /// - Parameter maker: the identity of the device that sends the snapshot.
  func putSnapshotPart(
    _ index: Untrusted<Int64>, ofSnapshot through: Untrusted<Int64>, maker: String = "", _ bytes: Data, account: String,
    zone name: String
  ) throws {
    do {
      try checkChanges(try SyncTransaction(encoded: bytes))
    } catch is DecodingError {
      throw SyncFailure(.invalid, "the body of a part of a snapshot is not a transaction")
    }
    let last = through.clamped(to: 1...Int64(Int32.max)) - 1
    guard let index = index.value(in: 0...last), Self.isValidText(maker, 0...64) else {
      throw SyncFailure(
        .invalid,
        "a snapshot with the number \(through) has at most \(through) parts, and the identity of its maker has at most 64 bytes"
      )
    }
    try transaction { context in
      let (zone, through) = try snapshotZone(account, name, through, context)
      // The client repeats a request because it did not receive the response that finished the snapshot.
      guard through > zone.snapshot else { return }
      let partKey = ServerSnapshotPart.key(zone.key, through, Int(index))
      let existing = try context.fetch(
        FetchDescriptor<ServerSnapshotPart>(predicate: #Predicate<ServerSnapshotPart> { $0.key == partKey })
      ).first
      if zone.unfinished != through || zone.unfinishedMaker != maker {
        guard index == 0 || zone.unfinished == 0 else {
          throw SyncFailure(
            .invalid, "another device has started a snapshot of the zone; wait until the server asks again")
        }
        let (key, newest) = (zone.key, zone.snapshot)
        try context.delete(
          model: ServerSnapshotPart.self,
          where: #Predicate<ServerSnapshotPart> { $0.zone == key && $0.through > newest && $0.key != partKey })
        (zone.unfinished, zone.unfinishedMaker, zone.unfinishedSize) = (through, maker, existing?.size ?? 0)
      }
      let size = zone.unfinishedSize + Int64(bytes.count) - (existing?.size ?? 0)
      guard size <= zone.size + Self.unfinishedAllowance else {
        throw SyncFailure(
          .quotaExceeded,
          "the snapshot has \(size) bytes, and its zone has only \(zone.size) bytes; a snapshot must not be larger than its zone"
        )
      }
      if zone.unfinishedSize != size { zone.unfinishedSize = size }
      if let existing {
        if existing.bytes != bytes { (existing.bytes, existing.size) = (bytes, Int64(bytes.count)) }
      } else {
        context.insert(ServerSnapshotPart(zone: zone.key, through: through, index: Int(index), bytes: bytes))
      }
    }
  }

  /// Finishes a snapshot whose parts have arrived. A request without parts says that a snapshot would not make the zone smaller.
  func finishSnapshot(
    _ request: SnapshotRequest, maker: String = "", account: String, zone name: String
  ) throws {
    let most = Int(request.through.clamped(to: 0...Int64(Int32.max)))
    guard let parts = request.parts.value(in: 0...most), Self.isValidText(request.rules, 0...256) else {
      throw SyncFailure(
        .invalid,
        "a snapshot with the number \(request.through) has at most \(request.through) parts, and the digest of its rules has at most"
          + " 256 bytes"
      )
    }
    try transaction { context in
      let (zone, through) = try snapshotZone(account, name, request.through, context)
      guard parts > 0 else {
        // A snapshot may be smaller than the log once the log is twice as long.
        let entries = 2 * (through - zone.snapshot)
        if zone.snapshotAskAt < entries { zone.snapshotAskAt = entries }
        if zone.unfinished == through, zone.unfinishedMaker == maker { try deleteUnfinished(zone, context) }
        return
      }
      guard through > zone.snapshot else {
        guard parts == zone.snapshotParts, request.rules == zone.snapshotRules else {
          throw SyncFailure(
            .invalid,
            "the zone already has another snapshot with the number \(through); wait until the server asks again")
        }
        return
      }
      guard zone.unfinished == through, zone.unfinishedMaker == maker else {
        throw SyncFailure(
          .invalid,
          "the parts of the snapshot have not arrived, or another device has started a snapshot; wait until the server asks again"
        )
      }
      let key = zone.key
      var descriptor = FetchDescriptor<ServerSnapshotPart>(
        predicate: #Predicate<ServerSnapshotPart> { $0.zone == key && $0.through == through && $0.index < parts })
      descriptor.propertiesToFetch = [\.size]
      let sizes = try context.fetch(descriptor).map(\.size)
      guard sizes.count == parts else {
        throw SyncFailure(
          .invalid, "the server has \(sizes.count) of the \(parts) parts of the snapshot; send all parts again")
      }
      try context.delete(
        model: ServerSnapshotPart.self,
        where: #Predicate<ServerSnapshotPart> { $0.zone == key && ($0.through != through || $0.index >= parts) })
      (zone.snapshot, zone.snapshotParts, zone.snapshotSize) = (through, parts, sizes.reduce(0, +))
      (zone.snapshotRules, zone.snapshotTime, zone.snapshotAskAt) = (request.rules, now(), 0)
      (zone.unfinished, zone.unfinishedMaker, zone.unfinishedSize) = (0, "", 0)
    }
  }

  private func deleteUnfinished(_ zone: ServerZone, _ context: ModelContext) throws {
    let (key, newest) = (zone.key, zone.snapshot)
    try context.delete(
      model: ServerSnapshotPart.self,
      where: #Predicate<ServerSnapshotPart> { $0.zone == key && $0.through > newest })
    (zone.unfinished, zone.unfinishedMaker, zone.unfinishedSize) = (0, "", 0)
  }
}
