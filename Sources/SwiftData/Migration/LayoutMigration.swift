import Foundation
import GRDB

/// Executes a ``LayoutPlan`` inside the caller's transaction, with foreign keys off.
///
/// It fills a new table for each changed one, and replaces the old one at the end. Every query therefore
/// reads the old layout. A table that only gains columns stays, if the columns have constant defaults.
struct LayoutMigration {
  let database: Database
  let plan: LayoutPlan
  let layout: StoreLayout
  let store: SQLiteStore
  /// Receives the progress after each batch of rows.
  let progress: (_ entity: String, _ rows: Int, _ of: Int) -> Void

  /// The number of rows that one statement copies.
  static let batch = 50_000

  func run() throws {
    try refuse()
    try DerivedTable.drop(of: changedTables, on: database)
    try removeRetiredFiles()
    for table in plan.tables where table.isRebuilt || table.old == nil { try fill(table) }
    for pairs in plan.pairTables where !pairs.isKept { try fill(pairs) }
    try takePlaces()
    try addColumns()
    try renameNotes()
    try buildIndices()
    try DerivedTable.rebuild(for: layout, on: database)
    try removeDanglingKeys()
    try decodeRows()
  }

  /// The tables whose full-text indices and R*Trees become invalid.
  private var changedTables: Set<String> {
    Set(plan.droppedTables + plan.tables.filter(\.isRebuilt).map(\.new.name))
  }

  private func refuse() throws {
    guard let refusal = plan.changes.first(where: { $0.kind == .refused }) else { return }
    throw SwiftDataError(
      .unknownDataStoreSchema, entity: refusal.entity, property: refusal.property, message: refusal.detail)
  }

  // MARK: - Rows

  private static func temporary(_ name: String) -> String { "_swiftdata_new_\(name)" }

  private func fill(_ table: LayoutPlan.TablePlan) throws {
    let name = Self.temporary(table.new.name)
    try database.execute(sql: table.new.creation(as: name))
    guard let old = table.old else { return }
    try checkRemovedClasses(table, old)
    try checkConversions(table, old)
    var cells = [SQLFragment("o._pk")]
    if table.new.hasDiscriminator { cells.append(discriminator(table, old)) }
    for column in table.columns { cells.append(try cell(column, table, old)) }
    let columns = ["_pk"] + (table.new.hasDiscriminator ? ["_entity"] : []) + table.columns.map(\.column.name)
    let insert =
      "INSERT INTO \(name.quotedIdentifier) (\(columns.map(\.quotedIdentifier).joined(separator: ", "))) SELECT "
      + cells.map(\.sql).joined(separator: ", ") + " FROM \(old.name.quotedIdentifier) AS o"
      + " WHERE o._pk > ? AND o._pk <= ?" + keptRows(table, old)
    try copy(insert, cells.flatMap(\.arguments), from: old, entity: table.new.classes[0])
  }

