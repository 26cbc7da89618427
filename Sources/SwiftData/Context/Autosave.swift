import Logging
import Synchronization

/// Saves contexts that asked for it.
enum Autosave {
  private static let logger = Logger(label: "SwiftData")

  /// Makes changes of the main context schedule a save on the main actor. Other contexts are saved by whoever runs
  /// them: the executor of a model actor, or `processPendingChanges()`.
  static func configure(_ context: ModelContext) {
    guard context.isMain else { return }
    guard context.autosaveEnabled else {
      context.state.changeHandler = nil
      return
    }
    let pending = Pending(context)
    context.state.changeHandler = {
      guard !pending.isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
      Task { @MainActor in
        pending.isScheduled.store(false, ordering: .releasing)
        if let context = pending.context, context.autosaveEnabled { save(context) }
      }
    }
  }

  /// Whether a save is on its way already.
  // @unchecked Sendable because weak references are atomic, and nothing else changes without being so. A change may come
  // from another thread where a program is wrong.
  private final class Pending: @unchecked Sendable {
    let isScheduled = Atomic(false)
    private(set) weak var context: ModelContext?
    init(_ context: ModelContext) { self.context = context }
  }

  /// Saves a context. What cannot be saved stays unsaved, and the reason is logged, since nobody waits for it.
  static func save(_ context: ModelContext) {
    guard context.hasChanges else { return }
    do {
      try context.save()
    } catch {
      logger.error("autosave failed, the changes stay unsaved: \(error)")
    }
  }
}
