import Foundation

/// Adapts a custom ``DataStore`` to the engine. Fetched snapshots become registered objects. The engine filters and
/// sorts in memory what the store refuses to, and applies unsaved changes there.
// @unchecked Sendable because `base` is called under the lock only. All else is immutable or locks itself.
package final class SnapshotStore<Base: DataStore>: ObjectStore, @unchecked Sendable {
  let base: Base
  package let identifier: String
  package let name: String
  let entities: [String: __Entity]
  private let keys = SnapshotKeys()
  /// Recursive, because a save reads what it replaces.
  private let lock = NSRecursiveLock()

  init(_ base: Base, entities: [String: __Entity]) {
    self.base = base
    self.identifier = base.identifier
    self.name = base.configuration.name
    self.entities = entities
  }

  /// Calls the store, from one thread at a time. Decoding of snapshots meanwhile uses the container's classes.
  func call<T>(_ body: (Base) throws -> T) throws -> T {
    lock.lock()
    defer { lock.unlock() }
    return try SnapshotEntities.$current.withValue(entities) { try body(base) }
  }

  package func exclusively<T>(_ body: () throws -> T) rethrows -> T {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  // MARK: - Identity

  package func identifier(ofKey key: Int64, entity: String) -> PersistentIdentifier {
    // This store assigned every key. An unknown key has no object.
    keys.identifier(of: key) ?? PersistentIdentifier(entityName: entity, storeIdentifier: identifier, key: key)
  }

  package func isPlain(key: Int64) -> Bool { false }

  package func exactIdentifier(ofKey key: Int64, in table: EntityTable) -> PersistentIdentifier? {
    keys.identifier(of: key)
  }

  package func key(of identifier: PersistentIdentifier) -> Int64? {
    identifier.storeIdentifier == self.identifier ? give(identifier).key : nil
  }

  /// The key of an identifier in a snapshot, and whether it had one.
  func give(_ identifier: PersistentIdentifier) -> (key: Int64, isKnown: Bool) {
    keys.key(of: identifier)
  }

  // MARK: - Contents

  /// The contents of a snapshot.
  /// - Throws: ``SwiftDataError/unknownSchema`` if the store does not have the class.
  func contents(of snapshot: Base.Snapshot) throws -> SnapshotContents {
    if let snapshot = snapshot as? DefaultSnapshot { return snapshot.contents }
    let identifier = snapshot.persistentIdentifier
    guard let entity = entities[identifier.entityName] else {
      throw SwiftDataError(
        .unknownSchema, entity: identifier.entityName,
        message: "the store \"\(name)\" returned an object of this class, which it is not configured to keep")
    }
    return try SnapshotEncoder.contents(of: snapshot, entity)
  }

  func reader(_ contents: SnapshotContents) -> SnapshotReader {
    SnapshotReader(contents) { self.give($0).key }
  }

  // MARK: - Administration

  package func deleteAllRows() throws {
    try exclusively {
      var all = [PersistentIdentifier: Base.Snapshot]()
      for entity in entities.values where entity.superentity == nil {
        for snapshot in try snapshots(of: entity.type) { all[snapshot.persistentIdentifier] = snapshot }
      }
      let request = DataStoreSaveChangesRequest(
        editingState: EditingState(), deleted: all.sorted { $0.key < $1.key }.map(\.value))
      _ = try call { try $0.save(request) }
    }
  }

  package func erase() throws {
    do {
      try call { try $0.erase() }
    } catch DataStoreError.unsupportedFeature {
      throw SwiftDataError(
        .unsupportedFeature, message: "the store \"\(name)\" cannot be erased; use deleteAllData() to empty it")
    }
  }

  package func contextBegan(_ state: EditingState) {
    exclusively { base.initializeState(for: state) }
  }

  package func contextEnded(_ state: EditingState) {
    exclusively { base.invalidateState(for: state) }
  }

  // MARK: - History

  package func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog
  ) throws -> [T]? {
    func fetch<P: HistoryProviding>(_ provider: P) throws -> [T]? {
      guard let descriptor = descriptor as? HistoryDescriptor<P.HistoryType> else { return nil }
      return try provider.fetchHistory(descriptor) as? [T]
    }
    return try call { base in try (base as? any HistoryProviding).flatMap { try fetch($0) } }
  }

  package func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog
  ) throws -> Bool {
    func delete<P: HistoryProviding>(_ provider: P) throws -> Bool {
      guard let descriptor = descriptor as? HistoryDescriptor<P.HistoryType> else { return false }
      try provider.deleteHistory(descriptor)
      return true
    }
    return try call { base in try (base as? any HistoryProviding).map { try delete($0) } ?? false }
  }
}
