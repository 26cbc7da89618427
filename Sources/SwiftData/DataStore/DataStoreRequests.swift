public import Foundation

/// A fetch, as a store sees it. (Apple's documentation, `DataStoreFetchRequest`.)
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The context that asks.
  public var editingState: EditingState
  /// Which models, in which order, and how many of them.
  public let descriptor: FetchDescriptor<T>

  /// Makes a request. (Apple's has no initialiser; a store that hands requests on to another needs one.)
  public init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// What a store found. (Apple's documentation, `DataStoreFetchResult`.)
public struct DataStoreFetchResult<T: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
  /// What was asked for.
  public let descriptor: FetchDescriptor<T>
  /// The models, in order.
  public let fetchedSnapshots: [SnapshotType]
  /// Models that these are related to, which then need no fetch of their own.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Makes a result.
  public init(
    descriptor: FetchDescriptor<T>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The unsaved changes of a context, as a store sees them. (Apple's documentation, `DataStoreSaveChangesRequest`.)
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// The context that saves.
  public var editingState: EditingState
  /// New models, in the order of insertion. Their identifiers are temporary, and may be named by the relationships of
  /// any snapshot of the request.
  public let inserted: [SnapshotType]
  /// Stored models with something new in them, as they are to be stored.
  public let updated: [SnapshotType]
  /// Stored models that go.
  public let deleted: [SnapshotType]

  /// Makes a request. (Apple's has no initialiser; a store that hands requests on to another needs one.)
  public init(
    editingState: EditingState, inserted: [SnapshotType] = [], updated: [SnapshotType] = [],
    deleted: [SnapshotType] = []
  ) {
    self.editingState = editingState
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }
}

/// What became of a save. (Apple's documentation, `DataStoreSaveChangesResult`.)
public struct DataStoreSaveChangesResult<SnapshotType: DataStoreSnapshot>: Sendable {
  /// The store that saved.
  public let storeIdentifier: String
  /// For the temporary identifier of each inserted model the one that it has from now on. A store that writes a new model
  /// over a stored one with the same unique value returns the identifier of that one.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Models that are stored in another way than the request has them: contexts take these values over.
  public let snapshotsToReregister: [PersistentIdentifier: SnapshotType]

  /// Makes a result.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
  }
}

/// A deletion of models that were not loaded. (Apple's documentation, `DataStoreBatchDeleteRequest`.)
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
  /// The context that deletes.
  public var editingState: EditingState
  /// Which models; nil is all.
  public let predicate: Predicate<T>?
  /// Whether models of subclasses go too.
  public let includeSubclasses: Bool

  /// Makes a request. (Apple's has no initialiser; a store that hands requests on to another needs one.)
  public init(editingState: EditingState, predicate: Predicate<T>? = nil, includeSubclasses: Bool = true) {
    self.editingState = editingState
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}
