import Foundation

/// A store as contexts see it.
///
/// A store is one of two kinds. A ``SQLStore`` runs statements, and the engine does the rest. An ``ObjectStore``
/// answers whole requests; ``SnapshotStore`` does so for a custom ``DataStore``. Contexts identify objects by class
/// hierarchy and 64-bit key. An object store may use any other primary key.
package protocol EngineStore: AnyObject, Sendable {
  /// The identifier of the store, which is part of its objects' identifiers.
  var identifier: String { get }
  /// The name of its configuration.
  var name: String { get }
  /// Grows when another process may have committed.
  var externalCommits: Int { get }
  /// The nesting level of its transaction when one save involves several stores. A greater level runs further inside
  /// and commits earlier. A local file, whose commit hardly ever fails, is outermost (0). A store that cannot roll back
  /// is innermost.
  var nesting: Int { get }
  /// Whether misuse of a context traps instead of being logged.
  var trapsOnConcurrencyMisuse: Bool { get }

  // MARK: - Identity

  /// The identifier of the object with a key; `entity` is the object's own class.
  func identifier(ofKey key: Int64, entity: String) -> PersistentIdentifier
  /// Whether the object with a key has an identifier that consists of this store's identifier, its class and the same key.
  func isPlain(key: Int64) -> Bool
  /// The identifier of the object with a key if its class is known, or nil if finding the class requires a read.
  func exactIdentifier(ofKey key: Int64, in table: EntityTable) -> PersistentIdentifier?
  /// Whether a key names the same object after the store was opened again.
  var keepsKeys: Bool { get }
  /// The key of an identifier, or nil for an identifier of another store.
  func key(of identifier: PersistentIdentifier) -> Int64?

  // MARK: - Writing

  /// Makes the save of a context's changes to this store.
  func makeSave(_ changes: UnsavedChanges) throws -> any StoreSave
  /// Runs a save. If the store cannot merge concurrent saves, they run one after another.
  func exclusively<T>(_ body: () throws -> T) rethrows -> T
  /// Whether this thread has a transaction of the store open, so that what it saved is not committed yet.
  var isInTransaction: Bool { get }
  /// Calls `body` when what this thread saved is committed: at once, unless the thread has a transaction of the store open.
  func afterCommit(_ body: @escaping () -> Void)
  /// Removes all objects.
  func deleteAllRows() throws
  /// Encrypts all encrypted values again with the present key, in one transaction.
  func reencrypt() throws
  /// Returns the space of deleted rows to the disk, where the store does not do so itself.
  func compact() throws
  /// Removes the store.
  func erase() throws

  // MARK: - History

  /// The transactions that a descriptor selects, or nil if the store has no transactions of this type.
  func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog) throws -> [T]?
  /// Deletes transactions. Returns false if the store has no transactions of this type.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog) throws -> Bool
  /// The number of the newest transaction that ever was, 0 before the first; nil where the store does not number them.
  func newestTransaction() throws -> Int64?

  // MARK: - Contexts

  func contextBegan(_ state: EditingState)
  func contextEnded(_ state: EditingState)
}

extension EngineStore {
  package var externalCommits: Int { 0 }
  package var trapsOnConcurrencyMisuse: Bool { false }
  package var keepsKeys: Bool { false }
  package func newestTransaction() throws -> Int64? { nil }
  package func reencrypt() throws {}
  package var isInTransaction: Bool { false }
  package func afterCommit(_ body: @escaping () -> Void) { body() }
  package func compact() throws {}
  package func exclusively<T>(_ body: () throws -> T) rethrows -> T { try body() }
  package func contextBegan(_ state: EditingState) {}
  package func contextEnded(_ state: EditingState) {}
}

/// A save of one store.
package protocol StoreSave: AnyObject {
  var store: any EngineStore { get }
  var changes: UnsavedChanges { get }
  /// The keys of new objects that updated an existing row.
  var merged: [ObjectIdentifier: Int64] { get }
  /// The former cells of these rows, for objects whose insertion can be undone.
  var replaced: [ObjectIdentifier: [ReplacedCell]] { get }
  /// The changes to rows without a loaded object.
  var savedRows: SavedRows { get }

  /// Writes everything and runs `others`, the saves to other stores. If anything throws, the store and the memory stay
  /// unchanged.
  func run(_ others: OtherSaves) throws
  /// Called once the memory reflects the commit.
  func didFinish() throws
}

extension StoreSave {
  package var inserted: [any PersistentModel] { changes.inserted }
  package var changed: [ObjectChange] { changes.changed }
  package var deleted: [any PersistentModel] { changes.deleted }
  package var replaced: [ObjectIdentifier: [ReplacedCell]] { [:] }
  package func didFinish() throws {}
}

extension Sequence where Element == any StoreSave {
  /// Writes to several stores. If anything throws, the stores and the memory stay unchanged.
  ///
  /// The transactions of later stores run inside the first store's, so a refusal by any store undoes all.
  func runNested() throws {
    let saves = Array(self)
    do {
      try OtherSaves(saves: saves[...]).run()
    } catch {
      // A store may fail to commit after the others did. Their objects stay unsaved too.
      if saves.count > 1 { for save in saves { for object in save.inserted { object.__state.key = 0 } } }
      throw error
    }
  }
}

/// The saves to other stores, which a store runs at the end of its transaction.
///
/// The other stores commit before the transaction does. A store that can refuse a commit therefore checks its references first.
package struct OtherSaves {
  fileprivate let saves: ArraySlice<any StoreSave>

  package static var none: OtherSaves { OtherSaves(saves: []) }

  package var isEmpty: Bool { saves.isEmpty }

  package func run() throws { try saves.first?.run(OtherSaves(saves: saves.dropFirst())) }
}
