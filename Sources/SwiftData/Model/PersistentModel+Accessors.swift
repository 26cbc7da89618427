public import Observation

// What the accessors call that `@Model` writes. Each takes the property's index and, unevaluated, its key path.

extension PersistentModel {
  /// Called by a getter before it reads: loads what a partial fetch left out and tells the observation in progress.
  @inlinable
  public nonisolated func __willGet<V>(_ index: Int, _ keyPath: @autoclosure () -> KeyPath<Self, V>) {
    // The usual object, all loaded and observed by nobody, is done here.
    if __state.extras == nil, !__isReadTracked(by: __state.probe) { return }
    __loadIfNeeded(index)
    if __isObserved || __isReadTracked(by: __state.probe) { __registrar.access(self, keyPath: keyPath()) }
  }

  /// Called by a getter of a relationship while its slot is a fault: loads it, for all objects of the same fetch.
  public nonisolated func __fire(_ index: Int) { RelationshipLoader.fire(self, index) }

  /// Called by a setter before it writes: loads what it replaces, keeps the old value and tells observers.
  @inlinable
  public nonisolated func __willSet<V>(_ index: Int, _ keyPath: @autoclosure () -> KeyPath<Self, V>) {
    __recordChange(index)
    if __isObserved { __registrar.willSet(self, keyPath: keyPath()) }
  }

  /// Called by a setter of an attribute after it wrote.
  @inlinable
  public nonisolated func __didSet<V>(_ index: Int, _ keyPath: @autoclosure () -> KeyPath<Self, V>) {
    if __isObserved { __registrar.didSet(self, keyPath: keyPath()) }
  }

  /// Called by a setter of a slot after it wrote: keeps the other side of a relationship right.
  @inlinable
  public nonisolated func __didSet<V>(
    _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ change: __RelationshipChange
  ) {
    __maintain(index, change)
    if __isObserved { __registrar.didSet(self, keyPath: keyPath()) }
  }

  /// Runs a property's own `willSet` or `didSet` unless it is running already.
  public nonisolated func __observer(_ index: Int, _ body: () -> Void) {
    if __state.runningObservers?.contains(index) == true { return }
    __state.runningObservers = __state.runningObservers ?? PropertySet()
    __state.runningObservers!.insert(index)
    body()
    __state.runningObservers!.remove(index)
  }

  public nonisolated var __registrar: ObservationRegistrar {
    if let registrar = __state.registrar { return registrar }
    let registrar = ObservationRegistrar()
    __state.registrar = registrar
    return registrar
  }

  @inlinable
  public nonisolated var __isObserved: Bool { __state.extras != nil && __state.isObserved }

  public nonisolated func __loadIfNeeded(_ index: Int) {
    if __state.unloaded?.contains(index) == true { RelationshipLoader.loadAttribute(self, index) }
  }

  public nonisolated func __recordChange(_ index: Int) {
    __loadIfNeeded(index)
    if case .fault = __relationship(index, .check) { __fire(index) }
    __state.context?.recordChange(of: self, index)
  }

  public nonisolated func __maintain(_ index: Int, _ change: __RelationshipChange) {
    guard change.isRelationship, !(change.removed.isEmpty && change.added.isEmpty) || __state.flags.contains(.orphaned)
    else { return }
    let context = __state.context
    context?.beginUse(.change)
    defer { context?.endUse() }
    RelationshipMaintenance.didChange(self, index, removed: change.removed, added: change.added)
  }
}

/// Assigns an engine value to an attribute's storage.
public func __assign<V>(_ storage: inout V, _ value: Any) { storage = value as! V }

/// Assigns an engine value to a slot: a fault key, or a loaded value.
public func __assign<V>(_ storage: inout __Slot<V>, _ value: Any) {
  if let slot = value as? __Slot<V> {
    storage = slot
  } else {
    storage.value = (value as! V)
    // Whether the store keeps positions is not in the value; the index beside a long list is another list's.
    storage.key &= 1
  }
}

/// Whether somebody may have to hear of what is read now. An object without a context always has its observers told.
@usableFromInline
func __isReadTracked(by probe: Unmanaged<TrackingProbe>?) -> Bool {
  probe?._withUnsafeGuaranteedRef { $0.isTracking } ?? true
}
