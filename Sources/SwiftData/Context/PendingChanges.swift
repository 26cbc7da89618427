/// The saves that a context has not taken in, united by class. Its size is bounded by a constant for each class.
///
/// Uniting keeps what taking in one save after another means. The context reads rows as they are when it takes the saves in, so
/// it reads a row once that several saves changed. It lets go of the object of a deleted row, also if a later save inserted a row
/// with the same key: such a row gets another object.
struct PendingChanges: Sendable {
  /// The most keys of one kind and class. Beyond it, any row of the class counts as such a row.
  static var keyLimit: Int { 8_192 }

  private struct Keys {
    var kept: Set<Int64> = []
    var isOverflowing = false

    mutating func add(_ keys: [Int64]) {
      guard !isOverflowing else { return }
      if kept.count + keys.count <= PendingChanges.keyLimit { return kept.formUnion(keys) }
      (kept, isOverflowing) = ([], true)
    }
  }

  private struct Rows {
    let root: Int
    var inserted = Keys()
    var updated = Keys()
    var deleted = Keys()
  }

  private var rows: [String: Rows] = [:]
  private var entities: Set<String> = []
  private var isEverything = false
  /// Whether there was no save.
  private(set) var isEmpty = true

  /// The number of keys in memory.
  var keyCount: Int {
    rows.values.reduce(0) { $0 + $1.inserted.kept.count + $1.updated.kept.count + $1.deleted.kept.count }
  }

  mutating func add(_ changes: SavedChanges) {
    isEmpty = false
    if changes.isEverything { isEverything = true }
    entities.formUnion(changes.entities)
    for group in changes.inserted { rows[group.entity, default: Rows(root: group.root)].inserted.add(group.keys) }
    for group in changes.updated { rows[group.entity, default: Rows(root: group.root)].updated.add(group.keys) }
    for group in changes.deleted { rows[group.entity, default: Rows(root: group.root)].deleted.add(group.keys) }
  }

  /// All saves as one.
  var united: SavedChanges {
    var changes = SavedChanges()
    (changes.entities, changes.isEverything) = (entities, isEverything)
    for (name, rows) in rows.sorted(by: { $0.key < $1.key }) {
      func add(_ keys: Set<Int64>, to groups: inout [SavedChanges.Objects]) {
        if !keys.isEmpty { groups.append(.init(root: rows.root, entity: name, keys: keys.sorted())) }
      }
      add(rows.inserted.kept, to: &changes.inserted)
      add(rows.updated.kept.subtracting(rows.deleted.kept), to: &changes.updated)
      add(rows.deleted.kept, to: &changes.deleted)
      if rows.inserted.isOverflowing { changes.manyInserted.insert(name) }
      if rows.updated.isOverflowing || rows.deleted.isOverflowing { changes.manyChanged.insert(name) }
    }
    return changes
  }
}
