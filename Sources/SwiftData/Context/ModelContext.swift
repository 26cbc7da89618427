public import Foundation

/// A place in which to fetch, insert, change and delete models, and to save all of it at once.
///
/// A context belongs to one thread or actor. It has one object for each row, and holds the objects with unsaved
/// changes; what is only fetched lives as long as somebody else holds it. (Apple's documentation, `ModelContext`.)
public final class ModelContext: Equatable, CustomDebugStringConvertible {
  /// Posted before a save; without user info.
  public static let willSave = Notification.Name("ModelContext.willSave")
  /// Posted after a save, with the identifiers of what it wrote under the keys of ``NotificationKey``.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The keys of the user info of ``didSave``.
  public enum NotificationKey: String, Sendable {
    /// Not used: there are no query generations here.
    case queryGeneration
    /// Set where every object of a store may have changed.
    case invalidatedAllIdentifiers
    /// `[PersistentIdentifier]`
    case insertedIdentifiers = "inserted"
    /// `[PersistentIdentifier]`
    case updatedIdentifiers = "updated"
    /// `[PersistentIdentifier]`
    case deletedIdentifiers = "deleted"
  }

  package let state: ContextState
  /// Nil for the main context, which its container holds.
  private let ownContainer: ModelContainer?
  private weak var mainContainer: ModelContainer?

  /// Who makes the changes, as the history names them.
  public var author: String? {
    get { state.used(.use) { state.editing.author } }
    set { state.used(.use) { state.editing.author = newValue } }
  }

  /// The identity of the context and its author, as stores see them.
  public var editingState: EditingState { state.used(.use) { state.editing } }

  /// Registers how to undo each change; nil, the default, registers nothing.
  public var undoManager: UndoManager? {
    get { state.used(.use) { state.undoManager } }
    set { state.used(.use) { state.undoManager = newValue } }
  }

  /// Whether the context saves by itself soon after a change: true for the main context, false for any other.
  ///
  /// The main context saves when the main actor gets to it; the context of a model actor after each of the actor's
  /// jobs; any other with the next call of ``processPendingChanges()``. (Apple's documentation; the moments are ours.)
  public var autosaveEnabled: Bool = false {
    didSet { Autosave.configure(self) }
  }

  /// Makes a context for the stores of a container.
  public init(_ container: ModelContainer) {
    self.ownContainer = container
    self.state = ContextState(core: container.core)
    state.facade = self
  }

  /// The main context of a container.
  init(mainOf container: ModelContainer) {
    self.ownContainer = nil
    self.mainContainer = container
    self.state = ContextState(core: container.core)
    state.facade = self
    state.bindToMainActor()
  }

  deinit { state.discard() }

  /// Whether it is the context of the main actor, which its container holds and which does not hold the container.
  var isMain: Bool { ownContainer == nil }

  /// The container of the context.
  public var container: ModelContainer { ownContainer ?? mainContainer ?? ModelContainer(core: state.core) }

  // MARK: - Unsaved changes

  /// Whether there is anything to save.
  public var hasChanges: Bool { state.used(.use) { state.hasChanges } }

  /// The objects that were inserted and not saved, in order.
  public var insertedModelsArray: [any PersistentModel] { state.used(.use) { Array(state.inserted.values) } }

  /// The stored objects that were changed and not saved, in the order of their first change.
  public var changedModelsArray: [any PersistentModel] {
    state.used(.use) { state.changed.values.map(\.object).filter { !$0.isDeleted } }
  }

  /// The stored objects whose deletion was not saved, in order.
  /// - Complexity: loads the objects that ``delete(model:where:includeSubclasses:)`` deleted without loading them.
  public var deletedModelsArray: [any PersistentModel] {
    state.used(.read) {
      do { try state.loadMarkedRows() } catch { state.note(error) }
      return Array(state.deleted.values)
    }
  }

  /// Inserts an object and everything that it reaches. An object of this context stays as it is.
  ///
  /// An object of a context that is gone is its row where this context has the store that it came from, and what was
  /// changed in it is saved; where the context already has an object for that row, that one takes the changes. In another
  /// store it becomes a new object. An object of a context that is in use makes the next ``save()`` throw
  /// ``SwiftDataError/relationshipAcrossContexts``, once; Apple's framework traps.
  public func insert<T: PersistentModel>(_ model: T) { state.insert(model) }

  /// Deletes an object with the next save. Its delete rules act at once in memory.
  public func delete<T: PersistentModel>(_ model: T) { state.delete(model) }

