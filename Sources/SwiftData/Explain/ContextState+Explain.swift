import Foundation

extension ContextState {
  func explain<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> ModelContext.FetchExplanation {
    drainInbox()
    if let relational = try store(of: M.__entity).relational { return try explain(descriptor, on: relational) }
    _ = try core.sqlStore(of: try core.table(for: M.__entity), for: "an explanation, since it runs no statements")
    var query = try lower(descriptor)
    var findings = [ModelContext.FetchExplanation.Finding]()
    if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
      let candidates = candidates(for: query)
      findings.append(unsavedChanges(query, isWholeTable: candidates.condition == nil && query.condition != nil))
      query = candidates
    }
    let statement = query.select
    let store = try core.sqlStore(of: query.table)
    let (plan, definitions) = try read(query.table) { connection in
      (try QueryPlan(of: statement, on: connection), try IndexAdvisor.definitions(on: connection))
    }
    let advisor = IndexAdvisor(query: query, layout: store.layout, definitions: definitions)
    return ModelContext.FetchExplanation(
      sql: statement.sql, bindings: statement.arguments.map(ModelContext.FetchExplanation.Binding.init),
      plan: plan.steps,
      findings: findings + (try store.translating { try advisor.findings(plan) }))
  }

  private func explain<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, on store: any RelationalStore
  ) throws -> ModelContext.FetchExplanation {
    var asked = descriptor
    var findings = [ModelContext.FetchExplanation.Finding]()
    if descriptor.includePendingChanges, let query = try? lower(descriptor, on: store),
      pendingChangesMatter(to: query)
    {
      let isWhole = dependsOnOthers(query)
      findings.append(unsavedChanges(query, isWholeTable: isWhole))
      if isWhole { asked = FetchDescriptor<M>() }
    }
    let explanation = try store.explain(asked)
    return ModelContext.FetchExplanation(
      sql: explanation.sql, bindings: explanation.bindings, plan: explanation.plan,
      findings: findings + explanation.findings)
  }

  private func unsavedChanges(_ query: StoreQuery, isWholeTable: Bool) -> ModelContext.FetchExplanation.Finding {
    let name = query.table.entity.name
    return ModelContext.FetchExplanation.Finding(
      entity: name, index: [],
      description: isWholeTable
        ? "Unsaved changes of objects that \(name) is related to can make any \(name) match, so all are loaded and"
          + " filtered in memory. Save before the fetch, or set includePendingChanges to false."
        : "Unsaved changes are laid over the statement's result in memory.")
  }
}

extension ModelContext.FetchExplanation.Binding {
  package init(_ value: SQLValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let value): .text(value)
      case .blob(let value): .data(value)
      }
  }
}
