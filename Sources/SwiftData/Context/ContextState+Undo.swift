import Foundation

extension ContextState {
  /// Registers how to undo a change, if the context has an undo manager. Undoing registers how to redo.
  func registerUndo(_ action: @escaping (ContextState) -> Void) {
    guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
    undoManager.registerUndo(withTarget: self) { action($0) }
  }

  /// Registers how to undo an assignment that is about to happen.
  func registerUndo(of object: any PersistentModel, _ index: Int) {
    guard let undoManager, undoManager.isUndoRegistrationEnabled else { return }
    let old = object.__value(at: index)
    undoManager.registerUndo(withTarget: self) { context in
      guard object.__state.context === context else { return }
      RelationshipMaintenance.restore(object, index) { object.__setValue(old, at: index) }
    }
  }
}
