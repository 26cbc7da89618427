// The spans of a context. Each has the form that OpenTelemetry gives to operations of databases: the operation, and what it is about.

extension QueryExecutor {
  /// Runs a fetch of a class in a span.
  /// - Parameters:
  ///   - name: the operation.
  ///   - count: the number of rows that a result has.
  func traced<Result>(
    _ spans: Spans, _ name: String, of entity: __Entity, count: (Result) -> Int? = { _ in nil },
    _ fetch: () throws -> Result
  ) throws -> Result {
    var facts = ["db.operation.name": SpanFact.text(name), "db.collection.name": .text(entity.name)]
    let kind = context.core.describe(storeOf: entity, in: &facts)
    return try spans.span(
      "\(name) \(entity.name)", kind, facts,
      results: { count($0).map { ["db.response.returned_rows": .number($0)] } ?? [:] }, fetch)
  }
}

extension RelationshipLoader {
  /// Runs the load of a property in a span.
  static func traced<Result>(
    _ spans: Spans, _ property: __Property, _ context: ContextState, of entity: __Entity, _ load: () throws -> Result
  ) throws -> Result {
    var facts: [String: SpanFact] = [
      "db.operation.name": "fault", "db.collection.name": .text(entity.name),
      "swiftdata.property": .text(property.name),
    ]
    let kind = context.core.describe(storeOf: entity, in: &facts)
    return try spans.span("fault \(entity.name).\(property.name)", kind, facts, load)
  }
}

extension ContextState {
  /// Runs a save in a span.
  func traced(_ spans: Spans, _ save: () throws -> [any StoreSave]) throws -> [any StoreSave] {
    var facts: [String: SpanFact] = [
      "db.operation.name": "save", "swiftdata.inserted": .number(inserted.count),
      "swiftdata.changed": .number(changed.count), "swiftdata.deleted": .number(deleted.count),
    ]
    var kind = Spans.Kind.internal
    // A save to several stores is one operation.
    if core.stores.count == 1 { kind = core.describe(core.stores[0], in: &facts) }
    return try spans.span("save", kind, facts, save)
  }
}

extension ContainerCore {
  /// Adds the store of a class to the facts of a span.
  /// - Returns: the kind of the span.
  fileprivate func describe(storeOf entity: __Entity, in facts: inout [String: SpanFact]) -> Spans.Kind {
    guard let table = try? table(for: entity) else { return .internal }
    return describe(store(of: table), in: &facts)
  }

  fileprivate func describe(_ store: any EngineStore, in facts: inout [String: SpanFact]) -> Spans.Kind {
    facts["swiftdata.store"] = .text(store.name)
    guard let dialect = (store as? any SQLStore)?.dialect else { return .internal }
    facts["db.system.name"] = .text(dialect.system)
    return dialect.isOnServer ? .client : .internal
  }
}
