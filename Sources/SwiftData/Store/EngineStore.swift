import Foundation

/// A store as contexts use it.
///
/// A store is one of two kinds. A ``SQLStore`` runs statements, and the engine does the rest. An ``ObjectStore`` answers
/// whole requests: ``SnapshotStore`` does, for a ``DataStore`` that a program brings. Contexts know objects by class
/// hierarchy and 64-bit key; an object store may keep any other primary key.
package protocol EngineStore: AnyObject, Sendable {
  /// The identity of the store, in identifiers.
  var identifier: String { get }
  /// The name of its configuration.
  var name: String { get }
  /// Grows when another process may have committed.
  var foreignCommits: Int { get }
  /// Where its save is nested in one of several stores: the greater, the farther inside, and the earlier committed. A file
  /// on this machine, whose commit hardly fails, is outermost (0); a store that cannot roll back is innermost.
  var nesting: Int { get }
  /// What opening it changed.
  var migration: ModelContainer.MigrationSummary { get }

  // MARK: - Identity

  /// The identifier of the object with a key; `entity` is the object's own class.
  func identifier(ofKey key: Int64, entity: String) -> PersistentIdentifier
  /// The identifier of the object with a key where only a superclass may be known; nil where that takes reading it.
  func exactIdentifier(ofKey key: Int64, in table: EntityTable) -> PersistentIdentifier?
  /// The key of an identifier; nil where it is of another store.
  func key(of identifier: PersistentIdentifier) -> Int64?

  // MARK: - Writing

  /// The save of what a context has to save to this store.
  func makeSave(_ changes: UnsavedChanges, in context: ContextState) throws -> any StoreSave
  /// Runs a save; where the store cannot merge what two contexts save at a time, one after the other.
  func exclusively<T>(_ body: () throws -> T) rethrows -> T
  /// Removes all objects.
  func deleteAllRows() throws
  /// Removes the store.
  func erase() throws

  // MARK: - History

  /// The transactions that a descriptor asks for; nil where the store has none of this type.
  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>, _ core: ContainerCore) throws -> [T]?
  /// Forgets transactions. False where the store has none of this type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>, _ core: ContainerCore) throws -> Bool

  // MARK: - Contexts

  func contextBegan(_ state: EditingState)
  func contextEnded(_ state: EditingState)
}

extension EngineStore {
  package var foreignCommits: Int { 0 }
  package var migration: ModelContainer.MigrationSummary {
    ModelContainer.MigrationSummary(configuration: name, steps: [])
  }
  package func exclusively<T>(_ body: () throws -> T) rethrows -> T { try body() }
  package func contextBegan(_ state: EditingState) {}
  package func contextEnded(_ state: EditingState) {}
}

/// A store that answers requests for objects.
package protocol ObjectStore: EngineStore {
  // Fetches lay the context's unsaved changes over what is stored if the descriptor says so.

  /// - Parameter model: where in the order to begin: behind it; nil is at the beginning.
  func fetch<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, after model: M?, in context: ContextState
  ) throws -> [M]
  func fetchCount<M: PersistentModel>(_ descriptor: FetchDescriptor<M>, in context: ContextState) throws -> Int
  func fetchIdentifiers<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, in context: ContextState
  ) throws -> [PersistentIdentifier]
  /// The objects with these keys, loaded where they are not registered; those that are gone are left out.
  func objects(
    withKeys keys: [Int64], in table: EntityTable, context: ContextState
  ) throws -> [Int64: any PersistentModel]
  /// The stored targets of a to-many for several owners, each in its owner's order.
  func targets(
    of owners: [Int64], _ info: RelationshipInfo, _ table: EntityTable, context: ContextState,
    _ body: (_ owner: Int64, _ target: any PersistentModel, _ positioned: Bool) -> Void
  ) throws
  /// Reads registered objects again, except what is unsaved; `only` one property.
  func reload(_ objects: [any PersistentModel], only: Int?, context: ContextState) throws

  /// Marks for deletion what matches, with its delete rules.
  func delete<M: PersistentModel>(
    model: M.Type, where predicate: Predicate<M>?, includeSubclasses: Bool, in context: ContextState
  ) throws
}

/// One save of one store.
package protocol StoreSave: AnyObject {
  var store: any EngineStore { get }
  var changes: UnsavedChanges { get }
  /// New objects whose values went into a row that was there already, with that row's key.
  var merged: [ObjectIdentifier: Int64] { get }
  /// What it did with rows that nobody loaded.
  var savedRows: SavedRows { get }

  /// Writes everything and runs `others`, the saves to other stores; or throws, and leaves the store and the memory as
  /// they were.
  func run(_ others: () throws -> Void) throws
  /// Called when the memory is up to what was committed.
  func didFinish() throws
}

extension StoreSave {
  package var inserted: [any PersistentModel] { changes.inserted }
  package var changed: [ContextState.ObjectChange] { changes.changed }
  package var deleted: [any PersistentModel] { changes.deleted }
  package func didFinish() throws {}
}

extension Sequence where Element == any StoreSave {
  /// Writes everything of several stores, or throws and leaves stores and memory as they were.
  ///
  /// The transactions of the later stores run inside that of the first, so that a refusal by any of them undoes all.
  func runNested() throws {
    func run(_ saves: ArraySlice<any StoreSave>) throws {
      try saves.first?.run { try run(saves.dropFirst()) }
    }
    try run(Array(self)[...])
  }
}
