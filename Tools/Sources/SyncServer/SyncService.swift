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

/// The sync server: zones of accounts over HTTP.
public actor SyncService {
  let store: ZoneStore
  private let compactor: Compactor
  private let keys: TokenKeys
  private let limits: ServerLimits
  let watch: ZoneWatch
  private let prometheus = Prometheus()
  private let logger: Logger
  private let limiter: RateLimiter<String>
  private var waiting: [String: Int] = [:]

  /// - Parameters:
  ///   - place: where the zones are kept: the path of a file, or `postgres://…`. Several servers may use one database.
  ///   - keys: what verifies tokens.
  ///   - limits: what one account may use.
  /// - Throws: `SwiftDataError` if the store cannot be opened.
  public init(store place: String, keys: TokenKeys, limits: ServerLimits = ServerLimits()) throws {
    let container = try ZoneStore.container(at: place)
    store = ZoneStore(container, limits) { Int64(Date().timeIntervalSince1970 * 1000) }
    watch = ZoneWatch(container, author: store.author)
    logger = Logger(label: "swiftdata.sync-server")
    compactor = Compactor(store: store, logger: logger)
    limiter = RateLimiter(burst: limits.burst, perSecond: limits.requestsPerSecond)
    (self.keys, self.limits) = (keys, limits)
  }

  /// Serves until a signal to stop arrives or the task is cancelled. Requests that run are answered first.
  /// - Parameters:
  ///   - port: 0 takes a free one.
  ///   - signals: whether SIGTERM and SIGINT stop the server.
  ///   - onRunning: called once, with the port.
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
      responder: responder, server: .endingAccepted(),
      configuration: .init(address: .hostname(host, port: port), serverName: "swiftdata"),
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: quiet)
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: application), .init(service: compactor), .init(service: Stopper(watch: watch))],
        gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [], logger: quiet))
    try await group.run()
  }

  /// Answers the requests that wait for changes, so that the server can stop.
  private struct Stopper: Service {
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
      if call.route?.access != .everybody {
        call.account = try await keys.account(request.headers[.authorization])
        answer.account = call.account
        try await admit(call.account)
        try check(call)
      }
      guard let route = call.route else { throw call.unknown }
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

  /// - Throws: ``SyncFailure`` for a client of another account or version, and for a text that no store keeps.
  private nonisolated func check(_ call: SyncCall) throws {
    guard call.hasNames else {
      throw SyncFailure(
        .invalid,
        "a text of the path, the query or \(SyncWire.accountHeader) has more than 1024 bytes or a character with the code 0"
      )
    }
    if let expected = call.expectedAccount, expected != call.account {
      throw SyncFailure.otherAccount(expected, call.account)
    }
    if let version = call.version, version != Untrusted(SyncWire.version) {
      throw SyncFailure(
        .wrongVersion,
        "the client speaks version \(version) of the protocol, the server \(SyncWire.version); update it")
    }
  }

  /// - Throws: ``SyncFailure`` with the code `rateLimited`.
  private func admit(_ account: String) throws {
    guard let wait = limiter.take(account) else { return }
    throw SyncFailure(
      .rateLimited,
      "the account makes more than \(limits.requestsPerSecond.formatted()) requests a second, or the server has too many accounts at once; wait",
      retryAfter: max(wait / .seconds(1), 0.1))
  }

  private static func failure(_ error: any Error) -> SyncFailure {
    switch error {
    case let failure as SyncFailure: return failure
    case let error as UntrustedInputError: return SyncFailure(.invalid, error.description)
    case let error as DecodingError:
      return SyncFailure(.invalid, "the body is not what the protocol has here. \(SyncWire.reason(error))")
    case is NIOTooManyBytesError:
      return SyncFailure(.tooLarge, "the body is too large; send less at once")
    default: return SyncFailure(.unavailable, "the server cannot answer now; try again", retryAfter: 1)
    }
  }

  /// Does what may change a share, and wakes the requests that wait.
  nonisolated func changingShares<Result: Sendable>(
    _ body: @Sendable (isolated ZoneStore) throws -> Result
  ) async throws -> Result {
    let result = try await body(store)
    await watch.wakeAll()
    return result
  }

  /// Deletes the log that a snapshot replaced, if it is not kept for a while.
  nonisolated func compactIfWanted() { if limits.retention == 0 { compactor.runSoon() } }

  /// The metrics in Prometheus' text format.
  nonisolated func metrics() async -> String {
    CoreMetrics.Gauge(label: "sync_waiting", dimensions: [], factory: prometheus).record(await watch.count)
    return prometheus.text
  }

  /// Answers when a zone has more than the client has seen, when the account can read other zones than the client names, or
  /// when time is over.
  func wait(_ request: WaitRequest, _ account: String) async throws -> WaitResponse {
    guard waiting[account, default: 0] < limits.waiting else {
      throw SyncFailure(.rateLimited, "\(limits.waiting) requests of the account wait already", retryAfter: 5)
    }
    waiting[account, default: 0] += 1
    defer {
      waiting[account]! -= 1
      if waiting[account] == 0 { waiting[account] = nil }
    }
    let end = Date().addingTimeInterval(request.seconds.clamped(to: 0...60))
    guard request.positions.count <= 2 * limits.shares else {
      throw SyncFailure(.tooLarge, "a client may wait for \(2 * limits.shares) zones")
    }
    await watch.begin()
    do {
      let answer = try await news(request, account, until: end)
      await watch.end()
      return answer
    } catch {
      await watch.end()
      throw error
    }
  }

  private func news(_ request: WaitRequest, _ account: String, until end: Date) async throws -> WaitResponse {
    var hasWaited = false
    let keys = request.keys?.mapValues { $0.clamped(to: SyncWire.generations) }
    while true {
      let mark = await watch.mark
      let news = try await store.news(of: account, since: request.version, naming: Set(request.positions.keys))
      let zones = news.zones
      let invitations = request.invitations == nil ? nil : news.invitations
      let isNew = zones.contains { Untrusted($0.latest) > request.positions[$0.name] ?? -1 }
      let isOther = news.isPartial ? false : request.version != nil || request.positions.count > zones.count
      // What an owner cannot do must not keep its requests from waiting: keys count as news once something changed. Where the client
      // names its list, other keys are another list.
      let hasKeys =
        hasWaited && request.version == nil
        && WaitResponse(latest: [:], zones: zones).hasKeys(newerThan: keys)
      let rest = end.timeIntervalSinceNow
      if isNew || isOther || hasKeys || invitations.map(Untrusted.init(_:)) != request.invitations || rest <= 0
        || Task.isCancelled
        || Task.isShuttingDownGracefully
      {
        let latest = Dictionary(uniqueKeysWithValues: zones.map { ($0.name, $0.latest) })
        return WaitResponse(
          latest: latest, zones: zones, invitations: invitations, version: news.version, isPartial: news.isPartial)
      }
      await watch.wait(for: news.keys, since: mark, seconds: rest)
      hasWaited = true
    }
  }
}
