import Foundation

extension QueryExecutor {
  /// Whether unsaved changes can affect the result of a query.
  /// - Complexity: O(classes) if the query reads no relationships.
  func pendingChangesMatter(to query: StoreQuery) -> Bool {
    guard context.hasChanges else { return false }
    return hasUnsaved(of: query.table.family) || dependsOnOthers(query, includingValues: true)
  }

  /// Whether unsaved changes of objects other than the fetched ones can affect the result.
  /// - Parameter includingValues: whether computed values count too.
  func dependsOnOthers(_ query: StoreQuery, includingValues: Bool = false) -> Bool {
    !reach(of: query, includingValues: includingValues).isNothing
  }

  /// Fetches stored objects and applies unsaved inserts, changes and deletions. The result equals Swift's filter and
  /// sort over all objects in memory. Limit and offset apply last.
  func fetchWithPendingChanges<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ query: StoreQuery, after start: M? = nil
  ) throws -> [M] {
    let precedes = order(by: descriptor.sortBy)
    let follows = start.map { start in { (object: M) in start !== object && precedes(start, object) } }
    return try context.loading {
      var objects = try PendingOverlay(descriptor, query, self).objects(where: follows)
      if let follows { objects.removeAll { !follows($0) } }
      return Array(objects.dropFirst(query.offset ?? 0).prefix(query.limit ?? .max))
    }
  }

  /// The number of objects that ``fetchWithPendingChanges(_:_:after:)`` finds.
  func countWithPendingChanges<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ query: StoreQuery
  ) throws -> Int {
    guard let all = try context.loading({ try PendingOverlay(descriptor, query, self).count() }) else {
      return try fetchWithPendingChanges(descriptor, query).count
    }
    return min(max(0, all - (query.offset ?? 0)), query.limit ?? .max)
  }

  /// The statement to whose result unsaved changes are applied.
  func candidates(for query: StoreQuery) -> StoreQuery {
    var candidates = query
    candidates.offset = nil
    if case .everything = reach(of: query) {
      // Any row may match, at any position.
      candidates.condition = nil
      candidates.limit = nil
      candidates.ranges = nil
    } else if let limit = query.limit {
      // Each unsaved object can displace or admit one row.
      let pending = query.table.family.reduce(0) { $0 + context.changed.count(of: $1) + context.deleted.count(of: $1) }
      let needed = limit.addingReportingOverflow(min(query.offset ?? 0, .max / 2) + pending)
      candidates.limit = needed.overflow ? nil : needed.partialValue
    }
    return candidates
  }

  /// The unsaved objects of a class: changed ones, which the statement may have missed, then new ones.
  /// - Complexity: O(their number).
  func unsaved<M: PersistentModel>(_ type: M.Type) -> [M] {
    guard let family = (try? context.core.table(for: M.__entity))?.family else { return [] }
    // The casts cannot fail, because all classes belong to the family.
    let found =
      context.changed.entries(of: family).map { $0.object as! M }
      + context.inserted.entries(of: family).map { $0 as! M }
    context.work.note(\.listed, found.count)
    return found
  }

  /// Orders the objects of a fetch by the descriptors, then by age. Unsaved objects are the youngest.
  func order<M: PersistentModel>(by descriptors: [SortDescriptor<M>]) -> (M, M) -> Bool {
    let inserted = context.inserted
    func key(_ object: M) -> (Int, Int64) {
      guard object.__state.flags.contains(.inserted) else { return (0, object.__state.key) }
      return (1, inserted.place(of: ObjectIdentifier(object)).map(Int64.init) ?? .max)
    }
    return { left, right in
      for descriptor in descriptors {
        switch descriptor.compare(left, right) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return key(left) < key(right)
    }
  }
}

/// Applies unsaved changes to the stored objects of one fetch.
private struct PendingOverlay<M: PersistentModel> {
  let descriptor: FetchDescriptor<M>
  let query: StoreQuery
  let queries: QueryExecutor
  let reach: PendingReach
  let condition: MemoisedCondition<M>?

  init(_ descriptor: FetchDescriptor<M>, _ query: StoreQuery, _ queries: QueryExecutor) {
    (self.descriptor, self.queries) = (descriptor, queries)
    var query = query
    // The objects are compared and sorted, so all of their values are needed.
    query.columns = (try? queries.context.core.sqlStore(of: query.table))?.selection(of: query.table) ?? query.columns
    self.query = query
    reach = queries.reach(of: query)
    condition = descriptor.predicate.map { MemoisedCondition($0) }
  }

  /// All matching objects in order, up to the end of the fetch.
  /// - Parameter follows: whether an object follows the start of the fetch, if the fetch has one. The result may have objects before it.
  func objects(where follows: ((M) -> Bool)?) throws -> [M] {
    if case .everything = reach { return try objectsOfWholeTable() }
    if let sorted = sortedUnsaved() {
      let settled = try storedObjects(where: Self.isSettled)
      let end = query.limit.map { $0.addingReportingOverflow(query.offset ?? 0) }
      let first = follows.map { sorted.firstIndex(ofSorted: $0) } ?? 0
      return merged(settled, sorted[first...].prefix(end.map { $0.overflow ? .max : $0.partialValue } ?? .max))
    }
    let reached = try reachedObjects()
    var seen = Set<ObjectIdentifier>()
    var loose = [M]()
    for object in reached + queries.unsaved(M.self, for: descriptor.predicate) {
      guard seen.insert(ObjectIdentifier(object)).inserted, takes(object) else { continue }
      loose.append(object)
    }
    // A reached object that this did not find no longer matches.
    let asked = Set(reached.map { ObjectIdentifier($0) })
    // Without the extension, an optimised build releases those that do not match, and the statement below makes other objects of
    // their rows.
    let settled = try withExtendedLifetime(reached) {
      try storedObjects { Self.isSettled($0) && !asked.contains(ObjectIdentifier($0)) }
    }
    return merged(settled, loose.sorted(by: queries.order(by: descriptor.sortBy))[...])
  }

