import Foundation

extension SQLiteStore {
  package func run(_ save: RowSave, _ others: OtherSaves) throws {
    try write { connection in
      let writer = SQLiteRowWriter(self, connection)
      try save.write(by: writer)
      try writer.finish()
      if !others.isEmpty { try connection.checkReferences() }
      try others.run()
    }
  }
}

/// Executes a save in SQLite with prepared statements, bound straight from the models.
final class SQLiteRowWriter: RowWriter {
  private let store: SQLiteStore
  private let connection: SQLiteConnection
  // Unchecked, because adding a name runs nothing else.
  @exclusivity(unchecked) private var nonNFC: Set<String> = []
  /// Whether some text in the store or in this save is not in normal form C.
  @exclusivity(unchecked) private var hasOtherForms: Bool
  private lazy var equivalents = EquivalentRows(connection)
  /// The external files of deleted rows and replaced values.
  @exclusivity(unchecked) private var oldFiles: [ExternalName] = []

  init(_ store: SQLiteStore, _ connection: SQLiteConnection) {
    (self.store, self.connection) = (store, connection)
    hasOtherForms = store.nonNFCCount > 0
    connection.writer.textObserver = { [unowned self] property, text in
      guard case .attribute = property.kind, !SwiftText.isNFC(text) else { return }
      nonNFC.insert("\(property.tableName).\(TableNames.column(for: property))")
      hasOtherForms = true
    }
    connection.writer.externalWriter = { [unowned self] property, data in
      // A secret value stays in its row, whatever its size.
      guard property.isExternal, data.count > ExternalStorage.threshold,
        !property.isSensitive || self.store.configuration.columnCoding == nil
      else { return nil }
      return try self.connection.files.write(data).text
    }
  }

  func finish() throws {
    (connection.writer.textObserver, connection.writer.externalWriter) = (nil, nil)
    try store.noteNonNFC(nonNFC, on: connection)
    if !oldFiles.isEmpty { try connection.files.remove(oldFiles) }
  }

  func newestTransaction() throws -> Int64 {
    try connection.rows(SQLFragment("SELECT \(HistoryTables.newest)")) { $0.integer(0) }.first ?? 0
  }

  func rows(_ statement: SQLFragment) throws -> [[SQLValue]] {
    try connection.rows(statement) { cells in (0..<cells.count).map(cells.value) }
  }

  func cells(of keys: [Int64], _ properties: [__Property], in table: EntityTable) throws -> [Int64: [SQLValue]] {
    let columns = properties.map { TableNames.column(for: $0).quotedIdentifier }.joined(separator: ", ")
    let rows = try rows(
      "SELECT _pk, \(columns) FROM \(name: table.name) WHERE \(condition(keys))")
    var found = [Int64: [SQLValue]]()
    for row in rows {
      guard case .integer(let key) = row[0] else { continue }
      found[key] = try zip(properties, row.dropFirst()).map(contents)
    }
    return found
  }

  /// The cell of a property, with the data of an external file, which the save removes, in place of its name.
  private func contents(_ property: __Property, _ cell: SQLValue) throws -> SQLValue {
    guard property.isExternal, case .text(let text) = cell else { return cell }
    // Another program may have written any text.
    guard let name = ExternalName(text) else { return .null }
    return .blob(try store.externalStorage.read(name))
  }

  func replacedCells(of key: Int64, _ properties: [__Property], in table: EntityTable) throws -> [ReplacedCell] {
    guard !properties.isEmpty else { return [] }
    let columns = properties.map { table.codecs.read(TableNames.column(for: $0)) }
    let found = try rows(
      "SELECT \(SQLFragment(columns.joined(separator: ", "))) FROM \(name: table.name) WHERE \(condition([key]))")
    return try zip(properties, found.first ?? []).map { ReplacedCell(property: $0, cell: try contents($0, $1)) }
  }

  func clear(_ property: __Property, of keys: [Int64], in table: EntityTable) throws {
    let column = TableNames.column(for: property).quotedIdentifier
    _ = try rows("UPDATE \(name: table.name) SET \(column) = NULL WHERE \(condition(keys))")
  }

  private func condition(_ keys: [Int64]) -> SQLFragment {
    keys.count == 1 ? "_pk = \(bind: .integer(keys[0]))" : store.dialect.isAmong("_pk", keys)
  }

  /// Records the external files that the save stops using.
  private func noteOldFiles(
    of keys: @autoclosure () -> [Int64], _ properties: [__Property], _ table: EntityTable
  ) throws {
    guard properties.contains(where: \.isExternal) else { return }
    let keys = keys()
    for property in properties where property.isExternal {
      let column = TableNames.column(for: property).quotedIdentifier
      let names = try connection.rows(
        "SELECT \(column) FROM \(name: table.name) WHERE typeof(\(column)) = 'text' AND \(condition(keys))"
      ) { $0.text(0) }
      oldFiles += names.compactMap { $0.flatMap(ExternalName.init) }
    }
  }

