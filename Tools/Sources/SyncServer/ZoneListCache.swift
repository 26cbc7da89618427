import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

/// A cache of the lists of zones and shares that accounts may read.
///
/// The cache counts the changes that it applies. A list's version is the count at which the client received it. A client names its
/// version and receives the zones that changed later. Versions are valid in this process only: another process answers an unknown
/// version with the whole list.
final class ZoneListCache {
  /// The largest number of zones in all lists together.
  static let capacity = 500_000

  /// The list of one account.
  final class List {
    fileprivate(set) var zones: [ZoneInfo]
    /// The number of invitations that the account has not accepted.
    fileprivate(set) var invitations: Int { didSet { readable = nil } }
    /// The keys that the account has to wrap, as text.
    var missingKeys = "" { didSet { readable = nil } }
    /// The list in messages of version 2, from the first request on.
    var readable: SyncLog.ZoneList?
    /// The shares; nil until a client asks for them.
    fileprivate(set) var shares: [ShareInfo]?
    /// The keys of the zones.
    let keys: Set<String>
    /// The index of each zone in ``zones``, by its key.
    private let indices: [String: Int]
    /// The count of the change that set each zone's latest sequence number.
    private var changes: [Int]
    /// The count of the change that last altered the list itself. A client with an older version needs the whole list.
    fileprivate let start: Int
    /// The count of the change that last altered ``shares``.
    fileprivate var sharesStart: Int
    /// Whether a share of any account has changed since the server read the list.
    fileprivate(set) var isStale = false
    /// Whether a share of any account has changed since the server read the shares.
    fileprivate(set) var areSharesStale = true

    fileprivate init(_ zones: [ZoneInfo], _ invitations: Int, _ change: Int) {
      (self.zones, self.invitations, start, sharesStart) = (zones, invitations, change, change)
      changes = Array(repeating: change, count: zones.count)
      let keys = zones.map { ServerZone.key($0.owner, $0.name) }
      self.keys = Set(keys)
      indices = Dictionary(zip(keys, keys.indices)) { first, _ in first }
    }

    fileprivate func setLatest(_ latest: Int64, of key: String, _ change: Int) {
      guard let index = indices[key], zones[index].latest != latest else { return }
      zones[index].latest = latest
      changes[index] = change
    }

    fileprivate func isEqualExceptLatest(_ other: [ZoneInfo]) -> Bool {
      zones.count == other.count && zip(zones, other).allSatisfy { $0.isEqualExceptLatest($1) }
    }

    /// Returns the zones that changed after a change, and the zones with the given names.
    fileprivate func zones(after change: Int, _ names: Set<String>) -> [ZoneInfo] {
      zones.indices.filter { changes[$0] > change || names.contains(zones[$0].name) }.map { zones[$0] }
    }

    fileprivate func invalidate() { (isStale, areSharesStale) = (true, true) }
  }

  /// The history token up to which the cache has applied the changes of the store.
  var token: DefaultHistoryToken?
  private var lists: [String: List] = [:]
  /// The accounts whose lists contain a zone, by the zone's key.
  private var readers: [String: Set<String>] = [:]
  /// The number of zones in ``lists``.
  private var count = 0
  /// The prefix of all versions, which other processes do not have.
  private var epoch = UUID().uuidString
  /// The number of changes that the cache has applied.
  private var change = 0

  var isEmpty: Bool { lists.isEmpty }

  subscript(account: String) -> List? { lists[account] }

  /// Stores the list of an account as the server read it.
  func set(_ account: String, _ zones: [ZoneInfo], _ invitations: Int) -> List {
    change += 1
    // An owner that cannot wrap a key yet tries again after each change of a share, so its list always counts as changed.
    if let list = lists[account], list.isEqualExceptLatest(zones), !zones.contains(where: { $0.needsKeys == true }) {
      for zone in zones { list.setLatest(zone.latest, of: ServerZone.key(zone.owner, zone.name), change) }
      (list.invitations, list.isStale) = (invitations, false)
      return list
    }
    remove(account)
    if count + zones.count > Self.capacity { removeAll() }
    let list = List(zones, invitations, change)
    lists[account] = list
    count += zones.count
    for key in list.keys { readers[key, default: []].insert(account) }
    return list
  }

  /// Stores the shares of an account as the server read them.
  func set(_ shares: [ShareInfo], in list: List) {
    list.areSharesStale = false
    guard list.shares != shares else { return }
    change += 1
    (list.shares, list.sharesStart) = (shares, change)
  }

  private func remove(_ account: String) {
    guard let list = lists.removeValue(forKey: account) else { return }
    count -= list.zones.count
    for key in list.keys {
      readers[key]?.remove(account)
      if readers[key]?.isEmpty == true { readers[key] = nil }
    }
  }

  private func removeAll() { (lists, readers, count) = ([:], [:], 0) }

  /// Empties the cache and invalidates all versions.
  func reset() {
    removeAll()
    (epoch, change) = (UUID().uuidString, 0)
  }

  /// Invalidates all lists after a change of a share. The server reads a list again at its next request.
  func invalidate() { for list in lists.values { list.invalidate() } }

  /// Sets the latest sequence numbers of zones, by their keys.
  func setLatest(_ latest: [(key: String, latest: Int64)]) {
    change += 1
    for (key, latest) in latest {
      for account in readers[key] ?? [] { lists[account]?.setLatest(latest, of: key, change) }
    }
  }

  // MARK: - Versions

  private func version(_ change: Int) -> String { "\(epoch).\(change)" }

  /// Returns the count of a version; nil for a version of another process.
  private func change(of version: String?) -> Untrusted<Int>? {
    guard let version, version.hasPrefix(epoch + ".") else { return nil }
    return try? Untrusted(text: version.dropFirst(epoch.count + 1), field: "version")
  }

  /// Returns the changes of a list since a version of a client.
  func changes(of list: List, since version: String?, naming names: Set<String>) -> ZoneListChanges {
    let base = change(of: version)?.value(in: list.start...change)
    return ZoneListChanges(
      zones: base.map { list.zones(after: $0, names) } ?? list.zones, isPartial: base != nil,
      version: self.version(change), invitations: list.invitations, keys: list.keys)
  }

  /// Returns the shares of a list if they have changed since a version of a client.
  func shares(_ list: List, since version: String?) -> SharesResponse {
    let newest = self.version(list.sharesStart)
    return SharesResponse(version: newest, shares: version == newest ? nil : list.shares)
  }
}

/// The changes of an account's list of zones since the version of a client.
struct ZoneListChanges: Sendable {
  /// The changed zones if ``isPartial`` is true, and otherwise all zones.
  let zones: [ZoneInfo]
  /// Whether the client keeps the zones that are not in ``zones``.
  let isPartial: Bool
  /// The version of the list that the client has after these changes.
  let version: String
  /// The number of invitations that the account has not accepted.
  let invitations: Int
  /// The keys of all zones in the list.
  let keys: Set<String>
}

extension ZoneInfo {
  /// Whether two descriptions differ at most in the latest sequence number.
  fileprivate func isEqualExceptLatest(_ other: ZoneInfo) -> Bool {
    var other = other
    other.latest = latest
    return self == other
  }
}
