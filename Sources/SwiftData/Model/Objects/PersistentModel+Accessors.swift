// Only the code that `@Model` expands to calls what is public here and has no description.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Observation

// The functions that generated accessors call. Each takes the property's index, and no key path: type-checking one takes
// the compiler half a millisecond, and only an observed object needs it.

extension PersistentModel {
  /// A getter calls this before it reads. It loads an attribute that a partial fetch omitted and registers the read
  /// with Observation.
  @inlinable
  public nonisolated func __willGet(_ index: Int) {
    // Fast path: the object is fully loaded and not observed.
    if __state.ownExtras == nil, !__isReadTracked(by: __state.probe) { return }
    __loadIfNeeded(index)
    if __isObserved || __isReadTracked(by: __state.probe) { __report(index, .access) }
  }

  /// A relationship's getter calls this while its slot is a fault. It loads the relationship for all objects of the
  /// same fetch.
  public nonisolated func __fire(_ index: Int) { Faults.fire(self, index) }

  /// A setter calls this before it writes. It loads the replaced value, records it and notifies observers.
  @inlinable
  public nonisolated func __willSet(_ index: Int) {
    __recordChange(index)
    if __isObserved { __report(index, .willSet) }
  }

  /// An attribute's setter calls this after it wrote.
  @inlinable
  public nonisolated func __didSet(_ index: Int) {
    if __isObserved { __report(index, .didSet) }
  }

  /// A slot's setter calls this after it wrote. It keeps the inverse of a relationship consistent.
  @inlinable
  public nonisolated func __didStore(_ index: Int, _ change: __RelationshipChange) {
    __maintain(index, change)
    if __isObserved { __report(index, .didSet) }
  }

  /// Notifies Observation of an access by the program, or forwards it if the object is an alias.
  public nonisolated func __report(_ index: Int, _ phase: __ObservationPhase) {
    if __state.aliased == nil { __notify(index, phase) } else { Alias.forward(self, index, phase) }
  }

  /// Tells Observation that the property at an index is read, is about to change or has changed.
  ///
  /// Observation knows the property by its key path, whose root is the declaring class.
  public nonisolated func __notify(_ index: Int, _ phase: __ObservationPhase) {
    var entity = Self.__entity
    let property = entity.properties[index]
    while index < entity.inheritedCount { entity = entity.superentity! }
    func notify<Root: PersistentModel>(_: Root.Type) {
      func notify<Value>(of _: Value.Type) {
        let object = unsafeDowncast(self, to: Root.self)
        // The macro writes the property's key path and value type together, and `entity` declares the property.
        let keyPath = property.keyPath as! KeyPath<Root, Value>
        switch phase {
        case .access: __registrar.access(object, keyPath: keyPath)
        case .willSet: __registrar.willSet(object, keyPath: keyPath)
        case .didSet: __registrar.didSet(object, keyPath: keyPath)
        }
      }
      _openExistential(property.valueType, do: notify(of:))
    }
    notify(entity.type)
  }

  /// Runs a property's own `willSet` or `didSet` unless it already runs.
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
  public nonisolated var __isObserved: Bool { __state.ownExtras != nil && __state.isObserved }

  public nonisolated func __loadIfNeeded(_ index: Int) {
    if __state.unloaded?.contains(index) == true { __state.host?.loadAttribute(self, index) }
  }

  public nonisolated func __recordChange(_ index: Int) {
    __loadIfNeeded(index)
    if relationship(at: index).isFault { __fire(index) }
    __state.host?.recordChange(of: self, index, isInverse: false)
  }

  public nonisolated func __maintain(_ index: Int, _ change: __RelationshipChange) {
    guard change.isRelationship, !(change.removed.isEmpty && change.added.isEmpty) || __state.flags.contains(.orphaned)
    else { return }
    // The object takes the new value, and maintains its other side.
    if __state.aliased != nil { return }
    func maintain() {
      RelationshipMaintenance.didChange(self, index, removed: change.removed, added: change.added)
    }
    if let host = __state.host { host.changing(maintain) } else { maintain() }
  }
}

/// Whether the read must be reported to Observation. An object without a context always reports it.
@usableFromInline
func __isReadTracked(by probe: Unmanaged<TrackingProbe>?) -> Bool {
  probe?._withUnsafeGuaranteedRef { $0.isTracking } ?? true
}
