#if Sync
import Foundation
import SyncProtocol

@testable import SwiftDataSync

/// A mistake planted in the system under test.
enum PlantedBug: CaseIterable {
  /// The server takes a transaction again that it has.
  case serverForgets
  /// The server cuts transactions in two.
  case serverSplits
  /// The server shows one replica the log in another order.
  case serverReorders
  /// Answers leave out an entry.
  case answersLoseEntries
  /// A replica forgets which record an object is.
  case objectForgotten
  /// A replica forgets a transaction that was not sent yet.
  case pendingForgotten
  /// A replica drops the bytes of large values that it still has to send.
  case bytesDropped
  /// A replica takes an upload that was lost for one that arrived.
  case lostUploadsCount
  /// The server loses the bytes of a large value after it took the transaction.
  case assetsVanish
  /// A replica gets the bytes of another large value than the one that it asked for.
  case assetsMixedUp
  /// The server loses the last change of a snapshot.
  case snapshotLosesChange
}

/// The log of one zone, without a network.
final class SimulatedServer {
  private(set) var log: [LogEntry] = []
  private var known: [UUID: Int64] = [:]
  /// The complete assets of the zone by checksum; nil for a server that does not ask for assets.
  private(set) var assets: [String: Data]?
  /// The newest snapshot, and its parts.
  private(set) var snapshot: SimulatedSnapshot?
  /// The number up to which the log was deleted. Only answers lack it.
  private(set) var compacted: Int64 = 0
  private var swept: Set<String> = []
  /// The records of pushes that it refused for want of an asset.
  private(set) var lacked: [String] = []
  let bug: PlantedBug?
  var now: Int64 = 1_800_000_000_000

  init(bug: PlantedBug? = nil, keepsAssets: Bool = false) {
    self.bug = bug
    if keepsAssets { assets = [:] }
  }

  func push(_ request: PushRequest, account: String = "a") throws -> PushResponse {
    let base = request.base.clamped(to: SyncWire.sequenceNumbers)
    guard base <= log.count else { throw SyncFailure(.unknownSequence, "base from the future") }
    guard base >= compacted else { throw SyncFailure(.compacted, "the log was deleted") }
    for time in request.transactions.flatMap(\.times) where time.milliseconds > now + SyncWire.clockTolerance {
      throw SyncFailure(.clockAhead, "the clock is ahead", time: now)
    }
    try checkAssets(request)
    var sequences: [Int64] = []
    for transaction in request.transactions {
      if let sequence = known[transaction.id], bug != .serverForgets {
        sequences.append(sequence)
        continue
      }
      for part in parts(transaction) {
        log.append(LogEntry(sequence: Int64(log.count) + 1, account: account, transaction: part))
        known[part.id] = Int64(log.count)
      }
      sequences.append(Int64(log.count))
    }
    return PushResponse(sequences: sequences, time: now)
  }

  /// Becomes what it was when the log was shorter.
  /// - Parameters:
  ///   - assets: those that it had then.
  ///   - snapshot: the one that it had then.
  ///   - compacted: the number up to which the log had been deleted then.
  func restore(
    to count: Int, assets: [String: Data]? = nil, snapshot: SimulatedSnapshot? = nil, compacted: Int64 = 0
  ) {
    (self.snapshot, self.compacted) = (snapshot, compacted)
    log = Array(log.prefix(count))
    known = known.filter { $0.value <= count }
    self.assets = assets
  }

  private func checkAssets(_ request: PushRequest) throws {
    guard let assets else { return }
    let changes = request.transactions.filter { known[$0.id] == nil }.flatMap(\.changes)
    for (change, asset) in changes.flatMap({ change in change.assets.map { (change, $0) } })
    where assets[asset.sha256]?.count != asset.size {
      if !swept.contains(asset.sha256) {
        lacked.append("\(change.record) with \(asset.sha256.prefix(8)) of \(request.transactions[0].replica)")
      }
      throw SyncFailure(.missingAsset, "the asset \(asset.sha256) is not here; send it before the transaction")
    }
  }

  func put(_ sha256: String, _ bytes: Data) { assets?[sha256] = bytes }

