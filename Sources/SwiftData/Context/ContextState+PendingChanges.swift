import Foundation

extension ContextState {
  /// Whether what is unsaved can change the result of a query.
  func pendingChangesMatter(to query: StoreQuery) -> Bool {
    guard hasChanges else { return false }
    return unsavedObjects.contains { object in
      guard let table = try? core.table(for: type(of: object).__entity) else { return false }
      return query.reads(table)
    }
  }

  private var unsavedObjects: [any PersistentModel] {
    Array(inserted.values) + changed.values.map(\.object) + Array(deleted.values)
  }

  /// A fetch over what is stored with the unsaved inserts, changes and deletes laid over it: what Swift's own
  /// filter and sort give over all objects in memory. Limit and offset come last.
  func fetchWithPendingChanges<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ query: StoreQuery, after start: M? = nil
  ) throws -> [M] {
    let candidates = candidates(for: query)
    var objects = [M]()
    var seen = Set<ObjectIdentifier>()
    let stored: [M] = try load(candidates)
    for object in stored + unsaved(M.self) {
      guard seen.insert(ObjectIdentifier(object)).inserted, !object.__state.flags.contains(.deleted) else { continue }
      if let predicate = descriptor.predicate, needsEvaluation(object, candidates, query) {
        guard (try? predicate.evaluate(object)) == true else { continue }
      }
      objects.append(object)
    }
    if let start {
      let precedes = order(by: descriptor.sortBy)
      objects.removeAll { $0 === start || !precedes(start, $0) }
    }
    if !descriptor.sortBy.isEmpty || !changed.isEmpty { sort(&objects, by: descriptor.sortBy) }
    return Array(objects.dropFirst(query.offset ?? 0).prefix(query.limit ?? .max))
  }

  /// The statement whose result unsaved changes are laid over.
  func candidates(for query: StoreQuery) -> StoreQuery {
    var candidates = query
    candidates.offset = nil
    if dependsOnOthers(query) {
      // An unsaved change of a related object can make any row match, so all are asked in memory.
      candidates.condition = nil
      candidates.limit = nil
      candidates.ranges = nil
    } else if let limit = query.limit {
      // Each unsaved object can push out or pull in one row.
      let needed = limit.addingReportingOverflow(min(query.offset ?? 0, .max / 2) + changed.count + deleted.count)
      candidates.limit = needed.overflow ? nil : needed.partialValue
    }
    return candidates
  }

  /// Whether the statement reads entities that have unsaved objects, other than by the fetched rows themselves.
  /// - Parameter includingValues: whether what it computes of the rows counts too.
  func dependsOnOthers(_ query: StoreQuery, includingValues: Bool = false) -> Bool {
    guard includingValues || query.condition != nil || !query.order.isEmpty else { return false }
    return unsavedObjects.contains { object in
      guard let table = try? core.table(for: type(of: object).__entity) else { return false }
      return query.readsRelated(table)
    } || readsUnsavedPairs(of: query.reads.all)
  }

  /// Whether a join table is read while a to-many that it keeps is unsaved.
  private func readsUnsavedPairs(of reads: StatementReads) -> Bool {
    guard !reads.pairs.isEmpty else { return false }
    return changed.values.contains { change in
      let entity = type(of: change.object).__entity
      return change.properties.indices.contains { index in
        guard entity.properties[index].isToMany,
          case .join(let table, _, _, _) = RelationshipInfo.of(entity.properties[index], in: entity).storage
        else { return false }
        return reads.pairs.contains(table)
      }
    }
  }

  private func needsEvaluation(_ object: any PersistentModel, _ candidates: StoreQuery, _ query: StoreQuery) -> Bool {
    if candidates.condition == nil && query.condition != nil { return true }
    return object.__state.flags.contains(.inserted) || object.__state.flags.contains(.changed)
  }

  /// The unsaved objects of a class: changed ones, which the statement may have missed, then new ones.
  func unsaved<M: PersistentModel>(_ type: M.Type) -> [M] {
    changed.values.compactMap { $0.object as? M } + inserted.values.compactMap { $0 as? M }
  }

  /// Sorts as the statement does: by the descriptors, then by age; unsaved objects are the youngest.
  private func sort<M: PersistentModel>(_ objects: inout [M], by descriptors: [SortDescriptor<M>]) {
    objects.sort(by: order(by: descriptors))
  }

  /// Whether an object comes before another in a fetch.
  func order<M: PersistentModel>(by descriptors: [SortDescriptor<M>]) -> (M, M) -> Bool {
    let age = Dictionary(
      uniqueKeysWithValues: inserted.keys.enumerated().map { ($1, Int64.max / 2 + Int64($0)) })
    func key(_ object: M) -> Int64 {
      object.__state.flags.contains(.inserted) ? age[ObjectIdentifier(object)] ?? .max : object.__state.key
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
