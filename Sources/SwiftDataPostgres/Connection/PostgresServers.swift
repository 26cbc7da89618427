import CLibPQ
import Foundation
import SwiftData

/// The servers of a URL. Connects to one with a given role.
final class PostgresServers: Sendable {
  /// The wanted role of a server.
  enum Role: Sendable {
    /// A writable server, or the `target_session_attrs` of the URL.
    case primary
    /// A replica of the primary.
    case replica
  }

  let url: String
  let options: PostgresPoolOptions
  let role: Role
  private let hosts: [PostgresURL.Host]
  /// The value of `target_session_attrs`.
  private let target: String
  private let state: Lock<State>

  private struct State {
    /// The index of the host that answered last, or of the host whose turn it is to be asked for a replica.
    var first: Int
    /// Hosts that answered too slowly, with the time until which they are asked last.
    var slow: [Int: ContinuousClock.Instant] = [:]
  }

  /// The time in seconds for one of several hosts to accept a connection, unless the URL has one.
  private static let connectTimeout = 3
  /// The time during which a slow host is asked only if no other one serves.
  private static let slowHostPause = Duration.seconds(10)

  init(url: String, options: PostgresPoolOptions, role: Role = .primary) {
    (self.url, self.options, self.role) = (url, options, role)
    let parsed = PostgresURL(url)
    hosts = parsed?.hosts ?? [PostgresURL.Host(name: nil, address: nil, port: nil)]
    // Processes that start together must not begin with the same replica.
    state = Lock(State(first: role == .replica ? Int.random(in: hosts.indices) : 0))
    switch role {
    case .replica: target = "standby"
    // libpq prefers a standby among several hosts. Here each is asked alone.
    case .primary where parsed?.role == "prefer-standby": target = "any"
    case .primary: target = parsed?.role ?? (hosts.count > 1 ? "read-write" : "any")
    }
  }

  /// Whether another server can take over.
  var canFailOver: Bool { hosts.count > 1 }
  /// Whether waiting for a host to take the role makes sense.
  var isWorthWaiting: Bool { canFailOver && role == .primary }

  /// Connects to the first host with the role.
  /// - Parameter application: the application name, unless the URL has one.
  /// - Throws: ``PostgresError`` with the answer of each host.
  func connect(as application: String) throws -> (handle: OpaquePointer, host: PostgresURL.Host) {
    var answers = [(place: String, message: String)]()
    for index in order() {
      let start = ContinuousClock.now
      let handle = withSettings(of: hosts[index], ["fallback_application_name": application]) {
        PQconnectdbParams($0, $1, 1)
      }
      if let handle, PQstatus(handle) == CONNECTION_OK {
        state.withLock { state in
          state.slow[index] = nil
          if role == .primary { state.first = index }
        }
        return (handle, hosts[index])
      }
      let message = handle.map { String(cString: PQerrorMessage($0)) } ?? "out of memory"
      PQfinish(handle)
      answers.append((hosts[index].place, message.trimmingCharacters(in: .whitespacesAndNewlines)))
      if canFailOver, ContinuousClock.now - start > .seconds(1) {
        state.withLock { $0.slow[index] = .now + Self.slowHostPause }
      }
    }
    throw error(answers)
  }

  /// For the primary, the host that answered last is first. For replicas, the hosts take turns to be first, so that each
  /// replica gets its part of the connections. Slow hosts are left out if there are others.
  private func order() -> [Int] {
    guard canFailOver else { return [0] }
    return state.withLock { state in
      let now = ContinuousClock.now
      state.slow = state.slow.filter { $0.value > now }
      var all = hosts.indices.map { ($0 + state.first) % hosts.count }
      if role == .replica {
        // In random order, because the host after the primary would get the primary's turns too.
        all[1...].shuffle()
        state.first = (state.first + 1) % hosts.count
      }
      // While a primary is missing, the next attempt must not wait for a slow host again.
      let quick = all.filter { state.slow[$0] == nil }
      return quick.isEmpty ? all : quick
    }
  }

