import Foundation

/// One save of one store: everything that is written in its transaction, and what is undone in memory if it fails.
///
/// The order is: deletes, inserts (targets of to-ones first), updates of changed columns, positions, pairs.
final class SaveOperation: StoreSave {
  let context: ContextState
  private let rows: SQLiteStore
  let storeIndex: Int
  var connection: SQLiteConnection!
  package let inserted: [any PersistentModel]
  package let changed: [ContextState.ObjectChange]
  package let deleted: [any PersistentModel]
  /// Rows to delete that nobody loaded.
  let marked: [(table: EntityTable, keys: [Int64])]
  /// Whether any object that is written has relationships, and to-manys: most of a large save has none.
  package private(set) var hasRelationships = false
  private(set) var hasToManys = false
  package var savedRows = SavedRows()

  /// New objects whose values went into a row that was there already, with that row's key.
  package private(set) var merged: [ObjectIdentifier: Int64] = [:]
  private var keysGiven: [any PersistentModel] = []
  private var denormalized: Set<String> = []
  var oldFiles: [String] = []
  var history = HistoryRecorder()
  /// The properties that an upsert wrote, by object.
  private var mergedProperties: [ObjectIdentifier: [String]] = [:]

  package var store: any EngineStore { rows }

  init(context: ContextState, store: SQLiteStore, storeIndex: Int) throws {
    self.context = context
    self.storeIndex = storeIndex
    self.rows = store
    var last: EntityTable?
    var (hasRelationships, hasToManys) = (false, false)
    func isHere(_ object: any PersistentModel) throws -> Bool {
      let entity = type(of: object).__entity
      if let last, last.entity === entity { return last.store == storeIndex }
      let table = try context.core.table(for: entity)
      last = table
      hasToManys = hasToManys || !table.toMany.isEmpty
      hasRelationships = hasRelationships || !entity.properties.allSatisfy(\.isAttribute)
      return table.store == storeIndex
    }
    self.inserted = try context.inserted.values.filter(isHere)
    self.changed = try context.changed.values.filter { try !$0.object.isDeleted && isHere($0.object) }
    self.deleted = try context.deleted.values.filter(isHere)
    (self.hasRelationships, self.hasToManys) = (hasRelationships, hasToManys)
    self.marked = context.markedRows.groups.filter { $0.table.store == storeIndex }
  }

