/// The rows that a batch delete marked without loading them, by class. The next save removes them.
///
/// They last as long as nothing needs an object of their class hierarchies that could be one of them: then all become
/// ordinary unsaved deletions (`ContextState.loadMarkedRows`). No registered object is among them.
struct MarkedRows {
  private(set) var groups: [(table: EntityTable, keys: [Int64])] = []

  var isEmpty: Bool { groups.isEmpty }

  mutating func add(_ keys: [Int64], of table: EntityTable) {
    guard !keys.isEmpty else { return }
    if let index = groups.firstIndex(where: { $0.table === table }) {
      groups[index].keys += keys
    } else {
      groups.append((table, keys))
    }
  }

  /// The keys in the table of a class hierarchy.
  func keys(root: Int) -> [Int64] { groups.lazy.filter { $0.table.root == root }.flatMap(\.keys) }

  func contains(root: Int) -> Bool { groups.contains { $0.table.root == root } }
}

extension ContextState {
  /// Makes the marked rows ordinary unsaved deletions, with their objects.
  func loadMarkedRows() throws {
    let groups = markedRows.groups
    markedRows = MarkedRows()
    for (table, keys) in groups {
      let objects = try objects(withKeys: keys, in: table)
      for key in keys { if let object = objects[key] { delete(object) } }
    }
  }

  /// Called before objects of a hierarchy are loaded by their keys.
  func loadMarkedRows(root: Int) throws {
    if markedRows.contains(root: root) { try loadMarkedRows() }
  }

  /// Leaves the marked rows out of a query of their table; where it can see them in another way, they are loaded.
  func leaveOutMarkedRows<M: PersistentModel>(_ query: inout StoreQuery, _ descriptor: FetchDescriptor<M>) throws {
    guard !markedRows.isEmpty else { return }
    let seen = markedRows.groups.filter { query.reads($0.table) }
    guard !seen.isEmpty else { return }
    let isPlain = seen.allSatisfy { $0.table.root == query.table.root } && !query.readsOwnTableAgain
    guard descriptor.includePendingChanges, isPlain else { return try loadMarkedRows() }
    query.exclude(markedRows.keys(root: query.table.root))
    query.leavesOutMarkedRows = true
  }
}
