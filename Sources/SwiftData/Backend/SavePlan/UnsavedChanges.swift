/// The changes that one save writes to one store. A class, because a save asks for its parts again and again.
package final class UnsavedChanges {
  /// The saving context. A save through snapshots needs other objects than the changed ones.
  let host: ModelHost
  package let tables: TableCatalog
  /// The identity and the author of the saving context.
  package let editing: EditingState
  /// New objects in insertion order.
  package let inserted: [any PersistentModel]
  /// Changed stored objects that are not deleted.
  // Unchecked, because reading it runs nothing else.
  @exclusivity(unchecked) package private(set) var changed: [ObjectChange]
  private let allChanged: [ObjectChange]
  package let deleted: [any PersistentModel]
  /// The changes of deleted objects before their deletion, which are not written.
  let changedBeforeDeletion: [ObjectChange]
  /// The keys of rows that a batch delete marked, by class.
  package let marked: [(table: EntityTable, keys: [Int64])]
  /// Whether any written object has relationships, and to-manys. Most of a large save has none.
  package let hasRelationships: Bool
  package let hasToManys: Bool

  /// The new objects whose insertion can be undone.
  let undoable: Set<ObjectIdentifier>

  /// The counts of removals from the context's unsaved objects when the save began.
  let removals: (inserted: Int, changed: Int, deleted: Int)

  package var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty && marked.isEmpty }

  init(
    host: ModelHost, tables: TableCatalog, editing: EditingState, inserted: [any PersistentModel],
    changed: [ObjectChange], deleted: [any PersistentModel], changedBeforeDeletion: [ObjectChange],
    marked: [(table: EntityTable, keys: [Int64])],
    hasRelationships: Bool, hasToManys: Bool, undoable: Set<ObjectIdentifier>,
    removals: (inserted: Int, changed: Int, deleted: Int)
  ) {
    (self.host, self.tables, self.editing) = (host, tables, editing)
    (self.inserted, self.changed, self.deleted, self.marked) = (inserted, changed, deleted, marked)
    (self.changedBeforeDeletion, allChanged) = (changedBeforeDeletion, changed)
    (self.hasRelationships, self.hasToManys) = (hasRelationships, hasToManys)
    (self.undoable, self.removals) = (undoable, removals)
  }

  /// Leaves out the changes of objects whose rows cascades delete, as for objects that the program deleted.
  /// - Parameter rows: replaces the rows of an earlier attempt.
  func leaveOut(_ rows: [DeletePlan.Rows]) {
    if rows.isEmpty, changed.count == allChanged.count { return }
    let gone = Dictionary(grouping: rows, by: \.table.root).mapValues { Set($0.flatMap(\.keys)) }
    changed = allChanged.filter { change in
      let root = tables.table(named: type(of: change.object).__entity.name)?.root
      return root.flatMap { gone[$0] }?.contains(change.object.__state.key) != true
    }
  }

  func table(of object: any PersistentModel) throws -> EntityTable {
    try tables.table(for: type(of: object).__entity)
  }
}

/// Objects of one class with the same properties to write.
package struct ObjectGroup {
  package let table: EntityTable
  /// The changed properties, or all for new objects.
  package let properties: PropertySet
  package internal(set) var objects: [any PersistentModel]
}

extension UnsavedChanges {
  /// The changed objects by class and properties, each group in the order of the first change.
  func updates() throws -> [ObjectGroup] {
    struct Kind: Hashable {
      let entity: ObjectIdentifier
      let properties: PropertySet
    }
    var groups = [ObjectGroup]()
    var places = [Kind: Int]()
    // Consecutive changes are often of the same kind.
    var last: (entity: __Entity, place: Int)?
    for index in changed.indices {
      // In place, because a copy of the change would count its references.
      let object = changed[index].object
      if let last, last.entity.describes(object), groups[last.place].properties == changed[index].properties {
        groups[last.place].objects.append(object)
        continue
      }
      let (entity, change) = (type(of: object).__entity, changed[index])
      let kind = Kind(entity: ObjectIdentifier(entity), properties: change.properties)
      let place = places[kind] ?? groups.count
      if place == groups.count {
        groups.append(
          ObjectGroup(table: try tables.table(for: entity), properties: change.properties, objects: []))
        places[kind] = place
      }
      groups[place].objects.append(object)
      last = (entity, place)
    }
    return groups
  }

  /// The objects that get other unique values, each with these properties. A value that is assigned again keeps its row: a new object
  /// with the same value updates it.
  /// - Parameter updates: all changed objects.
  func newUniqueValues(among updates: [ObjectGroup]) throws -> [ObjectGroup] {
    guard updates.contains(where: { $0.table.uniqueProperties.intersects($0.properties) }) else { return [] }
    var groups = [ObjectGroup]()
    for index in changed.indices {
      let table = try tables.table(for: type(of: changed[index].object).__entity)
      guard table.uniqueProperties.intersects(changed[index].properties) else { continue }
      let properties = table.uniqueProperties.indices.filter(changed[index].changesValue)
      if properties.isEmpty { continue }
      groups.append(
        ObjectGroup(table: table, properties: PropertySet(properties), objects: [changed[index].object]))
    }
    return groups
  }

  /// The new objects by class, with targets of to-ones before the classes that refer to them. The keys of targets that
  /// turn out to be stored rows are then known in time.
  func insertions() throws -> [ObjectGroup] {
    var groups = [ObjectGroup]()
    var places = [ObjectIdentifier: Int]()
    var last: (entity: __Entity, place: Int)?
    for object in inserted {
      if let last, last.entity.describes(object) {
        groups[last.place].objects.append(object)
        continue
      }
      let entity = type(of: object).__entity
      let place = places[ObjectIdentifier(entity)] ?? groups.count
      if place == groups.count {
        groups.append(
          ObjectGroup(
            table: try tables.table(for: entity), properties: PropertySet(entity.properties.indices), objects: []))
        places[ObjectIdentifier(entity)] = place
      }
      groups[place].objects.append(object)
      last = (entity, place)
    }
    if groups.count > 1 { Self.sort(&groups) }
    return groups
  }

  private static func sort(_ groups: inout [ObjectGroup]) {
    let rank = ranks(of: groups.map(\.table))
    groups.sort { rank[$0.table.entity.name]! < rank[$1.table.entity.name]! }
  }

  /// The place of each class in an order in which the targets of its to-ones come first.
  static func ranks(of tables: [EntityTable]) -> [String: Int] {
    var rank = [String: Int]()
    func visit(_ table: EntityTable, path: Set<String>) {
      let name = table.entity.name
      // A cycle is cut anywhere; `RowSave.mergedTargets` handles the rest.
      guard rank[name] == nil, !path.contains(name) else { return }
      for property in table.stored where property.isToOne {
        let destination = property.destination!.__entity
        for other in tables where other.entity.isKind(of: destination) { visit(other, path: path.union([name])) }
      }
      if rank[name] == nil { rank[name] = rank.count }
    }
    for table in tables { visit(table, path: []) }
    return rank
  }
}
