import Foundation
import SwiftData
import SyncProtocol

/// The changes of zones and shares in the history of the store, by this process and others.
struct StoreChanges {
  /// The changed zones with their newest commits, by their keys.
  var latest: [String: Int64] = [:]
  /// The accounts that may read other zones than before, or know other things of shares.
  var accounts = Set<String>()

  /// The keys of the zones whose readers have something to read: the changed ones, and the own ones of ``accounts``.
  var zones: Set<String> { Set(latest.keys).union(accounts.map { ZoneName.account(ExactText($0)).text }) }

  /// Reads the changes after a token.
  /// - Parameter author: the author whose saves do not count.
  /// - Throws: `SwiftDataError`, for example if the history after the token was trimmed.
  init(since token: DefaultHistoryToken?, exceptBy author: String? = nil, _ context: ModelContext) throws {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    var changed: [String: Set<PersistentIdentifier>] = [:]
    var shares = Set<String>()
    for transaction in try context.fetchHistory(descriptor) where author == nil || transaction.author != author {
      for change in transaction.changes where change.mayAffectLatest {
        if case .delete(let deletion as DefaultHistoryDelete<ServerGrant>) = change {
          if let account = deletion.tombstone[\.account] as? String { accounts.insert(account) }
          if let zone = deletion.tombstone[\.zone] as? String { shares.insert(zone) }
        } else {
          let identifier = change.changedPersistentIdentifier
          changed[identifier.entityName, default: []].insert(identifier)
        }
      }
    }
    func read<Model: PersistentModel>(_: Model.Type) throws -> [Model] {
      guard let identifiers = changed["\(Model.self)"] else { return [] }
      return try context.fetch(
        FetchDescriptor<Model>(predicate: #Predicate<Model> { identifiers.contains($0.persistentModelID) }))
    }
    latest = Dictionary(uniqueKeysWithValues: try read(LogZone.self).map { ($0.key, $0.latest) })
    shares.formUnion(try read(ServerShare.self).map(\.zone))
    shares.formUnion(try read(ServerGrant.self).map(\.zone))
    accounts.formUnion(try read(ServerZoneKey.self).map(\.account))
    // All members of a share know the keys of the others.
    let keyed = try read(ServerAccountKey.self).map(\.account)
    if !keyed.isEmpty {
      accounts.formUnion(keyed)
      shares.formUnion(
        try context.fetch(
          FetchDescriptor<ServerShare>(predicate: #Predicate<ServerShare> { keyed.contains($0.owner) })
        ).map(\.zone))
      shares.formUnion(
        try context.fetch(
          FetchDescriptor<ServerGrant>(predicate: #Predicate<ServerGrant> { keyed.contains($0.account) })
        ).map(\.zone))
    }
    guard !shares.isEmpty else { return }
    accounts.formUnion(
      try context.fetch(FetchDescriptor<ServerShare>(predicate: #Predicate<ServerShare> { shares.contains($0.zone) }))
        .map(\.owner))
    accounts.formUnion(
      try context.fetch(FetchDescriptor<ServerGrant>(predicate: #Predicate<ServerGrant> { shares.contains($0.zone) }))
        .map(\.account))
  }
}

extension HistoryChange {
  /// Whether a change of a zone may have changed its newest commit. Folds and assets do not change it.
  fileprivate var mayAffectLatest: Bool {
    guard case .update(let update as DefaultHistoryUpdate<LogZone>) = self else { return true }
    return update.updatedPropertyNames.contains("latest")
  }
}
