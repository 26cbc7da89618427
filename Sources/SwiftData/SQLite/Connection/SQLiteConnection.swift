import CSwiftDataSQLite
import Foundation

/// A SQLite connection during one transaction. It prepares, binds and steps statements directly.
///
/// It is valid only inside the transaction that created it.
package final class SQLiteConnection: SQLConnection {
  let store: SQLiteStore
  /// Binds the parameters of each statement.
  let writer = SQLiteParameterWriter()
  // Unchecked, because reading or replacing one of these runs nothing else.
  /// Whether a statement deleted rows.
  @exclusivity(unchecked) private(set) var hasDeleted = false
  /// The number of the history transaction that it wrote.
  @exclusivity(unchecked) var historyTransaction: Int64?
  /// The external files of the transaction, or nil if it has none.
  @exclusivity(unchecked) private(set) var openFiles: PendingFiles?
  private let handle: OpaquePointer
  private let trace = SQLTrace.active
  /// Whether the log or metrics need the statements. Asked once, because that takes as long as binding two values.
  private let isLogged: Bool
  private let statements: KeptStatements

  /// - Parameter files: the external files of a transaction that several connections share.
  init(_ statements: KeptStatements, store: SQLiteStore, files: PendingFiles? = nil) {
    self.store = store
    self.statements = statements
    openFiles = files
    self.isLogged = store.log.isOn
    self.handle = statements.handle
  }

  /// - Throws: the error with which a commit would refuse references to rows that are gone.
  func checkReferences() throws {
    var (unresolved, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &unresolved, &highest, 0)
    guard unresolved == 0 else {
      // The extended code of a foreign key.
      throw SQLiteError(SQLITE_CONSTRAINT | 3 << 8, "FOREIGN KEY constraint failed")
    }
  }

  /// Tells the connection from others.
  var identity: ObjectIdentifier { ObjectIdentifier(statements) }

  /// The key of the row that the last insertion made.
  var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The connection, for statements that run seldom.
  package var database: SQLiteDatabase { statements.database }

  /// The operations on external files in this transaction.
  var files: PendingFiles {
    if let openFiles { return openFiles }
    let files = store.externalStorage.pending ?? PendingFiles(store.externalStorage)
    openFiles = files
    return files
  }

  package func run(
    _ fragment: SQLFragment, of table: EntityTable?, entity: __Entity, _ body: (SQLRows) throws -> Void
  ) throws {
    try withStatement(fragment.sql) { statement in
      try bind(fragment.arguments, to: statement)
      try body(SQLiteRows(statement, sql: fragment.sql, entity: entity, connection: self))
    }
  }

  /// Runs a query and reads its rows by column position.
  package func rows<T>(_ fragment: SQLFragment, _ body: (SQLiteCells) throws -> T) throws -> [T] {
    var result = [T]()
    try withStatement(fragment.sql) { statement in
      try bind(fragment.arguments, to: statement)
      while try step(statement, sql: fragment.sql) { result.append(try body(SQLiteCells(statement))) }
    }
    return result
  }

  package func execute(_ fragment: SQLFragment) throws { _ = try rows(fragment) { _ in } }

  func execute(_ sql: String) throws { try execute(SQLFragment(sql)) }

  /// Runs a writing statement. `bind` writes its parameters.
  /// - Returns: the number of changed rows.
  @discardableResult
  func write(_ sql: String, _ bind: (SQLiteParameterWriter) throws -> Void) throws -> Int {
    try withStatement(sql) { statement in
      writer.begin(statement, stepsAtOnce: true)
      try bind(writer)
      _ = try step(statement, sql: sql)
      return Int(sqlite3_changes(handle))
    }
  }

  /// The data version of this read. It changes when another connection commits.
  ///
  /// A statement reads it, because a statement begins the read. A file control would return the version of the previous
  /// read.
  func dataVersion() throws -> Int64 { try number("PRAGMA data_version") }

  /// The number of the newest transaction, and the fingerprint of the metadata, as this transaction reads them.
  func newestState() throws -> (transaction: Int64, fingerprint: String?) {
    var state: (transaction: Int64, fingerprint: String?) = (0, nil)
    try step(bookkeeping: Self.newestState) { statement in
      let text = sqlite3_column_text(statement, 1)
      state = (sqlite3_column_int64(statement, 0), text.map { String(cString: $0) })
    }
    return state
  }

  private static let newestState =
    "SELECT \(HistoryTables.newest),"
    + " (SELECT value FROM _swiftdata WHERE key = \(Metadata.fingerprintKey.quotedLiteral))"

  /// The texts of the metadata, by key.
  func metadataTexts() throws -> [String: String] {
    var texts = [String: String]()
    try step(bookkeeping: "SELECT key, value FROM _swiftdata") { statement in
      guard let key = sqlite3_column_text(statement, 0), let value = sqlite3_column_text(statement, 1) else { return }
      texts[String(cString: key)] = String(cString: value)
    }
    return texts
  }

  /// The columns with text outside normal form C.
  func nonNFCColumns() throws -> [String] {
    // A store that another version made may lack the table.
    let table = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = '_swiftdata_denormalized'"
    return try texts(table).isEmpty ? [] : texts("SELECT column_name FROM _swiftdata_denormalized")
  }

  /// The texts that a statement of the store's own bookkeeping returns.
  private func texts(_ sql: String) throws -> [String] {
    var texts = [String]()
    try step(bookkeeping: sql) { statement in
      if let text = sqlite3_column_text(statement, 0) { texts.append(String(cString: text)) }
    }
    return texts
  }

  private func number(_ sql: String) throws -> Int64 {
    var number: Int64 = 0
    try step(bookkeeping: sql) { number = sqlite3_column_int64($0, 0) }
    return number
  }

  /// Runs a statement of the store's own bookkeeping, which is neither traced nor logged.
  private func step(bookkeeping sql: String, _ row: (OpaquePointer) -> Void) throws {
    let statement = try statements.statement(sql)
    defer { sqlite3_reset(statement) }
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      row(statement)
      code = sqlite3_step(statement)
    }
    guard code == SQLITE_DONE else {
      throw store.translate(
        code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)), sql: nil)
    }
  }

  // MARK: - Statements

  @inline(__always)
  private func withStatement<T>(_ sql: String, _ body: (OpaquePointer) throws -> T) throws -> T {
    let statement = try prepared(sql)
    trace?.record(sql)
    defer {
      if let trace { trace.count(steps: Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))) }
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    return isLogged ? try logged(statement, sql, body) : try body(statement)
  }

  private func logged<T>(_ statement: OpaquePointer, _ sql: String, _ body: (OpaquePointer) throws -> T) throws -> T {
    let start = ContinuousClock.now
    defer { store.log.end(statement, sql: sql, since: start) }
    return try body(statement)
  }

  private func prepared(_ sql: String) throws -> OpaquePointer {
    // One byte is compared first, because a save runs one statement thousands of times.
    if sql.utf8.first == UInt8(ascii: "D"), sql.hasPrefix("DELETE") { hasDeleted = true }
    do {
      return try statements.statement(sql)
    } catch let error as SQLiteError {
      throw store.translate(code: error.code, message: error.message, sql: sql)
    }
  }

  fileprivate func step(_ statement: OpaquePointer, sql: String) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      throw store.translate(
        code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)), sql: sql)
    }
  }

  private func bind(_ arguments: [SQLValue], to statement: OpaquePointer) throws {
    guard !arguments.isEmpty else { return }
    writer.begin(statement)
    for argument in arguments {
      switch argument {
      case .null: try writer.null()
      case .integer(let value): try writer.integer(value)
      case .real(let value): try writer.real(value)
      case .text(let value): try writer.text(value)
      case .blob(let value): try writer.blob(value)
      }
    }
  }
}

