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
  public nonisolated func __didSet<V, S>(
    _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ change: __RelationshipChange<S>
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
    if case .fault = __relationship(index, .read) { __fire(index) }
    __state.context?.recordChange(of: self, index)
  }

  public nonisolated func __maintain<S>(_ index: Int, _ change: __RelationshipChange<S>) {
    guard change.isRelationship else { return }
    let context = __state.context
    context?.beginUse(.change)
    defer { context?.endUse() }
    RelationshipMaintenance.didChange(self, index, removed: change.removed, added: change.added)
  }
}

/// The change that assigning `new` to a slot makes. The overloads let the type checker tell a relationship from an
/// attribute.
@_disfavoredOverload
public func __change<V: Codable>(_ slot: __Slot<V>, _ new: V) -> __RelationshipChange<V> {
  __RelationshipChange(value: new, removed: [], added: [], isRelationship: false)
}

/// The change that assigning to an attribute with a column type of its own makes.
public func __change<V: __ColumnValue>(_ slot: __Slot<V>, _ new: V) -> __RelationshipChange<V> {
  __RelationshipChange(value: new, removed: [], added: [], isRelationship: false)
}

/// Chosen for a type that cannot be persisted: the one error about it, at the property.
@available(*, unavailable, message: "a persisted property is a model, models, or Codable; else mark it @Transient")
@_disfavoredOverload
public func __change<V>(_ slot: __Slot<V>, _ new: V) -> __RelationshipChange<V> {
  __RelationshipChange(value: new, removed: [], added: [], isRelationship: false)
}

public func __change<M: PersistentModel>(_ slot: __Slot<M>, _ new: M) -> __RelationshipChange<M> {
  __RelationshipChange(
    value: new, removed: slot.value === new ? [] : slot.value.map { [$0] } ?? [],
    added: slot.value === new ? [] : [new], isRelationship: true)
}

public func __change<M: PersistentModel>(_ slot: __Slot<M?>, _ new: M?) -> __RelationshipChange<M?> {
  let old = slot.value ?? nil
  return __RelationshipChange(
    value: new, removed: old === new ? [] : old.map { [$0] } ?? [], added: old === new ? [] : new.map { [$0] } ?? [],
    isRelationship: true)
}

public func __change<M: PersistentModel>(_ slot: __Slot<[M]>, _ new: [M]) -> __RelationshipChange<[M]> {
  let (value, removed, added) = toManyChange(slot.value ?? [], new)
  return __RelationshipChange(value: value, removed: removed, added: added, isRelationship: true)
}

public func __change<M: PersistentModel>(_ slot: __Slot<[M]?>, _ new: [M]?) -> __RelationshipChange<[M]?> {
  let (value, removed, added) = toManyChange((slot.value ?? nil) ?? [], new ?? [])
  return __RelationshipChange(
    value: new == nil ? nil : value, removed: removed, added: added, isRelationship: true)
}

/// A to-many holds each target once; the usual append compares a prefix and adds one.
/// - Complexity: O(old + new).
private func toManyChange<M: PersistentModel>(
  _ old: [M], _ new: [M]
) -> (value: [M], removed: [M], added: [M]) {
  if new.count == old.count + 1, zip(old, new).allSatisfy({ $0 === $1 }), let last = new.last {
    return old.contains { $0 === last } ? (old, [], []) : (new, [], [last])
  }
  var seen = Set<ObjectIdentifier>()
  let value = new.filter { seen.insert(ObjectIdentifier($0)).inserted }
  let before = Set(old.map(ObjectIdentifier.init))
  return (
    value, old.filter { !seen.contains(ObjectIdentifier($0)) },
    value.filter { !before.contains(ObjectIdentifier($0)) }
  )
}

/// Assigns an engine value to an attribute's storage.
public func __assign<V>(_ storage: inout V, _ value: Any) { storage = value as! V }

/// Assigns an engine value to a slot: a fault key, or a loaded value.
public func __assign<V>(_ storage: inout __Slot<V>, _ value: Any) {
  if let slot = value as? __Slot<V> { storage = slot } else { storage = __Slot(value as! V) }
}

extension __Slot {
  /// An attribute is no relationship.
  @_disfavoredOverload
  public mutating func __perform(_ operation: __RelationshipOperation) -> __RelationshipContent { .none }
}

extension __Slot where Value: PersistentModel {
  public mutating func __perform(_ operation: __RelationshipOperation) -> __RelationshipContent {
    switch operation {
    case .read, .contains: break
    case .load(let targets, _): value = targets.first as! Value?
    case .fault(let key):
      value = nil
      self.key = key
    case .add(let target): value = (target as! Value)
    case .remove: break  // a required target stays until another replaces it; saving without one is refused
    }
    return value.map { .targets([$0], positioned: false) } ?? .fault(key)
  }
}

extension __Slot {
  public mutating func __perform<M: PersistentModel>(_ operation: __RelationshipOperation) -> __RelationshipContent
  where Value == M? {
    switch operation {
    case .read, .contains: break
    case .load(let targets, _): value = .some(targets.first as! M?)
    case .fault(let key):
      value = key == 0 ? .some(nil) : nil
      self.key = key
    case .add(let target): value = .some((target as! M))
    case .remove(let target): if let current = value ?? nil, current === target { value = .some(nil) }
    }
    guard let loaded = value else { return .fault(key) }
    return .targets(loaded.map { [$0] } ?? [], positioned: false)
  }

  public mutating func __perform<M: PersistentModel>(_ operation: __RelationshipOperation) -> __RelationshipContent
  where Value == [M] {
    if case .load(let targets, let positioned) = operation {
      (value, key) = (targets.map { $0 as! M }, positioned ? 1 : 0)
    }
    if case .fault = operation { value = nil }
    guard value != nil else { return .fault(0) }
    if case .contains(let target) = operation { return containment(value!, target) }
    change(&value!, operation)
    if case .add = operation { return .none }
    return .targets(value!, positioned: key == 1)
  }

  public mutating func __perform<M: PersistentModel>(_ operation: __RelationshipOperation) -> __RelationshipContent
  where Value == [M]? {
    if case .load(let targets, let positioned) = operation {
      (value, key) = (targets.map { $0 as! M }, positioned ? 1 : 0)
    }
    if case .fault = operation { value = nil }
    guard let loaded = value else { return .fault(0) }
    if case .contains(let target) = operation { return containment(loaded ?? [], target) }
    if case .add = operation, loaded == nil { value = .some([]) }
    if value! != nil { change(&value!!, operation) }
    if case .add = operation { return .none }
    return .targets(value! ?? [], positioned: key == 1)
  }
}

private func containment<M: PersistentModel>(
  _ targets: [M], _ target: any PersistentModel
) -> __RelationshipContent {
  .targets(targets.contains { $0 === target } ? [target] : [], positioned: false)
}

private func change<M: PersistentModel>(_ targets: inout [M], _ operation: __RelationshipOperation) {
  switch operation {
  case .add(let target): targets.append(target as! M)
  case .remove(let target): targets.removeAll { $0 === target }
  case .read, .contains, .load, .fault: break
  }
}

/// Whether somebody may have to hear of what is read now. An object without a context always has its observers told.
@usableFromInline
func __isReadTracked(by probe: Unmanaged<TrackingProbe>?) -> Bool {
  probe?._withUnsafeGuaranteedRef { $0.isTracking } ?? true
}
