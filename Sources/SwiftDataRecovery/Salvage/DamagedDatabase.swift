import Foundation
import SwiftData

/// The readable contents of a database, table by table.
struct DamagedDatabase {
  /// A table or an index, as the database describes it.
  private struct Object {
    let type: String
    let name: String
    let table: String
    let root: Int
    let sql: String
  }

  /// The findings about a table.
  struct Found {
    /// The keys of the rows that were read.
    var keys: Set<Int64> = []
    /// Keys that are in an index but have no row.
    var missing: [Int64] = []
    /// The ranges of keys in unreadable pages, if no index lists the keys.
    var lost: [ClosedRange<Int64>] = []
    /// The number of unreadable rows in readable pages, if no index lists the keys.
    var damaged = 0
  }

  let isHeaderDamaged: Bool
  /// Whether the list of tables was read completely.
  private(set) var isSchemaWhole: Bool
  let hasUncommittedLog: Bool
  private var walk: TreeWalk
  private let objects: [Object]

  /// - Throws: ``SwiftDataError/io`` if the file cannot be read, or if neither file nor log exists.
  init(_ path: String) throws {
    let logPath = path + "-wal"
    let log = FileManager.default.fileExists(atPath: logPath) ? try SalvagedFile(logPath) : nil
    let hasFile = FileManager.default.fileExists(atPath: path)
    let pages = DatabasePages(hasFile || log == nil ? try SalvagedFile(path) : nil, log: log)
    isHeaderDamaged = pages.isHeaderDamaged
    hasUncommittedLog = pages.log?.hasRest ?? ((log?.size ?? 0) > 0)
    walk = TreeWalk(pages)
    let schema = walk.table(root: 1)
    isSchemaWhole = schema.isWhole
    var objects = schema.rows.compactMap { Self.object($0.cells) }
    if !isSchemaWhole {
      // The form of its rows is unique.
      for number in 1...max(1, pages.count) {
        let stray = walk.strayRows(number).compactMap { Self.object($0.cells) }
        objects += stray.filter { object in !objects.contains { $0.name == object.name } }
      }
    }
    self.objects = objects
  }

  /// The number of tables and columns of a layout that the file's own list of tables has.
  func nameCount(of record: LayoutRecord) -> Int {
    let tables = Dictionary(objects.filter { $0.type == "table" }.map { ($0.name, $0.sql) }) { first, _ in first }
    return record.tables.reduce(0) { count, table in
      guard let sql = tables[table.name] else { return count }
      return count + 1 + table.columns.filter { sql.contains($0.name.quotedIdentifier) }.count
    } + record.pairTables.filter { tables[$0.name] != nil }.count
  }

  private static func object(_ cells: [SQLValue]) -> Object? {
    guard cells.count == 5, case .text(let type) = cells[0], ["table", "index"].contains(type),
      case .text(let name) = cells[1], case .text(let table) = cells[2], case .integer(let root) = cells[3], root > 1,
      root < Int64(Int32.max)
    else { return nil }
    var sql = ""
    if case .text(let text) = cells[4] { sql = text }
    return Object(type: type, name: name, table: table, root: Int(root), sql: sql)
  }

  // MARK: - Tables without row numbers

  /// The records of a table that is stored as an index.
  mutating func records(_ table: String) -> TreeWalk.Index {
    guard let object = objects.first(where: { $0.type == "table" && $0.name == table }) else {
      return TreeWalk.Index(isWhole: false)
    }
    return walk.index(root: object.root)
  }

  // MARK: - Tables

  /// Reads tables, one after another.
  /// - Parameters:
  ///   - creations: the SQL that creates each table, if the database does not have it.
  ///   - body: receives each row as cells by column.
  mutating func read(
    _ creations: [String: String], _ body: (_ table: String, _ key: Int64, _ cells: [String: SQLValue]) throws -> Void
  ) throws -> [String: Found] {
    let scratch = try SQLiteDatabase.inMemory()
    var tables = [ReadTable]()
    for (name, creation) in creations.sorted(by: { $0.key < $1.key }) {
      let object = objects.first { $0.type == "table" && $0.name == name }
      guard let definition = try TableDefinition(name, [object?.sql, creation], scratch) else { continue }
      let walked = object.map { walk.table(root: $0.root) } ?? TreeWalk.Table(lost: [Int64.min...Int64.max])
      var table = ReadTable(definition: definition, lost: walked.lost, damaged: walked.damaged, known: keys(of: name))
      for row in walked.rows { try table.take(row, body) }
      tables.append(table)
    }
    try readStrayPages(&tables, body)
    return Dictionary(uniqueKeysWithValues: tables.map { ($0.definition.name, $0.found) })
  }

