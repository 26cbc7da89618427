import Foundation

extension ContextState {
  /// Registers an undo action if the context has an undo manager. Undoing registers the redo action.
  func registerUndo(_ action: @escaping (ContextState) -> Void) {
    guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
    undoManager.registerUndo(withTarget: self) { action($0) }
  }

  /// Registers an undo action for an assignment that is about to happen.
  func registerUndo(of object: any PersistentModel, _ index: Int, isInverse: Bool) {
    guard let undoManager else { return }
    undoneValues.willChange(object, index)
    guard undoManager.isUndoRegistrationEnabled else { return }
    let assignment = UndoneValues.Assignment(object, index, isInverse: isInverse)
    undoneValues.add(assignment)
    undoManager.registerUndo(withTarget: self) { $0.undo(assignment) }
  }

  /// Takes back what an assignment did. Changes that other contexts made to the same relationship since stay.
  private func undo(_ assignment: UndoneValues.Assignment) {
    // Nothing came in between an assignment without a new value and this.
    undoneValues.noteNew()
    let index = assignment.index
    // A save may have made the object an alias.
    let object = assignment.object.__resolved
    guard object.__state.context === self else { return }
    func restore(_ body: () -> Void) {
      RelationshipMaintenance.restore(object, index, isInverse: assignment.isInverse) {
        object.relationship(at: index).settle()
        body()
      }
    }
    if let new = assignment.new {
      if object.relationship(at: index).isFault { object.__fire(index) }
      guard let (current, positioned) = object.relationship(at: index).list else { return }
      let (old, new) = (UndoneValues.targets(assignment.old), UndoneValues.targets(new))
      let isCurrent = current.elementsEqual(new, by: ===)
      if type(of: object).__entity.properties[index].isToMany {
        let returning = withoutMoved(old, current + new, of: object, assignment)
        if !isCurrent || returning.count < old.count {
          let merged = UndoneValues.list(returning, insteadOf: new, in: current)
          return restore { object.relationship(at: index).load(merged, positioned: positioned) }
        }
      } else if !isCurrent {
        // The undo of the other side may have cleared it just now.
        guard current.isEmpty else { return }
      }
    }
    restore { object.__setValue(assignment.old, at: index) }
  }

  /// The former targets of a to-many without those that another context has given another owner since an assignment removed them.
  /// - Parameter present: targets that the assignment did not remove, or that are back.
  private func withoutMoved(
    _ old: [any PersistentModel], _ present: [any PersistentModel], of owner: any PersistentModel,
    _ assignment: UndoneValues.Assignment
  ) -> [any PersistentModel] {
    let entity = type(of: owner).__entity
    guard let inverse = RelationshipInfo.of(entity.properties[assignment.index], in: entity).inverse, inverse.isToOne
    else { return old }
    let present = Set(present.map { ObjectIdentifier($0) })
    return old.filter { target in
      let target = target.__resolved
      guard !present.contains(ObjectIdentifier(target)), target.__state.context === self else { return true }
      if target.relationship(inverse).isFault { target.__fire(inverse.index) }
      guard let owners = target.relationship(inverse).targets, let now = owners.first else {
        return true
      }
      return now === owner || now === assignment.newOwner(of: target, inverse)
    }
  }

  /// If a save came in between, the row is deleted. A row that was there before the save gets its values back.
  func undoInsertion(of object: any PersistentModel, _ insertion: UndoneInsertions.Insertion?) {
    guard inserted[ObjectIdentifier(object)] != nil else {
      if let row = insertion?.row { return restore(row) }
      return delete(object)
    }
    let targets = RelationshipMaintenance.loadedReferences(to: object)
    forget(object, clearing: nil)
    // References to itself stay, because the next insertion would not restore them.
    for (target, inverse) in targets where target !== object {
      target.relationship(inverse).remove(object)
      notify(target, inverse.index)
    }
  }

  /// Redoes the deletion of a new object. References to it stay as the deletion left them.
  func redoRemoval(of object: any PersistentModel, clearing cleared: ClearedReferences) {
    if inserted[ObjectIdentifier(object)] != nil { forget(object, clearing: cleared) } else { delete(object) }
  }

  /// Inserts a removed object again. Objects that were removed with it return by undo actions of their own, and objects
  /// that it only refers to may be deleted for good.
  func insertAgain(_ object: any PersistentModel, undoing cleared: ClearedReferences?) {
    let object = object.__resolved
    var adoption = Adoption(into: self)
    guard object.__state.context == nil, admit(object, revives: false, undoing: cleared, &adoption) else { return }
    // The undo of an insertion does not record the references that it clears, and so the redo does not either. What a deletion
    // cleared is left to its undo actions: they would find it restored, and the redo would restore it again.
    undoManager?.disableUndoRegistration()
    RelationshipMaintenance.connect(object, within: self, except: cleared)
    undoManager?.enableUndoRegistration()
    didChange()
  }
}
