#if Sync
import Foundation
import SyncProtocol

@testable import SwiftDataSync

/// A mistake planted in the system under test, where accounts share objects.
enum PlantedShareBug: CaseIterable {
  /// The log of a zone loses the marks which say that a record left the zone.
  case leavingIsLost
  /// The new zone of a record does not get the record.
  case arrivalIsLost
  /// An account that was removed from a share goes on to read it.
  case removedReads
  /// The server tells accounts that may only read that they may write, and takes what they write.
  case readerWrites
  /// A device keeps the objects of a share that its account cannot read any more.
  case objectsStay
  /// A device does not undo changes of objects that its account may only read.
  case changesStay
}

/// The logs of all zones, without a network, and which account may do what with each.
final class SimulatedService {
  /// What an account was given.
  struct Grant {
    var isWritable: Bool
    var isAccepted = false
  }

  struct Share {
    let owner: String
    let root: RecordName
    var grants: [String: Grant] = [:]
    /// What each link gives.
    var links: [String: Bool] = [:]
  }

  let bug: PlantedBug?
  let shareBug: PlantedShareBug?
  var now: Int64 = 1_800_000_000_000
  private var logs: [String: SimulatedServer] = [:]
  private(set) var shares: [String: Share] = [:]
  /// The accounts that were participants once, by share.
  private var former: [String: [String: Grant]] = [:]
  /// Reads and writes of accounts that had no right to them at that time.
  private(set) var violations: [String] = []

  init(bug: PlantedBug? = nil, shareBug: PlantedShareBug? = nil) { (self.bug, self.shareBug) = (bug, shareBug) }

  // MARK: - Logs

  /// The log of a zone. Private zones are named by their accounts.
  func log(_ zone: String, _ account: String) -> SimulatedServer {
    let key = zone == SyncWire.privateZone ? account : zone
    let log = logs[key] ?? SimulatedServer(bug: bug, keepsAssets: true)
    logs[key] = log
    log.now = now
    return log
  }

  func push(_ request: PushRequest, zone: String, account: String) throws -> PushResponse {
    guard hears(account, zone) else { throw SyncFailure(.notFound, "there is no zone \(zone)") }
    if !mayWrite(account, zone) {
      guard shareBug == .readerWrites else { throw SyncFailure(.forbidden, "the account may only read") }
    }
    var request = request
    for index in request.transactions.indices { lose(&request.transactions[index], zone, account) }
    let response = try log(zone, account).push(request, account: account)
    if !mayWrite(account, zone) { violations.append("\(account) wrote to \(zone)") }
    return response
  }

  // MARK: - Assets

  func put(_ sha256: String, _ bytes: Data, zone: String, account: String) throws {
    guard hears(account, zone) else { throw SyncFailure(.notFound, "there is no zone \(zone)") }
    guard mayWrite(account, zone) || shareBug == .readerWrites else {
      throw SyncFailure(.forbidden, "the account may only read")
    }
    log(zone, account).put(sha256, bytes)
  }

  func asset(_ sha256: String, zone: String, account: String) throws -> Data {
    guard hears(account, zone) else { throw SyncFailure(.notFound, "there is no zone \(zone)") }
    let bytes = try log(zone, account).asset(sha256)
    if !mayRead(account, zone) { violations.append("\(account) read an asset of \(zone)") }
    return bytes
  }

  /// The records of pushes that were refused for want of an asset.
  var lacked: [String] { logs.sorted { $0.key < $1.key }.flatMap { key, log in log.lacked.map { "\(key): \($0)" } } }

  // MARK: - Copies

  /// What a copy of the server has: the length of each log, and the assets of its zone.
  struct Copy {
    fileprivate var logs: [String: Log] = [:]

    fileprivate struct Log {
      var count = 0
      var assets: [String: Data]? = [:]
      var snapshot: SimulatedSnapshot?
      var compacted: Int64 = 0
    }
  }

  func copy() -> Copy {
    Copy(
      logs: logs.mapValues {
        Copy.Log(count: $0.log.count, assets: $0.assets, snapshot: $0.snapshot, compacted: $0.compacted)
      })
  }

  /// Becomes what it was when the copy was made.
  func restore(_ copy: Copy) {
    for (key, log) in logs {
      let kept = copy.logs[key] ?? Copy.Log()
      log.restore(to: kept.count, assets: kept.assets, snapshot: kept.snapshot, compacted: kept.compacted)
    }
  }

  // MARK: - Answers

  /// The unsent transactions of shares which the account of a replica lost that the server took.
  func taken(_ replica: Replica, _ response: ChangesResponse, account: String) -> Set<UUID> {
    guard let zones = response.zones else { return [] }
    var taken = Set<UUID>()
    for (zone, transactions) in replica.unsentInLostShares(zones) {
      taken.formUnion(known(transactions, zone: zone, account: account))
    }
    return taken
  }

