extension ModelContainer {
  /// Runs a block with a context of its own, on a thread that waits for the store instead of one of those that run
  /// Swift's tasks.
  ///
  ///     let names = try await container.perform { context in
  ///       try context.fetch(FetchDescriptor<Trip>()).map(\.name)
  ///     }
  ///
  /// What the block leaves unsaved is lost. Where the task is cancelled, a fetch or a save in a PostgreSQL store throws
  /// `CancellationError`. (Our own: `context.fetch` cannot be asynchronous as well, since Swift would then take that
  /// one for every call in asynchronous code.)
  /// - Parameter block: gets a context that nobody may use afterwards; objects stay inside, values and
  ///   ``PersistentModel/persistentModelID`` may leave.
  /// - Throws: what the block throws.
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
