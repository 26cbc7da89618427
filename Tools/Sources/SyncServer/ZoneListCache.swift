import Foundation
import SwiftData
import SyncProtocol

/// A cache of the lists of zones and shares that accounts may read.
final class ZoneListCache {
  /// The largest number of zones in all lists together.
  static let capacity = 500_000

  /// The list of one account.
  final class List {
    /// The list in messages.
    let readable: SyncLog.ZoneList
    /// The keys of the zones.
    let keys: Set<String>
    /// The newest commit of each zone.
    fileprivate(set) var latest: [ZoneName: Int64]
    /// The shares; nil until a client asks for them.
    fileprivate(set) var shares: SharesResponse?
    /// Whether a share may have changed for the account since the server read the list.
    fileprivate(set) var isStale = false

    fileprivate init(_ readable: SyncLog.ZoneList, _ latest: [ZoneName: Int64]) {
      (self.readable, self.latest) = (readable, latest)
      keys = Set(latest.keys.map(\.text))
    }
  }

  /// The history token up to which the cache has applied the changes of the store.
  var token: DefaultHistoryToken?
  private var lists: [String: List] = [:]
  /// The accounts whose lists contain a zone, by the zone's key.
  private var readers: [String: Set<String>] = [:]
  /// The number of zones in ``lists``.
  private var count = 0

  var isEmpty: Bool { lists.isEmpty }

  subscript(account: String) -> List? { lists[account] }

  /// Stores the list of an account as the server read it.
  func set(_ account: String, _ readable: SyncLog.ZoneList, _ latest: [ZoneName: Int64]) -> List {
    remove(account)
    if count + latest.count > Self.capacity { removeAll() }
    let list = List(readable, latest)
    lists[account] = list
    count += latest.count
    for key in list.keys { readers[key, default: []].insert(account) }
    return list
  }

  /// Stores the shares of an account as the server read them.
  func set(_ shares: SharesResponse, in list: List) { list.shares = shares }

  private func remove(_ account: String) {
    guard let list = lists.removeValue(forKey: account) else { return }
    count -= list.latest.count
    for key in list.keys {
      readers[key]?.remove(account)
      if readers[key]?.isEmpty == true { readers[key] = nil }
    }
  }

  func removeAll() { (lists, readers, count) = ([:], [:], 0) }

  /// Invalidates the lists of some accounts, or all lists. The server reads a list again at its next request.
  func invalidate(_ accounts: Set<String>? = nil) {
    for list in accounts.map({ $0.compactMap { lists[$0] } }) ?? Array(lists.values) {
      (list.isStale, list.shares) = (true, nil)
    }
  }

  /// Sets the newest commits of zones, by their keys.
  func setLatest(_ latest: [String: Int64]) {
    for (key, latest) in latest {
      guard let zone = ZoneName(text: key) else { continue }
      for account in readers[key] ?? [] { lists[account]?.latest[zone] = latest }
    }
  }
}
