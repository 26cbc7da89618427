import Foundation

/// A store in one SQLite file, or in memory.
// @unchecked Sendable because the only mutable state is the locked bookkeeping.
package final class SQLiteStore: @unchecked Sendable {
  package let configuration: ModelConfiguration
  package let layout: StoreLayout
  /// The identifier that the file stores. Identifiers of its rows include it.
  package let identifier: String
  let externalStorage: ExternalStorage
  let log: StatementLog
  /// The names of the full-text indices and R*Trees in the file. A read-only file may lack some.
  package var derivedTables: Set<String> { packs.isEmpty ? ownDerivedTables : [] }
  private let ownDerivedTables: Set<String>
  package var trapsOnConcurrencyMisuse: Bool { configuration.trapsOnConcurrencyMisuse }
  package let loweredQueries = LoweredQueries()
  let access: Access
  let bookkeeping = Lock(Bookkeeping())
  /// The description of the file at opening.
  private let opening: StoreDescription?
  /// Set once, before anybody else knows the store.
  private let attachedPacks = Lock<[Pack]>([])

  /// State that the store keeps between transactions.
  struct Bookkeeping {
    /// Columns ("Table.column") with text outside normal form C, which comparisons normalise.
    var nonNFC: Set<String> = []
    /// The data version of the writing connection after its last commit. Nil before the first.
    var writerVersion: UInt32?
    /// The fingerprint of the metadata that suits this program's tables.
    var fingerprint: String?
    /// For each connection, the last data version and the number of our commits at that time.
    var versions: [ObjectIdentifier: (version: Int64, commits: Int)] = [:]
    var commits = 0
    /// The number of our newest transaction, or of the newest external one that was noticed since, or at opening.
    var lastTransaction: Int64 = 0
    /// The number of our transaction that is being committed. A read may see it before the commit returns.
    var committing: Int64?
    /// The number of watches that need our transaction numbers.
    var watchers = 0
    /// The numbers of our transactions since the watch began, including uncommitted ones.
    var ownTransactions: Set<Int64> = []
    /// Counts external commits.
    var externalCommits = 0
    /// Their number when `nonNFC` was last read.
    var commitsWithKnownText = 0
    var isErased = false
    /// Whether the migration stage of this store has ended.
    var isClosed = false
    /// The transaction that a thread shares among its contexts.
    var shared: SharedTransaction?
  }

  /// The way to access the file.
  enum Access {
    case connections(StoreConnections)
    /// Inside the transaction of a migration, for a stage.
    case transaction(OpenTransaction)
  }

  /// Makes the store of an open file, which has the tables of the layout.
  init(
    _ connections: StoreConnections, configuration: ModelConfiguration, layout: StoreLayout, identifier: String,
    externalStorage: ExternalStorage, description: StoreDescription
  ) throws {
    self.configuration = configuration
    self.layout = layout
    self.log = StatementLog(store: configuration.name)
    self.externalStorage = externalStorage
    self.access = .connections(connections)
    self.identifier = identifier
    self.opening = description
    bookkeeping.withLock { $0.fingerprint = description.fingerprint }
    self.ownDerivedTables = try StoreErrors.translating(configuration, layout) { [layout, configuration] in
      try DerivedTable.update(connections, for: layout, configuration: configuration)
    }
    if configuration.allowsSave, externalStorage.isUnfinished {
      try write { connection in try externalStorage.sweep { try StoreFile.externalNames(connection) } }
    }
    let nonNFC = try translating { try connections.look { try StoreFile.nonNFCColumns($0) } }
    let last = try translating { try connections.look { try StoreFile.lastTransaction($0) } }
    bookkeeping.withLock { ($0.nonNFC, $0.lastTransaction) = (nonNFC, last) }
    if configuration.historyRetention != nil, configuration.allowsSave {
      try write { try HistoryReader(store: self).trim($0) }
    }
  }

  /// Makes the store of one schema version inside the transaction of a migration.
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
    self.opening = nil
    self.ownDerivedTables = try DerivedTable.current(layout.derivedTables, in: transaction.database)
    let nonNFC = try StoreFile.nonNFCColumns(transaction.database)
    bookkeeping.withLock { $0.nonNFC = nonNFC }
  }

  deinit {
    guard case .connections = access else { return }
    if externalStorage.isTemporary { externalStorage.removeAll() }
  }

  // MARK: - Packs

  /// The read-only files whose rows reads see too.
  var packs: [Pack] { attachedPacks.withLock { $0 } }

  /// Has reads see the rows of other files too.
  /// - Throws: ``SwiftDataError`` where a file cannot be read.
  func attach(_ others: [(store: SQLiteStore, tables: [EntityTable])]) throws {
    guard case .connections(let connections) = access else { return }
    var packs = [Pack]()
    for (index, other) in others.enumerated() {
      packs.append(Pack(store: other.store, number: Int64(index + 1), tables: Set(other.tables.map(\.name))))
    }
    attachedPacks.withLock { $0 = packs }
    connections.setUp(packs.attachments(inMemory: configuration.isStoredInMemoryOnly) + packs.views(of: layout))
    let nonNFC = packs.flatMap { pack in pack.store.bookkeeping.withLock { $0.nonNFC } }
    bookkeeping.withLock { $0.nonNFC.formUnion(nonNFC) }
    // Finds a file that cannot be attached.
    try read { _ in }
  }

  // MARK: - Transactions

  /// Reads from one consistent state of the store.
  package func read<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    let shared = try checkUsable()
    return try translating {
      if let shared { return try body(SQLiteConnection(shared.statements, store: self, files: shared.files)) }
      switch access {
      case .transaction(let transaction):
        return try body(SQLiteConnection(KeptStatements(transaction.database), store: self))
      case .connections(let connections):
        return try connections.read { statements in
          let connection = SQLiteConnection(statements, store: self)
          try noteVersion(of: connection)
          return try body(connection)
        }
      }
    }
  }

  var readOnly: SwiftDataError {
    SwiftDataError(
      .storeReadOnly,
      message: "the configuration \"\(configuration.name)\" was made with allowsSave: false; make it with"
        + " allowsSave: true to save")
  }

  /// Runs `body` in one immediate transaction.
  package func write<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
    let shared = try checkUsable()
    guard configuration.allowsSave else { throw readOnly }
    return try translating {
      if let shared { return try write(within: shared, body) }
      switch access {
      case .transaction(let transaction): return try write(within: transaction, body)
      case .connections(let connections):
        var transaction: Int64?
        var files: PendingFiles?
        var isCommitting = false
        do {
          return try connections.write { statements in
            let connection = SQLiteConnection(statements, store: self)
            try noteOthers(on: connection)
            defer { (transaction, files) = (connection.historyTransaction, connection.openFiles) }
            let result = try body(connection)
            try connection.openFiles?.willCommit()
            willCommit(connection.historyTransaction.map { $0...$0 })
            isCommitting = true
            return result
          } didCommit: {
            didCommit(transaction.map { $0...$0 }, $0)
            files?.committed()
          }
        } catch {
          files?.rolledBack(isCertain: !isCommitting)
          didRollBack(transaction.map { $0...$0 })
          throw error
        }
      }
    }
  }

  /// As ``write(_:)``, in a savepoint. Foreign keys are off, so this performs their actions.
  private func write<T>(within transaction: OpenTransaction, _ body: (SQLiteConnection) throws -> T) throws -> T {
    let connection = SQLiteConnection(KeptStatements(transaction.database), store: self)
    let savepoint = connection.files.savepoint
    do {
      return try transaction.database.savepoint {
        let result = try body(connection)
        if connection.hasDeleted {
          try ForeignKeys.apply(layout.record, to: Set(layout.record.tables.map(\.name)), transaction.database)
        }
        return result
      }
    } catch {
      connection.files.rollBack(to: savepoint)
      throw error
    }
  }

  package func compact() throws {
    try checkUsable()
    guard configuration.allowsSave else { throw readOnly }
    // The connection of a migration stage is within a transaction.
    guard case .connections(let connections) = access, !configuration.isStoredInMemoryOnly else { return }
    try translating { try connections.compact() }
  }

  /// Ends a migration stage's use of the store.
  func close() { bookkeeping.withLock { $0.isClosed = true } }

  // MARK: - Changes by others

  /// Grows when another process may have committed.
  package var externalCommits: Int { bookkeeping.withLock { $0.externalCommits } }

  /// - Parameter numbers: our transactions of the history.
  func willCommit(_ numbers: ClosedRange<Int64>?) {
    guard let numbers else { return }
    bookkeeping.withLock { state in
      state.committing = numbers.upperBound
      if state.watchers > 0 { state.ownTransactions.formUnion(numbers) }
    }
  }

  func didCommit(_ numbers: ClosedRange<Int64>?, _ database: SQLiteDatabase) {
    let version = database.dataVersion
    bookkeeping.withLock { state in
      state.writerVersion = version
      state.commits += 1
      state.committing = nil
      guard let numbers else { return }
      // A gap before our number is an external commit that no read has noticed.
      if numbers.lowerBound &- 1 > state.lastTransaction { state.externalCommits += 1 }
      state.lastTransaction = numbers.upperBound
    }
  }

  /// The numbers are free again, so another process may take them.
  func didRollBack(_ numbers: ClosedRange<Int64>?) {
    guard let numbers else { return }
    bookkeeping.withLock { state in
      state.committing = nil
      state.ownTransactions.subtract(numbers)
    }
  }

  /// Whether other connections can save to it.
  package var isShared: Bool {
    if case .connections = access { return !configuration.isStoredInMemoryOnly }
    return false
  }

  /// Records the numbers of our transactions from now on.
  /// - Returns: the number of the newest transaction.
  package func beginWatch() -> Int64 {
    bookkeeping.withLock { $0.watchers += 1 }
    return (try? look { try StoreFile.lastTransaction($0) }) ?? 0
  }

  package func endWatch() {
    bookkeeping.withLock { state in
      state.watchers -= 1
      if state.watchers == 0 { state.ownTransactions = [] }
    }
  }

  /// Returns which of some transactions are ours. Forgets all up to the newest of them.
  func takeOwnTransactions(upTo newest: Int64) -> Set<Int64> {
    bookkeeping.withLock { state in
      let own = state.ownTransactions.filter { $0 <= newest }
      state.ownTransactions.subtract(own)
      return own
    }
  }

  /// Reads for the watch, which informs the contexts itself.
  func look<T>(_ body: (SQLiteDatabase) throws -> T) throws -> T? {
    if let shared = ownShared { return try body(shared.statements.database) }
    guard case .connections(let connections) = access, !bookkeeping.withLock({ $0.isErased }) else { return nil }
    return try connections.look(body)
  }

  package func noticeExternalCommits() throws { try read { _ in } }

  /// Notices what others committed since the writer's last transaction, at the beginning of its next one. Until its end, no
  /// other connection commits.
  /// - Throws: ``SwiftDataError/newerSchema`` if another program migrated the store.
  func noteOthers(on connection: SQLiteConnection) throws {
    guard !configuration.isStoredInMemoryOnly else { return }
    let version = connection.database.dataVersion
    guard bookkeeping.withLock({ $0.writerVersion != version }) else { return }
    try checkDescription(try connection.newestState().fingerprint, connection)
    let columns = try connection.nonNFCColumns()
    bookkeeping.withLock { state in
      state.nonNFC.formUnion(columns)
      state.writerVersion = version
    }
  }

  /// Checks that the metadata still describe the tables of this program.
  private func checkDescription(_ fingerprint: String?, _ connection: SQLiteConnection) throws {
    guard let opening, bookkeeping.withLock({ $0.fingerprint != fingerprint }) else { return }
    guard StoreDescription(try connection.metadataTexts()).suits(layout.record, since: opening) else {
      throw StoreErrors.migrated(configuration)
    }
    bookkeeping.withLock { $0.fingerprint = fingerprint }
  }

  /// Notices external commits since the last read of a connection, and in which columns they stored text outside normal form C.
  /// - Throws: ``SwiftDataError/newerSchema`` if another program migrated the store.
  private func noteVersion(of connection: SQLiteConnection) throws {
    let version = try connection.dataVersion()
    let (isCertain, isDone, ownCommits) = bookkeeping.withLock { state in
      guard let last = state.versions[connection.identity], last.version == version || last.commits == state.commits
      else { return (false, false, state.commits) }
      state.versions[connection.identity] = (version, state.commits)
      // The data version changed without a commit of ours.
      if last.version != version { state.externalCommits += 1 }
      return (true, state.externalCommits == state.commitsWithKnownText, state.commits)
    }
    if isDone { return }
    // If the connection is new, or we have committed too, the number of the newest transaction tells whether others committed.
    let (newest, fingerprint) = try connection.newestState()
    // Checked before the version is recorded, so that the next read of a migrated store is refused too.
    try checkDescription(fingerprint, connection)
    let commits = bookkeeping.withLock { state in
      // Recorded only now, so that the next read asks again if this one is interrupted.
      if !isCertain { state.versions[connection.identity] = (version, ownCommits) }
      if newest > state.lastTransaction, newest != state.committing {
        if !isCertain { state.externalCommits += 1 }
        state.lastTransaction = newest
      }
      return state.externalCommits == state.commitsWithKnownText ? nil : state.externalCommits
    }
    guard let commits else { return }
    let columns = try connection.nonNFCColumns()
    bookkeeping.withLock { state in
      state.nonNFC.formUnion(columns)
      state.commitsWithKnownText = commits
    }
  }

  // MARK: - Text that is not normalised

  package func isNonNFC(table: String, column: String) -> Bool {
    bookkeeping.withLock { $0.nonNFC.contains("\(table).\(column)") }
  }

  func isNonNFC(_ column: String) -> Bool { bookkeeping.withLock { $0.nonNFC.contains(column) } }

  /// The number of columns with text outside normal form C.
  package var nonNFCCount: Int { bookkeeping.withLock { $0.nonNFC.count } }
  package var textChanges: Int { nonNFCCount }

  /// Records columns that receive text outside normal form C, in the file and in memory.
  ///
  /// The set in memory may have columns that the file lacks, such as columns of packs and of transactions that were rolled back. So it
  /// does not tell what the file needs. It has the columns before the commit, so that no read sees the text without them.
  func noteNonNFC(_ columns: Set<String>, on connection: SQLiteConnection) throws {
    if columns.isEmpty { return }
    bookkeeping.withLock { $0.nonNFC.formUnion(columns) }
    for column in columns.sorted() {
      try connection.execute(
        SQLFragment("INSERT OR IGNORE INTO _swiftdata_denormalized (column_name) VALUES (?)", [.text(column)]))
    }
  }

  // MARK: - Erasing

  /// Removes all rows of all tables, and the history.
  package func deleteAllRows() throws {
    try write { connection in
      for table in try StoreFile.userTables(connection) {
        try connection.execute("DELETE FROM \(table.quotedIdentifier)")
      }
      try HistoryReader(store: self).removeAll(connection)
      try connection.files.remove(externalStorage.names())
    }
  }

  /// Closes the store and removes its files.
  /// - Throws: ``SwiftDataError/storeReadOnly`` for a file that is only read.
  package func erase() throws {
    guard !configuration.isFileOnlyRead else { throw readOnly }
    let wasErased = bookkeeping.withLock { state in
      defer { state.isErased = true }
      return state.isErased
    }
    if wasErased { return }
    guard case .connections(let connections) = access else {
      bookkeeping.withLock { $0.isErased = false }
      return try deleteAllRows()
    }
    do {
      try connections.close()
    } catch {
      bookkeeping.withLock { $0.isErased = false }
      throw error
    }
    externalStorage.removeAll()
    guard !configuration.isStoredInMemoryOnly else { return }
    // The database is removed last. Otherwise a remaining log would look like one that lost its database.
    for suffix in ["-wal", "-shm", ""] {
      let path = configuration.url.path + suffix
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
  }

  // MARK: - Errors

  /// Converts SQLite's errors of `body`.
  func translating<T>(_ body: () throws -> T) throws -> T {
    try StoreErrors.translating(configuration, layout, body)
  }

  func translate(code: Int32, message: String?, sql: String?) -> SwiftDataError {
    StoreErrors.error(code: code, message: message, sql: sql, configuration: configuration, layout: layout)
  }
}
