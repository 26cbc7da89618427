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

/// The sync server: zones of accounts over HTTP.
public actor SyncService {
  private let store: ZoneStore
  private let compactor: Compactor
  private let keys: TokenKeys
  private let limits: ServerLimits
  private let watch: ZoneWatch
  private let prometheus = Prometheus()
  private let logger: Logger
  private var limiter: RateLimiter
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
    limiter = RateLimiter(limits)
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

  private nonisolated func answer(_ request: Request) async -> Answer {
    let call = SyncCall(request)
    var answer = Answer(route: call.route)
    do {
      switch (call.method, call.path) {
      case ("GET", ["health"]):
        try await store.checkHealth()
        answer.body = Data("{\"status\":\"ok\"}".utf8)
      case ("GET", ["metrics"]):
        CoreMetrics.Gauge(label: "sync_waiting", dimensions: [], factory: prometheus).record(await watch.count)
        answer.body = Data(prometheus.text.utf8)
        answer.type = "text/plain; version=0.0.4"
      default:
        let account = try await keys.account(request.headers[.authorization])
        answer.account = account
        try await admit(account)
        if let expected = call.account, expected != account { throw SyncFailure.otherAccount(expected, account) }
        if let version = call.version, version != SyncWire.version {
          throw SyncFailure(
            .wrongVersion,
            "the client speaks version \(version) of the protocol, the server \(SyncWire.version); update it")
        }
        try await serve(call, request, account, &answer)
      }
    } catch {
      let failure = Self.failure(error)
      if failure.code == .unavailable { logger.error("\(error)") }
      answer.status = failure.status
      answer.retryAfter = failure.retryAfter
      answer.type = "application/json"
      answer.body = (try? SyncWire.encode(failure)) ?? Data()
    }
    return answer
  }

  private func admit(_ account: String) throws { try limiter.take(account, now: Date().timeIntervalSince1970) }

  private static func failure(_ error: any Error) -> SyncFailure {
    switch error {
    case let failure as SyncFailure: return failure
    case is DecodingError: return SyncFailure(.invalid, "the body is not what the protocol has here: \(error)".prefixed)
    case is NIOTooManyBytesError:
      return SyncFailure(.tooLarge, "the body is too large; send less at once")
    default: return SyncFailure(.unavailable, "the server cannot answer now; try again", retryAfter: 1)
    }
  }

  private nonisolated func serve(
    _ call: SyncCall, _ request: Request, _ account: String, _ answer: inout Answer
  ) async throws {
    func body() async throws -> Data {
      Data(buffer: try await request.body.collect(upTo: limits.bodySize))
    }
    switch (call.method, call.path.count, call.path.first, call.path.last) {
    case ("POST", 1, "wait", _):
      answer.body = try await wait(try SyncWire.decode(WaitRequest.self, from: try await body()), account)
    case ("POST", 3, "zones", "push"):
      let push = try SyncWire.decode(PushRequest.self, from: try await body())
      let pushed = try await store.push(
        push, account: account, zone: call.path[1], knowsSnapshots: call.number("snapshot") != nil)
      answer.body = try SyncWire.encode(pushed.response)
      await watch.wake([pushed.zone])
    case ("POST", 3, "zones", "known"):
      let request = try SyncWire.decode(KnownRequest.self, from: try await body())
      answer.body = try SyncWire.encode(try await store.known(request, account: account, zone: call.path[1]))
    case ("GET", 3, "zones", "changes"):
      guard let after = call.number("after") else { throw SyncFailure(.invalid, "the query lacks after=NUMBER") }
      answer.body = try await store.changes(
        after: after, account: account, zone: call.path[1], since: call.text("zones"),
        snapshot: call.number("snapshot"))
    case ("PUT", 3, "zones", "snapshot"):
      guard let through = call.number("through"), let part = call.number("part") else {
        throw SyncFailure(.invalid, "the query lacks through=NUMBER&part=NUMBER")
      }
      let bytes = try await body()
      try await store.putPart(
        part, ofSnapshot: through, maker: call.text("maker") ?? "", bytes, account: account, zone: call.path[1])
      answer.body = try SyncWire.encode(Done())
    case ("POST", 3, "zones", "snapshot"):
      let request = try SyncWire.decode(SnapshotRequest.self, from: try await body())
      try await store.finishSnapshot(
        request, maker: call.text("maker") ?? "", account: account, zone: call.path[1])
      if limits.retention == 0 { compactor.runSoon() }
      answer.body = try SyncWire.encode(Done())
    case (_, _, "shares", _):
      answer.body = try await serveShares(call, account, body)
      if call.method != "GET", call.path.last != "key" { await watch.wakeAll() }
    case (_, 4, "zones", let sha256?) where call.path[2] == "assets":
      try await serveAsset(call, sha256, account, &answer, body)
    default: throw call.unknown
    }
  }

  private nonisolated func serveAsset(
    _ call: SyncCall, _ sha256: String, _ account: String, _ answer: inout Answer, _ body: () async throws -> Data
  ) async throws {
    let zone = call.path[1]
    switch call.method {
    case "PUT":
      guard let offset = call.number("offset"), let total = call.number("total") else {
        throw SyncFailure(.invalid, "the query lacks offset=NUMBER&total=NUMBER")
      }
      let bytes = try await body()
      answer.body = try SyncWire.encode(
        try await store.putAsset(sha256, offset: offset, total: total, bytes, account: account, zone: zone))
    case "GET" where call.number("state") != nil:
      answer.body = try SyncWire.encode(try await store.assetState(sha256, account: account, zone: zone))
    case "GET":
      answer.body = try await store.assetPart(
        sha256, offset: call.number("offset") ?? 0, account: account, zone: zone)
      answer.type = "application/octet-stream"
    default: throw call.unknown
    }
  }

  private nonisolated func serveShares(
    _ call: SyncCall, _ account: String, _ body: () async throws -> Data
  ) async throws -> Data {
    let zone = call.path.count > 1 ? call.path[1] : ""
    switch (call.method, call.path.count, call.path.last) {
    case ("GET", 1, _):
      let version = call.text("since")
      let response = try await store.shares(of: account, since: version)
      // A client that does not know of versions expects the bare list.
      return try version == nil ? SyncWire.encode(response.shares ?? []) : SyncWire.encode(response)
    case ("POST", 1, _):
      let request = try SyncWire.decode(CreateShareRequest.self, from: try await body())
      return try SyncWire.encode(try await store.createShare(request, account: account))
    case ("POST", 2, "accept"):
      let request = try SyncWire.decode(AcceptRequest.self, from: try await body())
      return try SyncWire.encode(try await store.accept(link: request.link, account: account))
    case ("POST", 3, "accept"): return try SyncWire.encode(try await store.accept(zone: zone, account: account))
    case ("POST", 3, "invitations"):
      let request = try SyncWire.decode(InviteRequest.self, from: try await body())
      return try SyncWire.encode(try await store.invite(request, to: zone, account: account))
    case ("GET", 3, "keys"): return try SyncWire.encode(try await store.keys(of: zone, account: account))
    case ("POST", 3, "keys"):
      let request = try SyncWire.decode(PutZoneKeysRequest.self, from: try await body())
      try await store.putKeys(request, to: zone, account: account)
    case ("PUT", 2, "key"):
      let request = try SyncWire.decode(PublishKeyRequest.self, from: try await body())
      // Each client publishes its key when it starts, which is no news.
      if try await store.publish(request, account: account) { await watch.wakeAll() }
    case ("DELETE", 2, _): try await store.endShare(zone, account: account)
    case ("DELETE", 4, let guest?) where call.path[2] == "participants":
      try await store.removeParticipant(guest, from: zone, account: account)
    default: throw call.unknown
    }
    return try SyncWire.encode(Done())
  }

  /// Answers when a zone has more than the client has seen, when the account can read other zones than the client names, or
  /// when time is over.
  private func wait(_ request: WaitRequest, _ account: String) async throws -> Data {
    guard waiting[account, default: 0] < limits.waiting else {
      throw SyncFailure(.rateLimited, "\(limits.waiting) requests of the account wait already", retryAfter: 5)
    }
    waiting[account, default: 0] += 1
    defer {
      waiting[account]! -= 1
      if waiting[account] == 0 { waiting[account] = nil }
    }
    let end = Date().addingTimeInterval(min(max(request.seconds, 0), 60))
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

  private func news(_ request: WaitRequest, _ account: String, until end: Date) async throws -> Data {
    var hasWaited = false
    while true {
      let mark = await watch.mark
      let news = try await store.news(of: account, since: request.version, naming: Set(request.positions.keys))
      let zones = news.zones
      let invitations = request.invitations == nil ? nil : news.invitations
      let isNew = zones.contains { $0.latest > request.positions[$0.name] ?? -1 }
      let isOther = news.isPartial ? false : request.version != nil || request.positions.count > zones.count
      // What an owner cannot do must not keep its requests from waiting: keys count as news once something changed. Where the client
      // names its list, other keys are another list.
      let hasKeys =
        hasWaited && request.version == nil
        && WaitResponse(latest: [:], zones: zones).hasKeys(newerThan: request.keys)
      let rest = end.timeIntervalSinceNow
      if isNew || isOther || hasKeys || invitations != request.invitations || rest <= 0 || Task.isCancelled
        || Task.isShuttingDownGracefully
      {
        let latest = Dictionary(uniqueKeysWithValues: zones.map { ($0.name, $0.latest) })
        return try SyncWire.encode(
          WaitResponse(
            latest: latest, zones: zones, invitations: invitations, version: news.version, isPartial: news.isPartial))
      }
      await watch.wait(for: news.keys, since: mark, seconds: rest)
      hasWaited = true
    }
  }
}

extension String {
  /// The first 300 characters.
  fileprivate var prefixed: String { count > 300 ? prefix(300) + "…" : self }
}
