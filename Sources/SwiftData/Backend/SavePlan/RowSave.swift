/// One save of one store that keeps objects as rows: what is written, in which order, and what is undone in memory if it
/// fails. The store's ``RowWriter`` executes it.
///
/// The order is: deletes, inserts (targets of to-ones first), updates of changed columns, pairs, places in lists, history.
package final class RowSave: StoreSave {
  private let rows: any SQLStore
  package var store: any EngineStore { rows }
  package let changes: UnsavedChanges
  // Unchecked, because recording a row or reading one of these runs nothing else.
  @exclusivity(unchecked) package var savedRows = SavedRows()
  /// New objects whose values went into a row that was there already, with that row's key.
  @exclusivity(unchecked) package private(set) var merged: [ObjectIdentifier: Int64] = [:]
  /// The former cells of these rows, for objects whose insertion can be undone.
  @exclusivity(unchecked) package private(set) var replaced: [ObjectIdentifier: [ReplacedCell]] = [:]
  /// The properties that upserts wrote, by row. They win over changes of the row's registered object in the same save.
  @exclusivity(unchecked) private var upserted: [SavedRows.Changed: PropertySet] = [:]
  /// The keys of the new objects as far as they got rows of their own, by their places in `inserted`.
  @exclusivity(unchecked) private var keys: [Int64] = []
  @exclusivity(unchecked) private(set) var history = HistoryRecorder()

  init(_ store: any SQLStore, _ changes: UnsavedChanges) { (self.rows, self.changes) = (store, changes) }

  package func run(_ others: OtherSaves) throws {
    do {
      try rows.run(self, others)
    } catch {
      // Also the keys of a former attempt, which another save may get.
      for object in inserted { object.__state.key = 0 }
      throw error
    }
  }

  /// Writes everything, up to the end of the transaction.
  ///
  /// A store that tries a transaction again calls it again: then it starts over, with the same keys.
  package func write(by writer: any RowWriter) throws {
    merged = [:]
    replaced = [:]
    upserted = [:]
    savedRows = SavedRows()
    history = HistoryRecorder()
    changes.leaveOut([])
    if let expected = changes.editing.expectedTransaction {
      guard try writer.newestTransaction() == expected else { throw HistoryMovedOn() }
    }
    try deleteRows(by: writer)
    let updates = try changes.updates()
    try writer.freeUniqueValues(try changes.newUniqueValues(among: updates))
    if !inserted.isEmpty {
      try giveKeys(by: writer)
      try writer.insert(try changes.insertions(), of: self)
    }
    for group in updates.flatMap(withoutUpserted) {
      let properties = group.table.stored.filter { group.properties.contains($0.index) }
      if !properties.isEmpty { try writer.update(group, properties) }
    }
    if changes.hasToManys { try writeLists(by: writer) }
    if !merged.isEmpty { try clearFormerPartners(by: writer) }
    try savedRows.finish(changes.tables) {
      Set(try changed.map { row(of: $0.object, try changes.table(of: $0.object)) })
    }
    try recordHistory()
    try writer.write(&history, author: changes.editing.author)
  }

  // MARK: - Inserts

  /// Takes other keys in the next attempt, because the database rolled back the counters of the keys too.
  package func returnKeys() { keys = [] }

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

  /// Gives a new object the identity of the stored row that has its unique values. The row still has its former values.
  /// - Returns: the properties to write over the row's.
  package func merge(
    _ object: any PersistentModel, _ table: EntityTable, into key: Int64, by writer: any RowWriter
  ) throws -> [__Property] {
    object.__state.key = key
    merged[ObjectIdentifier(object)] = key
    // A to-one that the new object leaves empty keeps its stored target.
    let written = table.stored.filter { property in
      guard property.isToOne else { return true }
      if let targets = object.relationship(property).targets { return !targets.isEmpty }
      return false
    }
    upserted[.init(root: table.root, key: key), default: PropertySet()].formUnion(PropertySet(written.map(\.index)))
    if changes.undoable.contains(ObjectIdentifier(object)) {
      replaced[ObjectIdentifier(object)] = try writer.replacedCells(of: key, written, in: table)
    }
    return written
  }

  /// Leaves out the properties that an upsert wrote: the inserted object updates the stored one, whatever else changed.
  private func withoutUpserted(_ group: ObjectGroup) -> [ObjectGroup] {
    if upserted.isEmpty { return [group] }
    var left = group
    var result = [ObjectGroup]()
    left.objects.removeAll { object in
      guard let written = upserted[row(of: object, group.table)] else { return false }
      let properties = PropertySet(group.properties.indices.filter { !written.contains($0) })
      result.append(ObjectGroup(table: group.table, properties: properties, objects: [object]))
      return true
    }
    return left.objects.isEmpty ? result : [left] + result
  }

  private func row(of object: any PersistentModel, _ table: EntityTable) -> SavedRows.Changed {
    SavedRows.Changed(root: table.root, key: object.__state.key)
  }

  /// The to-ones of a new object whose targets turned out to be stored rows.
  package func mergedTargets(of object: any PersistentModel, _ table: EntityTable) -> [__Property] {
    table.stored.filter { property in
      guard property.isToOne, let targets = object.relationship(property).targets
      else { return false }
      return targets.contains { merged[ObjectIdentifier($0)] != nil }
    }
  }

  /// Clears the to-ones that still refer to an upserted row although the row has another partner now.
  ///
  /// The context keeps both sides of a one-to-one in step. A new object that goes into a stored row does not know the row's
  /// former partner, which may not even be loaded.
  /// - Throws: an error if a former partner requires the row. A context refuses such a partner too, if it knows it.
  private func clearFormerPartners(by writer: any RowWriter) throws {
    var groups = [(property: __Property, info: RelationshipInfo, owners: [Int64], partners: [Int64])]()
    for object in inserted {
      guard let key = merged[ObjectIdentifier(object)] else { continue }
      let table = try changes.table(of: object)
      for property in table.stored where property.isToOne {
        let info = RelationshipInfo.of(property, in: table.entity)
        guard let inverse = info.inverse, inverse.isToOne,
          let targets = object.relationship(property).targets, let partner = targets.first
        else { continue }
        let place = groups.firstIndex { $0.property === property } ?? groups.count
        if place == groups.count { groups.append((property, info, [], [])) }
        groups[place].owners.append(key)
        groups[place].partners.append(partner.__state.key)
      }
    }
    for group in groups {
      guard let inverse = group.info.inverse else { continue }
      let destination = try changes.tables.table(for: group.info.destination)
      let dialect = rows.dialect
      let column = TableNames.column(for: inverse).quotedIdentifier
      let entity = destination.hasDiscriminator ? "_entity" : "NULL"
      let former = try writer.rows(
        """
        SELECT _pk, \(entity) FROM \(name: destination.name) \
        WHERE \(dialect.isAmong(column, group.owners)) AND NOT (\(dialect.isAmong("_pk", group.partners)))
        """)
      let keys = former.compactMap { row in if case .integer(let key) = row[0] { key } else { nil } }
      guard !keys.isEmpty else { continue }
      guard inverse.isOptional else { throw Self.formerPartner(inverse, destination, of: group.property) }
      try writer.clear(inverse, of: keys, in: destination)
      try noteCleared(inverse, former, group.info.destination.name)
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

  /// A stored object that requires the upserted row, to which a new object gave another partner.
  private static func formerPartner(
    _ inverse: __Property, _ table: EntityTable, of property: __Property
  ) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure, entity: table.entity.name, property: inverse.name,
      message: "the relationship is required, but an upsert gave its target another \(property.name); delete the stored"
        + " \(table.entity.name) or assign it another target before the save")
  }

  package static func stale(_ table: EntityTable) -> SwiftDataError {
    SwiftDataError(
      .staleObject, entity: table.entity.name,
      message: "another context or process deleted an object that has unsaved changes here, and nothing was saved;"
        + " rollback() discards the changes; to keep them, insert a new object with them and delete this one")
  }

  // MARK: - History

  /// Deletes, inserts and updates, in the order in which they were written.
  private func recordHistory() throws {
    for object in inserted where merged.isEmpty || merged[ObjectIdentifier(object)] == nil {
      history.insert(type(of: object).__entity.name, object.__state.key)
    }
    var others =
      deleted.isEmpty || !changes.hasToManys
      ? changed : changed.map(withoutShortenedLists).filter { !$0.properties.isEmpty }
    if !upserted.isEmpty { try recordUpserts(&others) }
    // Many changes of one kind usually come in a row, and their keys follow each other. They are recorded together.
    var last: (entity: __Entity, set: PropertySet, names: [String])?
    var (first, count) = (Int64(0), Int64(0))
    func record() {
      if count > 0 { history.update(last!.entity.name, first, last!.names, count: count) }
      count = 0
    }
    for index in others.indices {
      // In place, because a copy of the change would count its references.
      let (object, key) = (others[index].object, others[index].object.__state.key)
      if last?.entity.describes(object) != true || last?.set != others[index].properties {
        record()
        let (entity, properties) = (type(of: object).__entity, others[index].properties)
        last = (entity, properties, properties.indices.map { entity.properties[$0].name })
      }
      if !savedRows.isNothingCleared {
        recordUpdate(of: last!.entity, key, last!.names)
      } else if count > 0, key == first &+ count {
        count += 1
      } else {
        record()
        (first, count) = (key, 1)
      }
    }
    record()
    for (entity, key, names) in savedRows.allCleared { history.update(entity, key, names) }
  }

  /// Leaves out the to-manys that only lost deleted objects. The deletions say that already, and a list that is not loaded does not know it.
  private func withoutShortenedLists(_ change: ObjectChange) -> ObjectChange {
    var change = change
    for property in type(of: change.object).__entity.properties
    where property.isToMany && change.properties.contains(property.index) {
      guard let original = change.original(property.index),
        let list = change.object.relationship(property).change(since: original), list.added.isEmpty,
        list.keepsOrder, !list.removed.isEmpty, list.removed.allSatisfy({ $0.__state.flags.contains(.deleted) })
      else { continue }
      change.properties.remove(property.index)
    }
    return change
  }

  /// Records one update for each upserted row, with what its registered object changed.
  /// - Parameter changed: the changed objects. Objects of upserted rows are removed.
  private func recordUpserts(_ changed: inout [ObjectChange]) throws {
    var left = upserted
    try changed.removeAll { change in
      let row = row(of: change.object, try changes.table(of: change.object))
      return left[row]?.formUnion(change.properties) != nil
    }
    for object in inserted where merged[ObjectIdentifier(object)] != nil {
      let table = try changes.table(of: object)
      guard let properties = left.removeValue(forKey: row(of: object, table)) else { continue }
      recordUpdate(
        of: table.entity, object.__state.key, properties.indices.map { table.entity.properties[$0].name })
    }
  }

  private func recordUpdate(of entity: __Entity, _ key: Int64, _ names: [String]) {
    let cleared = savedRows.takeCleared(entity.name, key)
    history.update(entity.name, key, cleared.isEmpty ? names : names + cleared.filter { !names.contains($0) })
  }

  // MARK: - Deletes

  private func deleteRows(by writer: any RowWriter) throws {
    if deleted.isEmpty, changes.marked.isEmpty { return }
    var groups = [DeletePlan.Rows]()
    var last: (entity: __Entity, place: Int)?
    for object in deleted {
      if last?.entity.describes(object) != true {
        let entity = type(of: object).__entity
        let table = try changes.tables.table(for: entity)
        let place = groups.firstIndex { $0.table === table } ?? groups.count
        if place == groups.count { groups.append(DeletePlan.Rows(table: table, keys: [])) }
        last = (entity, place)
      }
      groups[last!.place].keys.append(object.__state.key)
    }
    for (table, keys) in changes.marked {
      let keys = keys.sorted()
      groups.append(DeletePlan.Rows(table: table, keys: keys))
      savedRows.deleted.append(.init(root: table.root, entity: table.entity.name, keys: keys))
    }
    groups = DeletePlan.merged(groups)
    groups = DeletePlan.merged(groups + (try applyRules(to: groups, by: writer)))
    for group in groups { try record(group, by: writer) }
    // The store clears references to a deleted row, which is useless for rows that are deleted too.
    if groups.count > 1 {
      let rank = UnsavedChanges.ranks(of: groups.map(\.table))
      groups.sort { rank[$0.table.entity.name]! > rank[$1.table.entity.name]! }
    }
    for group in groups { try writer.delete(group.keys.sorted(), from: group.table) }
  }

  /// Applies the delete rules to what the store has now. Other contexts and programs may have saved since the memory applied them.
  /// - Returns: the rows that cascades delete in addition.
  private func applyRules(to groups: [DeletePlan.Rows], by writer: any RowWriter) throws -> [DeletePlan.Rows] {
    // The database itself removes the pairs of deleted rows, and most rows are in lists alone.
    guard groups.contains(where: { changes.tables.deleteSteps(of: $0.table).contains { $0.effect != .unlink } }) else {
      return []
    }
    let own = OwnRelations(changes)
    let plan = try DeletePlan(deleting: groups, changes.tables) { questions in
      var last: EntityTable?
      // All questions about a class come in a row, with the same keys.
      for question in questions where question.table !== last {
        last = question.table
        try writer.lock(question.keys, of: question.table)
      }
      let statements = try questions.map { question in
        try question.statement(
          changes.tables, rows.dialect, except: own.known(question, groups), locking: question.step.effect == .cascade)
      }
      return try zip(questions, writer.rows(statements)).map { question, rows in
        own.without(rows.compactMap(DeletePlan.Related.init), question)
      }
    }
    if let refusal = plan.refusal { throw refusal }
    changes.leaveOut(plan.found)
    for rows in plan.found {
      let objects = SavedChanges.Objects(root: rows.table.root, entity: rows.table.entity.name, keys: rows.keys)
      savedRows.deleted.append(objects)
      savedRows.found.append(objects)
    }
    for (property, rows) in plan.cleared { savedRows.clear(property.name, of: rows.table.entity.name, rows.keys) }
    return plan.found
  }

  /// Records deletions with the values that the history preserves.
  private func record(_ group: DeletePlan.Rows, by writer: any RowWriter) throws {
    let kept = group.table.stored.filter { $0.attribute?.options.contains(.preserveValueOnDeletion) == true }
    let name = group.table.entity.name
    guard !kept.isEmpty else { return history.delete(name, group.keys) }
    let cells = try writer.cells(of: group.keys, kept, in: group.table)
    for key in group.keys {
      let pairs = zip(kept.map(\.name), cells[key] ?? [])
      history.delete(name, key, tombstone: Dictionary(pairs) { first, _ in first })
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

/// Another save came first.
struct HistoryMovedOn: Error {}
