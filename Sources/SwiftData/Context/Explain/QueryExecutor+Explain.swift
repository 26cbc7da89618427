import Foundation

extension QueryExecutor {
  func explain<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> ModelContext.FetchExplanation {
    context.drainInbox()
    let store = try context.core.sqlStore(
      of: try context.core.table(for: M.__entity), for: "an explanation, since it runs no statements")
    var (asked, findings) = (descriptor, [ModelContext.FetchExplanation.Finding]())
    while true {
      do {
        return try explain(asked, store, findings)
      } catch DataStoreError.preferInMemoryFilter where !asked.sortBy.isEmpty && canRunUnsorted(asked) {
        asked.sortBy = []
        findings.append(inMemory("sort", M.__entity))
      } catch DataStoreError.preferInMemoryFilter where asked.predicate != nil {
        findings.append(inMemory("filter", M.__entity))
        let sorting = asked.sortBy.isEmpty ? [] : [inMemory("sort", M.__entity)]
        if let query = try lowerCandidates(asked.predicate),
          let explained = try? explain(query, store, findings + sorting)
        {
          return explained
        }
        asked.predicate = nil
      }
      // The database cannot apply a limit before a filter or a sort in memory.
      (asked.fetchLimit, asked.fetchOffset) = (nil, nil)
    }
  }

  private func explain<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ store: any SQLStore, _ known: [ModelContext.FetchExplanation.Finding]
  ) throws -> ModelContext.FetchExplanation {
    var query = try lower(descriptor)
    var findings = known
    if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
      let candidates = candidates(for: query)
      findings.append(unsavedChanges(query, isWholeTable: candidates.condition == nil && query.condition != nil))
      query = candidates
    }
    return try explain(query, store, findings)
  }

  private func explain(
    _ query: StoreQuery, _ store: any SQLStore, _ known: [ModelContext.FetchExplanation.Finding]
  ) throws -> ModelContext.FetchExplanation {
    var findings = known
    let (steps, own) = try store.plan(of: query)
    let statement = query.select
    if statement.sql.contains("swift_value(") { findings.append(computed(query.table.entity)) }
    return ModelContext.FetchExplanation(
      sql: statement.sql, bindings: statement.arguments.map(ModelContext.FetchExplanation.Binding.init),
      plan: steps.map { .init(depth: $0.depth, detail: $0.detail) },
      findings: findings + own.map { .init(entity: $0.entity, index: $0.index, description: $0.description) })
  }

  /// Whether the database can run the fetch without sorting.
  private func canRunUnsorted<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) -> Bool {
    guard let query = try? lower(FetchDescriptor<M>(predicate: descriptor.predicate)),
      let store = try? context.core.sqlStore(of: query.table)
    else { return false }
    return (try? store.plan(of: query)) != nil
  }

  private func inMemory(_ what: String, _ entity: __Entity) -> ModelContext.FetchExplanation.Finding {
    ModelContext.FetchExplanation.Finding(
      entity: entity.name, index: [],
      description: "The store cannot \(what) like Swift, so the context reads the models and does it in memory.")
  }

  private func computed(_ entity: __Entity) -> ModelContext.FetchExplanation.Finding {
    ModelContext.FetchExplanation.Finding(
      entity: entity.name, index: [],
      description: "Swift computes a part of the statement for each row that the rest of it leaves: a computed"
        + " property, a subscript, or a member of a struct without @Composite.")
  }

  private func unsavedChanges(_ query: StoreQuery, isWholeTable: Bool) -> ModelContext.FetchExplanation.Finding {
    let name = query.table.entity.name
    return ModelContext.FetchExplanation.Finding(
      entity: name, index: [],
      description: isWholeTable
        ? "Unsaved changes of objects related to \(name) can make any \(name) match, so all are loaded and"
          + " filtered in memory. Save before the fetch, or set includePendingChanges to false."
        : "Unsaved changes are applied to the statement's result in memory.")
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
