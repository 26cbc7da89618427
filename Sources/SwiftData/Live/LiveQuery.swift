/// A fetch whose result a context keeps up to date.
///
/// The context tells it of every object that changes. It only notes them, and works the result out when somebody wants
/// it, so that a loop over a thousand objects costs one update.
class LiveQuery {
  /// Whether the result may be another than it was.
  var isStale: Bool { preconditionFailure("a subclass answers") }

  /// Called when the result may have become another, on the thread of the context.
  var onStale: () -> Void = {}

  /// Called when the context was saved or told to process its pending changes.
  var onSettled: () -> Void = {}

  /// An object of the context was inserted, changed or deleted, and that is unsaved; or it is so no more.
  func note(_ object: any PersistentModel, _ table: EntityTable) { preconditionFailure("a subclass answers") }

  /// Something was saved, by the query's own context or by others.
  func note(_ changes: SavedChanges) { preconditionFailure("a subclass answers") }

  /// Anything may have changed.
  func noteEverything() { preconditionFailure("a subclass answers") }
}

/// The live queries of a context, held by whoever shows them.
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
  /// Tells live queries that an object differs from what they last saw.
  func noteLive(_ object: any PersistentModel) {
    guard !liveQueries.isEmpty, let table = try? core.table(for: type(of: object).__entity) else { return }
    liveQueries.forEach { $0.note(object, table) }
  }

  /// Lets live queries that nobody reminds tell their observers.
  func settleLive() { liveQueries.forEach { $0.onSettled() } }

  /// Tells everybody what this context saved.
  func announce(_ changes: SavedChanges) {
    liveQueries.forEach { $0.note(changes) }
    core.announce(changes, from: inbox)
  }
}
