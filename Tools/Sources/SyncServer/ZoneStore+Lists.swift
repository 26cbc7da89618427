import Foundation
import SwiftData
import SyncProtocol

// The lists of what accounts may read. The history of the store says what changed since they were read, whichever process saved it. So a
// request costs what changed since the last one, and not the number of the account's zones.

extension ZoneStore {
  /// More saves than these are not looked at one by one.
  private static let mostSaves = 500

  /// What a client does not know of the zones that its account may read.
  /// - Parameters:
  ///   - version: the list that the client has; nil asks for all zones.
  ///   - names: zones that are in the answer whether they changed or not.
  func news(of account: String, since version: String?, naming names: Set<String> = []) throws -> ZoneNews {
    lists.news(try list(of: account, ModelContext(container)), since: version, naming: names)
  }

  func news(of account: String, since version: String?, _ context: ModelContext) throws -> ZoneNews {
    lists.news(try list(of: account, context), since: version, naming: [])
  }

  /// The shares that an account owns, takes part in, or is invited to.
  /// - Parameter version: the list that the client has; nil asks for all shares.
  func shares(of account: String, since version: String?) throws -> SharesResponse {
    let context = ModelContext(container)
    let list = try list(of: account, context)
    if list.areSharesStale { lists.set(try shares(of: account, context), in: list) }
    return lists.shares(list, since: version)
  }

  private func list(of account: String, _ context: ModelContext) throws -> ZoneLists.List {
    try followHistory(context)
    if let list = lists[account], !list.isStale { return list }
    let (zones, invitations) = try zones(of: account, context)
    return lists.set(account, zones, invitations)
  }

  /// Brings the lists up to date. What is read afterwards may be newer than the token. Then it is read once more.
  private func followHistory(_ context: ModelContext) throws {
    let newest = try context.newestHistoryToken()
    guard newest != lists.token else { return }
    guard let token = lists.token, !lists.isEmpty, newest > token else {
      // A store whose history ends earlier was restored from a copy.
      lists.beginAnew()
      lists.token = newest
      return
    }
    if let changed = newest.id - token.id > Self.mostSaves ? nil : try? changedZones(since: token, context) {
      if !changed.isEmpty {
        let found = try context.fetch(
          FetchDescriptor<ServerZone>(predicate: #Predicate<ServerZone> { changed.contains($0.persistentModelID) }))
        lists.note(found.map { ($0.key, $0.latest) })
      }
    } else {
      lists.outdate()
    }
    lists.token = newest
  }

  /// The zones that changed after a token.
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
        case "ServerZone": if change.isNews { zones.insert(identifier) }
        case "ServerShare", "ServerGrant", "ServerZoneKey", "ServerAccountKey": return nil
        default: break
        }
      }
    }
    return zones
  }
}

extension HistoryChange {
  /// Whether a change of a zone may have given it another newest number. The deletion of its old log, snapshots and assets do not.
  var isNews: Bool {
    guard case .update(let update as DefaultHistoryUpdate<ServerZone>) = self else { return true }
    return update.updatedPropertyNames.contains("latest")
  }
}
