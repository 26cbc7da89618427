public import Foundation

/// A fetch request to a store. (Apple's documentation, `DataStoreFetchRequest`.)
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The requesting context.
  public var editingState: EditingState
  /// The predicate, the order and the bounds.
  public let descriptor: FetchDescriptor<T>

  /// Makes a request. (Apple's has no initializer. A store that forwards requests needs one.)
  public init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// The result of a fetch request. (Apple's documentation, `DataStoreFetchResult`.)
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
  /// The descriptor of the request.
  public let descriptor: FetchDescriptor<ModelType>
  /// The models, in order.
  public let fetchedSnapshots: [SnapshotType]
  /// Related models, which then need no fetch of their own.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Makes a result.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The unsaved changes of a context, as a request to a store. (Apple's documentation, `DataStoreSaveChangesRequest`.)
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// The saving context.
  public var editingState: EditingState
  /// New models in insertion order. Their identifiers are temporary. Relationships of any snapshot of the request may
  /// contain them.
  public let inserted: [SnapshotType]
  /// Stored models with changes, as they are to be stored.
  public let updated: [SnapshotType]
  /// Stored models to delete.
  public let deleted: [SnapshotType]

  /// Makes a request. (Apple's has no initializer. A store that forwards requests needs one.)
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

/// The result of a save. (Apple's documentation, `DataStoreSaveChangesResult`.)
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The permanent identifier for each temporary one. For an upsert, it is the identifier of the stored model.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Models that are stored with other values than in the request. Contexts take these values over.
  public let snapshotsToReregister: [PersistentIdentifier: T]

  /// Makes a result.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
  }
}

/// A deletion of models by predicate. (Apple's documentation, `DataStoreBatchDeleteRequest`.)
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
  /// The deleting context.
  public var editingState: EditingState
  /// The condition, or nil for all models.
  public let predicate: Predicate<T>?
  /// Whether to delete models of subclasses.
  public let includeSubclasses: Bool

  /// Makes a request. (Apple's has no initializer. A store that forwards requests needs one.)
  public init(editingState: EditingState, predicate: Predicate<T>? = nil, includeSubclasses: Bool = true) {
    self.editingState = editingState
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}
