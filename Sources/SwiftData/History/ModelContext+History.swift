extension ModelContext {
  /// The saves to the container's stores that a descriptor asks for, the oldest first. Stores keep a transaction for
  /// each save that changed something, with a change for each object. (Apple's documentation, `fetchHistory(_:)`.)
  ///
  /// `HistoryDescriptor<DefaultHistoryTransaction>` asks the default stores, one after another.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where the predicate asks for what follows a token and some of that
  ///   was deleted, unless the predicate would not have taken it (a condition on `changes` cannot be decided any more); ``SwiftDataError/invalidTransactionFetchRequest`` for a type of transaction that no store has.
  /// - Complexity: O(*n*) in the transactions after the token (or the `transactionIdentifier`) that the predicate
  ///   compares with; in the whole history where it names none.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    let core = state.core
    let found = try core.stores.compactMap { try $0.fetchHistory(descriptor, core) }
    guard !found.isEmpty else { throw Self.unknownHistory(T.self) }
    guard found.count > 1 else { return found[0] }
    var all = found.flatMap { $0 }
    if !descriptor.sortBy.isEmpty { all.sort(using: descriptor.sortBy) }
    let limit = descriptor.fetchLimit > 0 ? Int(clamping: descriptor.fetchLimit) : all.count
    return Array(all.prefix(limit))
  }

  /// Forgets the transactions that a descriptor asks for. Tokens that are older than one of them expire for those who
  /// would have seen it: what follows them is not all there any more. (Apple's documentation, `deleteHistory(_:)`.)
  /// - Throws: as ``fetchHistory(_:)``, and an error of the store.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    let core = state.core
    let known = try core.stores.map { try $0.deleteHistory(descriptor, core) }
    guard known.contains(true) else { throw Self.unknownHistory(T.self) }
  }

  private static func unknownHistory(_ type: any HistoryTransaction.Type) -> SwiftDataError {
    SwiftDataError(
      .invalidTransactionFetchRequest,
      message: "no store of the container has transactions of the type \(type); the default stores have"
        + " DefaultHistoryTransaction, other stores none or their own (HistoryProviding)")
  }
}
