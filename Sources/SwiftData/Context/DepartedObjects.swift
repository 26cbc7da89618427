/// Weak references to the objects with relationships that left a context.
///
/// They keep their relationships, because an undo or another insertion restores them. When the context ends, it breaks
/// these relationships. Otherwise objects that refer to each other would leak, and through them the context and its
/// connections.
struct DepartedObjects {
  private struct Entry { weak var object: (any PersistentModel)? }

  private var entries: [Entry] = []
  private var sweepCount = 64

  /// The objects that are still alive.
  var objects: [any PersistentModel] { entries.compactMap(\.object) }

  /// - Complexity: amortised O(1), because the limit doubles with the living objects.
  mutating func add(_ object: any PersistentModel) {
    if entries.count >= sweepCount {
      entries.removeAll { $0.object == nil }
      sweepCount = max(64, entries.count * 2)
    }
    entries.append(Entry(object: object))
  }
}

extension ContextState {
  /// Removes an object, which keeps its values and belongs to no context.
  func unregister(_ object: any PersistentModel) {
    let key = object.__state.key
    var identity: FormerIdentity?
    if key != 0 {
      if let table = try? core.table(for: type(of: object).__entity) {
        identityMaps[table.root].remove(object, key)
        identity = formerIdentity(in: core.store(of: table), key)
      }
      identity = identity ?? FormerIdentity(object.persistentModelID)
    }
    object.__state.leave(as: identity)
    // The weak reference gives the object a side table, which makes each later retain and release slower.
    if type(of: object).__entity.hasRelationships { departed.add(object) }
  }

  /// The shared identity of objects of a store that leave the context, or nil if the object with this key needs an identity of its own.
  private func formerIdentity(in store: any EngineStore, _ key: Int64) -> FormerIdentity? {
    guard store.isPlain(key: key) else { return nil }
    if let last = lastFormer, last.isShared(in: store.identifier) { return last }
    let identity = FormerIdentity(store: store.identifier)
    lastFormer = identity
    return identity
  }
}