  /// Deletes all objects of a class that match, with the next save, by the rules that ``delete(_:)`` follows.
  /// - Parameters:
  ///   - predicate: nil matches all.
  ///   - includeSubclasses: whether objects of subclasses are deleted too.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)`` does.
  /// - Complexity: one statement to find the rows, one for each relationship whose delete rule matters, and one with the
  ///   save. Only objects that this context has already, or whose deletion may be refused, are loaded; all are where
  ///   there are unsaved changes of the class or an undo manager.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    try state.used(.change) {
      try state.delete(model: model, where: predicate, includeSubclasses: includeSubclasses)
    }
  }

  /// Writes all unsaved changes, in one transaction for each store.
  /// - Throws: ``SwiftDataError``; then nothing was written and the changes are still there.
  public func save() throws { try state.save() }

  /// Forgets all unsaved changes and empties the undo stack.
  public func rollback() { state.rollback() }

  /// Runs a block and saves what it changed.
  /// - Throws: what the block throws, or what ``save()`` throws.
  public func transaction(block: () throws -> Void) throws {
    try state.noting(.transaction) {
      try block()
      try save()
    }
  }

  /// Takes in what other contexts saved, closes the current undo group, and saves where ``autosaveEnabled`` says so.
  public func processPendingChanges() {
    state.beginUse(.change)
    defer { state.endUse() }
    state.drainInbox()
    state.undoManager?.endImplicitGroup()
    state.settleLive()
    if autosaveEnabled { Autosave.save(self) }
  }

  // MARK: - Fetching

  /// The objects that match, as Swift would filter and sort all of them.
  /// - Throws: ``SwiftDataError`` where a predicate or a sort cannot be asked of the store, naming the part.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try state.used(.read) { try state.fetch(descriptor) }
  }

  /// How many objects match, limit and offset applied.
  /// - Throws: as ``fetch(_:)-([T])``.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try state.used(.read) { try state.fetchCount(descriptor) }
  }

  /// The identifiers of the objects that match, in order.
  /// - Throws: as ``fetch(_:)-([T])``.
  public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    try state.used(.read) { try state.fetchIdentifiers(descriptor) }
  }

  /// The objects that match, loaded a batch at a time while the collection is walked.
  /// - Parameter batchSize: the number of objects that are loaded together.
  /// - Throws: as ``fetch(_:)-([T])``; ``SwiftDataError/includePendingChangesWithBatchSize`` where the descriptor
  ///   includes pending changes and there are some.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    try refuseBatchingOfPendingChanges(descriptor.includePendingChanges, T.self)
    return FetchResultsCollection(
      keys: try state.used(.read) { try state.fetchKeys(descriptor) }, batchSize: batchSize, state: state)
  }

  /// The identifiers of the objects that match, as a collection of batches.
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
      message: "a fetch in batches cannot include unsaved changes; save first, or set includePendingChanges to false")
  }

  /// Calls a block with each object that matches, holding one batch in memory at a time.
  /// - Parameters:
  ///   - batchSize: how many objects are loaded together; 5,000 unless told.
  ///   - allowEscapingMutations: whether unsaved changes may be there when a batch ends.
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
      let keys = try state.used(.read) { try state.fetchKeys(descriptor) }
      let table = try state.core.table(for: T.__entity)
      for start in stride(from: 0, to: keys.count, by: max(1, batchSize)) {
        let batch = Array(keys[start..<min(start + max(1, batchSize), keys.count)])
        let objects = try state.used(.read) { try state.objects(withKeys: batch, in: table) }
        for key in batch { if let object = objects[key] as? T { try block(object) } }
        try refuseEscapingMutations(allowEscapingMutations, T.self)
      }
    }
  }

  private func refuseEscapingMutations(_ allowed: Bool, _ type: any PersistentModel.Type) throws {
    guard !allowed, hasChanges else { return }
    throw SwiftDataError(
      .modelValidationFailure, entity: type.__entity.name,
      message: "enumerate found unsaved changes; save before and within it, or pass allowEscapingMutations: true")
  }

  // MARK: - Identifiers

  /// The object with an identifier: the registered one, as it is, or one read from the store.
  ///
  /// For an identifier that nothing has, Apple's framework returns an object that traps when it is read; this one
  /// returns an object without a context that has the identifier and whose values are placeholders.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    state.used(.read) { state.model(for: persistentModelID) }
  }

  /// The object with an identifier if this context has it already.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    state.used(.use) { state.registeredModel(for: persistentModelID) } as? T
  }

  /// Two contexts are equal when they are the same object.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }

  /// What is unsaved, in numbers.
  public var debugDescription: String {
    state.used(.use) {
      "ModelContext(inserted: \(state.inserted.count), changed: \(state.changed.count),"
        + " deleted: \(state.deleted.count + state.markedRows.groups.reduce(0) { $0 + $1.keys.count }))"
    }
  }
}
