import Foundation
import Synchronization

/// What one save did to one store, as other contexts have to know it.
struct SavedChanges: Sendable {
  struct Objects: Sendable {
    var root: Int
    var entity: String
    var keys: [Int64]
  }
  var inserted: [Objects] = []
  var updated: [Objects] = []
  var deleted: [Objects] = []
  /// Entities whose rows came, went or changed; arrays of them may be stale.
  var entities: Set<String> = []
}

/// Where a context finds what others saved. The only part of a context that other threads touch.
final class ContextInbox: Sendable {
  private struct State {
    var changes: [SavedChanges] = []
    var wake: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  func deliver(_ changes: SavedChanges) {
    let wake = state.withLock { state in
      state.changes.append(changes)
      return state.wake
    }
    wake?()
  }

  /// Called, on the thread of whoever saved, when something was delivered.
  func onDelivery(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  func takeAll() -> [SavedChanges] {
    state.withLock { state in
      defer { state.changes = [] }
      return state.changes
    }
  }
}

extension ContextState {
  /// Brings registered objects up to what other contexts saved. An object with unsaved changes keeps these and takes
  /// the rest.
  func drainInbox() {
    for changes in inbox.takeAll() { apply(changes) }
  }

  private func apply(_ changes: SavedChanges) {
    for group in changes.deleted {
      for key in group.keys {
        guard let object = registered(root: group.root, key: key) else { continue }
        changed[ObjectIdentifier(object)] = nil
        deleted[ObjectIdentifier(object)] = nil
        object.__state.flags = []
        unregister(object)
      }
    }
    for group in changes.updated {
      let stale = group.keys.compactMap { registered(root: group.root, key: $0) }
      do { try reload(stale) } catch { note(error) }
    }
    refault(pointingTo: changes.entities)
  }

  /// Makes loaded to-manys of the entities faults again where nothing of theirs is unsaved.
  func refault(pointingTo entities: Set<String>?) {
    for table in core.allTables {
      let stale = table.toMany.filter { property in
        guard let entities else { return true }
        return core.table(named: property.destination!.__entity.name)?.family.contains { entities.contains($0.name) }
          ?? false
      }
      guard !stale.isEmpty else { continue }
      for object in identityMaps[table.root].objects where type(of: object).__entity === table.entity {
        let change = changed[ObjectIdentifier(object)]
        for property in stale where change?.properties.contains(property.index) != true {
          _ = object.__relationship(property.index, .fault(0))
          notify(object, property.index)
        }
      }
    }
  }

  /// Tells observers of an object that the engine changed a property.
  func notify(_ object: any PersistentModel, _ index: Int) {
    guard object.__isObserved else { return }
    object.__notify(index, .willSet)
    object.__notify(index, .didSet)
  }
}
