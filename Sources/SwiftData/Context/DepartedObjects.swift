/// The objects that left a context, by a saved deletion or unsaved, as long as somebody holds them.
///
/// They keep their relationships, since an undo or another insertion brings them back as they were. The end of the
/// context breaks those: else objects that are related from both sides would keep each other for good, and through one
/// that stayed their context and its connections.
struct DepartedObjects {
  private struct Entry { weak var object: (any PersistentModel)? }

  private var entries: [Entry] = []
  private var sweepCount = 64

  /// Those that are still held by somebody.
  var objects: [any PersistentModel] { entries.compactMap(\.object) }

  /// - Complexity: amortised O(1), since the bound doubles with what is alive.
  mutating func add(_ object: any PersistentModel) {
    if entries.count >= sweepCount {
      entries.removeAll { $0.object == nil }
      sweepCount = max(64, entries.count * 2)
    }
    entries.append(Entry(object: object))
  }
}
