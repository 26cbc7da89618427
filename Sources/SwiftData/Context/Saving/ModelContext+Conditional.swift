extension ModelContext {
  /// The place of the newest save in the history of the container's store. Pass it to ``save(ifUnchangedSince:)``.
  /// (Not Apple's.)
  /// - Throws: ``SwiftDataError/unsupportedFeature`` where the container has several stores, or a custom store that does
  ///   not number its saves; an error of the store.
  public func currentHistoryToken() throws -> DefaultHistoryToken {
    let (store, newest) = try numberedStore()
    return DefaultHistoryToken(store: store.identifier, transaction: newest)
  }

  /// The container's only store, and the number of its newest save.
  private func numberedStore() throws -> (store: any EngineStore, newest: Int64) {
    let stores = state.core.stores
    guard stores.count == 1, let newest = try stores[0].newestTransaction() else {
      throw SwiftDataError(
        .unsupportedFeature,
        message: "a conditional save needs a container with one SQLite or PostgreSQL store; this container has"
          + " \(stores.map { "\"\($0.name)\"" }.joined(separator: ", "))")
    }
    return (stores[0], newest)
  }

  /// Saves, unless a save of any context or process followed the token. The store decides within the transaction, so that
  /// what the program read after it took the token still holds when the save is written. (Not Apple's.)
  /// - Returns: false where another save followed the token. Nothing was written then; call ``rollback()``, read again
  ///   and try again.
  /// - Throws: as ``save()`` and ``currentHistoryToken()``; ``SwiftDataError/unsupportedFeature`` where the token is another
  ///   store's.
  public func save(ifUnchangedSince token: DefaultHistoryToken) throws -> Bool {
    let store = try numberedStore().store
    guard token.storeIdentifier == store.identifier else {
      throw SwiftDataError(
        .unsupportedFeature,
        message: "the token belongs to another store than \"\(store.name)\"; pass a token of currentHistoryToken()")
    }
    state.editing.expectedTransaction = token.transaction
    defer { state.editing.expectedTransaction = nil }
    do {
      try save()
      return true
    } catch is HistoryMovedOn {
      return false
    }
  }
}
