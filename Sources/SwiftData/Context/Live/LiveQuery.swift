/// A fetch whose result a context keeps up to date.
///
/// The context notes each changed object. The query applies the changes when the result is read, so a loop over a
/// thousand objects costs one update.
class LiveQuery {
  /// Whether the result may be outdated.
  var isStale: Bool { preconditionFailure("a subclass answers") }

  /// Called on the context's thread when the result may have become outdated.
  var onStale: () -> Void = {}

  /// Called when the context saves or processes pending changes.
  var onSettled: () -> Void = {}

  /// An object gained or lost an unsaved insertion, change or deletion.
  func note(_ object: any PersistentModel, _ table: EntityTable) { preconditionFailure("a subclass answers") }

  /// The query's own context or another one saved.
  func note(_ changes: SavedChanges) { preconditionFailure("a subclass answers") }

  /// Anything may have changed.
  func noteEverything() { preconditionFailure("a subclass answers") }
}

/// The live queries of a context. Their users hold them.
struct LiveQueries {
  private struct Entry { weak var query: LiveQuery? }
  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  mutating func add(_ query: LiveQuery) {
    entries.removeAll { $0.query == nil }
    entries.append(Entry(query: query))
  }

  func forEach(_ body: (LiveQuery) -> Void) {
    for entry in entries { if let query = entry.query { body(query) } }
  }
}

extension ContextState {
  /// Notes for live queries that an object changed.
  func noteLive(_ object: any PersistentModel) {
    guard !liveQueries.isEmpty, let table = try? core.table(for: type(of: object).__entity) else { return }
    liveQueries.forEach { $0.note(object, table) }
  }

  /// Lets live queries without a reminder notify their observers.
  func settleLive() { liveQueries.forEach { $0.onSettled() } }

  /// Announces this context's save to all contexts and queries.
  func announce(_ changes: SavedChanges, in store: any EngineStore) {
    liveQueries.forEach { $0.note(changes) }
    // Most saves are committed, and a closure would be an allocation.
    guard store.isInTransaction else { return core.announceSave(changes, from: inbox, in: store) }
    store.afterCommit { [core, inbox] in core.announceSave(changes, from: inbox, in: store) }
  }
}

extension ContainerCore {
  fileprivate func announceSave(_ changes: SavedChanges, from sender: ContextInbox, in store: any EngineStore) {
    announce(changes, from: sender)
    postChange(store)
  }
}
