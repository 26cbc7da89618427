/// Applies the delete rules of objects to the memory of a context.
struct DeleteRules {
  let context: ContextState

  private func steps(of entity: __Entity) -> [DeleteStep] {
    // Most classes without relationships need no look at the table. An object of an unknown class is reported by the save.
    guard entity.hasRelationships, let table = try? context.core.table(for: entity) else { return [] }
    return context.core.tables.deleteSteps(of: table)
  }

  /// Loads the relationships that delete rules need while the object still counts, because it may be its own target.
  /// - Returns: false if one could not be loaded, so that the rules cannot be applied.
  func load(for object: any PersistentModel) -> Bool {
    for step in steps(of: type(of: object).__entity) where step.effect != .deny {
      guard let property = step.relationship?.property else { continue }
      if object.relationship(property).isFault { object.__fire(property.index) }
    }
    return context.unloaded.isEmpty || !context.unloaded.contains(object)
  }

  /// - Parameter cleared: collects the references that this call clears. If it is nil, the call collects none.
  /// - Returns: the objects that cascades delete.
  func apply(to object: any PersistentModel, noting cleared: inout ClearedReferences?) -> [any PersistentModel] {
    var along = [any PersistentModel]()
    for step in steps(of: type(of: object).__entity) {
      guard let info = step.relationship, step.effect != .deny,
        let targets = object.relationship(info.property).targets
      else { continue }
      for target in targets where target.__state.context === context && refers(target, to: object, info.inverse) {
        if step.effect == .cascade {
          along.append(target)
          continue
        }
        guard let inverse = info.inverse, !target.__state.flags.contains(.deleted) else { continue }
        // An object that needs an owner keeps one that removed it from its list.
        if cleared != nil, target.relationship(inverse).contains(object) { cleared?.note(target, info.property) }
        removeReference(from: target, inverse, to: object)
      }
    }
    return along
  }

  /// Whether the other side of a relationship still leads to an object. Another save that deleted the object cleared most of them, and its
  /// own lists do not know that.
  private func refers(_ target: any PersistentModel, to object: any PersistentModel, _ inverse: __Property?) -> Bool {
    guard let inverse, context.hasDeletedRow(object) else { return true }
    return target.relationship(inverse).contains(object)
  }

  private func removeReference(from target: any PersistentModel, _ inverse: __Property, to object: any PersistentModel)
  {
    if target.relationship(inverse).isFault {
      if inverse.isToMany { return }
      target.__fire(inverse.index)
    }
    RelationshipMaintenance.change(target, inverse.index, isInverse: true) {
      target.relationship(inverse).remove(object)
    }
  }
}
