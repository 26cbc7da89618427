/// The rows that a batch delete marked without loading them, by class. The next save removes them.
///
/// If an operation needs an object of their hierarchies that could be marked, all marks become ordinary unsaved
/// deletions (`ContextState.loadMarkedRows`). A registered object is never marked.
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

  /// The marked keys in the table of a class hierarchy.
  func keys(root: Int) -> [Int64] { groups.lazy.filter { $0.table.root == root }.flatMap(\.keys) }

  func contains(root: Int) -> Bool { groups.contains { $0.table.root == root } }
}

extension ContextState {
  /// Turns marked rows into ordinary unsaved deletions with objects.
  func loadMarkedRows() throws {
    var groups = markedRows.groups[...]
    markedRows = MarkedRows()
    // Rows that cannot be loaded stay marked.
    defer { for (table, keys) in groups { markedRows.add(keys, of: table) } }
    while let (table, keys) = groups.first {
      let objects = try queries.objects(withKeys: keys, in: table)
      for key in keys { if let object = objects[key] { delete(object) } }
      groups.removeFirst()
    }
  }

  /// Called before objects of a hierarchy are loaded by key.
  func loadMarkedRows(root: Int) throws {
    if markedRows.contains(root: root) { try loadMarkedRows() }
  }

  /// Excludes the marked rows from a query of their table. Loads them if the query can reach them in another way.
  func leaveOutMarkedRows<M: PersistentModel>(_ query: inout StoreQuery, _ descriptor: FetchDescriptor<M>) throws {
    guard !markedRows.isEmpty else { return }
    // A to-one of a marked row's referrer becomes nil, and its column still has the key.
    let referring = markedRows.groups.contains { query.readsReference(to: $0.table) }
    let seen = markedRows.groups.filter { query.reads($0.table) }
    guard referring || !seen.isEmpty else { return }
    let isPlain =
      !referring && seen.allSatisfy { $0.table.root == query.table.root } && !query.readsOwnTableAgain
    guard descriptor.includePendingChanges, isPlain else { return try loadMarkedRows() }
    query.exclude(markedRows.keys(root: query.table.root))
    query.leavesOutMarkedRows = true
  }
}
