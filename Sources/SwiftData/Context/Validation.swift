/// The checks before anything is written.
struct Validation {
  let context: ContextState

  /// - Throws: ``SwiftDataError/modelValidationFailure`` or a denied deletion, naming entity and property.
  func run() throws {
    for object in context.deleted.values { try checkDeny(object) }
    for object in Array(context.inserted.values) + context.changed.values.map(\.object)
    where !object.__state.flags.contains(.deleted) {
      let table = try context.core.table(for: type(of: object).__entity)
      for property in table.validated { try check(object, property, table) }
    }
  }

  private func check(_ object: any PersistentModel, _ property: __Property, _ table: EntityTable) throws {
    let content = object.__relationship(property.index, .read)
    if property.isToOne {
      switch content {
      case .fault(let key) where key != 0: return
      case .targets(let targets, _) where targets.contains { !$0.isDeleted && $0.__state.context != nil }:
        guard isOrphan(object, property, of: targets[0]) else { return }
        throw failure(
          table, property, "the relationship is required and its target let go of the object; assign another target")
      default: throw failure(table, property, "the relationship is required and its target is missing or deleted")
      }
    }
    guard case .targets(let targets, _) = content, let relationship = property.relationship else { return }
    if targets.isEmpty, property.isOptional { return }
    if let minimum = relationship.minimumModelCount, minimum > 0, targets.count < minimum {
      throw failure(table, property, "it has \(targets.count) objects and needs at least \(minimum)")
    }
    if let maximum = relationship.maximumModelCount, maximum > 0, targets.count > maximum {
      throw failure(table, property, "it has \(targets.count) objects and takes at most \(maximum)")
    }
  }

  /// Whether the other side of a required to-one took the object out and nothing replaced it.
  private func isOrphan(_ object: any PersistentModel, _ property: __Property, of target: any PersistentModel) -> Bool {
    guard object.__state.flags.contains(.orphaned),
      let inverse = RelationshipInfo.of(property, in: type(of: object).__entity).inverse,
      case .targets(let back, _) = target.__relationship(inverse.index, .contains(object))
    else { return false }
    return !back.contains { $0 === object }
  }

  private func checkDeny(_ object: any PersistentModel) throws {
    let entity = type(of: object).__entity
    for property in entity.properties where property.relationship?.deleteRule == .deny {
      if case .fault = object.__relationship(property.index, .check) { object.__fire(property.index) }
      guard case .targets(let targets, _) = object.__relationship(property.index, .read) else { continue }
      // A new one that was deleted before the save is in no context any more.
      let left = targets.filter { !$0.__state.flags.contains(.deleted) && $0.__state.context != nil }
      guard !left.isEmpty else { continue }
      throw SwiftDataError(
        .deleteDenied, entity: entity.name, property: property.name,
        message: "the object cannot be deleted while \(left.count) related object\(left.count == 1 ? "" : "s") exist;"
          + " delete or move them first, or call rollback()")
    }
  }

  private func failure(_ table: EntityTable, _ property: __Property, _ message: String) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure, entity: table.entity.name, property: property.name, message: message)
  }
}