  /// The unsaved objects that match, in order, if nothing unsaved reaches other rows and there are more than a few.
  private func sortedUnsaved() -> [M]? {
    let count = query.table.family.reduce(0) { $0 + queries.unsavedCount(of: $1) }
    guard reach.isNothing, count > queries.context.tuning.askedCount else { return nil }
    return queries.sortedUnsaved(descriptor, query) { object in
      guard let condition else { return true }
      queries.context.work.note(\.evaluated)
      return condition.takes(object)
    }
  }

  private func takes(_ object: M) -> Bool {
    guard !object.__state.flags.contains(.deleted) else { return false }
    guard let condition else { return true }
    queries.context.work.note(\.evaluated)
    return condition.takes(object)
  }

  /// Whether an object has no unsaved changes.
  private static func isSettled(_ object: M) -> Bool {
    object.__state.flags.isDisjoint(with: [.changed, .deleted, .inserted])
  }

  /// Fetches all rows, because any row may match, at any position.
  private func objectsOfWholeTable() throws -> [M] {
    let stored: [M] = try queries.load(queries.candidates(for: query))
    var seen = Set<ObjectIdentifier>()
    let objects = (stored + queries.unsaved(M.self)).filter { seen.insert(ObjectIdentifier($0)).inserted && takes($0) }
    return objects.sorted(by: queries.order(by: descriptor.sortBy))
  }

  /// The rows that unsaved changes of related objects reach.
  private func reachedObjects() throws -> [M] {
    guard case .rows(let rows) = reach else { return [] }
    var query = StoreQuery(table: query.table, dialect: query.dialect, columns: query.columns)
    query.condition = rows.condition(query.dialect)
    return try queries.load(query)
  }

  /// The rows that the statement finds and that no unsaved change affects, in order.
  ///
  /// With a limit, the statement reads slightly more rows than needed, and reads further while too many of them turn
  /// out to be affected.
  private func storedObjects(where isSettled: (M) -> Bool) throws -> [M] {
    var query = query
    query.offset = nil
    guard let limit = query.limit else { return try (queries.load(query) as [M]).filter(isSettled) }
    let (needed, isEndless) = limit.addingReportingOverflow(min(self.query.offset ?? 0, .max / 2))
    var slack = 8
    while true {
      let (asked, isTooMuch) = needed.addingReportingOverflow(slack)
      query.limit = isEndless || isTooMuch ? nil : asked
      let found: [M] = try queries.load(query)
      let settled = found.filter(isSettled)
      if query.limit == nil || found.count < asked || settled.count >= needed { return settled }
      slack *= 8
    }
  }

  /// - Parameters:
  ///   - settled: in order.
  ///   - loose: the others, in order.
  private func merged(_ settled: [M], _ loose: ArraySlice<M>) -> [M] {
    if loose.isEmpty { return settled }
    let precedes = queries.order(by: descriptor.sortBy)
    var result = [M]()
    result.reserveCapacity(settled.count + loose.count)
    var next = 0
    for object in loose {
      // Everything before `next` precedes the object that was placed last, so it precedes this one.
      var (low, high) = (next, settled.count)
      while low < high {
        let middle = (low + high) / 2
        if precedes(object, settled[middle]) { high = middle } else { low = middle + 1 }
      }
      result += settled[next..<low]
      result.append(object)
      next = low
    }
    return result + settled[next...]
  }

  /// The number of matches without limit and offset, or nil if objects have to be evaluated.
  func count() throws -> Int? {
    if case .everything = reach { return nil }
    var count = 0
    if let sorted = sortedUnsaved() {
      count = sorted.count
    } else {
      var seen = Set<ObjectIdentifier>()
      for object in try reachedObjects() + queries.unsaved(M.self, for: descriptor.predicate) {
        if seen.insert(ObjectIdentifier(object)).inserted, takes(object) { count += 1 }
      }
    }
    return try count + settledCount()
  }

  /// The number of stored rows that match and that no unsaved change affects.
  private func settledCount() throws -> Int {
    var query = query
    (query.limit, query.offset) = (nil, nil)
    if case .rows(let rows) = reach {
      // NULL for a to-one without a target, which nothing reaches.
      query.restrictions.append("(\(rows.condition(query.dialect))) IS NOT TRUE")
    }
    let (context, table) = (queries.context, query.table)
    let unsaved = table.family.reduce(0) { $0 + context.changed.count(of: $1) + context.deleted.count(of: $1) }
    // A statement with the keys of all unsaved objects costs in proportion to them, and few rows may match.
    let limit = unsaved / 4
    if limit >= context.tuning.askedCount {
      query.limit = limit + 1
      let statement = query.statement("t0._pk", ordered: false)
      let keys = try queries.rows(statement, of: table, cancellable: true) { $0.int64(0) }
      if keys.count <= limit {
        return keys.count { key in
          context.registered(root: table.root, key: key)?.__state.flags.isDisjoint(with: [.changed, .deleted]) ?? true
        }
      }
      query.limit = nil
    }
    query.exclude(queries.unsavedKeys(in: table))
    return try queries.rows(query.count, of: table, cancellable: true) { Int($0.int64(0)) }[0]
  }
}

extension Array {
  /// The index of the first element that a condition holds for. It holds for all elements after that one.
  /// - Complexity: O(log *n*).
  fileprivate func firstIndex(ofSorted holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
