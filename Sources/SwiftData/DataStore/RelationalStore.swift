/// A store of snapshots that keeps relationships as keys of rows.
///
/// A relationship then has to be written at one end only, a list is read when it is wanted, and what others changed of a
/// row stays as it is: so contexts tell such a store which properties changed, and read nothing before they save.
package protocol RelationalStore: DataStore where Snapshot == DefaultSnapshot {
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

  /// Begins to listen to what others save.
  /// - Returns: the number of the newest transaction.
  func beginWatch() throws -> Int64
  func endWatch()
  /// What others saved after a transaction; nil where nothing was said. Costs next to nothing then.
  func news(after number: Int64) throws -> RelationalNews?
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
