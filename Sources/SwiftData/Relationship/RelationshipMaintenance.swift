/// Keeps both sides of a relationship right in memory.
enum RelationshipMaintenance {
  /// Called after a setter stored a new value: the targets that left and came learn of it.
  /// - Parameter isAssigned: false where an earlier value came back, which a target may have let go of since.
  static func didChange(
    _ object: any PersistentModel, _ index: Int, removed: [any PersistentModel], added: [any PersistentModel],
    isAssigned: Bool = true
  ) {
    let entity = type(of: object).__entity
    let property = entity.properties[index]
    let info = RelationshipInfo.of(property, in: entity)
    var added = added
    if isAssigned, object.__state.flags.contains(.orphaned),
      case .targets(let targets, _) = object.__relationship(index, .read),
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

  /// Called after an object was inserted: the initialiser that set its relationships could tell nobody.
  /// - Parameter context: takes nobody in who is not in that context.
  static func connect(_ object: any PersistentModel, within context: ContextState? = nil) {
    let entity = type(of: object).__entity
    for property in entity.properties where !property.isAttribute {
      guard case .targets(let targets, _) = object.__relationship(property.index, .read), !targets.isEmpty else {
        continue
      }
      let info = RelationshipInfo.of(property, in: entity)
      for target in targets {
        guard let context else {
          if share(object, target, property) { connect(object, to: target, info) }
          continue
        }
        // One that is out learns of it too: it may come in next.
        let other = target.__state.context
        if other == nil || other === context { connect(object, to: target, info) }
      }
    }
  }

  /// Two related objects live in one context: the registered one takes the other in.
  /// - Returns: false where they belong to two contexts, which is noted and thrown by the next save.
  private static func share(
    _ object: any PersistentModel, _ target: any PersistentModel, _ property: __Property
  ) -> Bool {
    switch (object.__state.context, target.__state.context) {
    case (nil, nil): return true
    case (let context?, nil):
      context.insert(target)
      return true
    case (nil, let context?):
      context.insert(object)
      return true
    case (let own?, let other?):
      if own === other { return true }
      // Whose context is gone comes into that of the other.
      if other.isOver || own.isOver {
        other.isOver ? own.insert(target) : other.insert(object)
        if object.__state.context === target.__state.context { return true }
      }
      own.noteForeign(target, property: property, of: object)
      return false
    }
  }

  private static func connect(_ object: any PersistentModel, to target: any PersistentModel, _ info: RelationshipInfo) {
    guard let inverse = info.inverse else { return }
    let inverseIndex = inverse.index
    switch target.__relationship(inverseIndex, .contains(object)) {
    case .none, .change, .order: return
    case .targets(let current, _):
      if current.contains(where: { $0 === object }) { return }
      change(target, inverseIndex) { _ = target.__relationship(inverseIndex, .add(object)) }
      if !inverse.isToMany, let former = current.first { leave(target, former, info) }
    case .fault(let key):
      if inverse.isToMany {
        // The store's list and what is unsaved are put together when the fault fires.
        if info.property === inverse { target.__fire(inverseIndex) }
        return
      }
      if !info.property.isToMany {
        // The former owner has a key of its own to clear.
        target.__fire(inverseIndex)
        return connect(object, to: target, info)
      }
      let former = target.__state.context.flatMap { context in
        (try? context.core.table(for: info.source)).flatMap { context.registered(root: $0.root, key: key) }
      }
      if former === object {
        _ = target.__relationship(inverseIndex, .load([object], positioned: false))
        return
      }
      change(target, inverseIndex) { _ = target.__relationship(inverseIndex, .add(object)) }
      if let former { leave(target, former, info) }
    }
  }

  /// `target` moved from `former` to another owner.
  private static func leave(_ target: any PersistentModel, _ former: any PersistentModel, _ info: RelationshipInfo) {
    let index = info.property.index
    if !info.property.isToMany, case .fault = former.__relationship(index, .check) { former.__fire(index) }
    guard case .targets(let current, _) = former.__relationship(index, .contains(target)),
      current.contains(where: { $0 === target })
    else { return }
    change(former, index) { _ = former.__relationship(index, .remove(target)) }
  }

  private static func disconnect(
    _ object: any PersistentModel, from target: any PersistentModel, _ info: RelationshipInfo
  ) {
    guard let inverse = info.inverse else { return }
    let inverseIndex = inverse.index
    if case .fault = target.__relationship(inverseIndex, .check) {
      // A to-many fault is put together when it fires; a to-one has a key to clear.
      if inverse.isToMany { return }
      target.__fire(inverseIndex)
    }
    guard
      case .targets(let current, _) = target.__relationship(inverseIndex, .contains(object)),
      current.contains(where: { $0 === object })
    else { return }
    change(target, inverseIndex) { _ = target.__relationship(inverseIndex, .remove(object)) }
    if !inverse.isToMany, !inverse.isOptional { target.__state.flags.insert(.orphaned) }
  }

  /// The loaded inverse sides that show an object though no change of theirs was recorded: they were put together
  /// after the object had been related.
  static func unrecordedReferences(to object: any PersistentModel) -> [(any PersistentModel, __Property)] {
    let entity = type(of: object).__entity
    var found = [(any PersistentModel, __Property)]()
    for property in entity.properties where !property.isAttribute {
      guard let inverse = RelationshipInfo.of(property, in: entity).inverse,
        case .targets(let targets, _) = object.__relationship(property.index, .read)
      else { continue }
      for target in targets {
        guard case .targets(let back, _) = target.__relationship(inverse.index, .contains(object)),
          back.contains(where: { $0 === object })
        else { continue }
        found.append((target, inverse))
      }
    }
    return found
  }

  /// Gives a property an earlier value back. The other sides learn of it, also where they were loaded after the change
  /// and have nothing of their own to give back.
  static func restore(_ object: any PersistentModel, _ index: Int, _ body: () -> Void) {
    let property = type(of: object).__entity.properties[index]
    guard !property.isAttribute else { return change(object, index, body) }
    func targets() -> [any PersistentModel] {
      if case .targets(let targets, _) = object.__relationship(index, .read) { targets } else { [] }
    }
    let before = targets()
    change(object, index, body)
    let after = targets()
    // What left the context meanwhile comes back, or goes, by an undo of its own.
    func difference(_ left: [any PersistentModel], _ right: [any PersistentModel]) -> [any PersistentModel] {
      let ids = Set(right.map { ObjectIdentifier($0) })
      return left.filter { !ids.contains(ObjectIdentifier($0)) && $0.__state.context === object.__state.context }
    }
    didChange(
      object, index, removed: difference(before, after), added: difference(after, before), isAssigned: false)
  }

  /// Changes a relationship of `object` as its own setter would: recorded, and observers told.
  static func change(_ object: any PersistentModel, _ index: Int, _ body: () -> Void) {
    object.__state.context?.recordChange(of: object, index)
    if object.__isObserved { object.__notify(index, .willSet) }
    body()
    if object.__isObserved { object.__notify(index, .didSet) }
  }
}