  func asset(_ sha256: String) throws -> Data {
    if bug == .assetsMixedUp, let other = assets?.filter({ $0.key != sha256 }).min(by: { $0.key < $1.key }) {
      return other.value
    }
    guard let bytes = assets?[sha256], bug != .assetsVanish else {
      throw SyncFailure(.missingAsset, "the asset \(sha256) is not here")
    }
    return bytes
  }

  private func parts(_ transaction: SyncTransaction) -> [SyncTransaction] {
    guard bug == .serverSplits, transaction.changes.count > 1 else { return [transaction] }
    let middle = transaction.changes.count / 2
    var (first, second) = (transaction, transaction)
    first.id = UUID(
      uuid: (
        0, second.id.uuid.1, second.id.uuid.2, second.id.uuid.3, 0, 0, 0, 0, second.id.uuid.8, second.id.uuid.9, 0, 0,
        0, 0, second.id.uuid.14, second.id.uuid.15
      ))
    first.changes = Array(transaction.changes[..<middle])
    second.changes = Array(transaction.changes[middle...])
    return [first, second]
  }

  // MARK: - Snapshots

  /// Takes a snapshot. The log before it stays until ``deleteLog()``.
  func take(_ info: SnapshotInfo, _ parts: [SyncTransaction], of account: String) {
    guard info.through > max(snapshot?.info.through ?? 0, Int64(parts.count) - 1), !parts.isEmpty else { return }
    var parts = parts
    if bug == .snapshotLosesChange { parts[parts.count - 1].changes.removeLast() }
    let first = info.through - Int64(parts.count) + 1
    let entries = parts.enumerated().map {
      LogEntry(sequence: first + Int64($0), account: account, transaction: $1)
    }
    snapshot = SimulatedSnapshot(info: info, parts: entries)
  }

  /// Deletes the log that the snapshot replaces, and the assets that only it names.
  func deleteLog() {
    guard let snapshot else { return }
    compacted = snapshot.info.through
    let kept = (snapshot.parts + log.dropFirst(Int(compacted))).flatMap(\.transaction.assets).map(\.sha256)
    let old = Set(log.prefix(Int(compacted)).flatMap(\.transaction.assets).map(\.sha256)).subtracting(kept)
    for sha256 in old where assets?.removeValue(forKey: sha256) != nil { swept.insert(sha256) }
  }

  /// - Parameter number: the snapshot of which the replica has parts; nil if it reads the log.
  func changes(after sequence: Int64, snapshot number: Int64?, limit: Int, replica: Int) throws -> ChangesResponse {
    var response: ChangesResponse
    if let number, sequence < number, number != snapshot?.info.through {
      throw SyncFailure(.compacted, "there is another snapshot")
    } else if let snapshot, number != nil || sequence == 0, sequence < snapshot.info.through {
      let parts = snapshot.parts.filter { $0.sequence > sequence }.prefix(limit)
      response = ChangesResponse(entries: Array(parts), latest: Int64(log.count), compacted: compacted, time: now)
      response.isSnapshot = true
    } else if sequence < compacted {
      throw SyncFailure(.compacted, "the log was deleted")
    } else {
      response = changes(after: sequence, limit: limit, replica: replica)
    }
    response.snapshot = snapshot?.info
    return response
  }

  func changes(after sequence: Int64, limit: Int, replica: Int) -> ChangesResponse {
    var entries = Array(log.dropFirst(Int(sequence)).prefix(limit))
    if bug == .serverReorders, replica == 0, entries.count > 1 {
      let numbers = entries.map(\.sequence)
      entries.reverse()
      for index in entries.indices { entries[index].sequence = numbers[index] }
    }
    if bug == .answersLoseEntries, replica == 0, entries.count > 2 {
      entries[1].transaction.changes = []
    }
    return ChangesResponse(entries: entries, latest: Int64(log.count), compacted: 0, time: now)
  }
}

struct SimulatedSnapshot {
  let info: SnapshotInfo
  /// They are numbered so that the last one has the number of the snapshot.
  let parts: [LogEntry]
}
#endif
