/// The changes of one save to one store, as other contexts have to know them, or of several saves (``PendingChanges``).
struct SavedChanges: Sendable {
  struct Objects: Sendable {
    var root: Int
    var entity: String
    var keys: [Int64]

    func identifiers(in store: any EngineStore) -> [PersistentIdentifier] {
      keys.map { store.identifier(ofKey: $0, entity: entity) }
    }
  }
  var inserted: [Objects] = []
  var updated: [Objects] = []
  var deleted: [Objects] = []
  /// Entities whose rows came, went or changed; arrays of them may be stale.
  var entities: Set<String> = []
  /// Whether it is not known what changed, and anything may have.
  var isEverything = false
  /// Classes with so many new rows that their keys are not known.
  var manyInserted: Set<String> = []
  /// Classes with so many changed or deleted rows that any row may have been.
  var manyChanged: Set<String> = []
}

extension [SavedChanges.Objects] {
  /// Adds one row to the rows of its class that were added just before.
  mutating func add(_ key: Int64, of table: EntityTable) {
    if let last = indices.last, self[last].entity == table.entity.name {
      self[last].keys.append(key)
    } else {
      append(.init(root: table.root, entity: table.entity.name, keys: [key]))
    }
  }
}
