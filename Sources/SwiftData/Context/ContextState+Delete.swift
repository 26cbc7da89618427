import Foundation

extension ContextState {
  /// Marks an object for deletion and applies its delete rules in memory. The save writes them.
  func delete(_ model: any PersistentModel) {
    beginUse(.change)
    defer { endUse() }
    var model = model
    if let context = model.__state.context, context !== self, context.isOver {
      insert(model)
      model = canonical(model)
    }
    guard model.__state.context === self else {
      if model.__state.context != nil { noteForeign(model) }
      return
    }
    var pending = [model]
    while let object = pending.popLast() {
      guard object.__state.context === self, !object.__state.flags.contains(.deleted) else { continue }
      let isNew = object.__state.flags.contains(.inserted)
      loadForRules(object)
      object.__state.flags.insert(.deleted)
      noteLive(object)
      pending += applyRules(to: object)
      if isNew {
        forget(object)
      } else {
        registerUndo { $0.undoDeletion(of: object) }
        deleted[ObjectIdentifier(object)] = object
      }
    }
    didChange()
  }

  /// Loads the relationships that delete rules need while the object still counts, because it may be its own target.
  private func loadForRules(_ object: any PersistentModel) {
    let entity = type(of: object).__entity
    for property in entity.properties where !property.isAttribute {
      let info = RelationshipInfo.of(property, in: entity)
      guard info.deleteRule == .cascade || info.inverse != nil, info.deleteRule != .deny else { continue }
      if case .fault = object.__relationship(property.index, .check) { object.__fire(property.index) }
    }
  }

  /// - Returns: the objects that cascades delete.
  private func applyRules(to object: any PersistentModel) -> [any PersistentModel] {
    var along = [any PersistentModel]()
    let entity = type(of: object).__entity
    for property in entity.properties where !property.isAttribute {
      let info = RelationshipInfo.of(property, in: entity)
      let rule = info.deleteRule
      // A target without an inverse needs no notice unless it is deleted too.
      guard rule == .cascade || info.inverse != nil, rule != .deny else { continue }
      guard case .targets(let targets, _) = object.__relationship(property.index, .read) else { continue }
      for target in targets where target.__state.context === self {
        if rule == .cascade { along.append(target) }
        if rule == .noAction { continue }
        guard let inverse = info.inverse, !target.__state.flags.contains(.deleted), rule != .cascade else { continue }
        removeReference(from: target, inverse, to: object)
      }
    }
    return along
  }

  private func removeReference(from target: any PersistentModel, _ inverse: __Property, to object: any PersistentModel)
  {
    if case .fault = target.__relationship(inverse.index, .check) {
      if inverse.isToMany { return }
      target.__fire(inverse.index)
    }
    RelationshipMaintenance.change(target, inverse.index) {
      _ = target.__relationship(inverse.index, .remove(object))
    }
  }

  /// If a save came in between, the object is inserted again with a new identifier.
  private func undoDeletion(of object: any PersistentModel) {
    if deleted[ObjectIdentifier(object)] != nil { restoreDeleted(object) } else { insert(object) }
  }

  func restoreDeleted(_ object: any PersistentModel) {
    object.__state.flags.remove(.deleted)
    deleted[ObjectIdentifier(object)] = nil
    noteLive(object)
    registerUndo { $0.redoDeletion(of: object) }
    didChange()
  }

  /// Redoes a deletion. The delete rules do not run again: undo actions of their own restore their effects, and their
  /// cascades may not have been redone yet.
  private func redoDeletion(of object: any PersistentModel) {
    guard object.__state.context === self, object.__state.flags.isDisjoint(with: [.deleted, .inserted]) else {
      return delete(object)
    }
    object.__state.flags.insert(.deleted)
    noteLive(object)
    registerUndo { $0.undoDeletion(of: object) }
    deleted[ObjectIdentifier(object)] = object
    didChange()
  }
}
