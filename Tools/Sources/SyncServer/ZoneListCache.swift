import Foundation
import SwiftData
import SyncProtocol
import UntrustedInput

/// What accounts may read, in memory.
///
/// Each change of the store has a number here. A client names the number that its list has, and gets what changed since. The numbers
/// are of this process: another one does not know them, and answers with the whole list.
final class ZoneLists {
  /// How many zones the lists may have together.
  static let most = 500_000

  /// The list of one account.
  final class List {
    fileprivate(set) var zones: [ZoneInfo]
    /// How many shares the account is invited to and did not accept.
    fileprivate(set) var invitations: Int
    /// The shares, if a client asked for them.
    fileprivate(set) var shares: [ShareInfo]?
    /// The keys of the zones.
    let keys: Set<String>
    private let places: [String: Int]
    /// The changes that gave the zones their newest numbers.
    private var changes: [Int]
    /// The change that made the list what it is but for newest numbers.
    fileprivate let start: Int
    /// The change that made ``shares`` what they are.
    fileprivate var sharesStart: Int
    /// Whether a share changed since the list was read, maybe one of another account.
    fileprivate(set) var isStale = false
    fileprivate(set) var areSharesStale = true

    fileprivate init(_ zones: [ZoneInfo], _ invitations: Int, _ change: Int) {
      (self.zones, self.invitations, start, sharesStart) = (zones, invitations, change, change)
      changes = Array(repeating: change, count: zones.count)
      let keys = zones.map { ServerZone.key($0.owner, $0.name) }
      self.keys = Set(keys)
      places = Dictionary(zip(keys, keys.indices)) { first, _ in first }
    }

    fileprivate func note(_ latest: Int64, of key: String, _ change: Int) {
      guard let place = places[key], zones[place].latest != latest else { return }
      zones[place].latest = latest
      changes[place] = change
    }

    fileprivate func isSame(as other: [ZoneInfo]) -> Bool {
      zones.count == other.count && zip(zones, other).allSatisfy { $0.isSame(as: $1) }
    }

    /// The zones that changed after a change, and some others.
    fileprivate func zones(after change: Int, _ names: Set<String>) -> [ZoneInfo] {
      zones.indices.filter { changes[$0] > change || names.contains(zones[$0].name) }.map { zones[$0] }
    }

    fileprivate func outdate() { (isStale, areSharesStale) = (true, true) }
  }

  /// What was read of the history.
  var token: DefaultHistoryToken?
  private var lists: [String: List] = [:]
  /// The accounts with lists that have a zone, by its key.
  private var readers: [String: Set<String>] = [:]
  /// The number of zones in ``lists``.
  private var count = 0
  /// Tells the numbers of this process from those of others.
  private var epoch = UUID().uuidString
  private var change = 0

  var isEmpty: Bool { lists.isEmpty }

  subscript(account: String) -> List? { lists[account] }

  /// Takes in what was read of the store.
  func set(_ account: String, _ zones: [ZoneInfo], _ invitations: Int) -> List {
    change += 1
    // An owner that cannot wrap a key yet tries again after each change of a share. So its list counts as another one.
    if let list = lists[account], list.isSame(as: zones), !zones.contains(where: { $0.needsKeys == true }) {
      for zone in zones { list.note(zone.latest, of: ServerZone.key(zone.owner, zone.name), change) }
      (list.invitations, list.isStale) = (invitations, false)
      return list
    }
    remove(account)
    if count + zones.count > Self.most { removeAll() }
    let list = List(zones, invitations, change)
    lists[account] = list
    count += zones.count
    for key in list.keys { readers[key, default: []].insert(account) }
    return list
  }

  /// Takes in the shares that were read of the store.
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

  /// Forgets all, because the store is not the one that it was.
  func beginAnew() {
    removeAll()
    (epoch, change) = (UUID().uuidString, 0)
  }

  /// Notes that shares changed. Each list is read again when it is asked for.
  func outdate() { for list in lists.values { list.outdate() } }

  /// Notes the newest numbers of zones, by their keys.
  func note(_ latest: [(key: String, latest: Int64)]) {
    change += 1
    for (key, latest) in latest {
      for account in readers[key] ?? [] { lists[account]?.note(latest, of: key, change) }
    }
  }

  // MARK: - Versions

  private func text(_ change: Int) -> String { "\(epoch).\(change)" }

  /// The number of a version of this process.
  private func number(_ version: String?) -> Untrusted<Int>? {
    guard let version, version.hasPrefix(epoch + ".") else { return nil }
    return try? Untrusted(text: version.dropFirst(epoch.count + 1), field: "version")
  }

  /// What a client does not know of a list.
  func news(_ list: List, since version: String?, naming names: Set<String>) -> ZoneNews {
    let known = number(version)?.value(in: list.start...change)
    return ZoneNews(
      zones: known.map { list.zones(after: $0, names) } ?? list.zones, isPartial: known != nil, version: text(change),
      invitations: list.invitations, keys: list.keys)
  }

  func shares(_ list: List, since version: String?) -> SharesResponse {
    let newest = text(list.sharesStart)
    return SharesResponse(version: newest, shares: version == newest ? nil : list.shares)
  }
}

/// What a client does not know of the zones that its account may read.
struct ZoneNews: Sendable {
  /// All zones, or those with other newest numbers than in the list that the client has.
  let zones: [ZoneInfo]
  let isPartial: Bool
  /// Names the list that the client has now.
  let version: String
  /// How many shares the account is invited to and did not accept.
  let invitations: Int
  /// The keys of all zones.
  let keys: Set<String>
}

extension ZoneInfo {
  /// Whether two descriptions say the same but for the newest number.
  fileprivate func isSame(as other: ZoneInfo) -> Bool {
    var other = other
    other.latest = latest
    return self == other
  }
}
