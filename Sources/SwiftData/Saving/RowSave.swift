/// One save of one store that keeps objects as rows: what is written, in which order, and what is undone in memory if it
/// fails. The store's ``RowWriter`` executes it.
///
/// The order is: deletes, inserts (targets of to-ones first), updates of changed columns, pairs, places in lists, history.
package final class RowSave: StoreSave {
  private let rows: any SQLStore
  package var store: any EngineStore { rows }
  package let changes: UnsavedChanges
  package var savedRows = SavedRows()
  /// New objects whose values went into a row that was there already, with that row's key.
  package private(set) var merged: [ObjectIdentifier: Int64] = [:]
  /// The properties that an upsert wrote, by object.
  private var mergedProperties: [ObjectIdentifier: [String]] = [:]
  /// The keys of the new objects as far as they got rows of their own, by their places in `inserted`.
  private var keys: [Int64] = []
  private(set) var history = HistoryRecorder()

  init(_ store: any SQLStore, _ changes: UnsavedChanges) { (self.rows, self.changes) = (store, changes) }

  package func run(_ others: () throws -> Void) throws {
    do {
      try rows.run(self, others)
    } catch {
      if !keys.isEmpty { for object in inserted { object.__state.key = 0 } }
      throw error
    }
  }

  /// Writes everything, up to the end of the transaction.
  ///
  /// A store that tries a transaction again calls it again: then it begins anew, with the same keys.
  package func write(by writer: any RowWriter) throws {
    merged = [:]
    mergedProperties = [:]
    savedRows = SavedRows()
    history = HistoryRecorder()
    try deleteRows(by: writer)
    let updates = try changes.updates()
    try writer.freeUniqueValues(updates)
    if !inserted.isEmpty {
      try giveKeys(by: writer)
      try writer.insert(try changes.insertions(), of: self)
    }
    for group in updates {
      let properties = group.table.stored.filter { group.properties.contains($0.index) }
      if !properties.isEmpty { try writer.update(group, properties) }
    }
    if changes.hasToManys { try writeLists(by: writer) }
    try recordHistory()
    try writer.write(&history, author: changes.editing.author)
  }

  // MARK: - Inserts

  /// Keys are never given twice, so that an identifier means one object for ever.
  private func giveKeys(by writer: any RowWriter) throws {
    if keys.isEmpty {
      let tables = try inserted.map(changes.table)
      var taken = [Int64](repeating: 0, count: inserted.count)
      for places in Dictionary(grouping: tables.indices, by: { tables[$0].root }).values {
        for (place, key) in zip(places, try writer.takeKeys(places.count, for: tables[places[0]])) {
          taken[place] = key
        }
      }
      keys = taken
    }
    for (object, key) in zip(inserted, keys) { object.__state.key = key }
  }

  /// Gives a new object the identity of the stored row that has its unique values.
  /// - Returns: the properties to write over the row's.
  package func merge(_ object: any PersistentModel, _ table: EntityTable, into key: Int64) -> [__Property] {
    object.__state.key = key
    merged[ObjectIdentifier(object)] = key
    // A to-one that the new object leaves empty keeps its stored target.
    let written = table.stored.filter { property in
      guard property.isToOne else { return true }
      if case .targets(let targets, _) = object.__relationship(property.index, .read) { return !targets.isEmpty }
      return false
    }
    mergedProperties[ObjectIdentifier(object)] = written.map(\.name)
    return written
  }

  /// The to-ones of a new object whose targets turned out to be stored rows.
  func mergedTargets(of object: any PersistentModel, _ table: EntityTable) -> [__Property] {
    table.stored.filter { property in
      guard property.isToOne, case .targets(let targets, _) = object.__relationship(property.index, .read)
      else { return false }
      return targets.contains { merged[ObjectIdentifier($0)] != nil }
    }
  }

  // MARK: - Errors

  /// An object keeps its class for life: the row of another class cannot become this object.
  package static func otherClass(
    _ other: String, _ table: EntityTable, _ names: [String], underlying: (any Error)? = nil
  ) -> SwiftDataError {
    SwiftDataError(
      .uniquenessViolation, entity: table.entity.name, property: names.joined(separator: ", "),
      message: "a stored \(other) has the same unique value, and an upsert cannot turn it into a"
        + " \(table.entity.name); delete the \(other) or choose another value", underlying: underlying)
  }

  package static func stale(_ table: EntityTable) -> SwiftDataError {
    SwiftDataError(
      .staleObject, entity: table.entity.name,
      message: "an object with unsaved changes was deleted by another context or process; rollback() forgets the"
        + " changes, insert a new object to keep them")
  }

  // MARK: - History

  /// Deletes, inserts and updates, in the order in which they were written.
  private func recordHistory() throws {
    for object in inserted {
      let (name, key) = (type(of: object).__entity.name, object.__state.key)
      if !mergedProperties.isEmpty, let properties = mergedProperties[ObjectIdentifier(object)] {
        history.update(name, key, properties)
      } else {
        history.insert(name, key)
      }
    }
    // Many changes of one kind usually come in a row.
    var last: (entity: __Entity, set: PropertySet, names: [String])?
    for change in changed {
      let (entity, key) = (type(of: change.object).__entity, change.object.__state.key)
      if last?.entity !== entity || last?.set != change.properties {
        last = (entity, change.properties, change.properties.indices.map { entity.properties[$0].name })
      }
      var names = last!.names
      let cleared = savedRows.takeCleared(entity.name, key)
      if !cleared.isEmpty { names += cleared.filter { !names.contains($0) } }
      history.update(entity.name, key, names)
    }
    for (entity, key, names) in savedRows.allCleared { history.update(entity, key, names) }
  }

  // MARK: - Deletes

  private func deleteRows(by writer: any RowWriter) throws {
    var groups = [(table: EntityTable, keys: [Int64])]()
    for object in deleted {
      let table = try changes.table(of: object)
      let place = groups.firstIndex { $0.table === table } ?? groups.count
      if place == groups.count { groups.append((table, [])) }
      groups[place].keys.append(object.__state.key)
    }
    for (table, keys) in groups { try delete(keys, table, by: writer) }
    guard !changes.marked.isEmpty else { return }
    for (table, keys) in changes.marked {
      let keys = keys.sorted()
      let rules = try DeletionRules(table, changes.core)
      try checkDenials(of: keys, table, rules, by: writer)
      for (property, destination, targets) in rules.cleared {
        try noteCleared(property, try writer.rows(targets(keys)), destination.name)
      }
      try delete(keys, table, by: writer)
      savedRows.deleted.append(.init(root: table.root, entity: table.entity.name, keys: keys))
    }
    let own = try changed.map { change in
      SavedRows.Changed(root: try changes.table(of: change.object).root, key: change.object.__state.key)
    }
    savedRows.finish(changes.core, changed: Set(own))
  }

  private func delete(_ keys: [Int64], _ table: EntityTable, by writer: any RowWriter) throws {
    let kept = table.stored.filter { $0.attribute?.options.contains(.preserveValueOnDeletion) == true }
    let cells = kept.isEmpty ? [:] : try writer.cells(of: keys, kept, in: table)
    for key in keys {
      let pairs = zip(kept.map(\.name), cells[key] ?? [])
      history.delete(table.entity.name, key, tombstone: Dictionary(pairs) { first, _ in first })
    }
    try writer.delete(keys, from: table)
  }

  /// There was nothing to protect when the rows were marked; others may have saved since.
  private func checkDenials(
    of keys: [Int64], _ table: EntityTable, _ rules: DeletionRules, by writer: any RowWriter
  ) throws {
    for (property, owners) in rules.denials {
      let denied = try writer.rows(owners(keys)).count
      guard denied > 0 else { continue }
      throw SwiftDataError(
        .deleteDenied, entity: table.entity.name, property: property.name,
        message: "\(denied) of the objects cannot be deleted while related objects exist; delete or move these"
          + " first, or call rollback()")
    }
  }

  /// - Parameter rows: a key and a class name each.
  private func noteCleared(_ property: __Property, _ rows: [[SQLValue]], _ entity: String) throws {
    var found = [String: [Int64]]()
    for row in rows {
      guard case .integer(let key) = row[0] else { continue }
      if case .text(let name) = row[1] {
        found[name, default: []].append(key)
      } else {
        found[entity, default: []].append(key)
      }
    }
    for (entity, keys) in found { savedRows.clear(property.name, of: entity, keys) }
  }
}
