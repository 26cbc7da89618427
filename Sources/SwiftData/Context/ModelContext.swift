public import Foundation

/// Fetches, inserts, changes and deletes models, and saves all changes at once.
///
/// A context belongs to one thread or actor. It has one object per row and holds objects with unsaved changes strongly.
/// Other objects live as long as the program references them. (Apple's documentation, `ModelContext`.)
public final class ModelContext: Equatable, CustomDebugStringConvertible, StandInForThreads, HostFacade {
  /// Posted before a save, without user info.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Posted after a save. The user info has the written identifiers under the keys of ``NotificationKey``, and under their raw
  /// values.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The keys of the user info of ``didSave``.
  public enum NotificationKey: String, Sendable {
    /// Not used, because there are no query generations.
    case queryGeneration
    /// Set if every object of a store may have changed.
    case invalidatedAllIdentifiers
    /// The inserted models: `[PersistentIdentifier]`.
    case insertedIdentifiers = "inserted"
    /// The updated models: `[PersistentIdentifier]`.
    case updatedIdentifiers = "updated"
    /// The deleted models: `[PersistentIdentifier]`.
    case deletedIdentifiers = "deleted"
  }

  package let state: ContextState
  /// The container, which a higher layer knows. Nil for the main context, which its container holds.
  private let ownContainer: AnyObject?
  private weak var mainContainer: AnyObject?
  /// Whether another object is the context. See ``standIn``.
  private let isStandIn: Bool

  /// The author of changes in the history.
  public var author: String? {
    get { state.used(.use) { state.editing.author } }
    set { state.used(.use) { state.editing.author = newValue } }
  }

  /// The identity and the author of the context, as stores see them.
  ///
  /// Setting it sets the author. The identity stays.
  public var editingState: EditingState {
    get { state.used(.use) { state.editing } }
    set { author = newValue.author }
  }

  /// The undo manager. With nil, the default, no undo actions are registered.
  public var undoManager: UndoManager? {
    get { state.used(.use) { state.undoManager } }
    set { state.used(.use) { state.undoManager = newValue } }
  }

  /// Whether the context saves by itself soon after a change: true for the main context, false for others.
  ///
  /// The main context saves at the main actor's next opportunity, the context of a model actor after each job, and any
  /// other at the next ``processPendingChanges()``. (Apple's documentation; the times are ours.)
  public var autosaveEnabled: Bool {
    get { state.isAutosaved }
    set {
      state.isAutosaved = newValue
      Autosave.configure(state.facade ?? self)
    }
  }

  /// Makes a context that holds its container.
  init(_ core: ContainerCore, of container: AnyObject) {
    self.ownContainer = container
    self.isStandIn = false
    self.state = ContextState(core: core)
    state.facade = self
  }

  /// Makes the main context of a container.
  init(_ core: ContainerCore, mainOf container: AnyObject) {
    self.ownContainer = nil
    self.mainContainer = container
    self.isStandIn = false
    self.state = ContextState(core: core)
    state.facade = self
    state.bindToMainActor()
  }

  private init(standingFor context: ModelContext) {
    (ownContainer, mainContainer) = (context.ownContainer, context.mainContainer)
    (state, isStandIn) = (context.state, true)
  }

  /// The same context for another thread, equal to this one. It does not keep the context alive.
  ///
  /// A context ends on the thread that releases it last, and then changes its objects. A thread that only received the
  /// context with a notification must not be that thread.
  var standIn: ModelContext { ModelContext(standingFor: self) }

  deinit { if !isStandIn { state.end() } }

  /// Whether it is the container's main context, which does not hold the container.
  var isMain: Bool { ownContainer == nil }

  /// The container of the context, a `ModelContainer`. Nil if it has ended.
  var owner: AnyObject? { ownContainer ?? mainContainer }

  // MARK: - Unsaved changes

  /// Whether there are unsaved changes.
  public var hasChanges: Bool { state.used(.use) { state.hasChanges } }

  /// The unsaved inserted objects, in order.
  public var insertedModelsArray: [any PersistentModel] { state.used(.use) { Array(state.inserted.values) } }

