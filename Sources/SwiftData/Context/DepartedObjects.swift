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