  private func error(_ answers: [(place: String, message: String)]) -> PostgresError {
    var error = PostgresError(message: answers.first?.message ?? "", isLost: true)
    error.mayRecover = answers.contains { Self.mayRecover($0.message) }
    guard canFailOver else { return error }
    let known = Set(answers.map(\.place))
    let silent = hosts.map(\.place).filter { !known.contains($0) }.map { "\($0): did not answer before" }
    let said = answers.map { answer in
      // libpq repeats the host and asks whether the server is running.
      let text = answer.message.split(separator: "\n").first.map(String.init) ?? answer.message
      return "\(answer.place): \(text.split(separator: " failed: ", maxSplits: 1).last.map(String.init) ?? text)"
    }
    let wanted = role == .replica ? "a replica" : target == "read-write" || target == "primary" ? "the primary" : target
    error.message = "no host is \(wanted) (\((said + silent).joined(separator: "; ")))"
    return error
  }

  /// Whether a host that refused a connection may accept one later.
  ///
  /// A server that rejects the user or the database will reject it again. One that stops, starts or is full will not.
  static func mayRecover(_ answer: String) -> Bool {
    let passing = ["the database system is", "terminating connection"]
    return !answer.contains("FATAL:") || isFull(answer) || passing.contains { answer.contains($0) }
  }

  /// Whether a host refused a connection because it, the database or the user has as many as it may have.
  static func isFull(_ answer: String) -> Bool {
    answer.contains("FATAL:") && (answer.contains("too many c") || answer.contains("connection slots are reserved"))
  }

  /// The work of a host for a connection from which nothing comes.
  enum Activity {
    /// It works for the connection, or accepts connections at least.
    case working
    /// It has answered everything that it received.
    case idle
    /// It does not answer, or does not have the connection.
    case gone
  }

  /// Asks a host over another connection.
  /// - Parameter process: the server's process of the connection. Nil if it is unknown, as behind a pooler. Then the host only has to
  ///   accept another connection.
  func activity(of process: Int32?, on host: PostgresURL.Host) -> Activity {
    // An answer must come in time, whatever the URL says, and from any server at this address.
    let settings = [
      "fallback_application_name": "swiftdata", "connect_timeout": "\(Self.connectTimeout)",
      "target_session_attrs": "any",
    ]
    return withSettings(of: host, settings) { names, values in
      // First, because it needs neither a password nor a free connection of the server.
      guard PQpingParams(names, values, 1) != PQPING_NO_RESPONSE else { return .gone }
      return process.flatMap { Self.activity(of: $0, PQconnectdbParams(names, values, 1)) } ?? .working
    }
  }

  /// - Parameter handle: a new connection, which this function closes.
  /// - Returns: nil if the server does not say it in time.
  private static func activity(of process: Int32, _ handle: OpaquePointer?) -> Activity? {
    defer { PQfinish(handle) }
    guard let handle, PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0 else { return nil }
    let sql = "SELECT coalesce(state, '') LIKE 'idle%' FROM pg_catalog.pg_stat_activity WHERE pid = \(process)"
    let end = ContinuousClock.now + .seconds(connectTimeout)
    guard PQsendQuery(handle, sql) == 1, PQflush(handle) == 0 else { return nil }
    while PQisBusy(handle) == 1 {
      var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, 100) >= 0 || errno == EINTR, PQconsumeInput(handle) == 1, ContinuousClock.now < end
      else { return nil }
    }
    let result = PQgetResult(handle)
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK else { return nil }
    guard PQntuples(result) == 1 else { return .gone }
    return String(cString: PQgetvalue(result, 0, 0)) == "t" ? .idle : .working
  }

  /// - Parameter overriding: settings that override the URL's.
  private func withSettings<T>(
    of host: PostgresURL.Host, _ overriding: [String: String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> T
  ) -> T {
    // Later settings override earlier ones, and the URL's those before it.
    var settings = PostgresURL.keepalives.map { ($0.key, $0.value) }
    settings.append(("connect_timeout", "\(canFailOver ? Self.connectTimeout : 10)"))
    settings += [("dbname", url), ("target_session_attrs", target)]
    if canFailOver {
      settings += [("host", host.name ?? ""), ("hostaddr", host.address ?? ""), ("port", host.port ?? "")]
    }
    settings += overriding.map { ($0.key, $0.value) }
    let names = settings.map { strdup($0.0) }
    let values = settings.map { strdup($0.1) }
    defer { for text in names + values { free(text) } }
    return (names.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { names in
      (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
        body(names.baseAddress!, values.baseAddress!)
      }
    }
  }
}
