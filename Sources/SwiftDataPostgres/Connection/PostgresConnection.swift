import CLibPQ
import Foundation
import SwiftData

/// A statement with its parameters.
package struct PostgresStatement {
  var sql: String
  var parameters: [PostgresParameter]

  init(_ sql: String, _ parameters: [PostgresParameter] = []) {
    self.sql = sql
    self.parameters = parameters
  }
}

/// What a prepared statement is known by: the same text with parameters of other types is another statement.
private struct StatementKey: Hashable {
  let text: String
  let types: [UInt32]
}

private struct PreparedStatement {
  let name: String
  let sql: String
}

/// One connection to a server, used by one thread at a time.
// @unchecked Sendable because a pool gives it to one thread at a time.
package final class PostgresConnection: @unchecked Sendable {
  let handle: OpaquePointer
  /// Whether a statement ends when the task is cancelled that waits for it.
  var isCancellable = false
  let log: StatementLog?
  /// The statements that the server knows.
  private var prepared: [StatementKey: PreparedStatement] = [:]
  /// When it was last given back to its pool.
  var lastUse = ContinuousClock.now
  private var nameCount = 0
  /// More would be memory of the server for statements that nobody runs any more.
  private static let preparedLimit = 500

  /// - Parameter namespace: the schema of the server in which unqualified names are.
  /// - Throws: ``PostgresError``.
  package convenience init(url: String, namespace: String) throws {
    try self.init(url: url, namespace: namespace, log: nil)
  }

  init(url: String, namespace: String, log: StatementLog?) throws {
    self.log = log
    guard let handle = Self.connect(url, fallbackName: "swiftdata \(namespace)") else {
      throw PostgresError(message: "out of memory", isLost: true)
    }
    self.handle = handle
    guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
    // What the store does not expect to hear of: tables that are there already.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    guard PQsetClientEncoding(handle, "UTF8") == 0 else { throw lost() }
    try script(
      "SET search_path TO \(namespace.quotedIdentifier); SET client_min_messages TO warning;"
        + " SET extra_float_digits TO 3; SET standard_conforming_strings TO on; SET TimeZone TO 'UTC'")
  }

  /// - Parameter fallbackName: what the server calls the program where the URL does not say.
  private static func connect(_ url: String, fallbackName: String) -> OpaquePointer? {
    let settings = [("dbname", url), ("fallback_application_name", fallbackName)]
    var (names, values) = ([UnsafeMutablePointer<CChar>?](), [UnsafeMutablePointer<CChar>?]())
    for (name, value) in settings {
      names.append(strdup(name))
      values.append(strdup(value))
    }
    defer { for text in names + values { free(text) } }
    return (names + [nil]).map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
      (values + [nil]).map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
        PQconnectdbParams(names.baseAddress!, values.baseAddress!, 1)
      }
    }
  }

  deinit { PQfinish(handle) }

  /// Whether the connection is between transactions, as far as this end knows.
  var isIdle: Bool { PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE }

  /// The same, and no end of the connection has arrived. Asking takes a system call, which is left out within a second of
  /// the last use: a statement on a connection that the server closed meanwhile fails, and is tried on another.
  var isAlive: Bool {
    isIdle && (ContinuousClock.now - lastUse < .seconds(1) || PQconsumeInput(handle) == 1 && isIdle)
  }

  var socket: Int32 { PQsocket(handle) }
  var processIdentifier: Int32 { PQbackendPID(handle) }

  // MARK: - Running

  /// Runs statements without parameters, which the server does not keep.
  func script(_ sql: String) throws {
    _ = try check(PQexec(handle, sql), sql)
  }

  @discardableResult
  package func run(_ sql: String, _ parameters: [PostgresParameter] = []) throws -> PostgresResult {
    try run(sql, parameters) { sql }
  }

  /// Runs a statement with a `?` for each value.
  func run(_ fragment: SQLFragment) throws -> PostgresResult {
    try run(fragment.sql, fragment.arguments.map(PostgresParameter.init(comparing:))) {
      PostgresStatement.numbered(fragment.sql)
    }
  }

  /// - Parameters:
  ///   - text: what the statement is known by.
  ///   - sql: the statement, made of that text when it is prepared.
  private func run(
    _ text: String, _ parameters: [PostgresParameter], sql: () -> String
  ) throws -> PostgresResult {
    do {
      return try execute(text, parameters, sql)
    } catch let error as PostgresError where error.isPlanStale && PQtransactionStatus(handle) == PQTRANS_IDLE {
      try forgetStatements()
      return try execute(text, parameters, sql)
    }
  }

  private func execute(
    _ text: String, _ parameters: [PostgresParameter], _ sql: () -> String
  ) throws -> PostgresResult {
    let statement = try prepare(text, parameters, sql)
    SQLTrace.note(statement.sql)
    let start = log?.begin()
    try send(statement.name, parameters)
    try awaitResult()
    let result = PQgetResult(handle)
    while let rest = try nextResult() { PQclear(rest) }
    let checked = try check(result, statement.sql)
    note(statement.sql, parameters, since: start)
    return checked
  }

  private func send(_ name: String, _ parameters: [PostgresParameter]) throws {
    let sent = withArguments(parameters) { values, lengths, formats, _ in
      PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
    }
    if sent == 0 { throw lost() }
  }

  /// Nil where there is none any more.
  private func nextResult() throws -> OpaquePointer? {
    try awaitResult()
    return PQgetResult(handle)
  }

  func note(_ sql: String, _ parameters: [PostgresParameter], since start: ContinuousClock.Instant?) {
    guard let start, let log, !Self.isControl(sql) else { return }
    let isRead = sql.hasPrefix("SELECT") || sql.hasPrefix("EXPLAIN")
    log.end(sql: sql, isRead: isRead, since: start) { PostgresParameter.expand(sql, parameters) }
  }

  /// Whether it begins or ends a transaction.
  private static func isControl(_ sql: String) -> Bool {
    ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"].contains { sql.hasPrefix($0) }
  }

  /// What was prepared for tables as they were is of no use when another program changed them.
  func forgetStatements() throws {
    prepared = [:]
    try script("DEALLOCATE ALL")
  }

  /// Runs statements in one round trip. The first that fails ends it: those behind it are not run.
  /// - Returns: a result for each.
  func pipeline(_ statements: [PostgresStatement]) throws -> [PostgresResult] {
    if statements.count == 1 { return [try run(statements[0].sql, statements[0].parameters)] }
    // Preparing takes a round trip of its own, but only the first time.
    let names = try statements.map { statement in
      try prepare(statement.sql, statement.parameters) { statement.sql }.name
    }
    guard PQenterPipelineMode(handle) == 1 else { throw lost() }
    var failure: PostgresError?
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { failure = failure ?? error as? PostgresError ?? lost() }
    }
    let start = log?.begin()
    for (statement, name) in zip(statements, names) {
      SQLTrace.note(statement.sql)
      attempt { try send(name, statement.parameters) }
    }
    if PQpipelineSync(handle) == 0 { failure = failure ?? lost() }
    var results = [PostgresResult]()
    for statement in statements where failure?.isLost != true {
      attempt {
        // Each statement's results end with none.
        guard let result = try nextResult() else { return }
        defer { while let rest = try? nextResult() { PQclear(rest) } }
        let checked = try check(result, statement.sql)
        note(statement.sql, statement.parameters, since: start)
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
    if let failure { throw failure }
    return results
  }

  private func prepare(
    _ text: String, _ parameters: [PostgresParameter], _ makeSQL: () -> String
  ) throws -> PreparedStatement {
    let types = parameters.map(\.type)
    let key = StatementKey(text: text, types: types)
    if let known = prepared[key] { return known }
    if prepared.count >= Self.preparedLimit { try forgetStatements() }
    nameCount += 1
    let (name, sql) = ("s\(nameCount)", makeSQL())
    // Preparing may have to wait for a lock too.
    if PQsendPrepare(handle, name, sql, Int32(types.count), types) == 0 { throw lost() }
    try awaitResult()
    let result = PQgetResult(handle)
    while let rest = try nextResult() { PQclear(rest) }
    _ = try check(result, sql)
    let statement = PreparedStatement(name: name, sql: sql)
    prepared[key] = statement
    return statement
  }

  private func withArguments<T>(
    _ parameters: [PostgresParameter],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, [Int32], [Int32], Int) -> T
  ) -> T {
    let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    // All parameters in one buffer: pointers into arrays are only good inside nested closures.
    var buffer = [UInt8]()
    buffer.reserveCapacity(lengths.reduce(1) { $0 + Int($1) })
    for parameter in parameters { buffer.append(contentsOf: parameter.bytes ?? []) }
    buffer.append(0)
    return buffer.withUnsafeBytes { bytes in
      var place = bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
      let values = zip(parameters, lengths).map { parameter, length -> UnsafePointer<CChar>? in
        defer { place += Int(length) }
        return parameter.bytes == nil ? nil : place
      }
      return values.withUnsafeBufferPointer { pointers in
        // No parameters still need a pointer.
        withUnsafePointer(to: UnsafePointer<CChar>?.none) { none in
          body(pointers.baseAddress ?? none, lengths, formats, parameters.count)
        }
      }
    }
  }

  // MARK: - Errors

  func lost() -> PostgresError {
    let text = String(cString: PQerrorMessage(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
    return PostgresError(message: text.isEmpty ? "the connection is gone" : text, isLost: true)
  }

  func check(_ result: OpaquePointer?, _ sql: String) throws -> PostgresResult {
    guard let result else { throw lost() }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_COPY_IN: return PostgresResult(result)
    default: break
    }
    defer { PQclear(result) }
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue!)).map { String(cString: $0) }
    }
    var error = PostgresError(message: field("M") ?? "the server gave no reason", sql: sql)
    error.state = field("C") ?? ""
    error.constraint = field("n")
    // The server is being stopped, or the connection was closed by an administrator.
    error.isLost = PQstatus(handle) != CONNECTION_OK || ["57P01", "57P02", "57P03"].contains(error.state)
    if error.state.isEmpty, error.isLost { error.message = lost().message }
    throw error
  }

  // MARK: - Notifications

  /// What other connections notified since the last call. The connection has to listen.
  /// - Throws: ``PostgresError`` where the connection is lost.
  func notifications() throws -> [String] {
    guard PQconsumeInput(handle) == 1 else { throw lost() }
    var payloads = [String]()
    while let notification = PQnotifies(handle) {
      payloads.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    return payloads
  }
}