  /// Reads pages without a parent, if a damaged page may have been their parent.
  private mutating func readStrayPages(
    _ tables: inout [ReadTable], _ body: (_ table: String, _ key: Int64, _ cells: [String: SQLValue]) throws -> Void
  ) throws {
    guard tables.contains(where: { !$0.lost.isEmpty }) else { return }
    for number in 1...max(1, walk.pages.count) {
      let rows = walk.strayRows(number)
      guard !rows.isEmpty else { continue }
      let candidates = tables.indices.filter { index in
        // A page with deleted rows looks like any other. Only an index or the free list distinguishes it.
        !tables[index].lost.isEmpty && (tables[index].known != nil || !isHeaderDamaged)
          && rows.allSatisfy { tables[index].mayHave($0) }
      }
      guard candidates.count == 1 else { continue }
      for row in rows { try tables[candidates[0]].take(row, body) }
    }
  }

  /// The keys in an index of a table, or nil if no index is complete.
  private mutating func keys(of table: String) -> Set<Int64>? {
    for object in objects where object.type == "index" && object.table == table {
      let index = walk.index(root: object.root)
      guard index.isWhole else { continue }
      var keys = Set<Int64>()
      for record in index.records { if case .integer(let key)? = record.last { keys.insert(key) } }
      return keys
    }
    return nil
  }
}

/// A table during reading.
private struct ReadTable {
  let definition: TableDefinition
  let lost: [ClosedRange<Int64>]
  let damaged: Int
  /// The existing keys, if an index lists them.
  let known: Set<Int64>?
  private var keys: Set<Int64> = []

  init(definition: TableDefinition, lost: [ClosedRange<Int64>], damaged: Int, known: Set<Int64>?) {
    (self.definition, self.lost, self.damaged, self.known) = (definition, lost, damaged, known)
  }

  func mayHave(_ row: TreeWalk.Row) -> Bool {
    if let known, !known.contains(row.key) { return false }
    return !keys.contains(row.key) && lost.contains { $0.contains(row.key) } && definition.fits(row)
  }

  mutating func take(
    _ row: TreeWalk.Row, _ body: (_ table: String, _ key: Int64, _ cells: [String: SQLValue]) throws -> Void
  ) throws {
    guard definition.isRow(row), keys.insert(row.key).inserted else { return }
    try body(definition.name, row.key, definition.cells(row))
  }

  var found: DamagedDatabase.Found {
    guard let known else { return DamagedDatabase.Found(keys: keys, lost: lost, damaged: damaged) }
    return DamagedDatabase.Found(keys: keys, missing: known.subtracting(keys).sorted())
  }
}

/// The columns of a table, in the order of its rows.
private struct TableDefinition {
  let name: String
  private let columns: [(name: String, type: String, isRequired: Bool, standard: SQLValue)]
  /// The primary key column, whose cell is empty.
  private let keyColumn: Int?

  /// - Parameter statements: candidate statements. The first that creates the table is used.
  init?(_ name: String, _ statements: [String?], _ scratch: SQLiteDatabase) throws {
    self.name = name
    for case let sql? in statements where sql.hasPrefix("CREATE TABLE") {
      try scratch.execute("DROP TABLE IF EXISTS \(name.quotedIdentifier)")
      // Exactly one statement, because the text comes from an untrusted file.
      guard (try? scratch.run(sql, [])) != nil else { continue }
      let rows = try scratch.rows(
        "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?)", [.text(name)]
      ) { row in
        // Rows lack the cell of a column that was added later. It has the default of the declaration.
        let standard = row.text(3).flatMap(SQLValue.init(sqlLiteral:)) ?? .null
        let type = row.string(1).uppercased()
        return (
          column: (row.string(0), type, row.integer(2) != 0, standard), isKey: row.integer(4) == 1 && type == "INTEGER"
        )
      }
      guard !rows.isEmpty else { continue }
      columns = rows.map(\.column)
      keyColumn = rows.firstIndex(where: \.isKey)
      return
    }
    return nil
  }

  func isRow(_ row: TreeWalk.Row) -> Bool {
    guard row.cells.count <= columns.count else { return false }
    guard let keyColumn else { return true }
    return row.cells.count > keyColumn && row.cells[keyColumn] == .null
  }

  /// Whether the row fits this table.
  func fits(_ row: TreeWalk.Row) -> Bool {
    guard isRow(row) else { return false }
    return zip(columns, row.cells).enumerated().allSatisfy { index, pair in
      let (column, cell) = pair
      if index == keyColumn { return true }
      return switch (cell, column.type) {
      case (.null, _): !column.isRequired
      // An encrypted cell is a blob in any column.
      case (.blob(let bytes), _) where bytes.starts(with: KeyRing.mark): true
      case (.integer, "INTEGER"), (.integer, "REAL"), (.real, "REAL"), (.text, "TEXT"), (.blob, "BLOB"),
        (.text, "BLOB"), (_, ""):
        true
      default: false
      }
    }
  }

  func cells(_ row: TreeWalk.Row) -> [String: SQLValue] {
    var cells = [String: SQLValue]()
    for (index, column) in columns.enumerated() {
      let cell = index < row.cells.count ? row.cells[index] : column.standard
      cells[column.name] = index == keyColumn ? .integer(row.key) : cell
    }
    return cells
  }
}
