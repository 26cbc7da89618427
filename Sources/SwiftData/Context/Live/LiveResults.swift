import Foundation

/// The up-to-date result of a fetch. It evaluates a changed object in memory and repositions it. It queries the store
/// only for rows that are not in memory, and for changes that may affect any row.
final class LiveResults<Model: PersistentModel>: LiveQuery {
  /// The effect of an update on the result.
  struct Update {
    let old: [Model]
    let new: [Model]
    /// Objects that may have changed values, or nil for possibly all.
    let touched: Set<ObjectIdentifier>?

    var isSameList: Bool {
      old.count == new.count && zip(old, new).allSatisfy { $0 === $1 }
    }
  }

  private let state: ContextState
  private let own: EntityTable
  /// The fetch. Assigning another descriptor invalidates the result.
  var descriptor: FetchDescriptor<Model> {
    didSet {
      scope = nil
      noteEverything()
    }
  }
  private(set) var results: [Model] = []

  // MARK: - What changed since the last update
  private var touchedObjects: [ObjectIdentifier: Model] = [:]
  private var touchedKeys: Set<Int64> = []
  private var deletedKeys: Set<Int64> = []
  private var needsFetch = true
  private var isAllTouched = false
  /// Whether the last update failed. Its reminder is used up, and the result is still stale.
  private var hasFailed = false

  /// The tables that the fetch reads, determined at the first update.
  private var scope: Scope?

  private struct Scope {
    /// The names of the tables.
    let tables: Set<String>
    /// Whether an object's own values alone decide its membership and position, so that it can be repositioned by
    /// itself.
    let isPatchable: Bool
  }

  /// Beyond this number of changed rows, the whole fetch runs again.
  private static var patchLimit: Int { 1_000 }

  init(_ descriptor: FetchDescriptor<Model>, in state: ContextState) throws {
    self.descriptor = descriptor
    self.state = state
    self.own = try state.core.table(for: Model.__entity)
    super.init()
    state.liveQueries.add(self)
  }

  override var isStale: Bool {
    needsFetch || !touchedObjects.isEmpty || !touchedKeys.isEmpty || !deletedKeys.isEmpty
  }

  // MARK: - Noting

  override func note(_ object: any PersistentModel, _ table: EntityTable) {
    guard descriptor.includePendingChanges, scope?.tables.contains(table.name) != false else { return }
    noting {
      if table.name == own.name, let object = object as? Model { touchedObjects[ObjectIdentifier(object)] = object }
      if table.name != own.name || scope?.isPatchable == false { needsFetch = true }
    }
  }

  override func note(_ changes: SavedChanges) {
    if changes.isEverything { return noteEverything() }
    for group in changes.inserted + changes.updated { note(group) { $0.touchedKeys.formUnion(group.keys) } }
    for group in changes.deleted { note(group) { $0.deletedKeys.formUnion(group.keys) } }
    for name in changes.manyInserted.union(changes.manyChanged) {
      guard let table = state.core.table(named: name), reads(table) else { continue }
      noting {
        needsFetch = true
        if table.name == own.name, changes.manyChanged.contains(name) { isAllTouched = true }
      }
    }
    // A changed array does not change the rows of the objects in it.
    for name in changes.entities {
      guard let table = state.core.table(named: name), table.name != own.name, reads(table) else { continue }
      noting { needsFetch = true }
    }
  }

  private func note(_ group: SavedChanges.Objects, _ keep: (LiveResults) -> Void) {
    guard let table = state.core.table(named: group.entity), reads(table) else { return }
    noting {
      if table.name == own.name { keep(self) }
      if table.name != own.name || scope?.isPatchable == false { needsFetch = true }
    }
  }

  private func reads(_ table: EntityTable) -> Bool { scope?.tables.contains(table.name) != false }

  override func noteEverything() {
    noting {
      needsFetch = true
      isAllTouched = true
    }
  }

  private func noting(_ change: () -> Void) {
    let isReminded = isStale && !hasFailed
    change()
    hasFailed = false
    if !isReminded, isStale { onStale() }
  }

