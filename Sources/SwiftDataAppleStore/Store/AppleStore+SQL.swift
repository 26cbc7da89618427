import CSwiftDataSQLite
import Foundation
import Logging
import SwiftData

extension AppleStore: SQLStore {
  package var name: String { configuration.name }
  package var dialect: any SQLDialect { AppleDialect() }
  package var externalCommits: Int { file.access.generation }
  /// A store that allows saving relies on SQLite's locks, which do not report the commits of other programs.
  package var refreshesOnFetch: Bool { configuration.allowsSave }

  package func withConnection(cancellable: Bool, _ body: (any SQLConnection) throws -> Void) throws {
    try file.read { try body(AppleStatements($0, store: self)) }
  }

  // MARK: - Text

  /// Apple's frameworks do not normalize text. The store checks each column of a file that is only read once.
  package func isNonNFC(table: String, column: String) -> Bool {
    if configuration.allowsSave { return true }
    let name = "\(table).\(column)"
    let generation = file.access.generation
    let known = texts.withLock { forms -> Bool? in
      if forms.generation != generation { forms = TextForms(known: [:], generation: generation) }
      return forms.known[name]
    }
    if let known { return known }
    let statement: SQLFragment =
      "SELECT 1 FROM \(name: table) WHERE swift_nfc(\(name: column)) IS NOT \(name: column) LIMIT 1"
    // If the file cannot be read, the fetch reports it.
    let isNonNFC = (try? file.rows(statement).isEmpty) != true
    texts.withLock { $0.known[name] = isNonNFC }
    return isNonNFC
  }

  package var nonNFCCount: Int {
    texts.withLock { $0.known.values.count(where: \.self) + $0.generation << 16 }
  }

  // MARK: - Operations

  package func plan(
    of query: StoreQuery
  ) throws -> (steps: [PlanStep], findings: [PlanFinding]) {
    let explain = SQLFragment("EXPLAIN QUERY PLAN " + query.select.sql, query.select.arguments)
    var depths = [Int64(0): -1]
    let steps = try file.rows(explain).compactMap { row -> PlanStep? in
      guard row.count > 3, case .integer(let id) = row[0], case .integer(let parent) = row[1],
        case .text(let detail) = row[3]
      else { return nil }
      depths[id] = (depths[parent] ?? -1) + 1
      return PlanStep(depth: depths[id]!, detail: detail)
    }
    return (steps, [])
  }

  package func search(_ request: SearchRequest) throws -> SearchAnswer {
    throw SwiftDataError(
      .unsupportedFeature,
      message: "a store that Apple's frameworks made has no full-text index; `swiftdata import` moves it into a store"
        + " that has")
  }

  /// The engine changes the objects one by one and saves them.
  package func update(_ update: BatchUpdate) throws -> [String: [Int64]] { throw DataStoreError.preferInMemoryFilter }

  /// Removes the objects of the store's classes. The history does not record it.
  package func deleteAllRows() throws {
    try file.access.write { connection in
      let writer = AppleRowWriter(self, connection)
      for table in mapping.tables {
        let numbers = table.classes.flatMap(\.numbers).map(String.init).joined(separator: ", ")
        let rows = try connection.rows("SELECT Z_PK FROM main.\(name: table.appleTable) WHERE Z_ENT IN (\(numbers))")
        let keys = rows.compactMap { if case .integer(let key) = $0[0] { key } else { nil } }
        try writer.clearReferences(to: keys, in: table.appleTable)
        try connection.run(
          "DELETE FROM main.\(name: table.appleTable) WHERE \(AppleDialect().isAmong("Z_PK", keys))")
      }
      try writer.checkRequired()
    }
  }

  package func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog
  ) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    // T is DefaultHistoryTransaction.
    return try fetchHistory(descriptor) as? [T]
  }

  package func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, _ tables: TableCatalog
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return false }
    try deleteHistory(descriptor)
    return true
  }
}

/// Runs the engine's statements on a connection to the file.
final class AppleStatements: SQLConnection {
  private let connection: FileConnection
  private let store: AppleStore

  init(_ connection: FileConnection, store: AppleStore) { (self.connection, self.store) = (connection, store) }

  func run(
    _ statement: SQLFragment, of table: EntityTable?, entity: __Entity, _ body: (SQLRows) throws -> Void
  ) throws {
    SQLTrace.note(statement.sql)
    try connection.with(statement) { prepared in
      try body(AppleRows(prepared, sql: statement.sql, entity: entity, connection, store.file))
    }
  }
}

/// The rows of a statement that is being stepped.
final class AppleRows: SQLRows {
  private let statement: OpaquePointer
  private let sql: String
  private let connection: FileConnection
  private let file: AppleFile
  // Unchecked because reading a cell accesses no other state of the reader.
  /// The cell that was read last. The engine reads the kind of a cell before its value.
  @exclusivity(unchecked) private var cell: OpaquePointer?
  @exclusivity(unchecked) private var cellColumn: Int32 = -1

  init(_ statement: OpaquePointer, sql: String, entity: __Entity, _ connection: FileConnection, _ file: AppleFile) {
    (self.statement, self.sql, self.connection, self.file) = (statement, sql, connection, file)
    super.init(entity: entity)
  }

  @available(*, unavailable)
  override init(entity: __Entity) { preconditionFailure("rows come with a statement") }

  override func next() throws -> Bool {
    guard try connection.step(statement, sql: sql) else { return false }
    cellColumn = -1
    countRow()
    return true
  }

  @inline(__always)
  private func cell(_ column: Int32) -> OpaquePointer? {
    if column != cellColumn {
      cell = sqlite3_column_value(statement, column)
      cellColumn = column
    }
    return cell
  }

  override func kind(_ column: Int32) -> __CellKind {
    switch sqlite3_value_type(cell(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }
  override func int64(_ column: Int32) -> Int64 { sqlite3_value_int64(cell(column)) }
  override func double(_ column: Int32) -> Double { sqlite3_value_double(cell(column)) }
  override func string(_ column: Int32) -> String { SQLiteCells.text(of: cell(column)) }
  override func shortText(_ column: Int32) -> __ShortText? {
    let cell = cell(column)
    guard let bytes = sqlite3_value_text(cell) else { return nil }
    return __ShortText(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(cell))))
  }
  override func data(_ column: Int32) -> Data { SQLiteCells.data(of: cell(column)) }

  override func externalData(_ reference: String) throws -> Data { try file.externalData(reference) }
}

extension AppleFile {
  /// The bytes of a file next to the store.
  package func externalData(_ name: String) throws -> Data {
    let file = Self.externalFolder(of: url).appendingPathComponent(name)
    do {
      return try Data(contentsOf: file)
    } catch {
      // A property that is read later cannot throw. The error is thrown by the next save, and this is logged now.
      Logger(label: "SwiftData.AppleStore").error("the external data \(file.path) is missing or cannot be read")
      throw SwiftDataError(
        .io,
        message: "the external data \(name) is missing from \(file.deletingLastPathComponent().path) or cannot be read;"
          + " copy this folder, which is hidden, together with the store", underlying: error)
    }
  }
}
