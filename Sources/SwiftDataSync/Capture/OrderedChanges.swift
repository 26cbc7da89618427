#if Sync
import SwiftData

/// The changes of several saves, by object.
struct OrderedChanges {
  private(set) var inserted: [PersistentIdentifier] = []
  private(set) var updated: [PersistentIdentifier: Set<String>?] = [:]
  private(set) var updateOrder: [PersistentIdentifier] = []
  private(set) var deleted: [PersistentIdentifier] = []
  private var insertedSet: Set<PersistentIdentifier> = []
  /// The properties that several saves changed.
  private var repeated: [PersistentIdentifier: Set<String>] = [:]

  /// Whether several saves changed a property, so that what they did may be more than what is left of it.
  func isRepeated(_ object: PersistentIdentifier, _ property: String) -> Bool {
    repeated[object]?.contains(property) == true
  }

  func isInserted(_ object: PersistentIdentifier) -> Bool { insertedSet.contains(object) }

  mutating func add(_ save: UserStore.Save) {
    insertedSet.reserveCapacity(insertedSet.count + save.inserted.count)
    for object in save.inserted { insert(object) }
    for (object, names) in save.updated { update(object, names) }
    for object in save.deleted { delete(object) }
  }

  mutating func insert(_ object: PersistentIdentifier) {
    if updated[object] == nil, insertedSet.insert(object).inserted { inserted.append(object) }
  }

  /// - Parameter names: the properties; nil is all.
  mutating func update(_ object: PersistentIdentifier, _ names: Set<String>?) {
    if let old = updated[object] {
      if let both = old.flatMap({ names?.intersection($0) }), !both.isEmpty {
        repeated[object, default: []].formUnion(both)
      }
      updated[object] = .some(names.flatMap { names in old.map { $0.union(names) } })
    } else {
      updated[object] = .some(names)
      updateOrder.append(object)
    }
  }

  mutating func delete(_ object: PersistentIdentifier) { deleted.append(object) }
}
#endif
