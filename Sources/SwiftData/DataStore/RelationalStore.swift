/// A store of snapshots that keeps relationships as keys of rows.
///
/// A relationship then has to be written at one end only, a list is read when it is wanted, and what others changed of a
/// row stays as it is: so contexts tell such a store which properties changed, and read nothing before they save.
package protocol RelationalStore: DataStore where Snapshot == DefaultSnapshot {
  /// What lowering has to know to write statements for it.
  var environment: LoweringEnvironment { get }
  /// Runs a statement that reads, with a `?` for each value.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` where the server cannot answer as Swift does.
  func rows(_ statement: SQLFragment) throws -> [[SQLValue]]
  /// How the server runs a fetch of what is stored.
  func explain<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> ModelContext.FetchExplanation
  /// Runs the update of a query's rows in a transaction of its own, with its history.
  /// - Returns: the keys of the rows that were changed, by class.
  /// - Throws: as ``rows(_:)``; ``SwiftDataError``, and then nothing was changed.
  func update(_ update: RelationalUpdate, _ editing: EditingState) throws -> [String: [Int64]]

  /// Writes all changes, or nothing. Called while no other context of the container saves to the store.
  func save(_ changes: RelationalChanges) throws -> DataStoreSaveChangesResult<DefaultSnapshot>

  /// The targets of a to-many for several owners, by owner, each in its owner's order.
  /// - Complexity: one statement.
  func targets(
    of owners: [PersistentIdentifier], _ info: RelationshipInfo
  ) throws -> [(owner: PersistentIdentifier, target: DefaultSnapshot)]

  /// The models of exactly this class whose relationship names one of the targets.
  /// - Complexity: one statement.
  func referrers(
    to targets: [PersistentIdentifier], through property: __Property, of entity: __Entity
  ) throws -> [PersistentIdentifier]

  /// The models of a class in which a search may find all terms, in the order of their keys.
  /// - Parameter limit: how many hits are wanted; nil is all.
  func searchCandidates(_ terms: [SearchTerm], of entity: __Entity, limit: Int?) throws -> SearchCandidates

  /// Begins to listen to what others save.
  /// - Returns: the number of the newest transaction.
  func beginWatch() throws -> Int64
  func endWatch()
  /// What others saved after a transaction; nil where nothing was said. Costs next to nothing then.
  func news(after number: Int64) throws -> RelationalNews?
}

/// An update of many rows by a statement.
package struct RelationalUpdate {
  package let entity: __Entity
  package let columns: [(property: __Property, constant: Any?, isConstant: Bool)]
  /// Selects the key of each row as `pk`, the new value of each column that is not constant as `c0` and so on, by the
  /// column's place, and as `failed` whether a row has no value.
  package let rows: SQLFragment
  /// The error where some rows have none.
  package let failure: (_ count: Int) -> SwiftDataError
}

/// What others saved.
package struct RelationalNews: Sendable {
  /// A run of changes of one kind.
  package struct Change: Sendable {
    package let kind: HistoryRecorder.Kind
    package let entity: String
    package let keys: Range<Int64>

    package init(kind: HistoryRecorder.Kind, entity: String, keys: Range<Int64>) {
      (self.kind, self.entity, self.keys) = (kind, entity, keys)
    }
  }

  /// The number of the newest transaction.
  package let newest: Int64
  /// Whether nothing of it was deleted from the history.
  package let isComplete: Bool
  package let changes: [Change]

  package init(newest: Int64, isComplete: Bool, changes: [Change]) {
    (self.newest, self.isComplete, self.changes) = (newest, isComplete, changes)
  }
}

/// What a context has to save, with what it knows of each change.
package struct RelationalChanges: Sendable {
  /// A stored model with something new in it.
  package struct Update: Sendable {
    package let snapshot: DefaultSnapshot
    /// The properties that changed, by index.
    package let properties: PropertySet
    /// The targets that changed to-manys had before, by index.
    package let originals: [Int: [PersistentIdentifier]]

    package init(_ snapshot: DefaultSnapshot, properties: PropertySet, originals: [Int: [PersistentIdentifier]]) {
      self.snapshot = snapshot
      self.properties = properties
      self.originals = originals
    }
  }

  /// Stored models of one class that nobody loaded, and that go.
  package struct DeletedRows: Sendable {
    package let entity: String
    package let keys: [Int64]
    /// Statements that find rows for which a to-many denies it.
    package let denials: [(property: String, statement: SQLFragment)]
    /// Statements that find the keys and classes of rows whose to-one names one of them.
    package let cleared: [(property: String, entity: String, statement: SQLFragment)]
  }

  /// What a save found out on its way.
  // @unchecked Sendable because the save that writes it is over when it is read.
  package final class Outcome: @unchecked Sendable {
    /// The keys of the rows whose to-one named a row that is gone.
    package var cleared: [(property: String, entity: String, keys: [Int64])] = []
  }

  package var deletedRows: [DeletedRows] = []
  package let outcome = Outcome()
  package var editingState: EditingState
  package var inserted: [DefaultSnapshot] = []
  package var updated: [Update] = []
  package var deleted: [DefaultSnapshot] = []

  package init(editingState: EditingState) { self.editingState = editingState }
}

/// Whether snapshots may leave out to-manys, which are then asked for where they are touched.
package enum SnapshotLists {
  @TaskLocal package static var areLeftOut = false
}
