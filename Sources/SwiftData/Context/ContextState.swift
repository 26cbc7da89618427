import Foundation

/// The state behind a ``ModelContext``: the identity map and the unsaved objects.
///
/// Objects hold the state, so an object can load its relationships after its context has ended.
package final class ContextState: ModelHost {
  let core: ContainerCore
  let inbox: ContextInbox
  weak var facade: ModelContext?
  /// The identity and the author of the context, as stores see them.
  package var editing = EditingState()
  let contextUse: ContextUse
  /// Counts the objects and the batches of the context, or nil without metrics.
  let livingObjects: LivingCount?
  let livingBatches: LivingCount?

  // MARK: - Mutable State
  // The state belongs to the thread or actor of the context. To detect misuse, each access is between `beginUse(_:)`
  // and `endUse()`. What a short fetch or a save of one row accesses is unchecked: reading or changing it runs nothing that
  // uses the context, and the checks were a twentieth of such a save.

  /// The identity map by hierarchy and key, which keeps no object alive. A released object is fetched again.
  @exclusivity(unchecked) var identityMaps: [IdentityMap]
  /// New objects in insertion order, held strongly.
  @exclusivity(unchecked) var inserted = UnsavedObjects<any PersistentModel> { $0 }
  /// Stored objects with unsaved changes, including deleted ones, held strongly. Invariant: none of them is in
  /// `inserted`.
  @exclusivity(unchecked) var changed = UnsavedObjects<ObjectChange> { $0.object }
  /// Whether another save may have deleted the row of an edited object (`ObjectChange.isRowDeleted`).
  @exclusivity(unchecked) var mayHaveDeletedRows = false
  /// Stored objects to delete, held strongly. Invariant: each has the flag `deleted`.
  @exclusivity(unchecked) var deleted = UnsavedObjects<any PersistentModel> { $0 }
  /// Finds inserted and changed objects by value. Every change of such an object calls `touch`.
  @exclusivity(unchecked) var unsavedIndices = UnsavedIndices()
  /// The inserted objects whose identifier was read. A released identity may be reused.
  @exclusivity(unchecked) private var temporary: [TemporaryIdentity: ObjectIdentifier] = [:]
  /// Long to-manys that were changed in place. The next save compares them completely.
  @exclusivity(unchecked) private var unverified:
    [ObjectIdentifier: (object: any PersistentModel, indices: PropertySet)] = [:]
  /// Whether new objects were removed since the last save. Relationships may still contain them.
  @exclusivity(unchecked) var hasForgotten = false
  /// The lists that were loaded without objects whose deletion is not saved.
  @exclusivity(unchecked) var incompleteLists: [ObjectIdentifier: (object: any PersistentModel, indices: PropertySet)] =
    [:]
  /// Stored rows to delete that need no object so far.
  @exclusivity(unchecked) var markedRows = MarkedRows()
  /// Objects that left the context.
  var departed = DepartedObjects()
  /// The identity that the last object kept when it left. Objects of the same store share it.
  var lastFormer: FormerIdentity?
  /// Errors of functions that cannot throw. The next save throws the first.
  @exclusivity(unchecked) var problems: [SwiftDataError] = []
  /// The relationships that could not be loaded since the last fetch or save.
  @exclusivity(unchecked) var unloaded = UnloadedRelationships()
  /// The store's count of external commits up to which registered objects are fresh.
  @exclusivity(unchecked) var syncedExternalCommits: [Int]
  /// Stores with external commits, or that cannot detect them. A fetch from them also updates registered objects.
  @exclusivity(unchecked) var staleStores: Set<Int>
  /// The nesting depth of operations whose intermediate states observers must not see.
  @exclusivity(unchecked) var quietDepth = 0
  /// Delayed notifications of such operations.
  @exclusivity(unchecked) var pendingNotifications = Queue<(any PersistentModel, Int)>()
  /// The watched fetches.
  @exclusivity(unchecked) var liveQueries = LiveQueries()
  @exclusivity(unchecked) var undoManager: UndoManager?
  @exclusivity(unchecked) var undoneValues = UndoneValues()
  /// The insertions that can be undone and are not saved.
  @exclusivity(unchecked) var undoneInsertions = UndoneInsertions()
  @exclusivity(unchecked) var changeHandler: (() -> Void)?
  /// Whether the context saves by itself.
  var isAutosaved = false
  /// Whether the public context has ended, so that its objects can no longer be saved.
  @exclusivity(unchecked) private(set) var isOver = false
  /// Whether a later change was reported.
  var hasReportedLoss = false
  /// The number of enumerations that began.
  @exclusivity(unchecked) var enumerations = 0

  init(core: ContainerCore) {
    self.core = core
    self.inbox = ContextInbox()
    self.contextUse = ContextUse(core.misuse)
    let isMeasured = core.metrics != nil
    livingObjects = isMeasured ? LivingCount() : nil
    livingBatches = isMeasured ? LivingCount() : nil
    self.identityMaps = Array(repeating: IdentityMap(living: livingObjects), count: core.tables.rootCount)
    self.syncedExternalCommits = core.stores.map(\.externalCommits)
    self.staleStores = core.refreshingStores
    super.init()
    core.register(inbox)
    for store in core.stores { store.contextBegan(editing) }
  }

  /// Runs queries that see the unsaved changes.
  var queries: QueryExecutor { QueryExecutor(context: self) }

  var hasChanges: Bool {
    !inserted.isEmpty || !changed.isEmpty || !deleted.isEmpty || !markedRows.isEmpty || !unloaded.deletions.isEmpty
  }

  // MARK: - Registration

  /// A batch for the objects of a fetch.
  func makeBatch(root: Int, keys: [Int64] = []) -> FetchBatch {
    FetchBatch(root: root, keys: keys, enumerations: enumerations, living: livingBatches)
  }

  func registered(root: Int, key: Int64) -> (any PersistentModel)? { identityMaps[root][key] }

  /// Registers a decoded or newly saved object as its row's.
  func register(_ object: any PersistentModel, root: Int, key: Int64, _ batch: FetchBatch? = nil) {
    let page = identityMaps[root].add(object, key)
    object.__state.register(self, key, page, ObjectIdentifier(object), batch)
  }

  /// Makes a second object of a row an alias of the registered one.
  func makeAlias(_ object: any PersistentModel, of registered: any PersistentModel, key: Int64) {
    // Its observers read it again, and then observe the registered object.
    if object.__isObserved {
      for property in type(of: object).__entity.properties { notify(object, property.index) }
    }
    RelationshipLoader.empty(object)
    object.__state.becomeAlias(of: registered, key: key)
  }

  /// Inserts an object and everything reachable from it that belongs to no context.
  override func insert(_ model: any PersistentModel) {
    beginUse(.change)
    defer { endUse() }
    // The program inserts it on purpose, so it stops being a stand-in.
    model.__resolved.__state.flags.remove(.standIn)
    var pending = [(object: model, revives: true)]
    var added = [any PersistentModel]()
    var adoption = Adoption(into: self)
    while let (next, revives) = pending.popLast() {
      let object = next.__resolved
      let isAdmitted = admit(object, revives: revives, &adoption)
      for reached in adoption.takeReached() { pending.append((object: reached, revives: false)) }
      guard isAdmitted else { continue }
      added.append(object)
      for property in type(of: object).__entity.properties.reversed() where !property.isAttribute {
        if let targets = object.relationship(property).targets {
          // Cascaded deletions are undone together.
          let isCascade = property.relationship?.deleteRule == .cascade
          pending.append(contentsOf: targets.reversed().map { ($0, isCascade) })
        }
      }
    }
    let revived = Set(added.lazy.filter { $0.__state.key != 0 }.map { ObjectIdentifier($0) })
    // Before connecting, which would record what such a list lacks as an addition; and after it, when the references are back.
    if !revived.isEmpty { completeLists(extending: revived) }
    for object in added { RelationshipMaintenance.connect(object) }
    if !revived.isEmpty { completeLists() }
    adoption.settle()
    if !added.isEmpty { didChange() }
  }

  /// Inserts an object, or reverts its unsaved deletion. Returns false if there is nothing to do or it belongs to
  /// another context.
  /// - Parameter cleared: what the deletion cleared that is undone; nil if none is.
  func admit(
    _ object: any PersistentModel, revives: Bool, undoing cleared: ClearedReferences? = nil, _ adoption: inout Adoption
  ) -> Bool {
    if let context = object.__state.context, context !== self, context.hasEnded {
      do {
        if try adoption.take(object, from: context) { return false }
      } catch {
        note(error)
        return false
      }
    }
    if let context = object.__state.context {
      if context !== self {
        noteForeign(object)
      } else if revives, object.__state.flags.contains(.deleted) {
        restoreDeleted(object)
        return true
      }
      return false
    }
    if object.__state.flags.contains(.standIn) {
      noteStandIn(object)
      return false
    }
    do {
      let table = try core.table(for: type(of: object).__entity)
      if let missing = object.__state.unloaded.flatMap({ unloaded in
        table.entity.properties.first { unloaded.contains($0.index) }
      }) {
        throw SwiftDataError(
          .modelValidationFailure, entity: table.entity.name, property: missing.name,
          message: "the object was deleted before this value was loaded, so it cannot be inserted again; read the value"
            + " before the deletion is saved")
      }
    } catch {
      note(error)
      return false
    }
    object.__state.context = self
    object.__state.flags = .inserted
    object.__state.key = 0
    inserted[ObjectIdentifier(object)] = object
    unsavedIndices.touch(object)
    if let identity = object.__state.temporaryIdentity { note(identity, of: object) }
    noteLive(object)
    let insertion = undoneInsertions.begin(object, in: self)
    registerUndo { context in
      if let cleared {
        context.redoRemoval(of: object, clearing: cleared)
      } else {
        context.undoInsertion(of: object, insertion)
      }
    }
    return true
  }

  /// Removes a new object.
  /// - Parameter cleared: what its deletion cleared; nil if its insertion is undone.
  func forget(_ object: any PersistentModel, clearing cleared: ClearedReferences?) {
    noteLive(object)
    inserted[ObjectIdentifier(object)] = nil
    undoneInsertions.end(object)
    unsavedIndices.touch(object)
    hasForgotten = true
    object.__state.flags = []
    unregister(object)
    registerUndo { $0.insertAgain(object, undoing: cleared) }
  }

  // MARK: - Temporary identities

  /// Records the identity of a new object.
  override func note(_ identity: TemporaryIdentity, of object: any PersistentModel) {
    beginUse(.use)
    defer { endUse() }
    temporary[identity] = ObjectIdentifier(object)
  }

  /// The new object with an identity.
  func insertedObject(_ identity: TemporaryIdentity) -> (any PersistentModel)? {
    guard let object = temporary[identity].flatMap({ inserted[$0] }),
      object.__state.temporaryIdentity == identity
    else { return nil }
    return object
  }

  /// Drops identities of objects that are no longer unsaved.
  func forgetTemporaryIdentities() {
    if !temporary.isEmpty { temporary = temporary.filter { inserted[$0.value] != nil } }
  }

  // MARK: - Changes

  /// Keeps the old value of a property that is about to change.
  override func recordChange(of object: any PersistentModel, _ index: Int, isInverse: Bool) {
    beginUse(.change)
    defer { endUse() }
    if isOver { return noteLateChange(of: object, index) }
    registerUndo(of: object, index, isInverse: isInverse)
    noteLive(object)
    // Also for a deleted object, because rollback() restores everything.
    if object.__state.flags.contains(.inserted) {
      unsavedIndices.touch(object, index)
      return didChange()
    }
    changed[ObjectIdentifier(object), default: ObjectChange(object: object)].record(index, isInverse: isInverse)
    if object.__state.flags.contains(.changed) {
      unsavedIndices.touch(object, index)
    } else {
      object.__state.flags.insert(.changed)
      unsavedIndices.touch(object)
    }
    didChange()
  }

  func didChange() { changeHandler?() }

  /// Records that an in-place change of a to-many was not compared completely.
  override func noteUnverified(_ object: any PersistentModel, _ index: Int) {
    beginUse(.change)
    defer { endUse() }
    if isOver { return }
    unverified[ObjectIdentifier(object), default: (object, PropertySet())].indices.insert(index)
  }

  /// Compares the recorded to-manys completely.
  func verifyLists() {
    let all = unverified
    unverified = [:]
    for (object, indices) in all.values where object.__state.context === self {
      for index in indices.indices {
        guard let change = object.relationship(at: index).verify() else { continue }
        RelationshipMaintenance.didChange(object, index, removed: change.removed, added: change.added)
      }
    }
  }

  // MARK: - What objects ask

  override func load(_ object: any PersistentModel, _ property: __Property) -> Bool {
    RelationshipLoader.load(object, property, self)
  }

  override func loadAttribute(_ object: any PersistentModel, _ index: Int) {
    RelationshipLoader.loadAttribute(object, index)
  }

  /// Whether the public context has ended. Called where an object of the context is used, and therefore where the context
  /// may end.
  override var hasEnded: Bool {
    if !isOver, contextUse.hasEnded.load(ordering: .acquiring) { discard() }
    return isOver
  }

  override func changing(_ body: () -> Void) {
    beginUse(.change)
    defer { endUse() }
    body()
  }

  override func registered(_ entity: __Entity, key: Int64) -> (any PersistentModel)? {
    (try? core.table(for: entity)).flatMap { registered(root: $0.root, key: key) }
  }

  override func identifier(ofKey key: Int64, _ entity: __Entity) -> PersistentIdentifier? {
    guard let table = try? core.table(for: entity) else { return nil }
    return core.store(of: table).identifier(ofKey: key, entity: entity.name)
  }

  override func example(of entity: __Entity) -> (any PersistentModel)? { queries.example(of: entity) }

  override func noteUnloaded(_ object: any PersistentModel, _ property: __Property, key: Int64) {
    unloaded.add(UnloadedRelationship(object: object, property: property, key: key))
  }

  // MARK: - Problems that cannot be thrown at once

  func note(_ error: any Error) {
    problems.append(error as? SwiftDataError ?? SwiftDataError(.io, underlying: error))
  }

  override func noteStandIn(_ object: any PersistentModel) { note(StandIn.error(object)) }

  override func noteForeign(
    _ object: any PersistentModel, property: __Property? = nil, of owner: (any PersistentModel)? = nil
  ) {
    let entity = type(of: object).__entity.name
    note(
      SwiftDataError(
        .relationshipAcrossContexts, entity: owner.map { type(of: $0).__entity.name } ?? entity,
        property: property?.name,
        message:
          "the \(entity) (\(object.persistentModelID)) belongs to another ModelContext that is in use; save it there,"
          + " then use this context's own object, model(for: object.persistentModelID). The next save() saves the other"
          + " changes of this context, and rollback() discards them"))
  }

  // MARK: - The end of the context

  /// Ends the context. Drops unsaved changes, and turns loaded relationships into faults, which breaks reference cycles.
  /// A stored object stays readable; an unsaved one keeps its values.
  func discard() {
    isOver = true
    core.unregister(inbox)
    problems = []
    unloaded = UnloadedRelationships()
    changeHandler = nil
    // Its actions hold objects, which hold this state.
    undoManager = nil
    undoneValues = UndoneValues()
    for store in core.stores { store.contextEnded(editing) }
    for change in changed.values { change.takeBackUnsavedTargets() }
    for object in Array(inserted.values) + changed.values.map(\.object) + deleted.values { object.__state.flags = [] }
    let unsaved = Array(inserted.values)
    inserted.removeAll()
    changed.removeAll()
    deleted.removeAll()
    unsavedIndices.removeAll()
    temporary = [:]
    unverified = [:]
    incompleteLists = [:]
    markedRows = MarkedRows()
    for object in unsaved { object.__state.context = nil }
    for map in identityMaps { for object in map.objects { RelationshipLoader.release(object) } }
    for object in departed.objects + unsaved where object.__state.context == nil {
      RelationshipLoader.empty(object)
    }
  }
}
