import CSwiftDataSQLite
import Dispatch
import Foundation

/// The connections to a store file: one writer and a few readers.
///
/// A fetch of one row is so short that its overhead counts. A thread takes an idle reader, and has it for itself.
package final class StoreConnections: Sendable {
  /// The maximum number of concurrent readers. Another thread waits, at most as long as the configuration says.
  private static let readerCount = 5

  /// The file, or nil for a database in memory that only the writer sees.
  private let file: File?
  /// The identity of the file at opening.
  private let identity: FileIdentity?
  private let permits = DispatchSemaphore(value: StoreConnections.readerCount)
  /// Held while closing. Two threads that collect all permits would wait for each other's.
  private let closing = Lock(())
  /// The statements that a reading connection runs before it is used.
  private let readerSetup = Lock<[String]>([])
  /// The idle readers, or nil after closing.
  private let idle = Lock<[StoreConnection]?>([])
  private let writer = Lock(Writer.unopened)
  /// The seconds that a thread waits for other threads.
  private let timeout: Double
  /// Whether the file may change. Until then, closing leaves it and its log as they are.
  private let isAccepted = Lock(false)
  /// Whether the file had a log before it was opened.
  private let hadLog: Bool
  /// Whether the file has content and no write-ahead log.
  private let lacksLog: Bool

  private struct File {
    let path: String
    let options: SQLiteOptions
    let durability: ModelConfiguration.Durability
    /// Whether writes go to a write-ahead log.
    let hasLog: Bool
    /// How many seconds the writer waits for another process that switches the file to a write-ahead log.
    let lockTimeout: Double

    var readerOptions: SQLiteOptions {
      var options = options
      options.isReadOnly = true
      return options
    }
  }

  /// The writer is opened at the first write if the file needs none before. A program that only reads then opens one
  /// connection instead of two.
  private enum Writer {
    case unopened
    case open(StoreConnection)
    case closed
  }

  /// Opens an in-memory database.
  init(inMemory options: SQLiteOptions, timeout: Double = 120) throws {
    self.timeout = timeout
    (self.file, self.identity, hadLog, lacksLog) = (nil, nil, false, false)
    let connection = StoreConnection(try SQLiteDatabase.inMemory(options), isShared: true)
    writer.withLock { $0 = .open(connection) }
  }

  /// A file, whose writes go to a write-ahead log, so that a write does not wait for reads.
  ///
  /// A file that has content is opened for reading only. Once the caller knows that it is the right store, ``accept()``
  /// allows it to be changed.
  /// - Parameters:
  ///   - log: false for a database in memory, which has none.
  ///   - lockTimeout: how many seconds to wait for another process that switches the file to a write-ahead log.
  ///   - timeout: how many seconds a thread waits for other threads.
  init(
    path: String, options: SQLiteOptions, durability: ModelConfiguration.Durability = .normal, log: Bool = true,
    lockTimeout: Double = 5, timeout: Double = 120
  ) throws {
    self.timeout = timeout
    let file = File(path: path, options: options, durability: durability, hasLog: log, lockTimeout: lockTimeout)
    self.file = file
    hadLog = access(FileKind.real(path) + "-wal", F_OK) == 0
    if let (reader, mode) = try Self.readerOfContent(file) {
      lacksLog = mode != "wal"
      self.identity = FileIdentity(path)
      idle.withLock { $0 = [reader] }
    } else {
      let connection = try Self.openWriter(file)
      lacksLog = false
      self.identity = FileIdentity(path)
      writer.withLock { $0 = .open(connection) }
    }
  }

  /// Returns a reader if the file has content and may be written to. Otherwise the writer must make the log, or say why it
  /// cannot.
  /// - Throws: ``SQLiteError`` for a damaged file, which the writer would change.
  private static func readerOfContent(_ file: File) throws -> (StoreConnection, journalMode: String)? {
    guard file.hasLog, !file.options.isReadOnly, access(file.path, W_OK) == 0, FileIdentity(file.path)?.isEmpty == false
    else { return nil }
    do {
      let reader = try SQLiteDatabase(file.path, file.readerOptions)
      var mode: String?
      try reader.step("PRAGMA journal_mode") { mode = $0.text(0) }
      return mode.map { (StoreConnection(reader, isShared: false), $0) }
    } catch let error as SQLiteError where [SQLITE_CORRUPT, SQLITE_NOTADB].contains(error.primaryCode) {
      throw error
    } catch let unknown as FirstLook.Unknown {
      throw unknown
    } catch {
      // Such as a rollback journal, which only a writer can play back.
      return nil
    }
  }

  /// Allows the file to change, and makes its write-ahead log if it has none.
  func accept() throws {
    isAccepted.withLock { $0 = true }
    guard lacksLog, let file else { return }
    let writer = try openedWriter()
    try Self.waiting(for: file) { try writer.exclusively { try Self.prepareWriting(writer.database, file) } }
  }

  /// - Parameter keepsJournal: whether the file gets no write-ahead log, which its first page would tell.
  private static func openWriter(_ file: File, keepsJournal: Bool = false) throws -> StoreConnection {
    try waiting(for: file) {
      let writer = try SQLiteDatabase(file.path, file.options)
      if !file.options.isReadOnly { try prepareWriting(writer, file, keepsJournal: keepsJournal) }
      return StoreConnection(writer, isShared: true)
    }
  }

  /// Repeats `body` while another process switches the file to a write-ahead log, for which SQLite does not wait.
  private static func waiting<T>(for file: File, _ body: () throws -> T) throws -> T {
    let deadline = Date(timeIntervalSinceNow: file.lockTimeout)
    while true {
      do {
        return try body()
      } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY && Date() < deadline {
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  private static func prepareWriting(_ database: SQLiteDatabase, _ file: File, keepsJournal: Bool = false) throws {
    // A power cut may damage a file without a log that is not synced fully.
    if keepsJournal { return try database.execute("PRAGMA synchronous = FULL") }
    if file.hasLog {
      var mode: String?
      try database.step("PRAGMA journal_mode = WAL") { mode = $0.text(0) }
      guard mode == "wal" else {
        throw SQLiteError(
          SQLITE_ERROR, "SQLite cannot use a write-ahead log for \"\(file.path)\"; put the store on a local file system"
        )
      }
    }
    try database.execute("PRAGMA synchronous = \(file.durability.pragma)")
  }

  deinit {
    if leavesLog {
      // The last connection checkpoints the log into the file, which a reader cannot do.
      if let connection = endWriting() { leaveLogOfOthers(connection.database) }
      idle.withLock { $0 = nil }
      return
    }
    // Readers close first.
    idle.withLock { $0 = nil }
    if let connection = endWriting() { leaveLogOfOthers(connection.database) }
  }

  /// Whether the file was refused, or its migration failed, and its log stays as it was.
  private var leavesLog: Bool { hadLog && !isAccepted.withLock { $0 } }

  /// Takes the writer away. If there was none, the log is checkpointed, as closing a writer does.
  private func endWriting() -> StoreConnection? {
    let last = writer.withLock { writer in
      defer { writer = .closed }
      return writer
    }
    switch last {
    case .open(let connection): return connection
    // A log that the reader of a refused file made is empty, and goes too.
    case .unopened: if isAccepted.withLock({ $0 }) || !hadLog { checkpoint() }
    case .closed: break
    }
    return nil
  }

  /// Removes the log that readers leave behind, unless another process uses it. Fails silently: the next opening of the
  /// file reads the log.
  private func checkpoint() {
    guard let file, FileIdentity(file.path) == identity else { return }
    // A connection that has read nothing does not know the log.
    try? SQLiteDatabase(file.path, flags: SQLITE_OPEN_READWRITE).execute("PRAGMA schema_version")
  }

  private func openedWriter() throws -> StoreConnection {
    try writer.withLock { writer in
      switch writer {
      case .open(let connection): return connection
      case .closed: throw SQLiteError(SQLITE_MISUSE, "the store is closed")
      case .unopened:
        // A database in memory has its writer from the beginning.
        guard let file else { throw SQLiteError(SQLITE_MISUSE, "the store has no file") }
        let connection = try Self.openWriter(file, keepsJournal: lacksLog && !isAccepted.withLock { $0 })
        writer = .open(connection)
        return connection
      }
    }
  }

  /// Runs `body` on the writer, outside a transaction.
  package func withWriter<T>(_ body: (SQLiteDatabase) throws -> T) throws -> T {
    try checkPlace()
    let writer = try openedWriter()
    return try exclusively(writer) { try body(writer.database) }
  }

  /// Runs `body` when it is this thread's turn to use the writer.
  private func exclusively<T>(_ writer: StoreConnection, _ body: () throws -> T) throws -> T {
    do {
      return try writer.exclusively(within: timeout, body)
    } catch is StoreConnection.TookTooLong {
      throw tookTooLong("the connection that saves was in use by other saves")
    }
  }

  private func tookTooLong(_ what: String) -> SwiftDataError {
    let place = file.map { "\"\($0.path)\"" } ?? "the in-memory store"
    return SwiftDataError(
      .storeLocked,
      message: "\(place): \(what) of this program for \(timeout) seconds, and nothing was read or saved."
        + " Run fewer of them at once, make them shorter, or raise `connectionTimeout` of the configuration")
  }

  /// Writes the file again without the pages of deleted rows, and truncates the log.
  func compact() throws { try withWriter { try $0.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") } }

  /// Reads from one consistent state.
  func look<T>(_ body: (SQLiteDatabase) throws -> T) throws -> T { try read { try body($0.database) } }

  /// Reads from one consistent state, with the statements that the connection keeps.
  func read<T>(_ body: (KeptStatements) throws -> T) throws -> T {
    guard let file else {
      // Other threads write through the same connection, so the transaction waits for its turn.
      let writer = try openedWriter()
      return try exclusively(writer) { try writer.inTransaction(beginning: "BEGIN", body) }
    }
    guard permits.wait(timeout: .now() + timeout) == .success else {
      throw tookTooLong("all \(Self.readerCount) connections that read were in use by other fetches")
    }
    defer { permits.signal() }
    let reader = try take() ?? makeReader(file)
    defer { idle.withLock { $0?.append(reader) } }
    // No other thread uses a reader that is not among the idle ones.
    return try reader.inTransaction(beginning: "BEGIN", body)
  }

  /// Runs `body` in one immediate transaction.
  func write<T>(_ body: (SQLiteDatabase) throws -> T) throws -> T { try write({ try body($0.database) }) { _ in } }

  /// Runs `body` in one immediate transaction, with the statements that the connection keeps.
  /// - Parameter didCommit: called with the connection after the commit and before any other write.
  func write<T>(_ body: (KeptStatements) throws -> T, didCommit: (SQLiteDatabase) -> Void) throws -> T {
    try checkPlace()
    let writer = try openedWriter()
    return try exclusively(writer) {
      let result = try writer.inTransaction(beginning: "BEGIN IMMEDIATE", body)
      didCommit(writer.database)
      return result
    }
  }

  private func makeReader(_ file: File) throws -> StoreConnection {
    try checkPlace()
    let reader = try SQLiteDatabase(file.path, file.readerOptions)
    for statement in readerSetup.withLock({ $0 }) { try reader.execute(statement) }
    return StoreConnection(reader, isShared: false)
  }

  /// Runs statements on each reading connection before its next use. No read runs meanwhile.
  func setUp(_ statements: [String]) {
    readerSetup.withLock { $0 = statements }
    idle.withLock { $0 = [] }
  }

  /// Checks that the path still leads to the open file. SQLite would continue writing to an unlinked file, and the
  /// saves would be lost.
  private func checkPlace() throws {
    guard let file, FileIdentity(file.path) != identity else { return }
    throw SwiftDataError(
      .io,
      message: "\"\(file.path)\" was removed or replaced while the store was open; nothing of this was stored. Put the"
        + " file back, or make a new ModelContainer and insert the objects there")
  }

  private func take() throws -> StoreConnection? {
    try idle.withLock { idle in
      guard idle != nil else { throw SQLiteError(SQLITE_MISUSE, "the store is closed") }
      return idle!.popLast()
    }
  }

  /// Closes all connections. Waits for those that use them. Closing again does nothing.
  /// - Throws: `SwiftDataError.storeLocked` if they took too long, as when this thread is one of them. Then the store stays open.
  package func close() throws { try closing.withLock { _ in try closeAll() } }

  private func closeAll() throws {
    var count = 0
    defer { for _ in 0..<count { permits.signal() } }
    let end = DispatchTime.now() + timeout
    while count < Self.readerCount {
      guard permits.wait(timeout: end) == .success else { throw staysOpen() }
      count += 1
    }
    let readers = idle.withLock { idle in
      defer { idle = nil }
      return idle ?? []
    }
    if leavesLog {
      try closeWriter()
      for reader in readers { try reader.close() }
      return
    }
    for reader in readers { try reader.close() }
    try closeWriter()
  }

  private func closeWriter() throws {
    guard let connection = endWriting() else { return }
    do {
      try connection.close(within: timeout, leaveLogOfOthers)
    } catch is StoreConnection.TookTooLong {
      writer.withLock { $0 = .open(connection) }
      idle.withLock { $0 = [] }
      throw staysOpen()
    }
  }

  private func staysOpen() -> SwiftDataError {
    tookTooLong("the store could not be closed, because its connections were in use by fetches or saves")
  }

  /// Keeps SQLite from removing another database's log. The last connection removes the log by name; if the database
  /// was replaced, that log belongs to the new one.
  private func leaveLogOfOthers(_ connection: SQLiteDatabase) {
    guard let file, let current = FileIdentity(file.path), current != identity else { return }
    var isKept: Int32 = 1
    sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
  }
}

/// The identity of a file, independent of its name.
private struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64
  let isEmpty: Bool

  static func == (left: FileIdentity, right: FileIdentity) -> Bool {
    left.device == right.device && left.number == right.number
  }

  /// Returns nil if there is no file.
  init?(_ path: String) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    (device, number) = (UInt64(information.st_dev), UInt64(information.st_ino))
    isEmpty = information.st_size == 0
  }
}