/// Steps the rows of a statement.
final class SQLiteRows: SQLRows {
  private let statement: OpaquePointer
  private let statementText: String
  private let connection: SQLiteConnection
  // Unchecked, because reading a cell accesses no other state of the reader.
  /// The cells of the current row.
  @exclusivity(unchecked) private var cells = RowCells()

  init(_ statement: OpaquePointer, sql: String, entity: __Entity, connection: SQLiteConnection) {
    (self.statement, statementText, self.connection) = (statement, sql, connection)
    super.init(entity: entity)
  }

  @available(*, unavailable)
  override init(entity: __Entity) { preconditionFailure("rows come with a statement") }

  override func next() throws -> Bool {
    guard try connection.step(statement, sql: statementText) else { return false }
    cells.find(in: statement)
    countRow()
    return true
  }

  override var isSorted: Bool { sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 1) > 0 }

  @inline(__always)
  private func cell(_ column: Int32) -> OpaquePointer? { cells.cell(column, of: statement) }

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
  override func string(_ column: Int32) -> String {
    let cell = cell(column)
    guard let bytes = sqlite3_value_text(cell) else { return "" }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(cell))), as: UTF8.self)
  }
  override func shortText(_ column: Int32) -> __ShortText? {
    let cell = cell(column)
    guard let bytes = sqlite3_value_text(cell) else { return nil }
    return __ShortText(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(cell))))
  }
  override func data(_ column: Int32) -> Data { SQLiteCells(statement).blob(column) }
  override func externalData(_ reference: String) throws -> Data {
    guard let name = ExternalName(reference) else {
      throw SwiftDataError(.io, message: "\(reference.debugDescription) is not the name of a file with external data")
    }
    return try connection.store.externalStorage(of: name).read(name)
  }
}

