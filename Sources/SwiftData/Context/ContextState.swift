import Foundation

/// The unit of work behind a ``ModelContext``: the identity map and what was inserted, changed and deleted.
///
/// Objects hold the state, so that an object whose context is gone can still load its relationships.
package final class ContextState {
  let core: ContainerCore
  let inbox: ContextInbox
  weak var facade: ModelContext?
  /// The identity of the context and its author, as stores see them.
  package var editing = EditingState()
  #if DEBUG
    let contextUse = ContextUse()
  #endif

  // MARK: - Mutable State
  // All of it belongs to the thread or actor of the context.

  /// The live objects, by hierarchy and key. Weak: an object that nobody holds is fetched again.
  @exclusivity(unchecked)  // finding and adding an object runs nothing else
  var identityMaps: [IdentityMap]
  /// New objects, in the order of insertion. Strong.
  var inserted: OrderedDictionary<ObjectIdentifier, any PersistentModel> = [:]
  /// Stored objects with unsaved changes, deleted ones too. Strong. Invariant: none of them is in `inserted`.
  var changed: OrderedDictionary<ObjectIdentifier, ObjectChange> = [:]
  /// Stored objects to delete. Strong. Invariant: an object in it has the flag `deleted`.
  var deleted: OrderedDictionary<ObjectIdentifier, any PersistentModel> = [:]
  /// Stored rows to delete whose objects nobody needed so far.
  var markedRows = MarkedRows()
  /// Objects that are in none of these any more.
  var departed = DepartedObjects()
  /// What went wrong where nothing could be thrown; the next save throws the first.
  var problems: [SwiftDataError] = []
  /// The store's count of foreign commits up to which registered objects are fresh.
  var syncedForeignCommits: [Int]
  /// Stores in which another process committed, or that cannot tell. A fetch from them also refreshes registered objects.
  var staleStores: Set<Int>
  /// How many pieces of work are under way, one in the other, that observers may not see the middle of.
  var quietDepth = 0
  /// Changes of observed objects that such work made and observers have not heard of yet.
  var pendingNotifications = Queue<(any PersistentModel, Int)>()
  /// The fetches that somebody keeps watching.
  var liveQueries = LiveQueries()
  var undoManager: UndoManager?
  var isUndoing = false
  var changeHandler: (() -> Void)?
  let trackingProbe = TrackingProbe()

  init(core: ContainerCore) {
    self.core = core
    self.inbox = ContextInbox()
    self.identityMaps = Array(repeating: IdentityMap(), count: core.rootCount)
    self.syncedForeignCommits = core.stores.map(\.foreignCommits)
    self.staleStores = core.refreshingStores
    core.register(inbox)
    for store in core.stores { store.contextBegan(editing) }
  }

  /// One stored object's unsaved changes.
  package struct ObjectChange {
    package let object: any PersistentModel
    package var properties = PropertySet()
    /// The values before the first change since the last save, for rollback and for pairs of many-to-manys.
    package var originals: [(index: Int, value: Any)] = []
    /// Whether others saved the object meanwhile, so that the originals may be history.
    var isStale = false

    /// Keeps the value that a property has now, unless an earlier one is kept.
    mutating func record(_ index: Int) {
      guard !properties.contains(index) else { return }
      properties.insert(index)
      originals.append((index, object.__value(at: index)))
    }
  }

  var hasChanges: Bool { !inserted.isEmpty || !changed.isEmpty || !deleted.isEmpty || !markedRows.isEmpty }

  // MARK: - Registration

  func registered(root: Int, key: Int64) -> (any PersistentModel)? { identityMaps[root][key] }

  /// Makes a decoded or newly saved object the one of its row.
  func register(_ object: any PersistentModel, root: Int, key: Int64, _ batch: FetchBatch? = nil) {
    object.__state.register(self, key, batch)
    identityMaps[root][key] = object
  }

  /// Forgets an object: it keeps its values and belongs to no context.
  func unregister(_ object: any PersistentModel) {
    if let table = try? core.table(for: type(of: object).__entity), object.__state.key != 0,
      identityMaps[table.root][object.__state.key] === object
    {
      identityMaps[table.root][object.__state.key] = nil
    }
    if object.__state.key != 0 { object.__state.former = FormerIdentity(object.persistentModelID) }
    object.__state.context = nil
    object.__state.batch = nil
    departed.add(object)
  }

  /// Inserts an object and everything it reaches that belongs to no context yet.
  func insert(_ model: any PersistentModel) {
    beginUse(.change)
    defer { endUse() }
    var pending = [(object: model, revives: true)]
    var added = [any PersistentModel]()
    while let (object, revives) = pending.popLast() {
      guard admit(object, revives: revives) else { continue }
      added.append(object)
      for property in type(of: object).__entity.properties.reversed() where !property.isAttribute {
        if case .targets(let targets, _) = object.__relationship(property.index, .read) {
          // What was deleted along comes back along.
          let isCascade = property.relationship?.deleteRule == .cascade
          pending.append(contentsOf: targets.reversed().map { ($0, isCascade) })
        }
      }
    }
    for object in added { RelationshipMaintenance.connect(object) }
    // Arrays that were loaded meanwhile are without what was deleted.
    let revived = Set(added.lazy.filter { $0.__state.key != 0 }.map { type(of: $0).__entity.name })
    if !revived.isEmpty { refault(pointingTo: revived) }
    if !added.isEmpty { didChange() }
  }

  /// Takes one object in, or takes its unsaved deletion back. False where there is nothing to do, or where it belongs
  /// elsewhere.
  private func admit(_ object: any PersistentModel, revives: Bool) -> Bool {
    if let context = object.__state.context {
      if context !== self {
        noteForeign(object)
      } else if revives, object.__state.flags.contains(.deleted) {
        restoreDeleted(object)
        return true
      }
      return false
    }
    do {
      _ = try core.table(for: type(of: object).__entity)
    } catch {
      note(error)
      return false
    }
    object.__state.context = self
    object.__state.flags = .inserted
    object.__state.key = 0
    inserted[ObjectIdentifier(object)] = object
    noteLive(object)
    registerUndo { $0.undoInsertion(of: object) }
    return true
  }

  /// A save may have come between: then the row goes.
  private func undoInsertion(of object: any PersistentModel) {
    guard inserted[ObjectIdentifier(object)] != nil else { return delete(object) }
    let targets = RelationshipMaintenance.unrecordedReferences(to: object)
    forget(object)
    // What it is to itself, it stays: nothing would give that back with the next insertion.
    for (target, inverse) in targets where target !== object {
      _ = target.__relationship(inverse.index, .remove(object))
      notify(target, inverse.index)
    }
  }

  /// Takes a new object out.
  func forget(_ object: any PersistentModel) {
    noteLive(object)
    inserted[ObjectIdentifier(object)] = nil
    object.__state.flags = []
    unregister(object)
    registerUndo { $0.insertAgain(object) }
  }

  /// Takes a forgotten object in again, and it alone: what was forgotten with it comes back by undo actions of its own,
  /// and what it only points at may be gone for good.
  private func insertAgain(_ object: any PersistentModel) {
    guard object.__state.context == nil, admit(object, revives: false) else { return }
    RelationshipMaintenance.connect(object, within: self)
    didChange()
  }

  // MARK: - Changes

  /// Keeps the old value of a property that is about to change.
  func recordChange(of object: any PersistentModel, _ index: Int) {
    beginUse(.change)
    defer { endUse() }
    registerUndo(of: object, index)
    noteLive(object)
    // A deleted object's are kept too: rollback() gives everything back.
    if object.__state.flags.contains(.inserted) { return didChange() }
    changed[ObjectIdentifier(object), default: ObjectChange(object: object)].record(index)
    object.__state.flags.insert(.changed)
    didChange()
  }

  func didChange() { changeHandler?() }

  // MARK: - Problems that cannot be thrown at once

  func note(_ error: any Error) {
    problems.append(error as? SwiftDataError ?? SwiftDataError(.io, underlying: error))
  }

  func noteForeign(_ object: any PersistentModel, property: __Property? = nil, of owner: (any PersistentModel)? = nil) {
    let entity = type(of: object).__entity.name
    note(
      SwiftDataError(
        .relationshipAcrossContexts, entity: owner.map { type(of: $0).__entity.name } ?? entity,
        property: property?.name,
        message: "the \(entity) belongs to another ModelContext; fetch it in this context with"
          + " model(for: object.persistentModelID) and use that object"))
  }

  // MARK: - The end of the context

  /// Called when the public context goes: unsaved changes go with it, and loaded relationships become faults again,
  /// which breaks the reference cycles between objects. Whoever holds a stored object can go on reading it; one that
  /// no store has keeps its values.
  func discard() {
    problems = []
    changeHandler = nil
    // Its actions hold objects, which hold this.
    undoManager = nil
    for store in core.stores { store.contextEnded(editing) }
    takeBackUnsavedTargets()
    for object in inserted.values + changed.values.map(\.object) + deleted.values { object.__state.flags = [] }
    let unsaved = Array(inserted.values)
    inserted = [:]
    changed = [:]
    deleted = [:]
    markedRows = MarkedRows()
    for object in unsaved { object.__state.context = nil }
    for map in identityMaps { for object in map.objects { RelationshipLoader.release(object) } }
    for object in departed.objects + unsaved where object.__state.context == nil {
      RelationshipLoader.empty(object)
    }
  }

  /// A to-one that points at what was never saved points at its stored target again.
  private func takeBackUnsavedTargets() {
    for change in changed.values {
      let properties = type(of: change.object).__entity.properties
      for (index, value) in change.originals where properties[index].isToOne {
        guard case .targets(let targets, _) = change.object.__relationship(index, .read),
          targets.contains(where: { $0.__state.key == 0 })
        else { continue }
        change.object.__setValue(value, at: index)
      }
    }
  }
}
