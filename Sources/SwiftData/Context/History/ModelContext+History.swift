extension ModelContext {
  /// Fetches saves to the container's stores, oldest first. A save that changes something is one transaction, with one
  /// change per object. (Apple's documentation, `fetchHistory(_:)`.)
  ///
  /// `HistoryDescriptor<DefaultHistoryTransaction>` reads the default stores, one after another.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the predicate selects transactions after a token and one of
  ///   them was deleted that may have matched (a condition on `changes` is undecidable then).
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` for a transaction type that no store has.
  /// - Complexity: O(*n*) in the transactions whose numbers lie within the bounds that the predicate's comparisons of the
  ///   token or the `transactionIdentifier` imply. With a limit and an order by one of them, forward or reverse, O(*n*) in
  ///   the transactions up to the last result. Other orders visit all transactions within the bounds. Changes are read
  ///   of results only, unless the predicate or the order examines changes.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    let core = state.core
    let found = try core.stores.compactMap { try $0.fetchHistory(descriptor, core.tables) }
    guard !found.isEmpty else { throw Self.unknownHistory(T.self) }
    guard found.count > 1 else { return found[0] }
    var all = found.flatMap { $0 }
    if !descriptor.sortBy.isEmpty { all.sort(using: descriptor.sortBy) }
    let limit = descriptor.fetchLimit > 0 ? Int(clamping: descriptor.fetchLimit) : all.count
    return Array(all.prefix(limit))
  }

  /// Deletes transactions that match a descriptor. Older tokens of readers that would have read them expire. (Apple's
  /// documentation, `deleteHistory(_:)`.)
  /// - Throws: as ``fetchHistory(_:)``, and an error of the store.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    let core = state.core
    let known = try core.stores.map { try $0.deleteHistory(descriptor, core.tables) }
    guard known.contains(true) else { throw Self.unknownHistory(T.self) }
  }

  private static func unknownHistory(_ type: any HistoryTransaction.Type) -> SwiftDataError {
    SwiftDataError(
      .invalidTransactionFetchRequest,
      message: "no store of the container has transactions of the type \(type); the default stores have"
        + " DefaultHistoryTransaction, other stores none or their own (HistoryProviding)")
  }
}
