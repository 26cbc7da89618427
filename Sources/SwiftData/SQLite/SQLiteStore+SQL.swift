import Foundation

extension SQLiteStore: SQLStore {
  package var name: String { configuration.name }
  package var dialect: any SQLDialect { SQLiteDialect() }

  package func withConnection(cancellable: Bool, _ body: (any SQLConnection) throws -> Void) throws {
    try read { try body($0) }
  }

  package func update(_ update: BatchUpdate) throws -> [String: [Int64]] { try SQLiteBatchUpdate(update, self).run() }

  package func plan(
    of query: StoreQuery
  ) throws -> (steps: [ModelContext.FetchExplanation.Step], findings: [ModelContext.FetchExplanation.Finding]) {
    let (plan, definitions) = try read { connection in
      (try QueryPlan(of: query.select, on: connection), try IndexAdvisor.definitions(on: connection))
    }
    let advisor = IndexAdvisor(query: query, layout: layout, definitions: definitions)
    return (plan.steps, try translating { try advisor.findings(plan) })
  }

  // MARK: - History

  package func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ core: ContainerCore
  ) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    // T is DefaultHistoryTransaction.
    return try history(core).fetch(descriptor) as? [T]
  }

  package func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ core: ContainerCore
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return false }
    try history(core).delete(descriptor)
    return true
  }

  private func history(_ core: ContainerCore) -> HistoryReader {
    HistoryReader(store: self) { core.table(named: $0)?.entity }
  }
}

extension ContainerCore {
  /// The SQLite stores, for operations that only they support.
  package var sqliteStores: [SQLiteStore] { stores.compactMap { $0 as? SQLiteStore } }
}
