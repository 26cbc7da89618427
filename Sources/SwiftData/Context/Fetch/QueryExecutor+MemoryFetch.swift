import Foundation

// A database that cannot compute Swift's answer throws (`SQLDialect.mayDefer`), and so does the lowering where only Swift
// knows the answer. The engine then reads rows, and filters and sorts them in memory.

extension QueryExecutor {
  /// Runs `body`, or `fallback` if the database defers to Swift.
  func deferring<T>(_ body: () throws -> T, otherwise fallback: () throws -> T) throws -> T {
    do {
      return try body()
    } catch DataStoreError.preferInMemoryFilter {
      return try fallback()
    }
  }

  /// As ``deferring(_:otherwise:)``, for what changes nothing.
  func reading<T>(_ store: any SQLStore, _ body: () throws -> T, otherwise fallback: () throws -> T) throws -> T {
    try deferring {
      try settled(store, body)
    } otherwise: {
      try fallback()
    }
  }

  /// Makes and runs a statement. Does so again if it became known meanwhile that a column has text outside normal form C,
  /// because SQL that does not expect this text compares it byte by byte.
  func settled<T>(_ store: any SQLStore, _ body: () throws -> T) throws -> T {
    while true {
      let known = store.textChanges
      let result = try body()
      if store.textChanges == known { return result }
    }
  }

  /// Fetches with a predicate or an order that the database cannot compute.
  func fetchInMemory<M: PersistentModel>(_ descriptor: FetchDescriptor<M>, after start: M?) throws -> [M] {
    let table = try context.core.table(for: M.__entity)
    if !descriptor.includePendingChanges, hasUnsaved(in: table.store) {
      return try fetchStored(after: start, table) { try $0.fetchInMemory(descriptor, after: $1) }
    }
    // Perhaps the database only lacks the order.
    var (stored, isFiltered) = ([M](), true)
    do {
      let query = try lower(FetchDescriptor<M>(predicate: descriptor.predicate))
      if context.hasChanges, dependsOnOthers(query) { throw DataStoreError.preferInMemoryFilter }
      stored = try load(query)
    } catch DataStoreError.preferInMemoryFilter {
      (stored, isFiltered) = (try candidates(for: descriptor.predicate), false)
    }
    let condition = descriptor.predicate.map { MemoisedCondition($0) }
    return try context.loading {
      var seen = Set<ObjectIdentifier>()
      var objects = (stored + unsaved(M.self)).filter { object in
        guard seen.insert(ObjectIdentifier(object)).inserted, !object.__state.flags.contains(.deleted) else {
          return false
        }
        // A row that the database returned matches, unless the object has unsaved changes.
        if isFiltered, object.__state.flags.isDisjoint(with: [.inserted, .changed]) { return true }
        return condition?.takes(object) ?? true
      }
      return arranged(&objects, descriptor, after: start)
    }
  }

  /// The stored objects that the computable part of a predicate leaves.
  private func candidates<M: PersistentModel>(for predicate: Predicate<M>?) throws -> [M] {
    if let query = try lowerCandidates(predicate), !context.hasChanges || !dependsOnOthers(query) {
      do {
        return try load(query)
      } catch DataStoreError.preferInMemoryFilter {}
    }
    return try load(try lower(FetchDescriptor<M>()))
  }

  /// Applies the order and the bounds of a fetch to what it finds.
  func arranged<M: PersistentModel>(
    _ objects: inout [M], _ descriptor: FetchDescriptor<M>, after start: M?
  ) -> [M] {
    let precedes = order(by: descriptor.sortBy)
    if let start { objects.removeAll { $0 === start || !precedes(start, $0) } }
    objects.sort(by: precedes)
    return Bounds(descriptor).apply(to: objects)
  }

  /// Fetches stored values only, through a context without changes.
  func fetchStored<M: PersistentModel>(
    after start: M?, _ table: EntityTable, _ fetch: (QueryExecutor, M?) throws -> [M]
  ) throws -> [M] {
    let fresh = ContextState(core: context.core)
    defer { fresh.discard() }
    let place = try start.flatMap {
      try fresh.queries.objects(withKeys: [$0.__state.key], in: table)[$0.__state.key] as? M
    }
    let keys = try fetch(fresh.queries, place).map { $0.__state.key }
    let objects = try objects(withKeys: keys, in: table)
    return keys.compactMap { objects[$0] as? M }
  }
}
