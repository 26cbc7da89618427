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
  ) throws -> (steps: [PlanStep], findings: [PlanFinding]) {
    let (plan, definitions) = try read { connection in
      (try QueryPlan(of: query.select, on: connection), try IndexAdvisor.definitions(on: connection))
    }
    let advisor = IndexAdvisor(query: query, layout: layout, definitions: definitions)
    return (plan.steps, try translating { try advisor.findings(plan) })
  }

  // MARK: - History

  package func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog
  ) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    // T is DefaultHistoryTransaction.
    return try history(tables).fetch(descriptor) as? [T]
  }

  package func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return false }
    try history(tables).delete(descriptor)
    return true
  }

  private func history(_ tables: TableCatalog) -> HistoryReader {
    HistoryReader(store: self) { tables.table(named: $0)?.entity }
  }
}