  // MARK: - Updating

  /// Brings the result up to date.
  /// - Returns: the changes, or nil if nothing can have changed.
  /// - Throws: as a fetch. The result is then unchanged, and the next update tries again.
  func update() throws -> Update? {
    state.beginUse(.read)
    defer { state.endUse() }
    state.drainInbox()
    guard isStale else { return nil }
    let old = results
    let patches = !needsFetch && touchedKeys.count + touchedObjects.count <= Self.patchLimit
    let (objects, keys, gone, all) = (touchedObjects, touchedKeys, deletedKeys, isAllTouched)
    (touchedObjects, touchedKeys, deletedKeys, needsFetch, isAllTouched) = ([:], [], [], false, false)
    do {
      if scope == nil { scope = try findScope() }
      results =
        patches ? try state.loading { try patched(objects, keys, gone) } : try state.queries.fetch(descriptor)
    } catch {
      needsFetch = true
      isAllTouched = true
      hasFailed = true
      throw error
    }
    let touched = results.lazy.filter { keys.contains($0.__state.key) }.map { ObjectIdentifier($0) }
    return Update(old: old, new: results, touched: all ? nil : Set(touched).union(objects.keys))
  }

  private func findScope() throws -> Scope {
    guard let query = try statement() else {
      // A custom store does not report what it reads.
      let tables = state.core.tables.all.filter { $0.store == own.store }.map(\.name)
      return Scope(tables: Set(tables), isPatchable: false)
    }
    let isPatchable =
      query.limit == nil && query.offset == nil && descriptor.includePendingChanges && !query.readsOwnTableAgain
    return Scope(tables: query.tables(of: state.core.tables), isPatchable: isPatchable)
  }

  /// The fetch as a statement, or nil if the store runs none or defers a part of it to Swift.
  private func statement() throws -> StoreQuery? {
    guard case .sql = state.core.kind(of: own) else { return nil }
    do {
      return try state.queries.lower(descriptor)
    } catch DataStoreError.preferInMemoryFilter {
      return nil
    }
  }

  private func patched(
    _ objects: [ObjectIdentifier: Model], _ touchedKeys: Set<Int64>, _ gone: Set<Int64>
  ) throws -> [Model] {
    let keys = touchedKeys.union(objects.values.lazy.map { $0.__state.key }.filter { $0 != 0 }).subtracting(gone)
    let kept = results.filter { object in
      let key = object.__state.key
      return objects[ObjectIdentifier(object)] == nil && !keys.contains(key) && !gone.contains(key)
    }
    var asked = objects.values.filter { $0.__state.key == 0 && $0.__state.context === state }
    var missing = [Int64]()
    for key in keys {
      guard let object = state.registered(root: own.root, key: key) else {
        missing.append(key)
        continue
      }
      if let object = object as? Model { asked.append(object) }
    }
    let condition = descriptor.predicate.map { MemoisedCondition($0) }
    var found = asked.filter { !$0.__state.flags.contains(.deleted) && condition?.takes($0) ?? true }
    if !missing.isEmpty {
      found += try state.queries.settled(try state.core.sqlStore(of: own)) {
        var query = try state.queries.lower(descriptor)
        query.restrictions.append(query.dialect.isAmong("t0._pk", missing))
        return try state.queries.load(query) as [Model]
      }
    }
    return found.isEmpty ? kept : merged(kept, found)
  }

  /// - Parameter kept: the remaining objects, in order.
  private func merged(_ kept: [Model], _ found: [Model]) -> [Model] {
    let precedes = state.queries.order(by: descriptor.sortBy)
    var result = [Model]()
    result.reserveCapacity(kept.count + found.count)
    var next = 0
    for object in found.sorted(by: precedes) {
      // Everything before `next` precedes the object that was placed last, so it precedes this one.
      var (low, high) = (next, kept.count)
      while low < high {
        let middle = (low + high) / 2
        if precedes(object, kept[middle]) { high = middle } else { low = middle + 1 }
      }
      result += kept[next..<low]
      result.append(object)
      next = low
    }
    return result + kept[next...]
  }
}
