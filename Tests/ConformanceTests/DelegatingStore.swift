import Foundation
import SwiftData

/// Hands every request on to a default store: what a store of somebody else is to a container, with all that a default
/// store offers as a `DataStore`.
final class DelegatingStore: DataStore, DataStoreBatching, HistoryProviding {
  typealias Configuration = DelegatingConfiguration
  typealias Snapshot = DefaultSnapshot
  typealias HistoryType = DefaultHistoryTransaction

  let configuration: DelegatingConfiguration
  private let base: DefaultStore
  var identifier: String { base.identifier }
  var schema: Schema { base.schema }

  init(_ configuration: DelegatingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    base = try DefaultStore(
      ModelConfiguration(configuration.name, schema: configuration.schema, url: configuration.file),
      migrationPlan: migrationPlan)
  }

  func erase() throws { try base.erase() }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try base.fetch(request) }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try base.fetchCount(request)
  }

  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] { try base.fetchIdentifiers(request) }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try base.save(request) }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try base.cachedSnapshots(for: persistentIdentifiers, editingState: editingState)
  }

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws { try base.delete(request) }

  func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] { try base.fetchHistory(descriptor) }

  func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try base.deleteHistory(descriptor)
  }
}

struct DelegatingConfiguration: DataStoreConfiguration {
  typealias Store = DelegatingStore

  var name: String
  var schema: Schema?
  var file: URL
}
