import Synchronization

/// Runs an update on the actor of a context, soon after something changed.
final class LiveReminder {
  private let signal: Signal
  private let inbox: ContextInbox.Subscription
  private let watch: StoreWatch?

  /// - Parameters:
  ///   - watch: begun before the first look at the stores, so that nothing is saved between the two unnoticed.
  ///   - actor: nil where nobody can be reminded: whoever uses the context asks.
  init(watch: StoreWatch?, inbox: ContextInbox, actor: (any Actor)?, update: @escaping () -> Void) {
    let signal = Signal(actor: actor, update: update)
    self.signal = signal
    self.inbox = inbox.onDelivery { signal.raise() }
    self.watch = watch
  }

  func remind() { signal.raise() }

  // @unchecked Sendable because `update` only runs on the actor, to which the context belongs.
  private final class Signal: @unchecked Sendable {
    private let actor: (any Actor)?
    private let update: () -> Void
    /// Whether a reminder is on its way.
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
