import Crypto
import Foundation
import SwiftData
import SyncProtocol

// The lists of zones and shares that accounts may read. ``ZoneListCache`` keeps them, and the history of the store says which zones changed
// since then, in this process or another one. So the cost of a request depends on the number of changes since the last request, and not
// on the number of the account's zones.

extension ZoneStore {
  /// The largest number of saves that the cache follows one by one. After more saves it invalidates all lists.
  private static let maximumSaves = 500

  /// Returns the list of an account's zones.
  ///
  /// Equal lists have equal versions, in all processes that serve the database.
  func list(of account: String, _ context: ModelContext) throws -> ZoneListCache.List {
    try followHistory(context)
    if let list = listCache[account], !list.isStale { return list }
    let (zones, invitations) = try zones(of: account, context)
    var readable = SyncLog.ZoneList(
      version: try missingKeys(of: zones, context), zones: zones.map(\.zone), invitations: invitations)
    readable.version = try Self.version(of: readable)
    let latest = zones.map { ($0.zone.name, $0.latest) }
    return listCache.set(account, readable, Dictionary(latest) { first, _ in first })
  }

  /// Returns the shares that an account owns, takes part in, or is invited to.
  /// - Parameter version: the version of the client's list; nil asks for all shares.
  func shares(of account: String, since version: String?) throws -> SharesResponse {
    let context = ModelContext(container)
    let list = try list(of: account, context)
    var response = try list.shares ?? shares(of: account, context, for: list)
    if response.version == version { response.shares = nil }
    return response
  }

  private func shares(
    of account: String, _ context: ModelContext, for list: ZoneListCache.List
  ) throws -> SharesResponse {
    let shares = try shares(of: account, context)
    let response = SharesResponse(version: try Self.version(of: shares), shares: shares)
    listCache.set(response, in: list)
    return response
  }

  private static func version(of list: some Encodable) throws -> String {
    Data(SHA256.hash(data: try SyncWire.encode(list)).prefix(12)).hexadecimal
  }

  /// Returns a text that changes when an account can wrap another key than before.
  ///
  /// An owner that cannot wrap a key yet, because the participant has published none, learns from another list that it tries again.
  private func missingKeys(of zones: [AccountZone], _ context: ModelContext) throws -> String {
    try zones.filter { $0.zone.needsKeys == true }.map { zone in
      let names = try grants(zone.key, context).map(\.account)
      let keys = try accountKeys(names, context).map { "\($0.account) \($0.key.base64EncodedString())" }
      return "\(zone.key) \(keys.joined(separator: " "))"
    }.joined(separator: "\n")
  }

  /// Applies the history since the last call to the cache. Reads after this call may see newer saves than the token. The next call then
  /// applies these saves again, which is idempotent.
  private func followHistory(_ context: ModelContext) throws {
    let newest = try context.currentHistoryToken()
    guard newest != listCache.token else { return }
    guard let token = listCache.token, !listCache.isEmpty, newest > token else {
      // Either the cache is empty, or the history ends earlier than before: then the store was restored from a backup.
      listCache.removeAll()
      listCache.token = newest
      return
    }
    if newest.id - token.id <= Self.maximumSaves, let changes = try? StoreChanges(since: token, context) {
      listCache.setLatest(changes.latest)
      listCache.invalidate(changes.accounts)
    } else {
      listCache.invalidate()
    }
    listCache.token = newest
  }
}