  /// Which transactions the server took of those that an account sent to a zone.
  func known(_ transactions: [UUID], zone: String, account: String, through: Int64? = nil) -> Set<UUID> {
    let log = log(zone, account).log.filter { $0.account == account && $0.sequence <= through ?? .max }
    let sent = log.map(\.transaction.id)
    return Set(transactions).intersection(sent)
  }

  func changes(
    after sequence: Int64, snapshot: Int64? = nil, limit: Int, zone: String, account: String, replica: Int
  ) throws -> ChangesResponse {
    guard hears(account, zone) else { throw SyncFailure(.notFound, "there is no zone \(zone)") }
    var response = try log(zone, account).changes(after: sequence, snapshot: snapshot, limit: limit, replica: replica)
    if !response.entries.isEmpty, !mayRead(account, zone) { violations.append("\(account) read \(zone)") }
    if zone == SyncWire.privateZone { response.zones = zones(account) }
    return response
  }

  private func lose(_ transaction: inout SyncTransaction, _ zone: String, _ account: String) {
    let home = zone == SyncWire.privateZone ? "\(zone)/\(account)" : zone
    switch shareBug {
    case .leavingIsLost:
      for index in transaction.changes.indices {
        if let mark = transaction.changes[index].fields[SyncSchema.home], mark.value != .text(home) {
          transaction.changes[index].fields[SyncSchema.home] = nil
        }
      }
    case .arrivalIsLost:
      let arrived = transaction.changes.filter { $0.fields[SyncSchema.home]?.value == .text(home) }.map(\.record)
      transaction.changes.removeAll { arrived.contains($0.record) }
    default: break
    }
  }

  // MARK: - Rights

  func mayRead(_ account: String, _ zone: String) -> Bool {
    guard zone != SyncWire.privateZone else { return true }
    return shares[zone]?.owner == account || shares[zone]?.grants[account]?.isAccepted == true
  }

  func mayWrite(_ account: String, _ zone: String) -> Bool {
    guard mayRead(account, zone), zone != SyncWire.privateZone else { return zone == SyncWire.privateZone }
    return shares[zone]?.owner == account || shares[zone]?.grants[account]?.isWritable == true
  }

  /// Whether the server answers.
  private func hears(_ account: String, _ zone: String) -> Bool {
    mayRead(account, zone) || (shareBug == .removedReads && former[zone]?[account] != nil)
  }

  func zones(_ account: String) -> [ZoneInfo] {
    func info(_ zone: String, _ owner: String, _ root: RecordName?) -> ZoneInfo {
      ZoneInfo(
        name: zone, owner: owner, isWritable: mayWrite(account, zone) || shareBug == .readerWrites,
        latest: Int64(log(zone, account).log.count), root: root)
    }
    return [info(SyncWire.privateZone, account, nil)]
      + shares.filter { hears(account, $0.key) }.map { info($0.key, $0.value.owner, $0.value.root) }
      .sorted { $0.name < $1.name }
  }

  // MARK: - Shares

  /// Makes a share of a record; the request may be sent again.
  func share(_ root: RecordName, of account: String, named name: String? = nil) -> String {
    let zone = name ?? "share-\(account)-\(root.text)"
    if shares[zone] == nil { shares[zone] = Share(owner: account, root: root) }
    return zone
  }

  func invite(_ account: String, to zone: String, isWritable: Bool) {
    shares[zone]?.grants[account, default: Grant(isWritable: isWritable)].isWritable = isWritable
  }

  func makeLink(to zone: String, isWritable: Bool) {
    guard let count = shares[zone]?.links.count else { return }
    shares[zone]?.links["\(zone)-\(count)"] = isWritable
  }

  func accept(_ zone: String, _ account: String) { shares[zone]?.grants[account]?.isAccepted = true }

  func accept(link: String, _ account: String) {
    guard let (zone, share) = shares.first(where: { $0.value.links[link] != nil }), share.owner != account else {
      return
    }
    let isWritable = share.links[link] == true || share.grants[account]?.isWritable == true
    shares[zone]?.grants[account] = Grant(isWritable: isWritable, isAccepted: true)
  }

  /// The owner removes an account, or the account leaves.
  func remove(_ account: String, from zone: String, by remover: String) {
    if let grant = shares[zone]?.grants.removeValue(forKey: account), grant.isAccepted {
      former[zone, default: [:]][account] = grant
    }
    if remover != account { shares[zone]?.links = [:] }
  }
}
#endif
