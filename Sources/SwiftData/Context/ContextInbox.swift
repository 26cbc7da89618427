import Foundation

/// The queue of other contexts' saves. It is the only part of a context that other threads access.
final class ContextInbox: Sendable {
  private struct State {
    var changes = PendingChanges()
    var wakes: [Int: @Sendable () -> Void] = [:]
    var lastSubscription = 0
  }
  private let state = Lock(State())

  func deliver(_ changes: SavedChanges) {
    let wakes = state.withLock { state in
      state.changes.add(changes)
      return Array(state.wakes.values)
    }
    for wake in wakes { wake() }
  }

  /// A subscription to deliveries. It lasts as long as it is referenced.
  final class Subscription: Sendable {
    private let inbox: ContextInbox
    private let number: Int

    fileprivate init(_ inbox: ContextInbox, _ number: Int) {
      self.inbox = inbox
      self.number = number
    }

    deinit {
      // The objects that the closure keeps end after the lock, because they may need it.
      let wake = inbox.state.withLock { $0.wakes.removeValue(forKey: number) }
      withExtendedLifetime(wake) {}
    }
  }

  /// - Parameter wake: called on the saving thread after a delivery.
  func onDelivery(_ wake: @escaping @Sendable () -> Void) -> Subscription {
    state.withLock { state in
      state.lastSubscription += 1
      state.wakes[state.lastSubscription] = wake
      return Subscription(self, state.lastSubscription)
    }
  }

  /// Removes and returns what was delivered.
  func takeAll() -> PendingChanges {
    state.withLock { state in
      defer { state.changes = PendingChanges() }
      return state.changes
    }
  }

  /// The number of keys that it keeps.
  var keyCount: Int { state.withLock { $0.changes.keyCount } }
}

extension ContextState {
  /// Takes in other contexts' saves, as the next fetch or save does.
  package func takeInSaves() {
    used(.change) {
      drainInbox()
      settleLive()
    }
  }

  /// Refreshes registered objects from other contexts' saves. An object with unsaved changes keeps these and takes the
  /// rest.
  func drainInbox() {
    if !unloaded.isEmpty { refaultUnloaded() }
    if undoManager != nil { undoneValues.noteNew() }
    let pending = inbox.takeAll()
    guard !pending.isEmpty else { return }
    var changes = pending.united
    quietly {
      apply(changes)
      // A live query still shows the objects that keep their edits.
      changes.deleted = changes.deleted.map(withoutEdited)
      // Before observers of the merged properties run, because these may read a live query's result.
      liveQueries.forEach { $0.note(changes) }
    }
  }

  private func apply(_ changes: SavedChanges) {
    for group in changes.updated {
      _ = reload(group.keys.compactMap { registered(root: group.root, key: $0) }, of: group.entity)
    }
    for name in changes.manyChanged { reloadAll(name) }
    letGo(of: changes.deleted, keepingEdits: true)
    if changes.isEverything { staleStores.formUnion(core.stores.indices) }
    refault(pointingTo: changes.isEverything ? nil : changes.entities, merging: true)
  }

  /// Reads the rows of registered objects of a class that other contexts changed.
  /// - Returns: the keys of the rows; nil if they could not be read.
  private func reload(_ stale: [any PersistentModel], of entity: String) -> [Int64]? {
    for object in stale { changed[ObjectIdentifier(object)]?.isStale = true }
    do {
      return try queries.reload(stale)
    } catch {
      note(error)
      // The next fetch reads the rows into these objects.
      if let store = core.table(named: entity)?.store { staleStores.insert(store) }
      return nil
    }
  }

  /// Reads the rows of all registered objects of a class, and lets go of the objects without a row.
  private func reloadAll(_ entity: String) {
    guard let table = core.table(named: entity) else { return }
    let objects = identityMaps[table.root].objects.filter { type(of: $0).__entity === table.entity }
    guard let found = reload(objects, of: entity).map({ Set($0) }) else { return }
    let gone = objects.map { $0.__state.key }.filter { !found.contains($0) }
    if !gone.isEmpty { letGo(of: [.init(root: table.root, entity: entity, keys: gone)], keepingEdits: true) }
  }

