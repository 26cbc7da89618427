/// The effects of a save on rows without a loaded object.
package struct SavedRows {
  private struct Row: Hashable {
    let entity: String
    let key: Int64
  }

  var deleted: [SavedChanges.Objects] = []
  /// The deleted rows that cascades found in the store. The saving context may have objects of them.
  var found: [SavedChanges.Objects] = []
  /// Rows whose to-one referred to a deleted row, without rows of changed objects.
  var updated: [SavedChanges.Objects] = []
  /// The names of those to-ones.
  private var cleared: [Row: [String]] = [:]

  mutating func clear(_ property: String, of entity: String, _ keys: [Int64]) {
    for key in keys { cleared[Row(entity: entity, key: key), default: []].append(property) }
  }

  /// Whether no row has to-ones that the store cleared, other than those that were taken.
  var isNothingCleared: Bool { cleared.isEmpty }

  /// Removes and returns the to-ones of a row, which the caller records.
  mutating func takeCleared(_ entity: String, _ key: Int64) -> [String] {
    cleared.isEmpty ? [] : cleared.removeValue(forKey: Row(entity: entity, key: key)) ?? []
  }

  /// The remaining rows in order, with their to-ones.
  var allCleared: [(entity: String, key: Int64, names: [String])] {
    cleared.map { ($0.key.entity, $0.key.key, $0.value) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
  }

  /// Drops rows that were deleted too, and computes the rest.
  /// - Parameter objects: the rows of the changed objects, which most saves do not need.
  mutating func finish(_ tables: TableCatalog, changed objects: () throws -> Set<SavedRows.Changed>) rethrows {
    if cleared.isEmpty { return }
    let changed = try objects()
    let gone = Dictionary(grouping: deleted, by: \.root).mapValues { Set($0.flatMap(\.keys)) }
    func root(_ entity: String) -> Int { tables.table(named: entity)?.root ?? -1 }
    cleared = cleared.filter { gone[root($0.key.entity)]?.contains($0.key.key) != true }
    for (entity, rows) in Dictionary(grouping: cleared.keys, by: \.entity).sorted(by: { $0.key < $1.key }) {
      let keys = rows.map(\.key).filter { !changed.contains(Changed(root: root(entity), key: $0)) }.sorted()
      if !keys.isEmpty { updated.append(.init(root: root(entity), entity: entity, keys: keys)) }
    }
  }

  /// An object with own unsaved changes.
  struct Changed: Hashable {
    let root: Int
    let key: Int64
  }
}
