import Foundation

/// Executes a ``LayoutPlan`` inside the caller's transaction, with foreign keys off.
///
/// It fills a new table for each changed one, and replaces the old one at the end. Every query therefore
/// reads the old layout. A table that only gains columns stays, if the columns have constant defaults.
struct LayoutMigration {
  let database: SQLiteDatabase
  let plan: LayoutPlan
  let layout: StoreLayout
  let store: SQLiteStore
  /// Receives the progress after each batch of rows.
  let progress: (_ entity: String, _ rows: Int, _ of: Int) -> Void

  /// The number of rows that one statement copies.
  static let batch = 50_000

  /// - Returns: which values go, for the log of a migration that succeeds.
  func run() throws -> [String] {
    try refuse()
    try checkNarrowings()
    let removals = try removedValues()
    try DerivedTable.drop(of: changedTables, on: database)
    try removeRetiredFiles()
    try numberPairs()
    for table in plan.tables where table.isRebuilt || table.old == nil { try fill(table) }
    for pairs in plan.pairTables where !pairs.isKept { try fill(pairs) }
    try takePlaces()
    try addColumns()
    for place in plan.internalized { try store.externalStorage.takeIn(place.table, place.column, database) }
    try renameNotes()
    try buildIndices()
    try DerivedTable.rebuild(for: layout, on: database)
    try removeDanglingKeys()
    try ChangedValues(plan, layout).check(on: SQLiteConnection(KeptStatements(database), store: store)) { $0.select() }
    return removals
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

  // No other name begins so: the name of a derived table has another mark after the prefix.
  private static func temporary(_ name: String) -> String { "_swiftdata#new#\(name)" }

  private func fill(_ table: LayoutPlan.TablePlan) throws {
    let name = Self.temporary(table.new.name)
    try database.execute(table.new.creation(as: name))
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
    let total = Int(try database.integer("SELECT count(*) FROM \(table)") ?? 0)
    var last = Int64.min
    var done = 0
    let next = "SELECT max(_pk), count(*) FROM (SELECT _pk FROM \(table) WHERE _pk > ? ORDER BY _pk LIMIT ?)"
    func batch() throws -> (end: Int64, count: Int)? {
      try database.first(next, [.integer(last), .integer(Int64(Self.batch))]) { row in
        row.isNull(0) ? nil : (row.integer(0), Int(row.integer(1)))
      } ?? nil
    }
    while let (end, count) = try batch() {
      try database.run(sql, arguments + [.integer(last), .integer(end)])
      last = end
      done += count
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

  func keptRows(_ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table) -> String {
    guard old.hasDiscriminator, !table.leftClasses.isEmpty else { return "" }
    return " AND o._entity NOT IN (\(table.leftClasses.map(\.quotedLiteral).joined(separator: ", ")))"
  }

  // MARK: - Cells

  private func cell(
    _ column: LayoutPlan.ColumnPlan, _ table: LayoutPlan.TablePlan, _ old: LayoutRecord.Table
  ) throws -> SQLFragment {
    var cases = [(classes: [String], cell: SQLFragment)]()
    for part in column.parts {
      cases.append((part.classes, try filled(source(part, column), part, column, old)))
    }
    guard old.hasDiscriminator else { return cases.first?.cell ?? SQLFragment("NULL") }
    if cases.count == 1, Set(cases[0].classes).isSuperset(of: table.carried) { return cases[0].cell }
    if cases.isEmpty { return SQLFragment("NULL") }
    let arms = cases.map { known in
      SQLFragment(" WHEN \(Self.rows(of: known.classes)) THEN ") + known.cell
    }
    return arms.reduce(SQLFragment("CASE")) { $0 + $1 } + SQLFragment(" END")
  }

  private func source(_ part: LayoutPlan.Part, _ column: LayoutPlan.ColumnPlan) throws -> SQLFragment {
    switch part.source {
    case .column(let name): return SQLFragment("o.\(name.quotedIdentifier)")
    case .nothing: return SQLFragment("NULL")
    case .pairs(let queries):
      try checkSingle(queries, column)
      let union = queries.map { $0.select(in: plan.old) }.joined(separator: " UNION ALL ")
      return SQLFragment("(SELECT target FROM (\(union)) WHERE owner = o._pk LIMIT 1)")
    }
  }

  /// The cell, with the property's default for NULL if NULL is not allowed.
  private func filled(
    _ cell: SQLFragment, _ part: LayoutPlan.Part, _ column: LayoutPlan.ColumnPlan, _ old: LayoutRecord.Table
  ) throws -> SQLFragment {
    guard column.column.family != .position,
      let member = column.column.entity.flatMap(layout.table(ofClass:)),
      let property = member.stored.first(where: { TableNames.column(for: $0) == column.column.name }),
      !property.isOptional || part.source == .nothing
    else { return cell }
    if property.isAttribute, let value = try DefaultCell.of(property, in: member.entity, database) {
      return SQLFragment("ifnull(\(cell.sql), \(value.sql))", cell.arguments + value.arguments)
    }
    guard !property.isOptional else { return cell }
    let rows = old.hasDiscriminator ? Self.rows(of: part.classes) : "1"
    let gaps = SQLFragment(
      "SELECT count(*), min(o._pk) FROM \(old.name.quotedIdentifier) AS o WHERE \(rows) AND \(cell.sql) IS NULL",
      cell.arguments)
    let gap = try database.first(gaps.sql, gaps.arguments) { (count: $0.integer(0), key: $0.integer(1)) }
    guard let gap, gap.count > 0 else { return cell }
    let objects = gap.count == 1 ? "1 stored object has" : "\(gap.count) stored objects have"
    throw SwiftDataError(
      .unknownDataStoreSchema, entity: member.entity.name, property: property.name,
      message: "the property is required, and \(objects) no value for it (the first has the key \(gap.key)); "
        + Self.remedy(for: property, of: member.entity, old))
  }

  /// The remedy for a required property without values.
  private static func remedy(for property: __Property, of entity: __Entity, _ old: LayoutRecord.Table) -> String {
    let renamed = old.columns.first { column in
      column.formerNames?.contains(property.name) == true
        && !entity.properties.contains { $0.name == column.propertyName }
    }
    if let renamed {
      return "a later version of the program named it \(renamed.propertyName); open the store with that version"
    }
    return property.isAttribute
      ? "give it a default value in its declaration, make it optional, or fill it in a custom stage"
      : "make it optional, or relate the objects in a custom stage before it becomes required"
  }

  /// The condition for the old rows of some classes.
  static func rows(of classes: [String]) -> String {
    "o._entity IN (\(classes.map(\.quotedLiteral).joined(separator: ", ")))"
  }

  // MARK: - Pairs

  /// Writes the places of pairs whose order a column takes over. Pairs in the order of their insertion have none, and the rows
  /// with the column would be in the order of their keys.
  private func numberPairs() throws {
    let columns = plan.tables.filter(\.isRebuilt).flatMap(\.columns).filter { $0.column.family == .position }
    // Each class of a hierarchy may have a part of the same pairs.
    var lists = Set<[String]>()
    for part in columns.flatMap(\.parts) {
      guard case .pairs(let queries) = part.source else { continue }
      for query in queries where plan.old.pairTables.contains(where: { $0.name == query.table }) {
        lists.insert([query.table, query.target.column])
      }
    }
    for list in lists {
      let (table, place) = (list[0].quotedIdentifier, list[1])
      let owner = place == "source_position" ? "source" : "target"
      try database.execute(
        "UPDATE \(table) SET \(place) = r.place FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY \(owner)"
          + " ORDER BY \(place) IS NULL, \(place), rowid) - 1 AS place FROM \(table)) AS r WHERE r.id = \(table).rowid")
    }
  }

  private func fill(_ pairs: LayoutPlan.PairPlan) throws {
    let name = Self.temporary(pairs.new.name)
    try database.execute(pairs.new.creation(as: name))
    for query in pairs.sources {
      // The order of the rows is the age of the pairs.
      let age = plan.old.table(named: query.table) == nil ? "p.rowid" : "p._pk"
      try database.execute(
        "INSERT OR IGNORE INTO \(name.quotedIdentifier) (source, target, source_position, target_position)"
          + " SELECT owner, target, owner_position, target_position FROM (\(query.select(in: plan.old, age: age)))"
          + " ORDER BY age")
    }
  }

  // MARK: - The new layout

  private func takePlaces() throws {
    for name in plan.droppedTables + plan.droppedPairTables {
      try database.execute("DROP TABLE \(name.quotedIdentifier)")
    }
    let filled =
      plan.tables.filter { $0.isRebuilt || $0.old == nil }.map(\.new.name)
      + plan.pairTables.filter { !$0.isKept }.map(\.new.name)
    for name in filled {
      try database.execute(
        "ALTER TABLE \(Self.temporary(name).quotedIdentifier) RENAME TO \(name.quotedIdentifier)")
    }
  }

  private func addColumns() throws {
    for table in plan.tables {
      for added in table.addedColumns ?? [] {
        try database.execute(added.statement(for: table.new.name))
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
        try database.run(
          "INSERT OR REPLACE INTO _swiftdata_keys (entity, last) SELECT ?, last FROM _swiftdata_keys WHERE entity = ?",
          [.text(table.new.name), .text(old.name)])
      }
      for column in table.columns {
        for name in column.columns where name != column.column.name || old.name != table.new.name {
          try database.run(
            "INSERT OR IGNORE INTO _swiftdata_denormalized (column_name) SELECT ? FROM _swiftdata_denormalized"
              + " WHERE column_name = ?",
            [.text("\(table.new.name).\(column.column.name)"), .text("\(old.name).\(name)")])
        }
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
    let hasGaps = column.parts.contains { part in
      guard case .column(let name) = part.source else { return true }
      return old.column(named: name)?.isRequired == false
    }
    guard hasGaps else { return }
    let name = column.column.name.quotedIdentifier
    let sql = "SELECT EXISTS (SELECT 1 FROM \(table.name.quotedIdentifier) WHERE swift_nfc(\(name)) <> \(name))"
    guard try database.integer(sql) == 1 else { return }
    try noteNonNFC(column.column, table)
  }

  private func noteNonNFC(_ column: LayoutRecord.Column, _ table: LayoutRecord.Table) throws {
    try database.run(
      "INSERT OR IGNORE INTO _swiftdata_denormalized (column_name) VALUES (?)",
      [.text("\(table.name).\(column.name)")])
  }

  /// Renames classes and properties in the history.
  private func renameInHistory(_ table: LayoutPlan.TablePlan) throws {
    for (name, former) in table.classes where name != former {
      try HistoryTables.rename(class: former, to: name, database)
    }
    for match in plan.classes.matches where table.new.classes.contains(match.new) {
      try HistoryTables.rename(match.renamed, of: match.new, database)
    }
  }

  private func buildIndices() throws {
    for table in plan.tables {
      if let old = table.old, !table.isRebuilt {
        for index in old.indices
        where !table.new.indices.contains(where: { $0 == index && table.new.name(of: $0) == old.name(of: index) }) {
          try database.execute("DROP INDEX IF EXISTS \(old.name(of: index).quotedIdentifier)")
        }
      }
      for index in table.new.indices {
        if index.isUnique { try checkUnique(index, table) }
        try database.execute(table.new.creation(of: index))
      }
    }
    for pairs in plan.pairTables {
      for statement in pairs.new.indexCreations { try database.execute(statement) }
    }
  }

  /// Removes keys of rows that left a table, which foreign keys would have cleared.
  private func removeDanglingKeys() throws {
    var changed = Set(plan.tables.filter { !$0.leftClasses.isEmpty }.map(\.new.name))
    for table in plan.tables {
      guard let old = table.old else { continue }
      // A column without a reference, as of the rule noAction, may name rows that are gone.
      for column in table.columns {
        if let reference = column.column.reference,
          column.columns.contains(where: { old.column(named: $0)?.reference == nil })
        {
          changed.insert(reference.table)
        }
      }
    }
    if !changed.isEmpty { try ForeignKeys.apply(plan.new, to: changed, database) }
    // A store's references hold before a migration, and the closures of a stage are checked after each.
    if plan.movesRows { try ForeignKeys.check(database) }
  }

  /// Removes the external files of dropped columns.
  private func removeRetiredFiles() throws {
    for table in plan.old.tables {
      for name in Set(table.columns.filter(\.isExternal).map(\.name)).sorted() {
        let left = table.classes.filter { !isRead(name, of: $0, in: table) }
        guard !left.isEmpty else { continue }
        let column = name.quotedIdentifier
        let sql =
          "SELECT \(column) FROM \(table.name.quotedIdentifier) AS o WHERE typeof(\(column)) = 'text'"
          + (table.hasDiscriminator ? " AND \(Self.rows(of: left))" : "")
        let files = try database.rows(sql) { $0.string(0) }
        try store.externalStorage.pending?.remove(files.compactMap(ExternalName.init))
      }
    }
  }

  /// Whether a new column takes the cells of a class's rows.
  private func isRead(_ column: String, of name: String, in table: LayoutRecord.Table) -> Bool {
    plan.tables.contains { known in
      known.old?.name == table.name
        && known.columns.contains { $0.parts.contains { $0.classes.contains(name) && $0.source == .column(column) } }
    }
  }
}