/// Binds values to the parameters of a statement, in order.
final class SQLiteParameterWriter: __ColumnWriter {
  // Unchecked, because binding a value accesses no other state of the writer.
  @exclusivity(unchecked) private var statement: OpaquePointer!
  @exclusivity(unchecked) private var position: Int32 = 0
  /// Called with each text. The save records columns whose text is not in Unicode normal form C.
  @exclusivity(unchecked) var textObserver: ((__Property, String) -> Void)?
  /// Called for data of an external property. Returns the text for the cell, or nil to keep the data inline.
  var externalWriter: ((__Property, Data) throws -> String?)?

  /// Copies of bound texts. SQLite would allocate each copy separately.
  @exclusivity(unchecked) private var scratch: UnsafeMutableBufferPointer<UInt8>?
  @exclusivity(unchecked) private var scratchCount = 0
  @exclusivity(unchecked) private var stepsAtOnce = false

  deinit { scratch?.deallocate() }

  /// - Parameter stepsAtOnce: whether the statement finishes before the next one begins.
  func begin(_ statement: OpaquePointer, stepsAtOnce: Bool = false) {
    self.statement = statement
    self.stepsAtOnce = stepsAtOnce
    position = 0
    scratchCount = 0
    current = nil
    if stepsAtOnce, scratch == nil { scratch = .allocate(capacity: 4096) }
  }

  private func next() -> Int32 {
    position += 1
    return position
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else {
      throw SwiftDataError(
        .unwritableValue, entity: current?.entityName, property: current?.name,
        message: String(cString: sqlite3_errstr(code)))
    }
  }

  override func null() throws { try check(sqlite3_bind_null(statement, next())) }
  override func integer(_ value: Int64) throws { try check(sqlite3_bind_int64(statement, next(), value)) }
  override func real(_ value: Double) throws { try check(sqlite3_bind_double(statement, next(), value)) }

  override func text(_ value: String) throws {
    if let current { textObserver?(current, value) }
    try bind(value)
  }

  override func blob(_ value: Data) throws {
    if let current, let reference = try externalWriter?(current, value) { return try bind(reference) }
    let position = next()
    let code = value.withUnsafeBytes { bytes in
      // A null pointer would bind NULL, and empty data is not NULL.
      bytes.count == 0
        ? sqlite3_bind_zeroblob(statement, position, 0)
        : sqlite3_bind_blob64(statement, position, bytes.baseAddress, UInt64(bytes.count), sqliteCopies)
    }
    try check(code)
  }

  private func bind(_ value: String) throws {
    let position = next()
    var value = value
    let code = value.withUTF8 { bytes in
      let kept = keep(bytes)
      return (kept ?? bytes).withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text64(
          statement, position, $0.baseAddress ?? emptyText, UInt64($0.count), kept == nil ? sqliteCopies : nil,
          UInt8(SQLITE_UTF8))
      }
    }
    try check(code)
  }

  /// Copies bytes until the next statement. Returns nil if there is no room.
  private func keep(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    guard stepsAtOnce, let scratch, !bytes.isEmpty, bytes.count <= scratch.count - scratchCount else { return nil }
    let end = scratchCount + bytes.count
    let copy = UnsafeMutableBufferPointer(rebasing: scratch[scratchCount..<end])
    _ = copy.initialize(from: bytes)
    scratchCount = end
    return UnsafeBufferPointer(copy)
  }
}

// nonisolated(unsafe) because the one zero byte is never written.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  bytes.initialize(to: 0)
  return UnsafePointer(bytes)
}()