  /// Copies by ranges of keys, to report progress.
  private func copy(_ sql: String, _ arguments: [SQLValue], from old: LayoutRecord.Table, entity: String) throws {
    let table = old.name.quotedIdentifier
    let total = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)")!
    let values = arguments.map { DatabaseValue($0) }
    var last = Int64.min
    var done = 0
    let next = "SELECT max(_pk), count(*) FROM (SELECT _pk FROM \(table) WHERE _pk > ? ORDER BY _pk LIMIT ?)"
    while let row = try Row.fetchOne(database, sql: next, arguments: [last, Self.batch]), let end: Int64 = row[0] {
      try database.execute(sql: sql, arguments: StatementArguments(values + [last.databaseValue, end.databaseValue]))
      last = end
      done += row[1]
      progress(entity, done, total)
    }
  }

  private func discriminator(_ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table) -> SQLFragment {
    guard old.hasDiscriminator else {
      let name = table.classes.first { $0.value == old.classes[0] }?.key
      return SQLFragment("?", [.text(name ?? table.new.classes[0])])
    }
    let renamed = table.classes.filter { $0.key != $0.value }
    guard !renamed.isEmpty else { return SQLFragment("o._entity") }
    let cases = renamed.sorted { $0.key < $1.key }
    return SQLFragment(
      "CASE o._entity\(String(repeating: " WHEN ? THEN ?", count: cases.count)) ELSE o._entity END",
      cases.flatMap { [.text($0.value), .text($0.key)] })
  }

  private func keptRows(_ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table) -> String {
    guard old.hasDiscriminator, !table.leftClasses.isEmpty else { return "" }
    return " AND o._entity NOT IN (\(table.leftClasses.map(Self.literal).joined(separator: ", ")))"
  }

  private static func literal(_ text: String) -> String { "'" + text.replacingOccurrences(of: "'", with: "''") + "'" }

  // MARK: - Cells

  private func cell(
    _ column: LayoutPlan.ColumnPlan, _ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table
  ) throws -> SQLFragment {
    var cell: SQLFragment
    switch column.source {
    case .column(let name): cell = SQLFragment("o.\(name.quotedIdentifier)")
    case .nothing: cell = SQLFragment("NULL")
    case .pairs(let query):
      try checkSingle(query, column, table)
      cell = SQLFragment(
        "(SELECT \(query.target.quotedIdentifier) FROM \(query.table.quotedIdentifier)"
          + " WHERE \(query.owner.quotedIdentifier) = o._pk LIMIT 1)")
    }
    for member in layout.tables where member.name == table.new.name {
      guard let property = member.stored.first(where: { TableNames.column(for: $0) == column.column.name }),
        property.entityName == member.entity.name, column.column.family != .position
      else { continue }
      cell = try filled(cell, property, member, column, table, old)
    }
    return cell
  }

  /// The cell, with the property's default for NULL if NULL is not allowed.
  private func filled(
    _ cell: SQLFragment, _ property: __Property, _ member: EntityTable, _ column: LayoutPlan.ColumnPlan,
    _ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table
  ) throws -> SQLFragment {
    guard !property.isOptional || column.source == .nothing else { return cell }
    let rows = rows(of: member, table, old)
    if property.isAttribute, let value = try DefaultCell.of(property, in: member.entity, database) {
      let full = SQLFragment("ifnull(\(cell.sql), \(value.sql))", cell.arguments + value.arguments)
      guard let rows else { return full }
      return SQLFragment("CASE WHEN \(rows) THEN ", []) + full + SQLFragment(" ELSE \(cell.sql) END", cell.arguments)
    }
    guard !property.isOptional else { return cell }
    let gaps = SQLFragment(
      "SELECT count(*), min(o._pk) FROM \(old.name.quotedIdentifier) AS o WHERE \(rows ?? "1")"
        + keptRows(table, old) + " AND \(cell.sql) IS NULL", cell.arguments)
    let row = try Row.fetchOne(database, sql: gaps.sql, arguments: gaps.databaseArguments)!
    guard row[0] as Int > 0 else { return cell }
    throw SwiftDataError(
      .unknownDataStoreSchema, entity: member.entity.name, property: property.name,
      message: "the property is required, and \(row[0] as Int) stored objects have no value for it (the first has the"
        + " key \(row[1] as Int64)); "
        + (property.isAttribute
          ? "give it a default value in its declaration, make it optional, or fill it in a custom stage"
          : "make it optional, or relate the objects in a custom stage before it becomes required"))
  }

  /// The condition for the old rows of a class, or nil for all rows.
  private func rows(of member: EntityTable, _ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table) -> String? {
    guard member.entity.superentity != nil else { return nil }
    let names = member.family.compactMap { table.classes[$0.name] }.map(Self.literal)
    // A table without class names has rows of one class. A new subclass has none of them.
    guard old.hasDiscriminator else { return names.isEmpty ? "0" : nil }
    return "o._entity IN (\(names.joined(separator: ", ")))"
  }

  // MARK: - Checks

  /// Refuses to drop rows of subclasses that the program omits. A plan may drop them.
  private func checkRemovedClasses(_ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table) throws {
    guard !plan.isPlanned, old.hasDiscriminator else { return }
    for name in table.removedClasses {
      let count = try Int.fetchOne(
        database, sql: "SELECT count(*) FROM \(old.name.quotedIdentifier) WHERE _entity = ?", arguments: [name])!
      guard count > 0 else { continue }
      throw SwiftDataError(
        .unknownDataStoreSchema, entity: name,
        message: "the store holds \(count) objects of this class, which is not in the schema; name it in"
          + " ModelContainer(for:), or remove it by a stage of a migration plan")
    }
  }

  private func checkConversions(_ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table) throws {
    for column in table.columns {
      guard case .unless(let condition, let reason) = column.conversion, case .column(let name) = column.source else {
        continue
      }
      let sql =
        "SELECT _pk, \(name.quotedIdentifier) FROM \(old.name.quotedIdentifier)"
        + " WHERE \(condition.replacingOccurrences(of: "column", with: name.quotedIdentifier)) LIMIT 1"
      guard let row = try Row.fetchOne(database, sql: sql) else { continue }
      throw SwiftDataError(
        .unknownDataStoreSchema, entity: table.new.classes[0], property: column.column.name,
        message: "the stored object with the key \(row[0] as Int64) has the value \(row[1] as Int64): \(reason); change"
          + " such values with the former version of the program or in a custom stage's willMigrate")
    }
  }

  /// Refuses to convert a to-many with more than one target to a to-one.
  private func checkSingle(
    _ query: LayoutPlan.PairQuery, _ column: LayoutPlan.ColumnPlan, _ table: LayoutPlan.TablePlan
  ) throws {
    let owner = query.owner.quotedIdentifier
    let sql =
      "SELECT \(owner), count(*) FROM \(query.table.quotedIdentifier) WHERE \(owner) IS NOT NULL"
      + " AND \(query.target.quotedIdentifier) IS NOT NULL GROUP BY \(owner) HAVING count(*) > 1 LIMIT 5"
    let rows = try Row.fetchAll(database, sql: sql)
    guard let first = rows.first, column.column.family == .key else { return }
    throw SwiftDataError(
      .unknownDataStoreSchema, entity: table.new.classes[0], property: column.column.name,
      message: "the relationship becomes a to-one, but the stored object with the key \(first[0] as Int64)"
        + " has \(first[1] as Int) (also: \(rows.dropFirst().map { "\($0[0] as Int64)" }.joined(separator: ", "))); let"
        + " go of all but one in a custom stage's willMigrate")
  }

  // MARK: - Pairs

  private func fill(_ pairs: LayoutPlan.PairPlan) throws {
    let name = Self.temporary(pairs.new.name)
    try database.execute(sql: pairs.new.creation(as: name))
    guard let query = pairs.source else { return }
    func column(_ name: String?) -> String { name?.quotedIdentifier ?? "NULL" }
    try database.execute(
      sql: "INSERT OR IGNORE INTO \(name.quotedIdentifier) (source, target, source_position, target_position)"
        + " SELECT \(column(query.owner)), \(column(query.target)), \(column(query.ownerPosition)),"
        + " \(column(query.targetPosition)) FROM \(query.table.quotedIdentifier)"
        + " WHERE \(column(query.owner)) IS NOT NULL AND \(column(query.target)) IS NOT NULL ORDER BY rowid")
  }

  // MARK: - The new layout

  private func takePlaces() throws {
    for name in plan.droppedTables + plan.droppedPairTables {
      try database.execute(sql: "DROP TABLE \(name.quotedIdentifier)")
    }
    let filled =
      plan.tables.filter { $0.isRebuilt || $0.old == nil }.map(\.new.name)
      + plan.pairTables.filter { !$0.isKept }.map(\.new.name)
    for name in filled {
      try database.execute(
        sql: "ALTER TABLE \(Self.temporary(name).quotedIdentifier) RENAME TO \(name.quotedIdentifier)")
    }
  }

  private func addColumns() throws {
    for table in plan.tables {
      for added in table.addedColumns ?? [] {
        try database.execute(sql: added.statement(for: table.new.name))
        guard case .text(let text) = added.value, !SwiftText.isNFC(text) else { continue }
        try noteNonNFC(added.column, table.new)
      }
    }
  }

  /// Renames tables and columns in the store's records.
  private func renameNotes() throws {
    for table in plan.tables {
      guard let old = table.old else { continue }
      try renameInHistory(table)
      if old.name != table.new.name {
        try database.execute(
          sql:
            "INSERT OR REPLACE INTO _swiftdata_keys (entity, last) SELECT ?, last FROM _swiftdata_keys WHERE entity = ?",
          arguments: [table.new.name, old.name])
      }
      for column in table.columns {
        guard case .column(let name) = column.source, name != column.column.name || old.name != table.new.name else {
          continue
        }
        try database.execute(
          sql: "INSERT OR IGNORE INTO _swiftdata_denormalized (column_name) SELECT ? FROM _swiftdata_denormalized"
            + " WHERE column_name = ?",
          arguments: ["\(table.new.name).\(column.column.name)", "\(old.name).\(name)"])
      }
      for column in table.columns where table.isRebuilt && column.column.family == .text {
        try noteNonNFCDefaults(column, table.new, old)
      }
    }
  }

  /// Records defaults with text outside normal form C. Saves record such text, but no save writes a migration's
  /// defaults.
  private func noteNonNFCDefaults(
    _ column: LayoutPlan.ColumnPlan, _ table: LayoutRecord.Table, _ old: LayoutRecord.Table
  ) throws {
    if case .column(let name) = column.source {
      guard column.column.isRequired, old.column(named: name)?.isRequired == false else { return }
    }
    let name = column.column.name.quotedIdentifier
    let sql = "SELECT EXISTS (SELECT 1 FROM \(table.name.quotedIdentifier) WHERE swift_nfc(\(name)) <> \(name))"
    guard try Bool.fetchOne(database, sql: sql) == true else { return }
    try noteNonNFC(column.column, table)
  }

  private func noteNonNFC(_ column: LayoutRecord.Column, _ table: LayoutRecord.Table) throws {
    try database.execute(
      sql: "INSERT OR IGNORE INTO _swiftdata_denormalized (column_name) VALUES (?)",
      arguments: ["\(table.name).\(column.name)"])
  }

  /// Renames classes and properties in the history.
  private func renameInHistory(_ table: LayoutPlan.TablePlan) throws {
    for (name, former) in table.classes where name != former {
      try HistoryTables.rename(class: former, to: name, database)
    }
    let renamed = plan.changes.filter { $0.kind == .renamed && table.new.classes.contains($0.entity) }
    for change in renamed {
      guard let property = change.property, let former = change.former else { continue }
      try HistoryTables.rename(property: former, to: property, of: Array(table.new.classes), database)
    }
  }

  private func buildIndices() throws {
    for table in plan.tables {
      if let old = table.old, !table.isRebuilt {
        for index in old.indices where !table.new.indices.contains(index) {
          try database.execute(sql: "DROP INDEX IF EXISTS \(old.name(of: index).quotedIdentifier)")
        }
      }
      for index in table.new.indices {
        if index.isUnique { try checkUnique(index, table) }
        try database.execute(sql: table.new.creation(of: index))
      }
    }
    for pairs in plan.pairTables {
      for statement in pairs.new.indexCreations { try database.execute(sql: statement) }
    }
  }

  private func checkUnique(_ index: LayoutRecord.Index, _ table: LayoutPlan.TablePlan) throws {
    guard table.old?.indices.contains(index) != true || table.isRebuilt else { return }
    let list = index.terms(inNormalFormOf: table.new).joined(separator: ", ")
    let sql =
      "SELECT group_concat(_pk, ', '), count(*) FROM (SELECT * FROM \(table.new.name.quotedIdentifier) ORDER BY _pk)"
      + " WHERE \(index.terms.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))"
      + " GROUP BY \(list) HAVING count(*) > 1 ORDER BY min(_pk)"
    guard let row = try Row.fetchOne(database, sql: sql) else { return }
    let others = try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(sql))")! - 1
    let keys = (row[0] as String).components(separatedBy: ", ")
    throw SwiftDataError(
      .uniquenessViolation, entity: table.new.classes[0], property: index.columns.joined(separator: ", "),
      message: "it becomes unique, but the \(row[1] as Int) stored objects with the keys"
        + " \(keys.prefix(10).joined(separator: ", "))\(keys.count > 10 ? " and more" : "") have the same value"
        + (others > 0 ? " (and so have \(others) more groups of objects)" : "")
        + "; make them differ, or delete all but one, in a custom stage's willMigrate")
  }

  /// Removes keys of rows that left a table, which foreign keys would have cleared.
  private func removeDanglingKeys() throws {
    let changed = Set(plan.tables.filter { !$0.leftClasses.isEmpty }.map(\.new.name))
    if !changed.isEmpty { try ForeignKeys.apply(plan.new, to: changed, database) }
    // A store's references hold before a migration, and the closures of a stage are checked after each.
    if plan.movesRows { try ForeignKeys.check(database) }
  }

  // MARK: - Values

  /// Decodes every row whose type changed, so that no unreadable value is found later.
  private func decodeRows() throws {
    let names = Set(plan.tables.filter(\.needsDecoding).map(\.new.name))
    let connection = SQLiteConnection(KeptStatements(database), store: store)
    for table in layout.tables where names.contains(table.name) {
      let condition = table.hasDiscriminator ? " WHERE t0._entity = \(Self.literal(table.entity.name))" : ""
      let query = SQLFragment("SELECT \(table.select()) FROM \(table.name.quotedIdentifier) AS t0\(condition)")
      try connection.run(query, of: table, entity: table.entity) { reader in
        reader.columns = table.positions[table.entity.name]!
        while try reader.next() {
          reader.deferred = PropertySet()
          do {
            _ = try table.entity.type.init(__row: reader)
          } catch let error as SwiftDataError {
            throw SwiftDataError(
              .unreadableValue, entity: error.entity, property: error.property,
              message:
                "the stored object with the key \(reader.int64(0)) has a value that the property's new type cannot"
                + " take (\(error.message ?? error.code.description)); give the property another name and fill it in a"
                + " custom stage", underlying: error)
          }
        }
      }
    }
  }

  /// Removes the external files of dropped columns.
  private func removeRetiredFiles() throws {
    var kept = Set<String>()
    for table in plan.tables {
      for column in table.columns {
        if case .column(let name) = column.source, let old = table.old { kept.insert("\(old.name).\(name)") }
      }
    }
    for table in plan.old.tables {
      for column in table.columns where column.isExternal && !kept.contains("\(table.name).\(column.name)") {
        let name = column.name.quotedIdentifier
        let sql = "SELECT \(name) FROM \(table.name.quotedIdentifier) WHERE typeof(\(name)) = 'text'"
        let files = try String.fetchAll(database, sql: sql)
        try store.externalStorage.pending?.remove(files.filter { UUID(uuidString: $0) != nil })
      }
    }
  }
}

extension SQLFragment {
  var databaseArguments: StatementArguments { StatementArguments(arguments.map { DatabaseValue($0) }) }
}
