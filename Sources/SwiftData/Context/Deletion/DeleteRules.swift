/// Applies the delete rules of objects to the memory of a context.
struct DeleteRules {
  let context: ContextState

  /// Loads the relationships that delete rules need while the object still counts, because it may be its own target.
  /// - Returns: false if one could not be loaded, so that the rules cannot be applied.
  func load(for object: any PersistentModel) -> Bool {
    let entity = type(of: object).__entity
    for property in entity.properties where !property.isAttribute {
      let info = RelationshipInfo.of(property, in: entity)
      guard info.deleteRule == .cascade || info.inverse != nil, info.deleteRule != .deny else { continue }
      if case .fault = object.__relationship(property.index, .check) { object.__fire(property.index) }
    }
    return context.unloaded.isEmpty || !context.unloaded.contains(object)
  }

  /// - Parameter cleared: collects the references that this call clears. If it is nil, the call collects none.
  /// - Returns: the objects that cascades delete.
  func apply(to object: any PersistentModel, noting cleared: inout ClearedReferences?) -> [any PersistentModel] {
    var along = [any PersistentModel]()
    let entity = type(of: object).__entity
    for property in entity.properties where !property.isAttribute {
      let info = RelationshipInfo.of(property, in: entity)
      let rule = info.deleteRule
      // A target without an inverse needs no notice unless it is deleted too.
      guard rule == .cascade || info.inverse != nil, rule != .deny else { continue }
      guard case .targets(let targets, _) = object.__relationship(property.index, .read) else { continue }
      for target in targets where target.__state.context === context {
        if rule == .cascade { along.append(target) }
        if rule == .noAction { continue }
        guard let inverse = info.inverse, !target.__state.flags.contains(.deleted), rule != .cascade else { continue }
        // An object that needs an owner keeps one that removed it from its list.
        if cleared != nil, case .targets(let current, _) = target.__relationship(inverse.index, .contains(object)),
          current.contains(where: { $0 === object })
        {
          cleared?.note(target, property)
        }
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
}
