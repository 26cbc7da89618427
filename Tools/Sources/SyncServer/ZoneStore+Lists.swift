import Foundation
import SwiftData
import SyncProtocol

// The lists of zones and shares that accounts may read. ``ZoneListCache`` keeps them, and the history of the store says which zones changed
// since then, in this process or another one. So the cost of a request depends on the number of changes since the last request, and not
// on the number of the account's zones.

extension ZoneStore {
  /// The largest number of saves that the cache follows one by one. After more saves it invalidates all lists.
  private static let maximumSaves = 500

  /// Returns the changes of an account's list of zones since the version of a client.
  /// - Parameters:
  ///   - account: the account whose list changed.
  ///   - version: the version of the client's list; nil asks for all zones.
  ///   - names: zones that the result includes even if they did not change.
  func listChanges(of account: String, since version: String?, naming names: Set<String> = []) throws -> ZoneListChanges
  {
    listCache.changes(of: try list(of: account, ModelContext(container)), since: version, naming: names)
  }

  func listChanges(of account: String, since version: String?, _ context: ModelContext) throws -> ZoneListChanges {
    listCache.changes(of: try list(of: account, context), since: version, naming: [])
  }

  /// Returns the shares that an account owns, takes part in, or is invited to.
  /// - Parameter version: the version of the client's list; nil asks for all shares.
  func shares(of account: String, since version: String?) throws -> SharesResponse {
    let context = ModelContext(container)
    let list = try list(of: account, context)
    if list.areSharesStale { listCache.set(try shares(of: account, context), in: list) }
    return listCache.shares(list, since: version)
  }

  func list(of account: String, _ context: ModelContext) throws -> ZoneListCache.List {
    try followHistory(context)
    if let list = listCache[account], !list.isStale { return list }
    let (zones, invitations) = try zones(of: account, context)
    let list = listCache.set(account, zones, invitations)
    list.missingKeys = try missingKeys(of: zones, context)
    return list
  }

  /// Applies the history since the last call to the cache. Reads after this call may see newer saves than the token. The next call then
  /// applies these saves again, which is idempotent.
  private func followHistory(_ context: ModelContext) throws {
    let newest = try context.currentHistoryToken()
    guard newest != listCache.token else { return }
    guard let token = listCache.token, !listCache.isEmpty, newest > token else {
      // Either the cache is empty, or the history ends earlier than before: then the store was restored from a backup.
      listCache.reset()
      listCache.token = newest
      return
    }
    if let changed = newest.id - token.id > Self.maximumSaves ? nil : try? changedZones(since: token, context) {
      if !changed.isEmpty {
        let found = try context.fetch(
          FetchDescriptor<ServerZone>(predicate: #Predicate<ServerZone> { changed.contains($0.persistentModelID) }))
        listCache.setLatest(found.map { ($0.key, $0.latest) })
      }
    } else {
      listCache.invalidate()
    }
    listCache.token = newest
  }

  /// Returns the zones that changed after a token.
  /// - Returns: nil if a share changed, which may concern every account.
  /// - Throws: `SwiftDataError`, for example if the history after the token was trimmed.
  private func changedZones(
    since token: DefaultHistoryToken, _ context: ModelContext
  ) throws -> Set<PersistentIdentifier>? {
    var zones = Set<PersistentIdentifier>()
    for transaction in try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    {
      for change in transaction.changes {
        let identifier = change.changedPersistentIdentifier
        switch identifier.entityName {
        case "ServerZone": if change.mayAffectLatest { zones.insert(identifier) }
        case "ServerShare", "ServerGrant", "ServerZoneKey", "ServerAccountKey": return nil
        default: break
        }
      }
    }
    return zones
  }
}

extension HistoryChange {
  /// Whether a change of a zone may have changed its latest sequence number. Compactions, snapshots and assets do not change it.
  var mayAffectLatest: Bool {
    guard case .update(let update as DefaultHistoryUpdate<ServerZone>) = self else { return true }
    return update.updatedPropertyNames.contains("latest")
  }
}
