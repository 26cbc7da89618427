import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

// Snapshots: a device of the owner sends parts, and then says that they are all. From then on they are served in place of the log that
// they replace. `ZoneStore+Compaction.swift` deletes that log.

extension ZoneStore {
  /// How many bytes unfinished parts may take beyond the size of the zone.
  private static let slack: Int64 = 1 << 20

  /// The bytes of log that a snapshot would replace, if the server wants one of an account.
  func snapshotWanted(_ zone: ServerZone, _ account: String) -> Int64? {
    let (entries, bytes) = (zone.latest - zone.snapshot, zone.logBytes)
    // While the log that a snapshot replaced is still there, another snapshot would only add to it.
    guard zone.account == account, zone.snapshot == zone.compacted, entries >= limits.snapshotAfter,
      entries >= zone.snapshotAskAt, bytes >= zone.snapshotSize
    else { return nil }
    return bytes
  }

  /// The zone of a snapshot, for its owner, and the number whose state the snapshot is.
  private func snapshotZone(
    _ account: String, _ name: String, _ through: Untrusted<Int64>, _ context: ModelContext
  ) throws -> (zone: ServerZone, through: Int64) {
    let access = try access(account, name, context)
    guard access.owner == account else {
      throw SyncFailure(.forbidden, "only \(access.owner), who owns the zone, can send a snapshot of it")
    }
    let zone = try zone(access.key, context)
    let latest = zone?.latest ?? 0
    guard let zone, through <= Untrusted(latest) else {
      throw SyncFailure(
        .unknownSequence, "the snapshot goes to the number \(through), and the zone ends with \(latest)")
    }
    guard through > 0 else { throw SyncFailure(.invalid, "a snapshot goes to a number above 0") }
    guard let through = through.value(in: zone.snapshot...latest) else {
      throw SyncFailure(.invalid, "the zone has a newer snapshot already, to the number \(zone.snapshot)")
    }
    return (zone, through)
  }

  /// Takes a part of a snapshot. A part that is sent again replaces what was sent before.
  ///
  /// A zone has one unfinished snapshot at most, so that parts of several devices do not mix and do not fill the disk. The first part of
  /// another snapshot replaces the unfinished one.
  /// - Parameter maker: what the device tells its parts from those of other devices by.
  func putPart(
    _ index: Untrusted<Int64>, ofSnapshot through: Untrusted<Int64>, maker: String = "", _ bytes: Data, account: String,
    zone name: String
  ) throws {
    do {
      try checkChanges(try SyncTransaction(encoded: bytes))
    } catch is DecodingError {
      throw SyncFailure(.invalid, "the part of the snapshot is not a transaction")
    }
    let last = through.clamped(to: 1...Int64(Int32.max)) - 1
    guard let index = index.value(in: 0...last), Self.isName(maker, 0...64) else {
      throw SyncFailure(
        .invalid,
        "a snapshot to the number \(through) has at most as many parts, and the name of its maker at most 64 bytes")
    }
    try transaction { context in
      let (zone, through) = try snapshotZone(account, name, through, context)
      // The answer to the request that finished it may have been lost.
      guard through > zone.snapshot else { return }
      let partKey = ServerSnapshotPart.key(zone.key, through, Int(index))
      let known = try context.fetch(
        FetchDescriptor<ServerSnapshotPart>(predicate: #Predicate<ServerSnapshotPart> { $0.key == partKey })
      ).first
      if zone.unfinished != through || zone.unfinishedMaker != maker {
        guard index == 0 || zone.unfinished == 0 else {
          throw SyncFailure(.invalid, "another device began a snapshot meanwhile; wait until the server asks again")
        }
        let (key, newest) = (zone.key, zone.snapshot)
        try context.delete(
          model: ServerSnapshotPart.self,
          where: #Predicate<ServerSnapshotPart> { $0.zone == key && $0.through > newest && $0.key != partKey })
        (zone.unfinished, zone.unfinishedMaker, zone.unfinishedSize) = (through, maker, known?.size ?? 0)
      }
      let size = zone.unfinishedSize + Int64(bytes.count) - (known?.size ?? 0)
      guard size <= zone.size + Self.slack else {
        throw SyncFailure(
          .quotaExceeded,
          "the snapshot has \(size) bytes, which is more than the zone of \(zone.size) bytes that it is of")
      }
      if zone.unfinishedSize != size { zone.unfinishedSize = size }
      if let known {
        if known.bytes != bytes { (known.bytes, known.size) = (bytes, Int64(bytes.count)) }
      } else {
        context.insert(ServerSnapshotPart(zone: zone.key, through: through, index: Int(index), bytes: bytes))
      }
    }
  }

  /// Finishes a snapshot whose parts are here. A request without parts says that a snapshot would not help.
  func finishSnapshot(
    _ request: SnapshotRequest, maker: String = "", account: String, zone name: String
  ) throws {
    let most = Int(request.through.clamped(to: 0...Int64(Int32.max)))
    guard let parts = request.parts.value(in: 0...most), Self.isName(request.rules, 0...256) else {
      throw SyncFailure(
        .invalid,
        "a snapshot to the number \(request.through) has at most as many parts, and a digest of its rules of at most 256 bytes"
      )
    }
    try transaction { context in
      let (zone, through) = try snapshotZone(account, name, request.through, context)
      guard parts > 0 else {
        // Once the log is twice as long, a snapshot may help.
        let entries = 2 * (through - zone.snapshot)
        if zone.snapshotAskAt < entries { zone.snapshotAskAt = entries }
        if zone.unfinished == through, zone.unfinishedMaker == maker { try deleteUnfinished(zone, context) }
        return
      }
      guard through > zone.snapshot else {
        guard parts == zone.snapshotParts, request.rules == zone.snapshotRules else {
          throw SyncFailure(.invalid, "the zone has another snapshot to the number \(through) already")
        }
        return
      }
      guard zone.unfinished == through, zone.unfinishedMaker == maker else {
        throw SyncFailure(.invalid, "the parts of the snapshot are not here; another device began one meanwhile")
      }
      let key = zone.key
      var descriptor = FetchDescriptor<ServerSnapshotPart>(
        predicate: #Predicate<ServerSnapshotPart> { $0.zone == key && $0.through == through && $0.index < parts })
      descriptor.propertiesToFetch = [\.size]
      let sizes = try context.fetch(descriptor).map(\.size)
      guard sizes.count == parts else {
        throw SyncFailure(
          .invalid, "\(sizes.count) of the \(parts) parts of the snapshot are here; send them all again")
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
