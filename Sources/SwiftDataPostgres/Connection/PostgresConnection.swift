import CLibPQ
import Foundation
import SwiftData

/// A connection to a server, used by one thread at a time.
// @unchecked Sendable because a pool lends it to one thread at a time.
package final class PostgresConnection: @unchecked Sendable {
  let handle: OpaquePointer
  let servers: PostgresServers
  let host: PostgresURL.Host
  /// Whether cancelling the waiting task cancels the statement.
  var isCancellable = false
  /// Whether each statement in a transaction is a part of its own. See ``isolating(_:)``.
  var isolatesStatements = false
  /// Whether the connection is unusable although the server answers, because its primary became a replica.
  private(set) var isRetired = false
  var log: StatementLog?
  /// The schema of unqualified names.
  private(set) var namespace: String
  /// Whether a pooler may run each transaction on another server connection. Session state is unusable then: no named
  /// statements, and settings apply to one transaction at a time.
  private(set) var isPooled = false
  /// The server's process, once it is known. Nil behind a pooler.
  private(set) var process: Int32?
  /// The timeline of the primary, which changes at each failover; 0 on a replica.
  private(set) var timeline: Int64 = 0
  /// The log position that a replica showed after the last fetch, or less than any position.
  var shown = Int64.min
  /// The statements prepared on the server.
  private var prepared: [StatementKey: PreparedStatement] = [:]
  /// The one that ran last. Programs repeat statements, and comparing a text with itself takes less time than hashing it.
  private var recent: (key: StatementKey, statement: PreparedStatement)?
  /// The time of its last return to the pool.
  // Unchecked, because setting it runs no other code.
  @exclusivity(unchecked) var lastUse = ContinuousClock.now
  /// The seconds of silence after which to check the server.
  let silence: Double
  private var nameCount = 0
  /// The bytes of a statement from which a pipeline waits until they are sent.
  private static let bufferLimit = 1 << 20
  /// A limit for the server's memory.
  private static let preparedLimit = 500

  /// - Parameter namespace: the schema of unqualified names.
  /// - Throws: ``PostgresError``.
  package convenience init(url: String, namespace: String) throws {
    let servers = PostgresServers(url: url, options: PostgresPoolOptions())
    try self.init(servers, namespace: namespace, application: "swiftdata \(namespace)", log: nil)
  }

  /// - Parameter application: the application name, unless the URL has one.
  init(_ servers: PostgresServers, namespace: String, application: String, log: StatementLog?) throws {
    (self.servers, self.namespace, self.log) = (servers, namespace, log)
    silence = max(0.1, servers.options.answerTimeout.asWait)
    try Self.checkLibrary(version: PQlibVersion())
    (handle, host) = try servers.connect(as: application)
    // Notices about existing tables are expected and ignored.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    guard PQsetClientEncoding(handle, "UTF8") == 0, PQsetnonblocking(handle, 1) == 0 else { throw lost() }
    let identity = try RoundTrips.uncounted {
      try texts(
        "SELECT pg_backend_pid(), CASE WHEN pg_is_in_recovery() THEN 0 ELSE \(ReplicaReads.timelineOfPrimary) END")
    }
    func number(_ column: Int) -> Int64 { identity.text(0, column).flatMap { Int64($0) } ?? 0 }
    // A pooler returns a process identifier of its own.
    isPooled = number(0) != Int64(processIdentifier)
    process = isPooled ? nil : processIdentifier
    timeline = number(1)
    if !isPooled { try RoundTrips.uncounted { try script(settings) } }
  }

  deinit { PQfinish(handle) }

  /// - Parameter version: the version of the loaded libpq, which may be older than the one that the program was built with.
  /// - Throws: `SwiftDataError.unsupportedFeature` if it has no pipeline mode.
  static func checkLibrary(version: Int32) throws {
    guard version < 140_000 else { return }
    throw SwiftDataError(
      .unsupportedFeature,
      message:
        "the client library of PostgreSQL (libpq) that is loaded has version \(version / 10_000), and the store needs"
        + " 14 or later; install a newer libpq")
  }

  // MARK: - Settings

  /// Sets the schema of unqualified names.
  func use(_ namespace: String) throws {
    guard namespace != self.namespace else { return }
    if !isPooled { try script("SET search_path TO \(namespace.quotedIdentifier)") }
    self.namespace = namespace
  }

  private var settings: String {
    "SET search_path TO \(namespace.quotedIdentifier); SET client_min_messages TO warning; SET extra_float_digits TO 3;"
      + " SET standard_conforming_strings TO on; SET TimeZone TO 'UTC'"
  }

  /// The settings at the beginning of a transaction behind a pooler, as one statement.
  private var localSettings: PostgresStatement {
    PostgresStatement(
      "SELECT set_config('search_path', $1::text, true), set_config('client_min_messages', 'warning', true),"
        + " set_config('extra_float_digits', '3', true), set_config('standard_conforming_strings', 'on', true),"
        + " set_config('TimeZone', 'UTC', true)", [.text(namespace.quotedIdentifier)])
  }

  /// Prevents the pool from lending it again.
  func retire() { isRetired = true }

  /// Whether the connection is between transactions, as far as this side knows.
  var isIdle: Bool {
    !isRetired && PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
  }

  /// Whether the connection is idle and open. The check is a system call, which is skipped within a second of the last
  /// use: a statement on a closed connection fails and is retried on another.
  var isAlive: Bool {
    isIdle && (ContinuousClock.now - lastUse < .seconds(1) || PQconsumeInput(handle) == 1 && isIdle)
  }

  var processIdentifier: Int32 { PQbackendPID(handle) }

  // MARK: - Running

  /// Runs statements without parameters or preparation.
  package func script(_ sql: String) throws { _ = try texts(sql) }

  /// Runs statements without parameters.
  /// - Returns: the result of the last one, with text cells.
  func texts(_ sql: String) throws -> PostgresResult {
    if isolatesStatements, isInTransaction { return try part { try texts(sql) } }
    RoundTrips.note()
    if PQsendQuery(handle, sql) == 0 { throw lost() }
    var last: OpaquePointer?
    while let result = try nextResult() {
      // No statement runs after the first failure.
      PQclear(last)
      last = result
    }
    return try check(last, sql)
  }

  @discardableResult
  package func run(_ sql: String, _ parameters: [PostgresParameter] = []) throws -> PostgresResult {
    try run(PostgresStatement(sql, parameters))
  }

  /// Runs a statement with a `?` for each value.
  func run(_ fragment: SQLFragment) throws -> PostgresResult { try run(PostgresStatement(marked: fragment)) }

  private func run(_ statement: PostgresStatement) throws -> PostgresResult {
    func attempt() throws -> PostgresResult {
      if isolatesStatements, isInTransaction { return try part([statement])[0] }
      return try execute(statement)
    }
    do {
      return try attempt()
    } catch let error as PostgresError where error.isPlanStale && mayRepeatStatement {
      try forgetStatements()
      return try attempt()
    }
  }

  private func execute(_ statement: PostgresStatement) throws -> PostgresResult {
    if isPooled, isIdle { return try pipeline([statement])[0] }
    // The pipeline prepares an unknown statement in the same round trip.
    guard let known = known(statement) else { return try runPipeline([statement])[0] }
    try statement.checkSize()
    SQLTrace.note(known.sql)
    RoundTrips.note()
    let start = log?.begin()
    try send(known, statement.parameters)
    let result = try nextResult()
    while let rest = try nextResult() { PQclear(rest) }
    let checked = try check(result, known.sql, columns: known.columns)
    if known.name != nil { known.columns = checked.columns }
    if start != nil { note(known.sql, statement.parameters, since: start) }
    return checked
  }

  private func send(_ statement: PreparedStatement, _ parameters: [PostgresParameter]) throws {
    let sent = withArguments(parameters) { values, lengths, formats in
      if let name = statement.name {
        return name.withUnsafeBufferPointer {
          PQsendQueryPrepared(handle, $0.baseAddress, Int32(parameters.count), values, lengths, formats, 1)
        }
      }
      let types = parameters.map(\.type)
      return PQsendQueryParams(handle, statement.sql, Int32(types.count), types, values, lengths, formats, 1)
    }
    if sent == 0 { throw lost() }
  }

  /// Returns nil if there are no more results.
  func nextResult() throws -> OpaquePointer? {
    try awaitResult()
    return PQgetResult(handle)
  }

  func note(_ sql: String, _ parameters: [PostgresParameter], since start: ContinuousClock.Instant?) {
    guard let start, let log, !Self.isControl(sql) else { return }
    let isRead = sql.hasPrefix("SELECT") || sql.hasPrefix("EXPLAIN")
    log.end(sql: sql, isRead: isRead, since: start) { PostgresParameter.expand(sql, parameters) }
  }

  /// Whether the statement begins or ends a transaction.
  private static func isControl(_ sql: String) -> Bool {
    ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"].contains { sql.hasPrefix($0) }
  }

  /// Another program changed a table, which invalidates prepared statements.
  func forgetStatements() throws {
    (prepared, recent) = ([:], nil)
    // Without statements around it, which would be prepared first.
    if !isPooled { try whole { try script("DEALLOCATE ALL") } }
  }

  /// Runs statements in one round trip. The first failure skips the rest.
  /// - Returns: a result per statement.
  func pipeline(_ statements: [PostgresStatement]) throws -> [PostgresResult] {
    if isolatesStatements, isInTransaction { return try part(statements) }
    if isPooled, isIdle {
      // The settings come first in the transaction that the pipeline is, or that it begins.
      let place = statements[0].isBegin ? 1 : 0
      var results = try runPipeline(statements[..<place] + [localSettings] + statements[place...])
      results.remove(at: place)
      return results
    }
    if statements.count == 1 { return [try run(statements[0])] }
    return try runPipeline(statements)
  }

  /// Prepares unknown statements in the same round trip.
  private func runPipeline(_ statements: [PostgresStatement]) throws -> [PostgresResult] {
    for statement in statements { try statement.checkSize() }
    if prepared.count + statements.count > Self.preparedLimit { try forgetStatements() }
    RoundTrips.note()
    guard PQenterPipelineMode(handle) == 1 else { throw lost() }
    var failure: PostgresError?
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { failure = failure ?? error as? PostgresError ?? lost() }
    }
    /// The results of each sent statement end with none.
    func receive(_ sql: String) throws -> PostgresResult {
      guard let result = try nextResult() else { throw lost() }
      defer { while let rest = try? nextResult() { PQclear(rest) } }
      return try check(result, sql)
    }
    let start = log?.begin()
    var new = [StatementKey: PreparedStatement]()
    // The statements that were sent, with the key of a statement that is prepared before.
    var sent = [(statement: PostgresStatement, known: PreparedStatement, new: StatementKey?)]()
    for statement in statements where failure == nil {
      attempt {
        var known = known(statement)
        var key: StatementKey?
        if known == nil {
          let own = self.key(of: statement)
          known = new[own]
          if known == nil {
            known = try sendPrepare(statement)
            (new[own], key) = (known, own)
          }
        }
        guard let known else { return }
        SQLTrace.note(known.sql)
        try send(known, statement.parameters)
        sent.append((statement, known, key))
        // Otherwise libpq would buffer everything that the server has not accepted, and its buffer has a limit.
        if statement.size > Self.bufferLimit { try wait { false } }
      }
    }
    if PQpipelineSync(handle) == 0 { failure = failure ?? lost() }
    var results = [PostgresResult]()
    for (statement, known, key) in sent where failure?.isLost != true {
      if let key {
        attempt {
          _ = try receive(known.sql)
          prepared[key] = known
        }
      }
      guard failure?.isLost != true else { break }
      attempt {
        let checked = try receive(known.sql)
        note(known.sql, statement.parameters, since: start)
        if failure == nil { results.append(checked) }
      }
    }
    if failure?.isLost != true {
      attempt {
        while let sync = try nextResult() {
          defer { PQclear(sync) }
          if PQresultStatus(sync) == PGRES_PIPELINE_SYNC { break }
        }
      }
      if PQexitPipelineMode(handle) == 0 { failure = failure ?? lost() }
    }
    if var failure {
      failure.isAfterCommit = results.contains { $0.command == "COMMIT" }
      throw failure
    }
    // A statement prepared through a pooler is unknown to its next server connection.
    guard results.count == statements.count else { throw lost() }
    return results
  }

  private func key(of statement: PostgresStatement) -> StatementKey {
    StatementKey(namespace: namespace, text: statement.text, types: statement.parameters.map(\.type))
  }

  /// The statement as this connection sends it, or nil if it has to be prepared first.
  private func known(_ statement: PostgresStatement) -> PreparedStatement? {
    if isPooled { return PreparedStatement(name: nil, sql: statement.sql) }
    if let recent, recent.key.isOf(statement, in: namespace) { return recent.statement }
    let key = key(of: statement)
    let found = prepared[key]
    if let found { recent = (key, found) }
    return found
  }

  private func sendPrepare(_ statement: PostgresStatement) throws -> PreparedStatement {
    nameCount += 1
    let (name, sql) = ("s\(nameCount)", statement.sql)
    let types = statement.parameters.map(\.type)
    if PQsendPrepare(handle, name, sql, Int32(types.count), types) == 0 { throw lost() }
    return PreparedStatement(name: name, sql: sql)
  }

  private func withArguments<T>(
    _ parameters: [PostgresParameter],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> T
  ) -> T {
    // On the stack if they are small. libpq needs a pointer for a list of no parameters too.
    let (count, room) = (parameters.count, max(1, parameters.count))
    var size = 1
    for parameter in parameters { size += parameter.bytes?.count ?? 0 }
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { bytes in
      withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: room) { values in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * room) { numbers in
          values.initialize(repeating: nil)
          numbers.initialize(repeating: 0)
          let lengths = UnsafePointer(numbers.baseAddress!)
          var place = bytes.baseAddress!
          for index in 0..<count {
            // The binary format.
            numbers[room + index] = 1
            guard let value = parameters[index].bytes else { continue }
            values[index] = UnsafePointer(place.assumingMemoryBound(to: CChar.self))
            numbers[index] = Int32(value.count)
            value.withUnsafeBytes { source in
              if let start = source.baseAddress { place.copyMemory(from: start, byteCount: source.count) }
            }
            place += value.count
          }
          place.storeBytes(of: 0, as: UInt8.self)
          return body(UnsafePointer(values.baseAddress!), lengths, lengths + room)
        }
      }
    }
  }

  // MARK: - Errors

  func lost() -> PostgresError {
    let text = String(cString: PQerrorMessage(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
    return PostgresError(message: text.isEmpty ? "the connection was closed" : text, isLost: true)
  }

  /// - Parameter columns: the columns of the result, if they are known.
  func check(_ result: OpaquePointer?, _ sql: String, columns: PostgresColumns? = nil) throws -> PostgresResult {
    guard let result else { throw lost() }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_COPY_IN:
      return PostgresResult(result, columns: columns)
    default: throw failure(result, sql)
    }
  }

  /// Returns the error of a result, and frees the result.
  private func failure(_ result: OpaquePointer, _ sql: String) -> PostgresError {
    defer { PQclear(result) }
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue!)).map { String(cString: $0) }
    }
    var error = PostgresError(message: field("M") ?? "the server gave no reason", sql: sql)
    error.state = field("C") ?? ""
    error.constraint = field("n")
    error.detail = field("D")
    // The codes say that the server is stopping, or that an administrator closed the connection.
    error.isLost = PQstatus(handle) != CONNECTION_OK || ["57P01", "57P02", "57P03"].contains(error.state)
    if error.state.isEmpty, error.isLost { error.message = lost().message }
    if error.state == "25006", servers.canFailOver {
      // The primary became a replica, and another host is or becomes the primary.
      retire()
      error.isLost = true
    }
    return error
  }

  // MARK: - Notifications

  /// The notifications of other connections since the last call. The connection has to listen.
  /// - Throws: ``PostgresError`` if the connection is lost.
  func notifications() throws -> [(channel: String, payload: String)] {
    guard PQconsumeInput(handle) == 1 else { throw lost() }
    var notifications = [(String, String)]()
    while let notification = PQnotifies(handle) {
      let content = notification.pointee
      notifications.append((String(cString: content.relname), String(cString: content.extra)))
      PQfreemem(notification)
    }
    return notifications
  }
}
