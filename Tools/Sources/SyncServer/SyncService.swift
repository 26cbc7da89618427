import CoreMetrics
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOFoundationCompat
import ServiceLifecycle
import SyncProtocol
import UntrustedInput

/// The sync server, which serves the zones of all accounts over HTTP.
public actor SyncService {
  let store: ZoneStore
  private let compactor: Compactor
  private let keys: TokenKeys
  private let limits: ServerLimits
  let watch: ZoneWatch
  private let prometheus = Prometheus()
  private let logger: Logger
  private let limiter: RateLimiter<String>
  /// The number of requests that wait for changes, for each account.
  private var waitingRequests: [String: Int] = [:]

  /// Opens the store of the zones.
  /// - Parameters:
  ///   - location: the path of a SQLite file, or `postgres://…`. Several servers may use one PostgreSQL database.
  ///   - keys: the keys that verify tokens.
  ///   - limits: the limits for each account.
  /// - Throws: `SwiftDataError` if the store cannot be opened; ``EarlierLogs`` if an earlier server wrote it.
  public init(store location: String, keys: TokenKeys, limits: ServerLimits = ServerLimits()) throws {
    let container = try ZoneStore.container(at: location)
    store = ZoneStore(container, limits) { Int64(Date().timeIntervalSince1970 * 1000) }
    try store.checkFormat()
    try store.beginEpoch()
    watch = ZoneWatch(container, author: store.author)
    logger = Logger(label: "swiftdata.sync-server")
    compactor = Compactor(store: store, logger: logger)
    limiter = RateLimiter(burst: limits.burst, perSecond: limits.requestsPerSecond)
    (self.keys, self.limits) = (keys, limits)
  }

  /// Serves requests until a signal arrives or the task is cancelled. The server completes running requests before it stops.
  /// - Parameters:
  ///   - host: the address to listen on.
  ///   - port: the port to listen on; 0 selects a free port.
  ///   - signals: whether SIGTERM and SIGINT stop the server.
  ///   - onRunning: a closure that the server calls once, with its port.
  /// - Throws: an error if the port is in use or not permitted.
  public nonisolated func run(
    host: String = "127.0.0.1", port: Int, signals: Bool = true,
    onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    let service = self
    let responder = CallbackResponder<BasicRequestContext> { request, _ in await service.respond(to: request) }
    var quiet = logger
    quiet.logLevel = .critical
    let application = Application(
      responder: BodilessHead(responder), server: .endingAccepted(),
      configuration: .init(address: .hostname(host, port: port), serverName: "swiftdata"),
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: quiet)
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: application), .init(service: compactor), .init(service: WaitStopper(watch: watch))],
        gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [], logger: quiet))
    try await group.run()
  }

  /// A service that ends all waits for changes during a graceful shutdown, so that the server can stop.
  private struct WaitStopper: Service {
    let watch: ZoneWatch
    func run() async throws {
      try? await gracefulShutdown()
      await watch.stop()
    }
  }

  // MARK: - Requests

  private nonisolated func respond(to request: Request) async -> Response {
    let start = ContinuousClock.now
    let answer = await answer(request)
    let elapsed = (ContinuousClock.now - start).components
    let route = answer.route
    CoreMetrics.Counter(
      label: "sync_requests", dimensions: [("route", route), ("status", String(answer.status))], factory: prometheus
    ).increment()
    CoreMetrics.Timer(label: "sync_request_seconds", dimensions: [("route", route)], factory: prometheus)
      .recordNanoseconds(elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000)
    logger.info(
      "request",
      metadata: [
        "route": "\(route)", "status": "\(answer.status)", "account": "\(answer.account)",
        "milliseconds": "\(elapsed.seconds * 1000 + elapsed.attoseconds / 1_000_000_000_000_000)",
      ])
    var headers = HTTPFields()
    headers[.contentType] = answer.type
    if let wait = answer.retryAfter { headers[.retryAfter] = String(Int(wait.rounded(.up))) }
    return Response(
      status: .init(code: answer.status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
  }

  /// The response to a request, with the values for the log and the metrics.
  struct Answer {
    var status = 200
    var body = Data()
    var type = "application/json"
    var route = "other"
    var account = ""
    var retryAfter: Double?
  }

  nonisolated func answer(_ request: Request) async -> Answer {
    var call = SyncCall(request, bodySize: limits.bodySize)
    var answer = Answer(route: call.route?.label ?? "other")
    do {
      if call.route?.access != .anonymous {
        call.account = try await keys.account(request.headers[.authorization])
        answer.account = call.account
        try await checkRate(call.account)
        try check(call)
      }
      guard let route = call.route else { throw call.unknownPath }
      let reply = try await route.handle(self, call)
      (answer.body, answer.type) = (reply.body, reply.type)
    } catch {
      let failure = Self.failure(error)
      if failure.code == .unavailable { logger.error("\(error)") }
      answer.status = failure.status
      answer.retryAfter = failure.retryAfter?.clamped(to: 0...86_400)
      answer.type = "application/json"
      answer.body = (try? SyncWire.encode(failure)) ?? Data()
    }
    return answer
  }

  /// Checks the texts, the account and the protocol version of a request.
  /// - Throws: ``SyncFailure`` if the client expects another account or has another version, or if a text cannot be stored.
  private nonisolated func check(_ call: SyncCall) throws {
    guard call.hasValidTexts else {
      throw SyncFailure(
        .invalid,
        "a text of the path, the query or the header \(SyncWire.accountHeader) has more than 1024 bytes or contains U+0000"
      )
    }
    if let expected = call.expectedAccount, expected != call.account {
      throw SyncFailure.otherAccount(expected, call.account)
    }
    if let version = call.version, version != Untrusted(SyncLog.version) {
      throw SyncFailure(
        .wrongVersion,
        "the client uses version \(version) of the protocol, and the server has version \(SyncLog.version); update the older"
          + " one")
    }
  }

  /// Takes a token from the account's bucket.
  /// - Throws: ``SyncFailure`` with the code `rateLimited` if the bucket is empty.
  private func checkRate(_ account: String) throws {
    guard let wait = limiter.take(account) else { return }
    throw SyncFailure(
      .rateLimited,
      "the account sends more than \(limits.requestsPerSecond.formatted()) requests a second, or too many accounts are active;"
        + " send the request again later",
      retryAfter: max(wait / .seconds(1), 0.1))
  }

  private static func failure(_ error: any Error) -> SyncFailure {
    switch error {
    case let failure as SyncFailure: return failure
    case let error as UntrustedInputError: return SyncFailure(.invalid, error.description)
    case let error as DecodingError:
      return SyncFailure(.invalid, "the body is not a message of the protocol. \(SyncWire.reason(error))")
    case is NIOTooManyBytesError:
      return SyncFailure(.tooLarge, "the body of the request is too large; send less in one request")
    default: return SyncFailure(.unavailable, "the server cannot answer the request now; try again", retryAfter: 1)
    }
  }

  /// Returns the metrics in Prometheus' text format.
  nonisolated func metrics() async -> String {
    CoreMetrics.Gauge(label: "sync_waiting", dimensions: [], factory: prometheus).record(await watch.count)
    return prometheus.text
  }

  /// Answers a long poll: when there is something to pull, or when the time is over.
  func wait(_ request: SyncLog.WaitRequest, _ account: String) async throws -> SyncLog.WaitResponse {
    let end = Date().addingTimeInterval(request.seconds.clamped(to: 0...60))
    return try await waiting(account) {
      while true {
        // The cursor comes before the read: a change that the read misses wakes the wait.
        let cursor = await watch.cursor
        let (isChanged, keys) = try await store.isChanged(for: request, account: account)
        let remaining = end.timeIntervalSinceNow
        if isChanged || remaining <= 0 || Task.isCancelled || Task.isShuttingDownGracefully {
          return SyncLog.WaitResponse(isChanged: isChanged)
        }
        await watch.wait(for: keys, since: cursor, seconds: remaining)
      }
    }
  }

  /// Runs a request that waits for changes, unless too many requests of the account wait.
  private func waiting<Answer: Sendable>(
    _ account: String, _ body: () async throws -> Answer
  ) async throws -> Answer {
    guard waitingRequests[account, default: 0] < limits.waiting else {
      throw SyncFailure(
        .rateLimited, "the account has \(limits.waiting) requests that wait for changes; end one of them", retryAfter: 5
      )
    }
    waitingRequests[account, default: 0] += 1
    defer {
      waitingRequests[account]! -= 1
      if waitingRequests[account] == 0 { waitingRequests[account] = nil }
    }
    await watch.begin()
    do {
      let answer = try await body()
      await watch.end()
      return answer
    } catch {
      await watch.end()
      throw error
    }
  }
}