  func delete(_ keys: [Int64], from table: EntityTable) throws {
    try noteOldFiles(of: keys, table.stored, table)
    try connection.execute("DELETE FROM \(name: table.name) WHERE \(condition(keys))" as SQLFragment)
  }

  // MARK: - Inserts

  func takeKeys(_ count: Int, for table: EntityTable) throws -> [Int64] {
    let first = try connection.takeNumbers(table.name, Int64(count))
    // A counter in a damaged file may be at its maximum.
    return (0..<Int64(count)).map { first &+ $0 }
  }

  func insert(_ groups: [ObjectGroup], of save: RowSave) throws {
    for group in groups {
      let sql = group.table.insertSQL
      for object in group.objects { try insert(object, group.table, sql, save) }
    }
    guard !save.merged.isEmpty else { return }
    // If an upsert replaced a target by a stored row, rows that were written before refer to that row now.
    for group in groups {
      for object in group.objects {
        let stale = save.mergedTargets(of: object, group.table)
        if !stale.isEmpty { try update(object, stale, group.table.updateSQL(stale)) }
      }
    }
  }

  private func insert(_ object: any PersistentModel, _ table: EntityTable, _ sql: String, _ save: RowSave) throws {
    let files = connection.openFiles?.savepoint ?? .start
    do {
      try connection.write(sql) { writer in
        try writer.integer(object.__state.key)
        if table.hasDiscriminator { try writer.text(table.entity.name) }
        try encode(object, table.stored, writer)
      }
    } catch let error as SwiftDataError where error.code == .uniquenessViolation {
      guard store.configuration.uniquenessPolicy == .upsert else { throw TakenValues.name(object, table, in: error) }
      // The update writes its own files.
      connection.openFiles?.rollBack(to: files)
      return try merge(object, table, error, save)
    }
    guard table.hasUniqueText, hasOtherForms else { return }
    for constraint in equivalentConstraints(of: table) {
      guard let (key, other) = try equivalents.row(equalTo: object.__state.key, in: table, constraint) else {
        try equivalents.note(object.__state.key, in: table, constraint)
        continue
      }
      guard store.configuration.uniquenessPolicy == .upsert else { throw Self.violation(table, constraint) }
      try connection.execute(
        "DELETE FROM \(name: table.name) WHERE _pk = \(bind: .integer(object.__state.key))" as SQLFragment)
      connection.openFiles?.rollBack(to: files)
      return try merge(object, table, into: key, other, constraint, Self.violation(table, constraint), save)
    }
  }

  private func equivalentConstraints(of table: EntityTable) -> [UniqueConstraint] {
    EquivalentRows.constraints(of: table) { store.isNonNFC($0) || nonNFC.contains($0) }
  }

  private static func violation(_ table: EntityTable, _ constraint: UniqueConstraint) -> SwiftDataError {
    SwiftDataError(
      .uniquenessViolation, entity: table.entity.name, property: constraint.terms.map(\.name).joined(separator: ", "),
      message: "another stored object has the same value, with other Unicode scalars; change one of them, or fetch the"
        + " stored object and update it")
  }

