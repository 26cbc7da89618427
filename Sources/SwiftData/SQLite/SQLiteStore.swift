import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// A store in one SQLite file, or in memory.
// @unchecked Sendable because the only mutable state is the locked bookkeeping.
package final class SQLiteStore: @unchecked Sendable {
  package let configuration: ModelConfiguration
  package let layout: StoreLayout
  /// Kept in the file: identifiers of its rows carry it.
  package let identifier: String
  let externalStorage: ExternalStorage
  private let database: any DatabaseWriter
  private let bookkeeping = Mutex(Bookkeeping())

  /// What the store remembers between transactions.
  struct Bookkeeping {
    /// Columns ("Table.column") that hold text which is not in normal form C; comparisons normalise them.
    var denormalized: Set<String> = []
    /// For each connection: the data version last seen and the number of commits of ours at that time.
    var versions: [ObjectIdentifier: (version: UInt32, commits: Int)] = [:]
    var commits = 0
    /// Counts what other processes (or anybody unknown) committed.
    var foreignCommits = 0
    var isErased = false
  }

  package init(configuration: ModelConfiguration, layout: StoreLayout, schema: Schema) throws {
    self.configuration = configuration
    self.layout = layout
    self.externalStorage = ExternalStorage(
      directory: configuration.isStoredInMemoryOnly
        ? FileManager.default.temporaryDirectory.appendingPathComponent("SwiftData-\(UUID().uuidString)")
        : configuration.url.deletingLastPathComponent().appendingPathComponent(
          ".\(configuration.url.lastPathComponent)_external"),
      isTemporary: configuration.isStoredInMemoryOnly)
    self.database = try StoreOpening.open(configuration)
    self.identifier = try StoreOpening.prepare(database, configuration: configuration, layout: layout, schema: schema)
    let denormalized = try translating { try database.read { try StoreOpening.denormalizedColumns($0) } }
    bookkeeping.withLock { $0.denormalized = denormalized }
  }

  deinit {
    if externalStorage.isTemporary { externalStorage.removeAll() }
  }

  // MARK: - Transactions

  /// Reads from one consistent state of the store.
  package func read<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try checkUsable()
    return try translating {
      try database.read { database in
        let connection = SQLiteConnection(database, store: self)
        noteVersion(of: connection)
        return try body(connection)
      }
    }
  }

  /// Runs `body` in one immediate transaction: all of it is committed, or none.
  package func write<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try checkUsable()
    guard configuration.allowsSave else {
      throw SwiftDataError(
        .storeReadOnly, message: "the configuration \"\(configuration.name)\" was made with allowsSave: false")
    }
    return try translating {
      try database.writeWithoutTransaction { database in
        let connection = SQLiteConnection(database, store: self)
        var result: T?
        try database.inTransaction(.immediate) {
          result = try body(connection)
          return .commit
        }
        bookkeeping.withLock { $0.commits += 1 }
        return result!
      }
    }
  }

  private func checkUsable() throws {
    if bookkeeping.withLock({ $0.isErased }) {
      throw SwiftDataError(
        .missingContainer,
        message: "its store \"\(configuration.name)\" was erased; make a new ModelContainer and fetch again")
    }
  }

  // MARK: - Changes by others

  /// Grows when another process may have committed.
  package var foreignCommits: Int { bookkeeping.withLock { $0.foreignCommits } }

  private func noteVersion(of connection: SQLiteConnection) {
    let version = connection.dataVersion
    bookkeeping.withLock { state in
      let key = ObjectIdentifier(connection.database)
      // A version that moved without a commit of ours in between is somebody else's.
      if let last = state.versions[key], last.version != version, last.commits == state.commits {
        state.foreignCommits += 1
      }
      state.versions[key] = (version, state.commits)
    }
  }

  // MARK: - Text that is not normalised

  package func isDenormalized(table: String, column: String) -> Bool {
    bookkeeping.withLock { $0.denormalized.contains("\(table).\(column)") }
  }

  func noteDenormalized(_ columns: Set<String>, on connection: SQLiteConnection) throws {
    let new = bookkeeping.withLock { columns.subtracting($0.denormalized) }
    for column in new {
      try connection.execute(
        SQLFragment("INSERT OR IGNORE INTO _swiftdata_denormalized (column_name) VALUES (?)", [.text(column)]))
    }
  }

  func didCommitDenormalized(_ columns: Set<String>) {
    if !columns.isEmpty { bookkeeping.withLock { $0.denormalized.formUnion(columns) } }
  }

  // MARK: - Erasing

  /// Removes all rows of all tables.
  package func deleteAllRows() throws {
    try write { connection in
      for table in try StoreOpening.userTables(connection) {
        try connection.execute("DELETE FROM \(table.quotedIdentifier)")
      }
    }
    externalStorage.removeAll()
  }

  /// Closes the store and removes its files.
  package func erase() throws {
    let wasErased = bookkeeping.withLock { state in
      defer { state.isErased = true }
      return state.isErased
    }
    if wasErased { return }
    try database.close()
    externalStorage.removeAll()
    guard !configuration.isStoredInMemoryOnly else { return }
    for suffix in ["", "-wal", "-shm"] {
      let path = configuration.url.path + suffix
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
  }

  // MARK: - Errors

  /// Turns GRDB's errors of `body` into ours.
  func translating<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw translate(code: error.extendedResultCode.rawValue, message: error.message, sql: error.sql)
    }
  }

  func translate(code: Int32, message: String?, sql: String?) -> SwiftDataError {
    StoreErrors.error(code: code, message: message, sql: sql, configuration: configuration, layout: layout)
  }
}
