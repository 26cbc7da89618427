import Logging
import Synchronization

/// Saves contexts with autosave enabled.
enum Autosave {
  private static let logger = Logger(label: "SwiftData")

  /// Makes changes of the main context schedule a save on the main actor. The owner of any other context saves it: the
  /// executor of a model actor, or `processPendingChanges()`.
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
        // Another thread that is inside by mistake may wait for the main actor, so the main actor does not wait for it.
        while !pending.saveIfFree() { try? await Task.sleep(for: .milliseconds(10)) }
      }
    }
  }

  /// Whether a save is pending.
  // @unchecked Sendable because weak references are atomic, and everything else is atomic too. In an incorrect program,
  // a change may come from another thread.
  private final class Pending: @unchecked Sendable {
    let isScheduled = Atomic(false)
    private(set) weak var context: ModelContext?
    init(_ context: ModelContext) { self.context = context }

    /// - Returns: false if another thread uses the context.
    func saveIfFree() -> Bool {
      guard let context, context.autosaveEnabled else { return true }
      return context.state.usedIfFree(.save) { Autosave.save(context) } != nil
    }
  }

  /// Saves a context. If the save fails, the changes stay unsaved and the error is logged, because no caller waits for
  /// it.
  static func save(_ context: ModelContext) {
    guard context.hasChanges else { return }
    do {
      try context.save()
    } catch {
      logger.error("autosave failed, the changes stay unsaved: \(error)")
    }
  }
}
