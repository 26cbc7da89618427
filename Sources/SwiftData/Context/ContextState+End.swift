import Dispatch
import Logging

extension ContextState {
  /// Called when the public context ends, on any thread.
  ///
  /// Other threads cannot use the objects of a context that is not the main one: neither the context nor an object is
  /// Sendable, and a notification for another thread has a stand-in (``ModelContext/standIn``). A container is Sendable
  /// and holds the main context, whose objects the main actor may use meanwhile.
  func end() {
    guard contextUse.isMain, !ContextUse.isOnMainActor else { return used(.use) { discard() } }
    contextUse.hasEnded.store(true, ordering: .releasing)
    let ending = Ending(state: self)
    DispatchQueue.main.async { if !ending.state.isOver { ending.state.discard() } }
  }

  // @unchecked Sendable because only the main actor, to which the state belongs, uses it.
  private struct Ending: @unchecked Sendable { let state: ContextState }

  /// Notes a change that only another context can save. The object keeps it: what the state holds is never released.
  func noteLateChange(of object: any PersistentModel, _ index: Int) {
    reportLoss(of: object)
    var changes = object.__state.lateChanges ?? PropertySet()
    changes.insert(index)
    object.__state.lateChanges = changes
    object.__state.flags.insert(.changed)
  }

  /// The properties of a stored object whose values no store has; nil if there are none.
  func unsavedProperties(of object: any PersistentModel) -> PropertySet? {
    isOver ? object.__state.lateChanges : changed[ObjectIdentifier(object)]?.properties
  }

  /// Logs once that a change cannot be saved, because `object.modelContext?.save()` does nothing then.
  private func reportLoss(of object: any PersistentModel) {
    guard !hasReportedLoss else { return }
    hasReportedLoss = true
    Logger(label: "SwiftData").warning(
      """
      \(object.persistentModelID) was changed after its ModelContext was gone, so the change will not be saved. \
      Keep the context as long as its objects change, or insert the object into another context
      """)
  }
}
