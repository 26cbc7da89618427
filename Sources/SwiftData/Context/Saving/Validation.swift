/// The checks before a save writes anything.
struct Validation {
  let context: ContextState

  /// - Throws: ``SwiftDataError/modelValidationFailure`` or a denied deletion, with entity and property.
  func run() throws {
    // Most classes deny nothing.
    if try context.deleted.entities.contains(where: { try !denials(of: $0).isEmpty }) {
      for object in context.deleted.values { try checkDeny(object) }
    }
    // Consecutive objects are often of one class.
    var last: EntityTable?
    func check(_ object: any PersistentModel) throws {
      let table =
        if let last, last.entity.describes(object) { last } else {
          try context.core.table(for: type(of: object).__entity)
        }
      last = table
      guard !table.validated.isEmpty, !object.__state.flags.contains(.deleted) else { return }
      for property in table.validated { try self.check(object, property, table) }
    }
    // Most classes have nothing to check. Then no object is looked at.
    if try isChecked(context.inserted.entities) { for object in context.inserted.values { try check(object) } }
    if try isChecked(context.changed.entities) { for change in context.changed.values { try check(change.object) } }
    try checkOwners()
  }

  /// Checks the bounds of lists that a change of the other side lengthened or shortened. Such a list may not be loaded, and then its
  /// owner counts as unchanged.
  private func checkOwners() throws {
    let context = context
    func bounds(_ entity: __Entity) -> Bool { context.core.tables.table(named: entity.name)?.bounding.isEmpty == false }
    func check(_ object: any PersistentModel, _ change: ObjectChange?) throws {
      for (property, inverse) in try context.core.table(for: type(of: object).__entity).bounding {
        let isDeleted = object.__state.flags.contains(.deleted)
        guard change == nil || isDeleted || change?.properties.contains(property.index) == true else { continue }
        if isDeleted, object.relationship(property).isFault { object.__fire(property.index) }
        var owners = change?.originalTargets(property.index) ?? []
        if let targets = object.relationship(property).targets { owners += targets }
        for owner in owners where owner.__state.context === context && !owner.__state.flags.contains(.deleted) {
          if owner.relationship(inverse).isFault { owner.__fire(inverse.index) }
          try self.check(owner, inverse, context.core.table(for: type(of: owner).__entity))
        }
      }
    }
    if context.inserted.entities.contains(where: bounds) {
      for object in context.inserted.values { try check(object, nil) }
    }
    if context.deleted.entities.contains(where: bounds) {
      for object in context.deleted.values { try check(object, context.changed[ObjectIdentifier(object)]) }
    }
    if context.changed.entities.contains(where: bounds) {
      for change in context.changed.values { try check(change.object, change) }
    }
  }

  /// Whether objects of one of the classes have something to check.
  private func isChecked(_ entities: some Sequence<__Entity>) throws -> Bool {
    // All classes are looked up, so that an object of an unknown class is reported.
    try entities.reduce(false) { try !context.core.table(for: $1).validated.isEmpty || $0 }
  }

  private func check(_ object: any PersistentModel, _ property: __Property, _ table: EntityTable) throws {
    let content = object.relationship(property).content
    if property.isToOne {
      switch content {
      case .fault(let key) where key != 0: return
      case .targets(let targets)
      where targets.contains { !$0.__state.flags.contains(.deleted) && $0.__state.context != nil }:
        guard isOrphan(object, property, of: targets[0]) else { return }
        throw failure(
          table, property, "the relationship is required, but its target released the object; assign another target")
      default:
        throw failure(
          table, property, "the relationship is required, but its target is missing or deleted; assign a target")
      }
    }
    guard case .targets(let targets) = content, let relationship = property.relationship else { return }
    if targets.isEmpty, property.isOptional { return }
    if let minimum = relationship.minimumModelCount, minimum > 0, targets.count < minimum {
      throw failure(table, property, "it has \(targets.count) objects, but needs at least \(minimum)")
    }
    if let maximum = relationship.maximumModelCount, maximum > 0, targets.count > maximum {
      throw failure(table, property, "it has \(targets.count) objects, but allows at most \(maximum)")
    }
  }

  /// Whether the other side of a required to-one removed the object, and nothing replaced it.
  private func isOrphan(_ object: any PersistentModel, _ property: __Property, of target: any PersistentModel) -> Bool {
    guard object.__state.flags.contains(.orphaned),
      let inverse = RelationshipInfo.of(property, in: type(of: object).__entity).inverse,
      case .absent = target.relationship(inverse).membership(of: object)
    else { return false }
    return true
  }

  /// The relationships of a class whose targets deny a deletion.
  private func denials(of entity: __Entity) throws -> [__Property] {
    guard entity.hasRelationships else { return [] }
    return context.core.tables.deleteSteps(of: try context.core.table(for: entity)).compactMap {
      $0.effect == .deny ? $0.relationship?.property : nil
    }
  }

  private func checkDeny(_ object: any PersistentModel) throws {
    let entity = type(of: object).__entity
    for property in try denials(of: entity) {
      if object.relationship(property).isFault { object.__fire(property.index) }
      var left = denying(object, property)
      if !left.isEmpty, property.isToMany,
        context.changed[ObjectIdentifier(object)]?.properties.contains(property.index) != true
      {
        // Another program may have released them since the list was loaded.
        object.relationship(property).becomeFault(0)
        object.__fire(property.index)
        left = denying(object, property)
      }
      guard !left.isEmpty else { continue }
      throw SwiftDataError(
        .deleteDenied, entity: entity.name, property: property.name,
        message: "the object cannot be deleted while \(left.count) related object\(left.count == 1 ? "" : "s") exist;"
          + " delete or move them first, or call rollback()")
    }
  }

  private func denying(_ object: any PersistentModel, _ property: __Property) -> [any PersistentModel] {
    guard let targets = object.relationship(property).targets else { return [] }
    // A new object that was deleted before the save belongs to no context.
    return targets.filter { !$0.__state.flags.contains(.deleted) && $0.__state.context != nil }
  }

  private func failure(_ table: EntityTable, _ property: __Property, _ message: String) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure, entity: table.entity.name, property: property.name, message: message)
  }
}
