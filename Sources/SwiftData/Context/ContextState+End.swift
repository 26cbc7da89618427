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

/// The relationships that objects loaded after the end of their context.
///
/// Nothing breaks reference cycles after the end. Therefore the objects have loaded relationships of one property at a time, and a
/// single one if it leads to objects of its own class hierarchy. Loading another property turns these into faults again, except for
/// those that the program changed.
struct LateLoads {
  fileprivate var property: __Property?
  fileprivate var owners: [(root: Int, key: Int64)] = []
  /// How often objects loaded another property than before. A loop that alternates between two would load them for all objects of
  /// the fetch in each turn.
  fileprivate var turns = 0
  /// Whether an object moves to another context and needs all of its relationships.
  var areKept = false
}

extension ContextState {
  /// Called before an object of an ended context loads a relationship.
  func beginLateLoad(_ property: __Property, of object: any PersistentModel) {
    guard !lateLoads.areKept, lateLoads.property !== property || leadsBack(property, of: object) else { return }
    if let last = lateLoads.property {
      if last !== property { lateLoads.turns += 1 }
      for (root, key) in lateLoads.owners {
        guard let owner = registered(root: root, key: key), owner.__state.context === self,
          owner.__state.lateChanges?.contains(last.index) != true
        else { continue }
        RelationshipLoader.release(owner, last)
      }
    }
    (lateLoads.property, lateLoads.owners) = (property, [])
  }

  /// Notes the objects of an ended context that load the relationship.
  func noteLateLoad(of owners: [any PersistentModel]) {
    guard !lateLoads.areKept, let first = owners.first, let table = try? core.table(for: type(of: first).__entity)
    else { return }
    for owner in owners { lateLoads.owners.append((root: table.root, key: owner.__state.key)) }
  }

  /// Whether an object loads a relationship without the other objects of its fetch.
  func loadsAlone(_ property: __Property, of object: any PersistentModel) -> Bool {
    isOver && (lateLoads.areKept || lateLoads.turns >= 4 || leadsBack(property, of: object))
  }

  /// Whether a relationship leads to objects of the object's own class hierarchy.
  private func leadsBack(_ property: __Property, of object: any PersistentModel) -> Bool {
    guard let destination = property.destination, let own = try? core.table(for: type(of: object).__entity),
      let other = try? core.table(for: destination.__entity)
    else { return true }
    return own.root == other.root
  }
}
