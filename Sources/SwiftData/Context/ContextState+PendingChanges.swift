import Foundation

extension ContextState {
  /// Whether what is unsaved can change the result of a query.
  /// - Complexity: O(classes), where the query reads no relationships.
  func pendingChangesMatter(to query: StoreQuery) -> Bool {
    guard hasChanges else { return false }
    return hasUnsaved(of: query.table.family) || dependsOnOthers(query, includingValues: true)
  }

  /// Whether unsaved changes of other objects can change what the statement finds, besides the fetched rows themselves.
  /// - Parameter includingValues: whether what it computes of the rows counts too.
  func dependsOnOthers(_ query: StoreQuery, includingValues: Bool = false) -> Bool {
    !reach(of: query, includingValues: includingValues).isNothing
  }

  /// A fetch over what is stored with the unsaved inserts, changes and deletes laid over it: what Swift's own
  /// filter and sort give over all objects in memory. Limit and offset come last.
  func fetchWithPendingChanges<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ query: StoreQuery, after start: M? = nil
  ) throws -> [M] {
    let overlay = PendingOverlay(descriptor, query, self)
    var objects = try overlay.objects()
    if let start {
      let precedes = order(by: descriptor.sortBy)
      objects.removeAll { $0 === start || !precedes(start, $0) }
    }
    return Array(objects.dropFirst(query.offset ?? 0).prefix(query.limit ?? .max))
  }

  /// How many objects ``fetchWithPendingChanges(_:_:after:)`` finds.
  func countWithPendingChanges<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ query: StoreQuery
  ) throws -> Int {
    guard let all = try PendingOverlay(descriptor, query, self).count() else {
      return try fetchWithPendingChanges(descriptor, query).count
    }
    return min(max(0, all - (query.offset ?? 0)), query.limit ?? .max)
  }

  /// The statement whose result unsaved changes are laid over.
  func candidates(for query: StoreQuery) -> StoreQuery {
    var candidates = query
    candidates.offset = nil
    if case .everything = reach(of: query) {
      // Any row may match, and stand anywhere.
      candidates.condition = nil
      candidates.limit = nil
      candidates.ranges = nil
    } else if let limit = query.limit {
      // Each unsaved object can push out or pull in one row.
      let pending = query.table.family.reduce(0) { $0 + changed.count(of: $1) + deleted.count(of: $1) }
      let needed = limit.addingReportingOverflow(min(query.offset ?? 0, .max / 2) + pending)
      candidates.limit = needed.overflow ? nil : needed.partialValue
    }
    return candidates
  }

  /// The unsaved objects of a class: changed ones, which the statement may have missed, then new ones.
  /// - Complexity: O(their number).
  func unsaved<M: PersistentModel>(_ type: M.Type) -> [M] {
    guard let family = (try? core.table(for: M.__entity))?.family else { return [] }
    // The casts cannot fail: the classes are those of the family.
    let found = changed.entries(of: family).map { $0.object as! M } + inserted.entries(of: family).map { $0 as! M }
    work.note(\.listed, found.count)
    return found
  }

  /// Whether an object comes before another in a fetch: by the descriptors, then by age; unsaved objects are the youngest.
  func order<M: PersistentModel>(by descriptors: [SortDescriptor<M>]) -> (M, M) -> Bool {
    let inserted = inserted
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

/// What is stored with what is unsaved laid over it, for one fetch.
private struct PendingOverlay<M: PersistentModel> {
  let descriptor: FetchDescriptor<M>
  let query: StoreQuery
  let state: ContextState
  let reach: PendingReach
  let condition: MemoisedCondition<M>?

  init(_ descriptor: FetchDescriptor<M>, _ query: StoreQuery, _ state: ContextState) {
    (self.descriptor, self.state) = (descriptor, state)
    var query = query
    // Objects are compared and sorted, so none of their values is left out.
    query.columns = (try? state.core.sqlStore(of: query.table))?.selection(of: query.table) ?? query.columns
    self.query = query
    reach = state.reach(of: query)
    condition = descriptor.predicate.map { MemoisedCondition($0) }
  }

  /// All that match, in order; those behind the end of the fetch may be missing.
  func objects() throws -> [M] {
    if case .everything = reach { return try objectsOfWholeTable() }
    let reached = try reachedObjects()
    var seen = Set<ObjectIdentifier>()
    var loose = [M]()
    for object in reached + state.unsaved(M.self, for: descriptor.predicate) {
      guard seen.insert(ObjectIdentifier(object)).inserted, takes(object) else { continue }
      loose.append(object)
    }
    // Whatever was reached and not found here again matches no more.
    let asked = Set(reached.map { ObjectIdentifier($0) })
    let settled = try storedObjects { Self.isSettled($0) && !asked.contains(ObjectIdentifier($0)) }
    return merged(settled, loose)
  }

  private func takes(_ object: M) -> Bool {
    guard !object.__state.flags.contains(.deleted) else { return false }
    guard let condition else { return true }
    state.work.note(\.evaluated)
    return condition.takes(object)
  }

  /// Whether an object is as the store says.
  private static func isSettled(_ object: M) -> Bool {
    object.__state.flags.isDisjoint(with: [.changed, .deleted, .inserted])
  }

  /// Every row may match, and stand anywhere.
  private func objectsOfWholeTable() throws -> [M] {
    let stored: [M] = try state.load(state.candidates(for: query))
    var seen = Set<ObjectIdentifier>()
    let objects = (stored + state.unsaved(M.self)).filter { seen.insert(ObjectIdentifier($0)).inserted && takes($0) }
    return objects.sorted(by: state.order(by: descriptor.sortBy))
  }

  /// The rows that unsaved changes of related objects reach.
  private func reachedObjects() throws -> [M] {
    guard case .rows(let rows) = reach else { return [] }
    var query = StoreQuery(table: query.table, dialect: query.dialect, columns: query.columns)
    query.condition = rows.condition(query.dialect)
    return try state.load(query)
  }

  /// The rows that the statement finds and that nothing unsaved touches, in order.
  ///
  /// With a limit only as many are read as it takes: the statement is asked for some more than are wanted, and for ever
  /// more while too many of them turn out to be touched.
  private func storedObjects(where isSettled: (M) -> Bool) throws -> [M] {
    var query = query
    query.offset = nil
    guard let limit = query.limit else { return try (state.load(query) as [M]).filter(isSettled) }
    let (needed, isEndless) = limit.addingReportingOverflow(min(self.query.offset ?? 0, .max / 2))
    var slack = 8
    while true {
      let (asked, isTooMuch) = needed.addingReportingOverflow(slack)
      query.limit = isEndless || isTooMuch ? nil : asked
      let found: [M] = try state.load(query)
      let settled = found.filter(isSettled)
      if query.limit == nil || found.count < asked || settled.count >= needed { return settled }
      slack *= 8
    }
  }

  /// - Parameters:
  ///   - settled: in order.
  ///   - loose: the others.
  private func merged(_ settled: [M], _ loose: [M]) -> [M] {
    if loose.isEmpty { return settled }
    let precedes = state.order(by: descriptor.sortBy)
    var result = [M]()
    result.reserveCapacity(settled.count + loose.count)
    var next = 0
    for object in loose.sorted(by: precedes) {
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

  /// How many match, without regard to limit and offset; nil where the objects have to be looked at.
  func count() throws -> Int? {
    if case .everything = reach { return nil }
    var count = 0
    var seen = Set<ObjectIdentifier>()
    for object in try reachedObjects() + state.unsaved(M.self, for: descriptor.predicate) {
      if seen.insert(ObjectIdentifier(object)).inserted, takes(object) { count += 1 }
    }
    var query = query
    (query.limit, query.offset) = (nil, nil)
    query.exclude(state.unsavedKeys(in: query.table))
    if case .rows(let rows) = reach {
      // NULL for a to-one that leads nowhere, which nothing reaches.
      query.restrictions.append("(\(rows.condition(query.dialect))) IS NOT TRUE")
    }
    return try count + state.rows(query.count, of: query.table, cancellable: true) { Int($0.int64(0)) }[0]
  }
}
