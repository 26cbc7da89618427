extension ModelContainer {
  /// Runs a block with its own context on a thread that may block, outside Swift's cooperative thread pool.
  ///
  ///     let names = try await container.perform { context in
  ///       try context.fetch(FetchDescriptor<Trip>()).map(\.name)
  ///     }
  ///
  /// Unsaved changes of the block are lost. If the task is cancelled, a fetch or a save in a PostgreSQL store throws
  /// `CancellationError`. (Our own. An asynchronous `context.fetch` is impossible, because Swift would choose it for
  /// every call in asynchronous code.)
  /// - Parameter block: receives a context that is valid only inside. Objects must stay inside; values and
  ///   ``PersistentModel/persistentModelID`` may leave.
  /// - Throws: the error of the block.
  public func perform<Result: Sendable>(
    _ block: @Sendable (ModelContext) throws -> Result
  ) async throws -> Result {
    try await ContextActor(modelContainer: self).run(block)
  }
}

/// A model actor for one block.
private actor ContextActor: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
  }

  func run<Result: Sendable>(_ block: @Sendable (ModelContext) throws -> Result) throws -> Result {
    try block(modelContext)
  }
}
