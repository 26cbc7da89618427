/// Keeps both sides of a relationship consistent in memory.
enum RelationshipMaintenance {
  /// Called after a setter stored a new value. Updates the removed and added targets.
  /// - Parameter isAssigned: false if an earlier value was restored, which a target may have released since.
  static func didChange(
    _ object: any PersistentModel, _ index: Int, removed: [any PersistentModel], added: [any PersistentModel],
    isAssigned: Bool = true
  ) {
    let entity = type(of: object).__entity
    let property = entity.properties[index]
    let info = RelationshipInfo.of(property, in: entity)
    var (removed, added) = (removed, added)
    if added.contains(where: { $0.__state.aliased != nil }) {
      let kept = Set(resolveTargets(of: object, index).map { ObjectIdentifier($0) })
      removed.removeAll { kept.contains(ObjectIdentifier($0)) }
      added = added.map { $0.__resolved }
    }
    if isAssigned, object.__state.flags.contains(.orphaned),
      let targets = object.relationship(at: index).targets,
      property.isToOne
    {
      added = targets
    }
    for target in removed { disconnect(object, from: target, info) }
    for target in added {
      guard share(object, target, property) else { continue }
      connect(object, to: target, info)
    }
  }

  /// Called after an object was inserted, because its initializer could not update the other sides.
  /// - Parameters:
  ///   - host: limits it to objects of that context.
  ///   - cleared: references that are restored otherwise.
  static func connect(
    _ object: any PersistentModel, within host: ModelHost? = nil, except cleared: ClearedReferences? = nil
  ) {
    let entity = type(of: object).__entity
    for property in entity.properties where !property.isAttribute {
      guard var targets = object.relationship(property).targets, !targets.isEmpty else {
        continue
      }
      if targets.contains(where: { $0.__state.aliased != nil }) { targets = resolveTargets(of: object, property.index) }
      let info = RelationshipInfo.of(property, in: entity)
      for target in targets where cleared?.contain(target, property) != true {
        guard let host else {
          if share(object, target, property) { connect(object, to: target, info) }
          continue
        }
        // An object outside is updated too, because it may be inserted next.
        let other = target.__state.host
        if other == nil || other === host { connect(object, to: target, info) }
      }
    }
  }

  /// Replaces aliases among the targets of a loaded relationship by their objects.
  /// - Returns: the targets.
  private static func resolveTargets(of object: any PersistentModel, _ index: Int) -> [any PersistentModel] {
    guard let (targets, positioned) = object.relationship(at: index).list else { return [] }
    var seen = Set<ObjectIdentifier>()
    let resolved = targets.map { $0.__resolved }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    if resolved.count < targets.count || !zip(targets, resolved).allSatisfy({ $0 === $1 }) {
      object.relationship(at: index).load(resolved, positioned: positioned)
    }
    return resolved
  }

  /// Moves two related objects into one context: the registered one inserts the other.
  /// - Returns: false if they belong to two contexts. The next save throws that error.
  private static func share(
    _ object: any PersistentModel, _ target: any PersistentModel, _ property: __Property
  ) -> Bool {
    switch (object.__state.host, target.__state.host) {
    case (nil, nil): return true
    case (let host?, nil): return insert(target, into: host)
    case (nil, let host?): return insert(object, into: host)
    case (let own?, let other?):
      if own === other { return true }
      // An object of an ended context moves into the other's context.
      let isOtherOver = other.hasEnded
      if isOtherOver || own.hasEnded {
        isOtherOver ? own.insert(target) : other.insert(object)
        if object.__state.host === target.__state.host { return true }
      }
      own.noteForeign(target, property: property, of: object)
      return false
    }
  }

  /// - Returns: false for an object that stands for a row that is gone: a relationship must not invent it again.
  private static func insert(_ object: any PersistentModel, into host: ModelHost) -> Bool {
    guard !object.__state.flags.contains(.standIn) else {
      host.noteStandIn(object)
      return false
    }
    // An ended context would hold the new object, which holds the context. It can save neither.
    if !host.hasEnded { host.insert(object) }
    return true
  }