  package var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty && marked.isEmpty }

  // MARK: - The transaction

  package func run(_ others: () throws -> Void) throws {
    do {
      try rows.write { connection in
        self.connection = connection
        observe(connection.writer)
        try deleteRows()
        try deleteMarkedRows()
        try clearUniqueValues()
        try insertRows()
        try updateRows()
        try writePositions()
        try writePairs()
        try rows.noteDenormalized(denormalized, on: connection)
        try recordHistory()
        if !oldFiles.isEmpty { try connection.files.remove(oldFiles) }
        try others()
      }
    } catch {
      for object in keysGiven { object.__state.key = 0 }
      throw error
    }
    rows.didCommitDenormalized(denormalized)
  }

  private func observe(_ writer: SQLiteParameterWriter) {
    writer.textObserver = { [unowned self] property, text in
      guard case .attribute = property.kind, !SwiftText.isNFC(text) else { return }
      let table = property.rootName
      denormalized.insert("\(table).\(TableNames.column(for: property))")
    }
    writer.externalWriter = { [unowned self] property, data in
      // What is encrypted stays in its row, however large.
      guard property.isExternal, data.count > ExternalStorage.threshold,
        !property.isSensitive || rows.configuration.encryptionKey == nil
      else { return nil }
      return try connection.files.write(data)
    }
  }

  // MARK: - Deletes

  private func deleteRows() throws {
    for object in deleted {
      let table = try context.core.table(for: type(of: object).__entity)
      try noteOldFiles(of: object, table.stored, table)
      history.delete(table.entity.name, object.__state.key, tombstone: try tombstone(of: object, table))
      try connection.write("DELETE FROM \(table.name.quotedIdentifier) WHERE _pk = ?") { writer in
        try writer.integer(object.__state.key)
      }
    }
  }

  /// The stored cells of the attributes that the history keeps of a deleted object.
  private func tombstone(of object: any PersistentModel, _ table: EntityTable) throws -> [String: SQLValue] {
    let kept = table.stored.filter { $0.attribute?.options.contains(.preserveValueOnDeletion) == true }
    guard !kept.isEmpty else { return [:] }
    let columns = kept.map { TableNames.column(for: $0).quotedIdentifier }
    let query = SQLFragment(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table.name.quotedIdentifier) WHERE _pk = ?",
      [.integer(object.__state.key)])
    let cells = try connection.rows(query) { cells in kept.indices.map { cells.value(Int32($0)) } }.first ?? []
    return Dictionary(zip(kept.map(\.name), cells)) { first, _ in first }
  }

  /// Deletes, inserts and updates, in the order in which they were written.
  private func recordHistory() throws {
    for object in inserted {
      let (name, key) = (type(of: object).__entity.name, object.__state.key)
      if let properties = mergedProperties[ObjectIdentifier(object)] {
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
    try history.write(to: connection, author: context.editing.author, trimming: rows)
  }

  /// The external files that a row names now and will not any more.
  private func noteOldFiles(of object: any PersistentModel, _ properties: [__Property], _ table: EntityTable) throws {
    guard properties.contains(where: \.isExternal) else { return }
    let external = properties.filter(\.isExternal)
    guard !external.isEmpty, object.__state.key != 0 else { return }
    let columns = external.map { TableNames.column(for: $0).quotedIdentifier }
    let query = SQLFragment(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table.name.quotedIdentifier) WHERE _pk = ?",
      [.integer(object.__state.key)])
    let names = try connection.rows(query) { cells in
      external.indices.compactMap { index -> String? in
        guard case .attribute(.blob, _) = external[index].kind else { return nil }
        return cells.isText(Int32(index)) ? cells.text(Int32(index)) : nil
      }
    }
    oldFiles += names.joined()
  }

  // MARK: - Inserts

  private func insertRows() throws {
    guard !inserted.isEmpty else { return }
    let tables = try inserted.map { try context.core.table(for: type(of: $0).__entity) }
    try giveKeys(tables)
    for indices in InsertOrder(tables).groups {
      let table = tables[indices[0]]
      let sql = table.insertSQL
      for index in indices { try insert(inserted[index], table, sql) }
    }
    if !merged.isEmpty { try rewriteKeysOfMerged(tables) }
  }

  /// Keys come from a counter in the store, never twice, so that an identifier means one object for ever.
  private func giveKeys(_ tables: [EntityTable]) throws {
    for indices in Dictionary(grouping: tables.indices, by: { tables[$0].root }).values {
      var next = try connection.takeNumbers(tables[indices[0]].name, Int64(indices.count))
      for index in indices {
        inserted[index].__state.key = next
        keysGiven.append(inserted[index])
        // A counter in a damaged file may be at its end.
        next &+= 1
      }
    }
  }

  private func insert(_ object: any PersistentModel, _ table: EntityTable, _ sql: String) throws {
    let files = connection.openFiles?.savepoint ?? .start
    do {
      try connection.write(sql) { writer in
        try writer.integer(object.__state.key)
        if table.hasDiscriminator { try writer.text(table.entity.name) }
        try encode(object, table.stored, writer)
      }
    } catch let error as SwiftDataError where error.code == .uniquenessViolation {
      guard rows.configuration.uniquenessViolations == .update else { throw error }
      // The update writes files of its own.
      connection.openFiles?.rollBack(to: files)
      try merge(object, table, error)
    }
  }

  private func encode(
    _ object: any PersistentModel, _ properties: [__Property], _ writer: SQLiteParameterWriter
  ) throws {
    for property in properties {
      writer.current = property
      try object.__encode(property.index, to: writer)
    }
    writer.current = nil
  }

  /// Writes a new object over the stored row that has its unique values, and gives it that row's identity.
  private func merge(_ object: any PersistentModel, _ table: EntityTable, _ collision: SwiftDataError) throws {
    for constraint in table.uniqueness {
      let columns = constraint.map { "\($0.sql) = \($0.sql(in: "?"))" }
      let values = ValueWriter.values(of: object, constraint.map(\.property))
      let query = SQLFragment(
        "SELECT _pk\(table.hasDiscriminator ? ", _entity" : "") FROM \(table.name.quotedIdentifier)"
          + " WHERE \(columns.joined(separator: " AND "))", values)
      let rows = try connection.rows(query) { ($0.integer(0), table.hasDiscriminator ? $0.text(1) : nil) }
      guard let (key, other) = rows.first else { continue }
      // An object keeps its class for life: the row of another class cannot become this object.
      if let other, other != table.entity.name {
        throw SwiftDataError(
          .uniquenessViolation, entity: table.entity.name, property: constraint.map(\.name).joined(separator: ", "),
          message: "a stored \(other) has the same unique value, and an upsert cannot turn it into a"
            + " \(table.entity.name); delete the \(other) or choose another value", underlying: collision)
      }
      object.__state.key = key
      merged[ObjectIdentifier(object)] = key
      // A to-one that the new object leaves empty keeps its stored target.
      let written = table.stored.filter { property in
        guard property.isToOne else { return true }
        if case .targets(let targets, _) = object.__relationship(property.index, .read) { return !targets.isEmpty }
        return false
      }
      try noteOldFiles(of: object, written, table)
      if !written.isEmpty { try update(object, written, table.updateSQL(written)) }
      mergedProperties[ObjectIdentifier(object)] = written.map(\.name)
      return
    }
    throw collision
  }

  /// Rows written before their target turned out to be another row point at that row now.
  private func rewriteKeysOfMerged(_ tables: [EntityTable]) throws {
    for (object, table) in zip(inserted, tables) {
      let stale = table.stored.filter { property in
        guard property.isToOne, case .targets(let targets, _) = object.__relationship(property.index, .read)
        else { return false }
        return targets.contains { merged[ObjectIdentifier($0)] != nil }
      }
      if !stale.isEmpty { try update(object, stale, table.updateSQL(stale)) }
    }
  }

  // MARK: - Updates

  /// Changed unique values make room first, so that a value can move from one object to another in one save.
  private func clearUniqueValues() throws {
    for change in changed {
      let table = try context.core.table(for: type(of: change.object).__entity)
      guard table.uniqueProperties.intersects(change.properties) else { continue }
      let unique = table.uniqueProperties.indices.filter(change.properties.contains)
      // updateRows() writes the real value.
      let properties = table.stored.filter {
        // The name of an external file is still needed, to remove the file.
        unique.contains($0.index) && !$0.isExternal
      }
      guard !properties.isEmpty else { continue }
      let assignments = properties.map(Self.makeRoom)
      try connection.write(
        "UPDATE \(table.name.quotedIdentifier) SET \(assignments.joined(separator: ", ")) WHERE _pk = ?"
      ) { try $0.integer(change.object.__state.key) }
    }
  }

  /// Assigns a blob, or JSON where SQL looks for members, that no value is written as.
  static func makeRoom(_ property: __Property) -> String {
    let random = ScalarType(of: property).form == .json ? "'\"' || hex(randomblob(24)) || '\"'" : "randomblob(24)"
    return "\(TableNames.column(for: property).quotedIdentifier) = \(random)"
  }

  private func updateRows() throws {
    // Many changes of one kind usually come in a row.
    var last: (table: EntityTable, update: EntityTable.Update)?
    for change in changed {
      let table = try context.core.table(for: type(of: change.object).__entity)
      if last?.table !== table || last?.update.set != change.properties {
        last = (table, table.update(of: change.properties))
      }
      guard let update = last?.update, !update.properties.isEmpty else { continue }
      try noteOldFiles(of: change.object, update.properties, table)
      guard try self.update(change.object, update.properties, update.sql) == 0 else { continue }
      throw SwiftDataError(
        .staleObject, entity: table.entity.name,
        message: "an object with unsaved changes was deleted by another context or process; rollback() forgets the"
          + " changes, insert a new object to keep them")
    }
  }

  @discardableResult
  private func update(_ object: any PersistentModel, _ properties: [__Property], _ sql: String) throws -> Int {
    try connection.write(sql) { writer in
      try encode(object, properties, writer)
      try writer.integer(object.__state.key)
    }
  }
}

/// The order of entities in which to-ones point back, so that keys of merged targets are known in time.
private struct InsertOrder {
  private var rank: [String: Int] = [:]
  /// Where the objects of each entity are, in that order.
  private(set) var groups: [[Int]] = []

  /// - Parameter tables: that of each object.
  init(_ tables: [EntityTable]) {
    let indices = Dictionary(grouping: tables.indices) { ObjectIdentifier(tables[$0]) }.values
    let first = indices.sorted { $0[0] < $1[0] }
    let distinct = first.map { tables[$0[0]] }
    for table in distinct { visit(table, distinct, path: []) }
    groups = first.sorted { rank[tables[$0[0]].entity.name]! < rank[tables[$1[0]].entity.name]! }
  }

  private mutating func visit(_ table: EntityTable, _ all: [EntityTable], path: Set<String>) {
    let name = table.entity.name
    // A cycle is cut anywhere; `rewriteKeysOfMerged` mends what that leaves.
    guard rank[name] == nil, !path.contains(name) else { return }
    for property in table.stored where property.isToOne {
      let destination = property.destination!.__entity
      for other in all where other.entity.isKind(of: destination) { visit(other, all, path: path.union([name])) }
    }
    if rank[name] == nil { rank[name] = rank.count }
  }
}
