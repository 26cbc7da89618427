import Synchronization

/// Runs an update on the actor of a context soon after a change.
final class LiveReminder {
  private let signal: Signal
  private let inbox: ContextInbox.Subscription
  private let watch: StoreWatch?

  /// - Parameters:
  ///   - watch: it must begin before the first read of the stores, so that no commit in between is missed.
  ///   - actor: nil means no reminders. The user of the context then triggers updates.
  init(watch: StoreWatch?, inbox: ContextInbox, actor: (any Actor)?, update: @escaping () -> Void) {
    let signal = Signal(actor: actor, update: update)
    self.signal = signal
    self.inbox = inbox.onDelivery { signal.raise() }
    self.watch = watch
  }

  func remind() { signal.raise() }

  // @unchecked Sendable because `update` runs only on the actor that the context belongs to.
  private final class Signal: @unchecked Sendable {
    private let actor: (any Actor)?
    private let update: () -> Void
    /// Whether a reminder is pending.
    private let isRaised = Atomic(false)

    init(actor: (any Actor)?, update: @escaping () -> Void) {
      self.actor = actor
      self.update = update
    }

    func raise() {
      guard let actor, !isRaised.exchange(true, ordering: .acquiringAndReleasing) else { return }
      Task { await run(on: actor) }
    }

    private func run(on actor: isolated any Actor) {
      isRaised.store(false, ordering: .releasing)
      update()
    }
  }
}
