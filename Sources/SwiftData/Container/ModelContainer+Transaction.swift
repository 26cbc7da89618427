// A transaction of several saves, for servers that decide by what they read.

@_spi(Transactions) extension ModelContainer {
  /// Runs `body` in one writing transaction of the container's only store. No save of another context or program comes into it.
  ///
  /// All that this thread fetches and saves meanwhile belongs to the transaction, with any number of contexts. The rows that `body` read are
  /// the same when it saves. Other transactions and saves wait until the commit. A transaction inside another one is a part of it.
  /// - Throws: an error of the store or of `body`. Then the store is as it was before, unless the error says that the connection to a server was
  ///   lost during the commit and the outcome is not known. The contexts that saved in `body` and their objects must not be used any more.
  ///   ``SwiftDataError/unsupportedFeature`` if the container has several stores, or a store that has no
  ///   transactions.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    guard core.stores.count == 1, let store = core.stores[0] as? any TransactionStore, store.hasTransactions else {
      throw SwiftDataError(
        .unsupportedFeature,
        message: "a transaction of several saves needs a container with one SQLite or PostgreSQL store; this container"
          + " has \(core.stores.map { "\"\($0.name)\"" }.joined(separator: ", "))")
    }
    return try store.transaction(body)
  }
}
