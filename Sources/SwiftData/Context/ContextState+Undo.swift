import Foundation

extension ContextState {
  /// Registers an undo action if the context has an undo manager. Undoing registers the redo action.
  func registerUndo(_ action: @escaping (ContextState) -> Void) {
    guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
    undoManager.registerUndo(withTarget: self) { action($0) }
  }

  /// Registers an undo action for an assignment that is about to happen.
  func registerUndo(of object: any PersistentModel, _ index: Int) {
    guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
    let old = object.__value(at: index)
    undoManager.registerUndo(withTarget: self) { context in
      guard object.__state.context === context else { return }
      // A save may have written the object into a row that another object stands for.
      let object = context.canonical(object)
      RelationshipMaintenance.restore(object, index) {
        _ = object.__relationship(index, .settle)
        object.__setValue(old, at: index)
      }
    }
  }
}