  /// Checks that a changed row has the unique values of no other.
  private func checkEquivalents(of key: Int64, _ table: EntityTable, _ properties: [__Property]) throws {
    for constraint in equivalentConstraints(of: table)
    where constraint.terms.contains(where: { term in properties.contains { $0 === term.property } }) {
      if try equivalents.row(equalTo: key, in: table, constraint) != nil { throw Self.violation(table, constraint) }
      try equivalents.note(key, in: table, constraint)
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

  /// Updates the stored row that has the unique values of a new object.
  private func merge(
    _ object: any PersistentModel, _ table: EntityTable, _ collision: SwiftDataError, _ save: RowSave
  ) throws {
    for constraint in table.uniqueness {
      let columns =
        constraint.terms.map { "\($0.sql) = \($0.sql(in: "?"))" } + [constraint.condition].compactMap(\.self)
      let values = ValueWriter.values(of: object, constraint.terms.map(\.property))
      let query = SQLFragment(
        "SELECT _pk\(table.hasDiscriminator ? ", _entity" : "") FROM \(table.name.quotedIdentifier)"
          + " WHERE \(columns.joined(separator: " AND "))", values)
      let rows = try connection.rows(query) { ($0.integer(0), table.hasDiscriminator ? $0.text(1) : nil) }
      guard let (key, other) = rows.first else { continue }
      return try merge(object, table, into: key, other, constraint, collision, save)
    }
    throw collision
  }

  private func merge(
    _ object: any PersistentModel, _ table: EntityTable, into key: Int64, _ other: String?,
    _ constraint: UniqueConstraint,
    _ collision: SwiftDataError, _ save: RowSave
  ) throws {
    if let other, other != table.entity.name {
      throw RowSave.otherClass(other, table, constraint.terms.map(\.name), underlying: collision)
    }
    let written = try save.merge(object, table, into: key, by: self)
    try noteOldFiles(of: [key], written, table)
    if !written.isEmpty { try update(object, written, table.updateSQL(written)) }
    if table.hasUniqueText, hasOtherForms { try checkEquivalents(of: key, table, written) }
  }

  // MARK: - Updates

  func freeUniqueValues(_ updates: [ObjectGroup]) throws {
    for group in updates where group.table.uniqueProperties.intersects(group.properties) {
      let unique = group.table.uniqueProperties.indices.filter(group.properties.contains)
      // The update writes the real value.
      let properties = group.table.stored.filter {
        // The name of an external file is still needed to remove the file.
        unique.contains($0.index) && !$0.isExternal
      }
      guard !properties.isEmpty else { continue }
      let assignments = properties.map(Self.makeRoom).joined(separator: ", ")
      for object in group.objects {
        try connection.write("UPDATE \(group.table.name.quotedIdentifier) SET \(assignments) WHERE _pk = ?") {
          try $0.integer(object.__state.key)
        }
      }
    }
  }

  /// Assigns a value that no property value equals: a blob, or JSON where SQL reads members.
  static func makeRoom(_ property: __Property) -> String {
    let random = ScalarType(of: property).form == .json ? "'\"' || hex(randomblob(24)) || '\"'" : "randomblob(24)"
    return "\(TableNames.column(for: property).quotedIdentifier) = \(random)"
  }

  func update(_ group: ObjectGroup, _ properties: [__Property]) throws {
    try noteOldFiles(of: group.objects.map { $0.__state.key }, properties, group.table)
    let sql = group.table.update(of: group.properties).sql
    for object in group.objects {
      do {
        if try update(object, properties, sql) == 0 { throw RowSave.stale(group.table) }
      } catch let error as SwiftDataError where error.code == .uniquenessViolation {
        throw TakenValues.name(object, group.table, in: error)
      }
    }
    guard hasOtherForms, group.table.hasUniqueText, group.table.uniqueProperties.intersects(group.properties) else {
      return
    }
    for object in group.objects { try checkEquivalents(of: object.__state.key, group.table, properties) }
  }

  @discardableResult
  private func update(_ object: any PersistentModel, _ properties: [__Property], _ sql: String) throws -> Int {
    try connection.write(sql) { writer in
      try encode(object, properties, writer)
      try writer.integer(object.__state.key)
    }
  }

  // MARK: - Lists

  func removePairs(_ pairs: [ListMember], of info: RelationshipInfo) throws {
    guard case .join(let join, let source, let target, _) = info.storage else { return }
    for pair in pairs {
      try connection.write("DELETE FROM \(join.quotedIdentifier) WHERE \(source) = ? AND \(target) = ?") { writer in
        try writer.integer(pair.owner)
        try writer.integer(pair.target)
      }
    }
  }

  func addPairs(_ pairs: [ListMember], of info: RelationshipInfo) throws {
    guard case .join(let join, let source, let target, _) = info.storage else { return }
    let sql = "INSERT OR IGNORE INTO \(join.quotedIdentifier) (\(source), \(target)) VALUES (?, ?)"
    for pair in pairs {
      try connection.write(sql) { writer in
        try writer.integer(pair.owner)
        try writer.integer(pair.target)
      }
    }
  }

  func place(_ members: [ListMember], of info: RelationshipInfo) throws {
    let (table, position, owner, target): (String, String, String, String)
    switch info.storage {
    case .inverseForeignKey(let inverse, let name):
      (table, position, target) = (TableNames.table(for: info.destination), name.quotedIdentifier, "_pk")
      owner = TableNames.column(for: inverse).quotedIdentifier
    case .join(let join, let source, let other, let name):
      (table, position, owner, target) = (join, name, source, other)
    case .foreignKey: return
    }
    // Another process may have moved a member to another list, where the place means nothing.
    let sql = "UPDATE \(table.quotedIdentifier) SET \(position) = ? WHERE \(owner) = ? AND \(target) = ?"
    for member in members {
      try connection.write(sql) { writer in
        try writer.integer(member.place)
        try writer.integer(member.owner)
        try writer.integer(member.target)
      }
    }
  }

  func write(_ history: inout HistoryRecorder, author: String?) throws {
    try history.write(to: connection, author: author, trimming: store)
  }
}
