import Foundation

/// Runs the queries of a context: on a store that speaks SQL, on a store of objects, or in memory.
///
/// It registers what it fetches in the context, and applies the context's unsaved changes.
struct QueryExecutor {
  let context: ContextState

  func store(of entity: __Entity) throws -> any EngineStore {
    context.core.store(of: try context.core.table(for: entity))
  }

  // MARK: - Fetching

  func fetch<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> [M] { try fetch(descriptor, after: nil) }

  /// - Parameter model: the model after which the result starts, or nil for the beginning.
  func fetch<M: PersistentModel>(_ descriptor: FetchDescriptor<M>, after model: M?) throws -> [M] {
    guard let spans = context.core.spans else { return try fetchObjects(descriptor, after: model) }
    return try traced(spans, "fetch", of: M.__entity, count: \.count) { try fetchObjects(descriptor, after: model) }
  }

  private func fetchObjects<M: PersistentModel>(_ descriptor: FetchDescriptor<M>, after model: M?) throws -> [M] {
    context.drainInbox()
    let result: [M]
    switch context.core.kind(of: try context.core.table(for: M.__entity)) {
    case .sql(let store): result = try fetchRows(descriptor, after: model, store)
    case .objects(let store): result = try store.fetch(descriptor, after: model, in: context)
    }
    if !descriptor.relationshipKeyPathsForPrefetching.isEmptyList {
      for keyPath in descriptor.relationshipKeyPathsForPrefetching { try prefetch(keyPath, of: result) }
    }
    context.core.metrics?.note(context)
    return result
  }

  func fetchCount<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> Int {
    guard let spans = context.core.spans else { return try count(descriptor) }
    return try traced(spans, "count", of: M.__entity) { try count(descriptor) }
  }

  private func count<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> Int {
    context.drainInbox()
    switch context.core.kind(of: try context.core.table(for: M.__entity)) {
    case .sql(let store): return try countRows(descriptor, store)
    case .objects(let store): return try store.fetchCount(descriptor, in: context)
    }
  }

  func fetchIdentifiers<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> [PersistentIdentifier] {
    guard let spans = context.core.spans else { return try identifiers(descriptor) }
    return try traced(spans, "fetch identifiers", of: M.__entity, count: \.count) { try identifiers(descriptor) }
  }

  private func identifiers<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> [PersistentIdentifier] {
    context.drainInbox()
    switch context.core.kind(of: try context.core.table(for: M.__entity)) {
    case .sql(let store): return try fetchRowIdentifiers(descriptor, store)
    case .objects(let store): return try store.fetchIdentifiers(descriptor, in: context)
    }
  }

  /// The keys of the matching stored objects, in order.
  func fetchKeys<M: PersistentModel>(_ descriptor: FetchDescriptor<M>) throws -> [Int64] {
    let store = try store(of: M.__entity)
    return try fetchIdentifiers(descriptor).compactMap(store.key)
  }

  /// Computes values by a statement. Computes them from objects instead if the store runs no statements, if unsaved
  /// changes affect the query, or if the database defers to Swift.
  /// - Parameters:
  ///   - lower: makes the query and lowers its values.
  ///   - run: runs the statement.
  ///   - compute: computes the values from objects.
  func values<M: PersistentModel, T>(
    of descriptor: FetchDescriptor<M>, lower: (any SQLStore) throws -> StoreQuery,
    run: (StoreQuery, any SQLStore) throws -> T, compute: ([M]) throws -> T
  ) throws -> T {
    context.drainInbox()
    func computed(_ objects: [M]) throws -> T { try context.loading { try compute(objects) } }
    guard case .sql(let store) = context.core.kind(of: try context.core.table(for: M.__entity)) else {
      return try computed(try fetch(descriptor))
    }
    return try reading(store) {
      let query = try lower(store)
      if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
        return try computed(try fetchWithPendingChanges(descriptor, query))
      }
      return try run(query, store)
    } otherwise: {
      try computed(try fetch(descriptor))
    }
  }

  // MARK: - Loading

  /// The objects with these keys. Loads unregistered ones.
  func objects(withKeys keys: [Int64], in table: EntityTable) throws -> [Int64: any PersistentModel] {
    switch context.core.kind(of: table) {
    case .sql(let store): return try objectsOfRows(withKeys: keys, in: table, store)
    case .objects(let store): return try store.objects(withKeys: keys, in: table, context: context)
    }
  }

  /// A stored object of a class, or nil if there is none or the store cannot be read.
  func example(of entity: __Entity) -> (any PersistentModel)? {
    func first<M: PersistentModel>(_: M.Type) -> (any PersistentModel)? {
      var descriptor = FetchDescriptor<M>()
      (descriptor.fetchLimit, descriptor.includePendingChanges) = (1, false)
      return (try? fetch(descriptor))?.first
    }
    return _openExistential(entity.type, do: first)
  }

  /// The targets of a to-many for several owners, each in its owner's order.
  func targets(
    of owners: [Int64], _ info: RelationshipInfo, _ table: EntityTable,
    _ body: (_ owner: Int64, _ target: any PersistentModel, _ positioned: Bool) -> Void
  ) throws {
    switch context.core.kind(of: table) {
    case .sql(let store): try targetsOfRows(owners, info, table, store, body)
    case .objects(let store): try store.targets(of: owners, info, table, context: context, body)
    }
  }

  /// Reloads registered objects. `only` limits it to one omitted property; otherwise everything without unsaved changes
  /// is reloaded.
  /// - Returns: the keys of the objects that the store has.
  @discardableResult func reload(_ objects: [any PersistentModel], only: Int? = nil) throws -> [Int64] {
    var found = [Int64]()
    for group in Dictionary(grouping: objects, by: { ObjectIdentifier(type(of: $0).__entity) }).values {
      switch context.core.kind(of: try context.core.table(for: type(of: group[0]).__entity)) {
      case .sql(let store): found += try reloadRows(group, only: only, store)
      case .objects(let store): found += try store.reload(group, only: only, context: context)
      }
    }
    return found
  }

  /// Deletes the matching objects of a class, following the same rules as ``delete(_:)``.
  func delete<M: PersistentModel>(model: M.Type, where predicate: Predicate<M>?, includeSubclasses: Bool) throws {
    context.drainInbox()
    let deleteOneByOne = {
      for object in try self.fetch(FetchDescriptor<M>(predicate: predicate))
      where includeSubclasses || type(of: object).__entity === M.__entity {
        context.delete(object)
      }
    }
    switch context.core.kind(of: try context.core.table(for: M.__entity)) {
    case .sql(let store):
      try deferring {
        try deleteRows(model: model, where: predicate, includeSubclasses: includeSubclasses, store)
      } otherwise: {
        try deleteOneByOne()
      }
    case .objects(let store):
      try store.delete(model: model, where: predicate, includeSubclasses: includeSubclasses, in: context)
    }
  }

  // MARK: - What is unsaved in one store

  /// Whether there are unsaved changes for the store at an index.
  func hasUnsaved(in store: Int) -> Bool {
    func isHere(_ entity: __Entity) -> Bool { (try? context.core.table(for: entity))?.store == store }
    return context.inserted.entities.contains(where: isHere) || context.changed.entities.contains(where: isHere)
      || context.deleted.entities.contains(where: isHere)
  }
}
