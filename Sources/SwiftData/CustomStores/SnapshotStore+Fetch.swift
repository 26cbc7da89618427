import Foundation

extension SnapshotStore {
  package func fetch<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, after start: M?, in context: ContextState
  ) throws -> [M] {
    let table = try context.core.table(for: M.__entity)
    try context.loadMarkedRows(root: table.root)
    let hasUnsaved = context.queries.hasUnsaved(in: table.store)
    if hasUnsaved, !descriptor.includePendingChanges {
      return try fetchStored(descriptor, after: start, table, context)
    }
    var asked = descriptor
    // The store does not report what it reads, so an unsaved change can affect any row.
    if hasUnsaved { asked = FetchDescriptor<M>() }
    if start != nil { (asked.fetchLimit, asked.fetchOffset) = (nil, nil) }
    let answer = try ask(asked, context.editing)
    var objects: [M] = try decode(answer, context)
    if hasUnsaved {
      var seen = Set<ObjectIdentifier>()
      objects = (objects + context.queries.unsaved(M.self)).filter {
        seen.insert(ObjectIdentifier($0)).inserted && !$0.__state.flags.contains(.deleted)
      }
    }
    return try context.loading {
      if let predicate = descriptor.predicate, hasUnsaved || !answer.isFiltered {
        let condition = MemoisedCondition(predicate)
        objects = objects.filter { condition.takes($0) }
      }
      if hasUnsaved || !answer.isSorted { objects = Self.sorted(objects, by: descriptor.sortBy) }
      if let start { objects = Self.after(start, in: objects, by: descriptor.sortBy) }
      return Bounds(descriptor).apply(to: objects)
    }
  }

  /// Fetches stored values. Registered objects may have other values, so another context fetches.
  private func fetchStored<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, after start: M?, _ table: EntityTable, _ context: ContextState
  ) throws -> [M] {
    let fresh = ContextState(core: context.core)
    defer { fresh.discard() }
    let place = try start.flatMap {
      try fresh.queries.objects(withKeys: [$0.__state.key], in: table)[$0.__state.key] as? M
    }
    let keys = try fetch(descriptor, after: place, in: fresh).map { $0.__state.key }
    let objects = try objects(withKeys: keys, in: table, context: context)
    return keys.compactMap { objects[$0] as? M }
  }

  /// Sorts by the descriptors. Ties keep the order of the store, with unsaved objects last.
  private static func sorted<M: PersistentModel>(_ objects: [M], by descriptors: [SortDescriptor<M>]) -> [M] {
    guard !descriptors.isEmpty else { return objects }
    return objects.enumerated().sorted { left, right in
      let order = compare(left.element, right.element, descriptors)
      return order == .orderedSame ? left.offset < right.offset : order == .orderedAscending
    }.map(\.element)
  }

  private static func compare<M: PersistentModel>(
    _ left: M, _ right: M, _ descriptors: [SortDescriptor<M>]
  ) -> ComparisonResult {
    for descriptor in descriptors {
      let order = descriptor.compare(left, right)
      if order != .orderedSame { return order }
    }
    return .orderedSame
  }

  private static func after<M: PersistentModel>(
    _ start: M, in objects: [M], by descriptors: [SortDescriptor<M>]
  ) -> [M] {
    if let index = objects.firstIndex(where: { $0 === start }) { return Array(objects[(index + 1)...]) }
    // The model does not match, or is deleted. Its values define the position, and its age breaks ties.
    return objects.filter {
      let order = compare(start, $0, descriptors)
      return order == .orderedAscending || order == .orderedSame && $0.__state.key > start.__state.key
    }
  }

  // MARK: - Counting

  package func fetchCount<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, in context: ContextState
  ) throws -> Int {
    let table = try context.core.table(for: M.__entity)
    try context.loadMarkedRows(root: table.root)
    if !descriptor.includePendingChanges || !context.queries.hasUnsaved(in: table.store) {
      let request = DataStoreFetchRequest(
        descriptor: Self.withoutOffset(descriptor), editingState: context.editing)
      if let count = try answered({ try $0.fetchCount(request) }) {
        let bounds = Bounds(descriptor)
        return max(0, min(count, bounds.end ?? .max) - bounds.offset)
      }
    }
    return try fetch(descriptor, after: nil, in: context).count
  }

  package func fetchIdentifiers<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, in context: ContextState
  ) throws -> [PersistentIdentifier] {
    let table = try context.core.table(for: M.__entity)
    try context.loadMarkedRows(root: table.root)
    if !descriptor.includePendingChanges || !context.queries.hasUnsaved(in: table.store) {
      let request = DataStoreFetchRequest(
        descriptor: Self.withoutOffset(descriptor), editingState: context.editing)
      if let identifiers = try answered({ try $0.fetchIdentifiers(request) }) {
        return Bounds(descriptor).apply(to: identifiers.filter { isOf(M.__entity, $0) })
      }
    }
    return try fetch(descriptor, after: nil, in: context).map(\.persistentModelID)
  }

  /// The store's answer, or nil if it wants the context to filter or sort.
  private func answered<T>(_ body: (Base) throws -> T) throws -> T? {
    do {
      return try call(body)
    } catch DataStoreError.preferInMemoryFilter {
      return nil
    } catch DataStoreError.preferInMemorySort {
      return nil
    }
  }
}
