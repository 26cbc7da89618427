import Foundation

extension ContextState {
  /// Marks an object for deletion and applies its delete rules in memory. The save writes them.
  func delete(_ model: any PersistentModel) {
    beginUse(.change)
    defer { endUse() }
    var model = model.__resolved
    if let context = model.__state.context, context !== self, context.hasEnded {
      insert(model)
      model = model.__resolved
    }
    guard model.__state.context === self else {
      if model.__state.context != nil { noteForeign(model) }
      return
    }
    refaultUnloaded()
    let rules = DeleteRules(context: self)
    var pending = [any PersistentModel]()
    var next: (any PersistentModel)? = model
    while let object = next {
      defer { next = pending.popLast() }
      guard object.__state.context === self, !object.__state.flags.contains(.deleted) else { continue }
      let isNew = object.__state.flags.contains(.inserted)
      guard rules.load(for: object) else {
        unloaded.addDeletion(of: object)
        continue
      }
      object.__state.flags.insert(.deleted)
      noteLive(object)
      // Without an undo manager nothing would keep the undo actions.
      var cleared = isNew && undoManager != nil ? ClearedReferences() : nil
      pending += rules.apply(to: object, noting: &cleared)
      if isNew {
        forget(object, clearing: cleared)
      } else {
        let hasRow = !hasDeletedRow(object)
        if undoManager != nil {
          // After a save, the undo inserts the object again, and its row with the rest of the values is gone.
          for index in type(of: object).__entity.properties.indices { object.__loadIfNeeded(index) }
          registerUndo { $0.undoDeletion(of: object) }
        }
        if hasRow { deleted[ObjectIdentifier(object)] = object } else { letGo(ofEdited: [object]) }
      }
    }
    didChange()
  }

  /// If a save came in between, the object is inserted again with a new identifier.
  private func undoDeletion(of object: any PersistentModel) {
    guard deleted[ObjectIdentifier(object)] != nil else { return insert(object) }
    restoreDeleted(object)
    completeLists()
  }

  func restoreDeleted(_ object: any PersistentModel) {
    object.__state.flags.subtract([.deleted, .regained])
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
