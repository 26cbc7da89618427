extension ModelContext {
  /// The results of a fetch, now and after each change, with the differences.
  ///
  ///     for try await update in context.values(for: FetchDescriptor<Message>(sortBy: [.init(\.date)])) {
  ///       show(update.results)
  ///     }
  ///
  /// The first update comes at once. Later ones follow changes of this context, saved or not, and saves of other
  /// contexts and processes. Several changes may come as one update. A change that the fetch does not read costs
  /// nothing. One changed object is repositioned without reading the others. Iterate on the context's actor, because
  /// the models belong to the context. Cancelling the task ends the iteration. (Not Apple's.)
  public func values<T: PersistentModel>(for descriptor: FetchDescriptor<T>) -> ModelContext.ResultsUpdates<T> {
    ModelContext.ResultsUpdates(context: self, descriptor: descriptor)
  }
}

extension ModelContext {
  /// The updates of a watched fetch. See ``ModelContext/values(for:)``.
  public struct ResultsUpdates<Element: PersistentModel>: AsyncSequence {
    fileprivate let context: ModelContext
    fileprivate let descriptor: FetchDescriptor<Element>

    /// Starts watching.
    public func makeAsyncIterator() -> Iterator { Iterator(context: context, descriptor: descriptor) }

    /// Iterates over the updates.
    public struct Iterator: AsyncIteratorProtocol {
      private let context: ModelContext
      private let descriptor: FetchDescriptor<Element>
      private let watch: StoreWatch?
      private let inbox: ContextInbox.Subscription
      private var wakes: AsyncStream<Void>.Iterator
      private let wake: AsyncStream<Void>.Continuation
      private var live: LiveResults<Element>?

      fileprivate init(context: ModelContext, descriptor: FetchDescriptor<Element>) {
        self.context = context
        self.descriptor = descriptor
        let (stream, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        wakes = stream.makeAsyncIterator()
        inbox = context.state.inbox.onDelivery { wake.yield() }
        watch = context.state.core.watch()
      }

      /// Waits for the next update.
      /// - Returns: nil if the task was cancelled.
      /// - Throws: ``SwiftDataError`` as ``ModelContext/fetch(_:)``.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(any Error) -> ModelContext.ResultsUpdate<Element>? {
        guard let live else {
          let live = try LiveResults(descriptor, in: context.state)
          live.onStale = { [wake] in wake.yield() }
          self.live = live
          _ = try live.update()
          return ModelContext.ResultsUpdate(first: live.results)
        }
        while !Task.isCancelled {
          if let update = try live.update() {
            let next = ModelContext.ResultsUpdate(update)
            if !next.changes.isEmpty { return next }
          }
          guard await wakes.next(isolation: actor) != nil else { return nil }
        }
        return nil
      }
    }
  }
}
