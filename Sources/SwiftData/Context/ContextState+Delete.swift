import Foundation

extension ContextState {
  /// Marks an object for deletion and applies the delete rules of its relationships in memory; the save writes them.
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

  /// Loads what the rules look at while the object still counts: it may be its own target.
  private func loadForRules(_ object: any PersistentModel) {
    let entity = type(of: object).__entity
    for property in entity.properties where !property.isAttribute {
      let info = RelationshipInfo.of(property, in: entity)
      guard info.deleteRule == .cascade || info.inverse != nil, info.deleteRule != .deny else { continue }
      if case .fault = object.__relationship(property.index, .check) { object.__fire(property.index) }
    }
  }

  /// - Returns: the objects that are deleted along.
  private func applyRules(to object: any PersistentModel) -> [any PersistentModel] {
    var along = [any PersistentModel]()
    let entity = type(of: object).__entity
    for property in entity.properties where !property.isAttribute {
      let info = RelationshipInfo.of(property, in: entity)
      let rule = info.deleteRule
      // Nobody has to be told where the other side does not know and is not deleted along.
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

  /// A save may have come between: then the object is inserted again, under a new identifier.
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

  /// Takes back that a deletion was taken back. The delete rules do not act again: what they did comes back by undo
  /// actions of its own, and what was deleted along has not necessarily gone yet.
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
