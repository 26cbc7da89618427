extension ModelContext {
  /// The saves to the container's stores that a descriptor asks for, the oldest first. Stores keep a transaction for
  /// each save that changed something, with a change for each object. (Apple's documentation, `fetchHistory(_:)`.)
  ///
  /// `HistoryDescriptor<DefaultHistoryTransaction>` asks the default stores, one after another.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where the predicate asks for what follows a token and some of that
  ///   was deleted; ``SwiftDataError/invalidTransactionFetchRequest`` for a type of transaction that no store has.
  /// - Complexity: O(*n*) in the transactions after the token (or the `transactionIdentifier`) that the predicate
  ///   compares with; in the whole history where it names none.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    let readers = try readers(for: descriptor)
    // The casts cannot fail: `readers(for:)` throws where T is another type than the default one.
    guard readers.reader.count > 1 else { return try readers.reader[0].fetch(readers.descriptor) as! [T] }
    var all = try readers.reader.flatMap { try $0.fetch(readers.descriptor) }
    if !descriptor.sortBy.isEmpty { all.sort(using: readers.descriptor.sortBy) }
    let limit = descriptor.fetchLimit > 0 ? Int(clamping: descriptor.fetchLimit) : all.count
    return Array(all.prefix(limit)) as! [T]
  }

  /// Forgets the transactions that a descriptor asks for. Tokens that are older than one of them expire: what follows
  /// them is not all there any more. (Apple's documentation, `deleteHistory(_:)`.)
  /// - Throws: as ``fetchHistory(_:)``, and an error of the store.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    let readers = try readers(for: descriptor)
    for reader in readers.reader { try reader.delete(readers.descriptor) }
  }

  private func readers<T: HistoryTransaction>(
    for descriptor: HistoryDescriptor<T>
  ) throws -> (reader: [HistoryReader], descriptor: HistoryDescriptor<DefaultHistoryTransaction>) {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      throw SwiftDataError(
        .invalidTransactionFetchRequest,
        message: "no store of the container has transactions of the type \(T.self); the default stores have"
          + " DefaultHistoryTransaction")
    }
    let core = state.core
    return (core.stores.map { HistoryReader(store: $0) { core.table(named: $0)?.entity } }, descriptor)
  }
}