  /// Turns loaded to-manys of the entities into faults.
  /// - Parameter merging: whether to-manys with unsaved changes merge other saves with these changes.
  func refault(pointingTo entities: Set<String>?, merging: Bool = false) {
    for table in core.tables.all {
      let stale = table.toMany.filter { property in
        guard let entities else { return true }
        return core.table(named: property.destination!.__entity.name)?.family.contains { entities.contains($0.name) }
          ?? false
      }
      guard !stale.isEmpty else { continue }
      for object in identityMaps[table.root].objects where type(of: object).__entity === table.entity {
        let change = changed[ObjectIdentifier(object)]
        for property in stale {
          if let change, change.properties.contains(property.index) {
            guard merging else { continue }
            do { try merge(change, property) } catch { note(error) }
          } else if !isOver || unsavedProperties(of: object)?.contains(property.index) != true {
            object.relationship(property).becomeFault(0)
          }
          notify(object, property.index)
        }
      }
    }
  }

  /// Lets the lists that were loaded without deleted objects be read again, because such an object is back.
  /// - Parameter revived: owners that are back themselves. Their lists get what they lack and wait for the next call, because the
  ///   references that the deletions of the owners cleared are not back yet: the lists alone say which these are.
  func completeLists(extending revived: Set<ObjectIdentifier> = []) {
    let all = incompleteLists
    incompleteLists = revived.isEmpty ? [:] : all.filter { revived.contains($0.key) }
    for (object, indices) in all.values where object.__state.context === self {
      let change = changed[ObjectIdentifier(object)]
      for index in indices.indices {
        let property = type(of: object).__entity.properties[index]
        if revived.contains(ObjectIdentifier(object)) {
          do { try extend(object, property) } catch { note(error) }
          continue
        }
        if let change, change.properties.contains(index) {
          do { try merge(change, property) } catch { note(error) }
        } else {
          object.relationship(at: index).becomeFault(0)
        }
        notify(object, index)
      }
    }
  }

  /// Adds to a to-many what the store and unsaved changes have and it lacks.
  private func extend(_ object: any PersistentModel, _ property: __Property) throws {
    guard let now = object.relationship(property).targets else { return }
    let (_, shown, positioned) = try RelationshipLoader.toMany(object, property, self)
    let own = Set(now.map { ObjectIdentifier($0) })
    let came = shown.filter { !own.contains(ObjectIdentifier($0)) }
    if !came.isEmpty { object.relationship(property).load(now + came, positioned: positioned) }
  }

  /// Applies the unsaved changes of a to-many to the stored list.
  private func merge(_ change: ObjectChange, _ property: __Property) throws {
    let object = change.object
    guard let now = object.relationship(property).targets,
      let original = change.originals.firstIndex(where: { $0.index == property.index }),
      let base = change.originalTargets(property.index)
    else { return }
    let (stored, shown, positioned) = try RelationshipLoader.toMany(object, property, self)
    func ids(_ objects: [any PersistentModel]) -> Set<ObjectIdentifier> { Set(objects.map { ObjectIdentifier($0) }) }
    let (before, own, theirs) = (ids(base), ids(now), ids(shown))
    let kept = now.filter { target in
      let id = ObjectIdentifier(target)
      return theirs.contains(id) || (!before.contains(id) && target.__state.context === self)
    }
    let came = shown.filter { !own.contains(ObjectIdentifier($0)) && !before.contains(ObjectIdentifier($0)) }
    // From now on, the unsaved change is the difference from this list.
    object.relationship(property).load(stored, positioned: positioned)
    changed[ObjectIdentifier(object)]?.originals[original].value = object.__value(at: property.index)
    object.relationship(property).load(kept + came, positioned: positioned)
  }

  /// Notifies observers of an object that the engine changed a property.
  func notify(_ object: any PersistentModel, _ index: Int) {
    if !object.__state.flags.isDisjoint(with: [.inserted, .changed]) { unsavedIndices.touch(object, index) }
    guard object.__isObserved else { return }
    if quietDepth > 0 { return pendingNotifications.append((object, index)) }
    object.__notify(index, .willSet)
    object.__notify(index, .didSet)
  }

  /// Performs work whose intermediate states observers must not see. Notifications are delayed until the work is done,
  /// because an observer may fetch, and must find neither a read in progress nor half of another context's save.
  func quietly<T>(_ work: () throws -> T) rethrows -> T {
    quietDepth += 1
    defer {
      quietDepth -= 1
      // Observers may add to the list.
      while quietDepth == 0, let (object, index) = pendingNotifications.popFirst() { notify(object, index) }
    }
    return try work()
  }
}
