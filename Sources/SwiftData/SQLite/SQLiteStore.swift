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
  let log: StatementLog
  /// The full-text indices and R*Trees that the file has, by name; a read-only one may lack some.
  package let derivedTables: Set<String>
  /// What opening it changed.
  package let migration: ModelContainer.MigrationSummary
  package let loweredQueries = LoweredQueries()
  private let access: Access
  private let bookkeeping = Mutex(Bookkeeping())

  /// What the store remembers between transactions.
  struct Bookkeeping {
    /// Columns ("Table.column") that hold text which is not in normal form C; comparisons normalise them.
    var denormalized: Set<String> = []
    /// For each connection: the data version last seen and the number of commits of ours at that time.
    var versions: [ObjectIdentifier: (version: Int64, commits: Int)] = [:]
    var commits = 0
    /// The number of our newest transaction, or of the newest of all when the store was opened.
    var lastTransaction: Int64 = 0
    /// How many want to know which transactions are ours.
    var watchers = 0
    /// Our transactions since somebody wants to know; they are in it before they are committed.
    var ownTransactions: Set<Int64> = []
    /// Counts what other processes (or anybody unknown) committed.
    var foreignCommits = 0
    var isErased = false
    /// The stage that it was made for is over.
    var isClosed = false
  }

  /// How the store gets at its file.
  private enum Access {
    case connections(StoreConnections)
    /// A migration's stage runs inside the transaction of the migration.
    case transaction(OpenTransaction)
  }

  /// Opens the store of a file, and migrates it where it has another layout.
  init(_ target: MigrationTarget) throws {
    self.configuration = target.configuration
    self.layout = target.current.layout
    self.log = StatementLog(store: configuration.name)
    self.externalStorage = ExternalStorage(configuration)
    let connections = try StoreOpening.open(configuration)
    self.access = .connections(connections)
    let opened = try StoreOpening.prepare(connections, target: target, externalStorage: externalStorage)
    self.identifier = opened.identifier
    self.migration = ModelContainer.MigrationSummary(configuration: configuration.name, steps: opened.steps)
    self.derivedTables = try StoreErrors.translating(configuration, layout) { [layout, configuration] in
      try DerivedTable.update(connections, for: layout, configuration: configuration)
    }
    if configuration.allowsSave, externalStorage.isUnfinished {
      try write { connection in try externalStorage.sweep { try StoreOpening.externalNames(connection) } }
    }
    let denormalized = try translating { try connections.read { try StoreOpening.denormalizedColumns($0) } }
    let last = try translating { try connections.read { try StoreOpening.lastTransaction($0) } }
    bookkeeping.withLock { ($0.denormalized, $0.lastTransaction) = (denormalized, last) }
    if configuration.historyRetention != nil, configuration.allowsSave {
      try write { try HistoryReader(store: self).trim($0) }
    }
  }

  /// The store of one version of the models, inside the transaction of a migration.
  init(
    within transaction: OpenTransaction, configuration: ModelConfiguration, layout: StoreLayout, identifier: String,
    externalStorage: ExternalStorage
  ) throws {
    self.configuration = configuration
    self.layout = layout
    self.log = StatementLog(store: configuration.name)
    self.externalStorage = externalStorage
    self.access = .transaction(transaction)
    self.identifier = identifier
    self.migration = ModelContainer.MigrationSummary(configuration: configuration.name, steps: [])
    self.derivedTables = try DerivedTable.current(layout.derivedTables, in: transaction.database)
    let denormalized = try StoreOpening.denormalizedColumns(transaction.database)
    bookkeeping.withLock { $0.denormalized = denormalized }
  }

  deinit {
    guard case .connections = access else { return }
    if externalStorage.isTemporary { externalStorage.removeAll() }
  }

  // MARK: - Transactions

  /// Reads from one consistent state of the store.
  package func read<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    try checkUsable()
    return try translating {
      switch access {
      case .transaction(let transaction): return try body(SQLiteConnection(transaction.database, store: self))
      case .connections(let connections):
        return try connections.read { database in
          let connection = SQLiteConnection(database, store: self)
          try noteVersion(of: connection)
          return try body(connection)
        }
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
      switch access {
      case .transaction(let transaction): return try write(within: transaction, body)
      case .connections(let connections):
        var transaction: Int64?
        var files: PendingFiles?
        var isCommitting = false
        do {
          return try connections.write { database in
            let connection = SQLiteConnection(database, store: self)
            defer { (transaction, files) = (connection.historyTransaction, connection.openFiles) }
            let result = try body(connection)
            try connection.openFiles?.willCommit()
            willCommit(connection.historyTransaction)
            isCommitting = true
            return result
          } didCommit: {
            didCommit(transaction)
            files?.committed()
          }
        } catch {
          files?.rolledBack(isCertain: !isCommitting)
          // Somebody else may get the number now.
          if let transaction { _ = bookkeeping.withLock { $0.ownTransactions.remove(transaction) } }
          throw error
        }
      }
    }
  }

  /// As ``write(_:)``, in a savepoint; what foreign keys would do is done by hand, since they are off.
  private func write<T>(within transaction: OpenTransaction, _ body: (SQLiteConnection) throws -> T) throws -> T {
    let connection = SQLiteConnection(transaction.database, store: self)
    let savepoint = connection.files.savepoint
    var result: T?
    do {
      try transaction.database.inSavepoint {
        result = try body(connection)
        if connection.hasDeleted {
          try ForeignKeys.apply(layout.record, to: Set(layout.record.tables.map(\.name)), transaction.database)
        }
        return .commit
      }
    } catch {
      connection.files.rollBack(to: savepoint)
      throw error
    }
    return result!
  }

  private func checkUsable() throws {
    if bookkeeping.withLock({ $0.isErased }) {
      throw SwiftDataError(
        .missingContainer,
        message: "its store \"\(configuration.name)\" was erased; make a new ModelContainer and fetch again")
    }
    if case .transaction(let transaction) = access {
      guard !bookkeeping.withLock({ $0.isClosed }), transaction.isOfThisThread else {
        throw SwiftDataError(
          .missingContainer,
          message: "the context of a migration's stage is used after the stage or on another thread; fetch the object"
            + " again when the container is open")
      }
    }
  }

  /// Ends the use of a store that a migration's stage was given.
  func close() { bookkeeping.withLock { $0.isClosed = true } }

  // MARK: - Changes by others

  /// Grows when another process may have committed.
  package var foreignCommits: Int { bookkeeping.withLock { $0.foreignCommits } }

  private func willCommit(_ transaction: Int64?) {
    guard let transaction else { return }
    bookkeeping.withLock { if $0.watchers > 0 { $0.ownTransactions.insert(transaction) } }
  }

  private func didCommit(_ transaction: Int64?) {
    bookkeeping.withLock { state in
      state.commits += 1
      guard let transaction else { return }
      // A number between ours and our last one is somebody else's, whom the data version may have missed.
      if transaction > state.lastTransaction + 1 { state.foreignCommits += 1 }
      state.lastTransaction = transaction
    }
  }

  /// Whether others can save to it.
  package var isShared: Bool {
    if case .connections = access { return !configuration.isStoredInMemoryOnly }
    return false
  }

  /// Keeps the numbers of our transactions from now on.
  /// - Returns: the number of the newest transaction.
  package func beginWatch() -> Int64 {
    bookkeeping.withLock { $0.watchers += 1 }
    return (try? look { try StoreOpening.lastTransaction($0) }) ?? 0
  }

  package func endWatch() {
    bookkeeping.withLock { state in
      state.watchers -= 1
      if state.watchers == 0 { state.ownTransactions = [] }
    }
  }

  /// Which of some transactions are ours; those up to the newest of them are forgotten.
  func takeOwnTransactions(upTo newest: Int64) -> Set<Int64> {
    bookkeeping.withLock { state in
      let own = state.ownTransactions.filter { $0 <= newest }
      state.ownTransactions.subtract(own)
      return own
    }
  }

  /// Reads for the watch: what it notices it tells the contexts itself.
  func look<T>(_ body: (Database) throws -> T) throws -> T? {
    guard case .connections(let connections) = access, !bookkeeping.withLock({ $0.isErased }) else { return nil }
    return try connections.read(body)
  }

  private func noteVersion(of connection: SQLiteConnection) throws {
    let version = try connection.dataVersion()
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

  /// How many columns have such text.
  package var denormalizedCount: Int { bookkeeping.withLock { $0.denormalized.count } }

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

  /// Removes all rows of all tables, and the history with them.
  package func deleteAllRows() throws {
    try write { connection in
      for table in try StoreOpening.userTables(connection) {
        try connection.execute("DELETE FROM \(table.quotedIdentifier)")
      }
      try HistoryReader(store: self).removeAll(connection)
      try connection.files.remove(externalStorage.names())
    }
  }

  /// Closes the store and removes its files.
  package func erase() throws {
    let wasErased = bookkeeping.withLock { state in
      defer { state.isErased = true }
      return state.isErased
    }
    if wasErased { return }
    guard case .connections(let connections) = access else {
      bookkeeping.withLock { $0.isErased = false }
      return try deleteAllRows()
    }
    try connections.close()
    externalStorage.removeAll()
    guard !configuration.isStoredInMemoryOnly else { return }
    // The database last: without it, a log that is left would look like one that has lost its database.
    for suffix in ["-wal", "-shm", ""] {
      let path = configuration.url.path + suffix
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
  }

  // MARK: - Errors

  /// Turns GRDB's errors of `body` into ours.
  func translating<T>(_ body: () throws -> T) throws -> T {
    try StoreErrors.translating(configuration, layout, body)
  }

  func translate(code: Int32, message: String?, sql: String?) -> SwiftDataError {
    StoreErrors.error(code: code, message: message, sql: sql, configuration: configuration, layout: layout)
  }
}