  /// The changed objects, in the order of their first unsaved change.
  public var changedModelsArray: [any PersistentModel] {
    state.used(.use) { state.changed.values.map(\.object).filter { !$0.isDeleted } }
  }

  /// The stored objects with an unsaved deletion, in order.
  /// - Complexity: loads the objects that ``delete(model:where:includeSubclasses:)`` deleted without loading.
  public var deletedModelsArray: [any PersistentModel] {
    state.used(.read) {
      do { try state.loadMarkedRows() } catch { state.note(error) }
      return Array(state.deleted.values)
    }
  }

  /// Inserts an object and everything reachable from it. Does nothing for an object of this context.
  ///
  /// If the object's context has ended and this context has the same store, the object becomes its row, and its changes
  /// are saved. If the row has a registered object, that one takes the changes. In another store the object becomes a
  /// new one. An object of a context in use makes the next ``save()`` throw
  /// ``SwiftDataError/relationshipAcrossContexts`` once; Apple's framework traps.
  public func insert<T: PersistentModel>(_ model: T) { state.insert(model) }

  /// Deletes an object at the next save. Its delete rules take effect in memory at once.
  public func delete<T: PersistentModel>(_ model: T) { state.delete(model) }

  /// Deletes all matching objects of a class at the next save, following the same rules as ``delete(_:)``.
  /// - Parameters:
  ///   - model: the class.
  ///   - predicate: nil matches all.
  ///   - includeSubclasses: whether to delete objects of subclasses.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)``.
  /// - Complexity: one statement to find the rows, one per relationship with a relevant delete rule, and one at the
  ///   save. It loads only objects that are registered or whose deletion may be refused. With unsaved changes of the
  ///   class, or with an undo manager, it loads all.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    try state.used(.change) {
      try state.queries.delete(model: model, where: predicate, includeSubclasses: includeSubclasses)
    }
  }

  /// Writes all unsaved changes in one transaction per store.
  /// - Throws: ``SwiftDataError``. Then nothing was written, and the changes stay unsaved. ``SwiftDataError/staleObject`` if another
  ///   context or process deleted an object that this context changed, until ``rollback()`` or the deletion of the object here.
  public func save() throws { try state.save() }

  /// Discards all unsaved changes and empties the undo stack.
  public func rollback() { state.rollback() }

  /// Runs a block and saves its changes.
  /// - Throws: the error of the block or of ``save()``.
  public func transaction(block: () throws -> Void) throws {
    try state.noting(.transaction) {
      try block()
      try save()
    }
  }

  /// Closes the current undo group, informs live results of the changes, and saves if ``autosaveEnabled`` is true.
  ///
  /// It does not take in other contexts' saves. The next fetch or save does.
  public func processPendingChanges() {
    state.beginUse(.change)
    defer { state.endUse() }
    state.undoManager?.endImplicitGroup()
    state.settleLive()
    if autosaveEnabled { Autosave.save(self) }
  }

  // MARK: - Fetching

  /// Fetches the matching objects. The result equals Swift's filter and sort over all objects.
  /// - Throws: ``SwiftDataError`` if the store cannot compute a predicate or a sort descriptor. The error names the
  ///   part.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try state.used(.read) { try state.queries.fetch(descriptor) }
  }

  /// Counts the matching objects, with limit and offset applied.
  /// - Throws: as ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try state.used(.read) { try state.queries.fetchCount(descriptor) }
  }

  /// Fetches the identifiers of the matching objects, in order.
  /// - Throws: as ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    try state.used(.read) { try state.queries.fetchIdentifiers(descriptor) }
  }

  /// Fetches the matching objects in batches, which load when the collection is accessed.
  /// - Parameters:
  ///   - descriptor: the objects to fetch and their order.
  ///   - batchSize: the number of objects per batch.
  /// - Throws: as ``fetch(_:)``; ``SwiftDataError/includePendingChangesWithBatchSize`` if the descriptor includes
  ///   pending changes and there are some.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    try refuseBatchingOfPendingChanges(descriptor.includePendingChanges, T.self)
    return FetchResultsCollection(
      keys: try state.used(.read) { try state.queries.fetchKeys(descriptor) }, batchSize: batchSize, state: state)
  }

  /// Fetches the identifiers of the matching objects as a collection of batches.
  /// - Throws: as ``fetch(_:batchSize:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    try refuseBatchingOfPendingChanges(descriptor.includePendingChanges, T.self)
    return FetchResultsCollection(identifiers: try fetchIdentifiers(descriptor))
  }

  private func refuseBatchingOfPendingChanges(_ include: Bool, _ type: any PersistentModel.Type) throws {
    guard include, hasChanges else { return }
    throw SwiftDataError(
      .includePendingChangesWithBatchSize, entity: type.__entity.name,
      message: "fetch(_:batchSize:) cannot include unsaved changes; save first, or set includePendingChanges to false")
  }

  /// Calls a block with each object that matches, holding one batch in memory at a time.
  ///
  /// When a batch ends, the relationships that its objects loaded are let go. An object that the program keeps loads them again.
  /// - Parameters:
  ///   - descriptor: the objects to find and their order.
  ///   - batchSize: how many objects are loaded together; 5,000 by default.
  ///   - allowEscapingMutations: whether unsaved changes may be there when a batch ends.
  ///   - block: called once with each object, in order.
  /// - Throws: what the block throws; an error where the context has unsaved changes and `allowEscapingMutations` is
  ///   false, since a batch that is let go would lose them.
  public func enumerate<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int = 5_000, allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws {
    try state.noting(.enumeration) {
      try refuseEscapingMutations(allowEscapingMutations, T.self)
      var descriptor = descriptor
      descriptor.includePendingChanges = false
      let keys = try state.used(.read) { try state.queries.fetchKeys(descriptor) }
      let table = try state.core.table(for: T.__entity)
      state.enumerations += 1
      let number = state.enumerations
      for start in stride(from: 0, to: keys.count, by: max(1, batchSize)) {
        let batch = Array(keys[start..<min(start + max(1, batchSize), keys.count)])
        let objects = try state.used(.read) { try state.queries.objects(withKeys: batch, in: table) }
        defer { state.used(.change) { state.releaseEnumerated(objects.values, since: number) } }
        for key in batch { if let object = objects[key] as? T { try block(object) } }
        try refuseEscapingMutations(allowEscapingMutations, T.self)
      }
    }
  }

  private func refuseEscapingMutations(_ allowed: Bool, _ type: any PersistentModel.Type) throws {
    guard !allowed, hasChanges else { return }
    throw SwiftDataError(
      .modelValidationFailure, entity: type.__entity.name,
      message: "enumerate needs a context without unsaved changes; save first, or pass allowEscapingMutations: true")
  }

  // MARK: - Identifiers

  /// The object with an identifier: the registered one, or one read from the store.
  ///
  /// For an unknown identifier, Apple's framework returns an object that traps when it is read. This one returns an
  /// object without a context that has the identifier and placeholder values.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    state.used(.read) { state.model(for: persistentModelID) }
  }

  /// The object with an identifier if it is registered.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    state.used(.use) { state.registeredModel(for: persistentModelID) } as? T
  }

  /// Two contexts are equal if they are the same context.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs.state === rhs.state }

  /// The number of unsaved changes.
  public var debugDescription: String {
    state.used(.use) {
      "ModelContext(inserted: \(state.inserted.count), changed: \(state.changed.count),"
        + " deleted: \(state.deleted.count + state.markedRows.groups.reduce(0) { $0 + $1.keys.count }))"
    }
  }
}

/// Whether both are the same context.
///
/// A notification that is awaited has a stand-in of the context as its object, because the waiting thread must not end
/// the context.
public func === (lhs: ModelContext?, rhs: ModelContext?) -> Bool { lhs?.state === rhs?.state }

/// Whether both are different contexts.
public func !== (lhs: ModelContext?, rhs: ModelContext?) -> Bool { !(lhs === rhs) }