  private static func connect(_ object: any PersistentModel, to target: any PersistentModel, _ info: RelationshipInfo) {
    guard let inverse = info.inverse else { return }
    noteRegained(object)
    noteRegained(target)
    let inverseIndex = inverse.index
    switch target.relationship(inverse).membership(of: object) {
    case nil, .contained: return
    case .absent(let former):
      change(target, inverseIndex, isInverse: true) { target.relationship(inverse).add(object) }
      if !inverse.isToMany, let former { leave(target, former, info) }
    case .fault(let key):
      if inverse.isToMany {
        // The fault merges the stored list with unsaved changes when it fires.
        if info.property === inverse { target.__fire(inverseIndex) }
        return
      }
      if !info.property.isToMany {
        // The former owner must clear its own key.
        target.__fire(inverseIndex)
        return connect(object, to: target, info)
      }
      let former = target.__state.host?.registered(info.source, key: key)
      if former === object {
        target.relationship(inverse).load([object], positioned: false)
        return
      }
      change(target, inverseIndex, isInverse: true) { target.relationship(inverse).add(object) }
      if let former { leave(target, former, info) }
    }
  }

  private static func noteRegained(_ object: any PersistentModel) {
    if object.__state.flags.contains(.deleted) { object.__state.flags.insert(.regained) }
  }

  /// Updates the former owner of a target that moved.
  private static func leave(_ target: any PersistentModel, _ former: any PersistentModel, _ info: RelationshipInfo) {
    let index = info.property.index
    if !info.property.isToMany, former.relationship(at: index).isFault { former.__fire(index) }
    guard former.relationship(at: index).contains(target) else { return }
    change(former, index, isInverse: true) { former.relationship(at: index).remove(target) }
  }

  private static func disconnect(
    _ object: any PersistentModel, from target: any PersistentModel, _ info: RelationshipInfo
  ) {
    guard let inverse = info.inverse else { return }
    let inverseIndex = inverse.index
    if target.relationship(inverse).isFault {
      // A to-many fault is merged when it fires; a to-one must clear its key.
      if inverse.isToMany { return }
      target.__fire(inverseIndex)
    }
    guard target.relationship(inverse).contains(object) else { return }
    change(target, inverseIndex, isInverse: true) { target.relationship(inverse).remove(object) }
    if !inverse.isToMany, !inverse.isOptional { target.__state.flags.insert(.orphaned) }
  }

  /// Loaded inverse sides that contain an object. Some have no recorded change, because they were loaded after the object was
  /// related.
  static func loadedReferences(to object: any PersistentModel) -> [(any PersistentModel, __Property)] {
    let entity = type(of: object).__entity
    var found = [(any PersistentModel, __Property)]()
    for property in entity.properties where !property.isAttribute {
      guard let inverse = RelationshipInfo.of(property, in: entity).inverse,
        let targets = object.relationship(property).targets
      else { continue }
      found += targets.filter { $0.relationship(inverse).contains(object) }.map { ($0, inverse) }
    }
    return found
  }

  /// Restores an earlier value of a property. Updates the other sides too, including those that were loaded after the
  /// change and have no recorded value.
  static func restore(_ object: any PersistentModel, _ index: Int, isInverse: Bool = false, _ body: () -> Void) {
    replace(object, index, isAssigned: false, isInverse: isInverse, body)
  }

  /// Gives a property another value as its setter does.
  /// - Parameter value: as ``PersistentModel/__value(at:)`` returns it.
  static func assign(_ value: Any, to object: any PersistentModel, _ index: Int) {
    replace(object, index, isAssigned: true) {
      object.relationship(at: index).settle()
      object.__setValue(value, at: index)
    }
  }

  private static func replace(
    _ object: any PersistentModel, _ index: Int, isAssigned: Bool, isInverse: Bool = false, _ body: () -> Void
  ) {
    let property = type(of: object).__entity.properties[index]
    guard !property.isAttribute else { return change(object, index, isInverse: isInverse, body) }
    func targets() -> [any PersistentModel] {
      object.relationship(at: index).targets ?? []
    }
    let before = targets()
    change(object, index, isInverse: isInverse, body)
    let after = resolveTargets(of: object, index)
    // Objects that left the context before an undo return or leave by undo actions of their own.
    func difference(_ left: [any PersistentModel], _ right: [any PersistentModel]) -> [any PersistentModel] {
      let ids = Set(right.map { ObjectIdentifier($0) })
      return left.filter {
        !ids.contains(ObjectIdentifier($0)) && (isAssigned || $0.__state.host === object.__state.host)
      }
    }
    didChange(
      object, index, removed: difference(before, after), added: difference(after, before), isAssigned: isAssigned)
  }

  /// Changes a relationship like its setter: records the change and notifies observers.
  /// - Parameter isInverse: whether another object changes, and this relationship follows.
  static func change(_ object: any PersistentModel, _ index: Int, isInverse: Bool = false, _ body: () -> Void) {
    object.__state.host?.recordChange(of: object, index, isInverse: isInverse)
    if object.__isObserved { object.__notify(index, .willSet) }
    body()
    if object.__isObserved { object.__notify(index, .didSet) }
  }
}
