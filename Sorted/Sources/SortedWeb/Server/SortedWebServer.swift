import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
public import Sorted
import ServiceLifecycle
public import SwiftData

/// The inbox in a web browser: pages that work without a script, and live updates with one.
///
/// The owner of the store comes with ``token``, which the first visit exchanges for a cookie. With accounts, everybody else
/// signs in with a password and sees the conversations that they take part in. (Our own design; the screens are the seeds'.)
public struct SortedWebServer: Sendable {
  /// What the owner's first visit carries, as in `/?token=…`; another one each time that the server starts. It works once.
  public let token: String

  let site: Site
  private let logger: Logger

  /// Makes a server over an inbox.
  /// - Parameters:
  ///   - inbox: a container of Sorted's models, in SQLite or PostgreSQL.
  ///   - own: a container of ``WebSchema``, for accounts, sessions and drafts.
  ///   - sync: the sync of the inbox, whose state the pages show, or nil without a sync server.
  /// - Throws: `SwiftDataError`; `CocoaError` where the templates are not beside the program, or the folder for files cannot
  ///   be made.
  public init(
    inbox: ModelContainer, own: ModelContainer, options: WebOptions, sync: (any InboxSync)? = nil
  ) async throws {
    try await self.init(
      inbox: inbox, own: own, options: options, sync: sync, fetcher: LinkFetcher(client: options.links))
  }

  /// Makes a server that uses no network to show links, for the fuzzer.
  package init(offline inbox: ModelContainer, own: ModelContainer, options: WebOptions) async throws {
    try await self.init(inbox: inbox, own: own, options: options, sync: nil, fetcher: .offline)
  }

  /// Makes a server that fetches the pages of links in its own way, for tests.
  init(
    inbox: ModelContainer, own: ModelContainer, options: WebOptions, sync: (any InboxSync)?,
    fetcher: LinkFetcher
  ) async throws {
    var logger = Logger(label: "sorted.web")
    logger.logLevel = .warning
    let files = try FileCabinet(folder: options.files)
    let desk = Desk(
      inbox: inbox, own: own,
      setting: Setting(hasSync: sync != nil, hasAccounts: options.hasAccounts, files: files))
    let pages = try await Pages(maximumUpload: options.maximumUpload)
    let names = try await desk.write { try Self.prepare($0) }
    let pictures = try PictureCabinet(folder: options.files.appendingPathComponent("pictures"))
    files.discard(try await desk.write { try pictures.adopt(from: files, $0) })
    self.logger = logger
    site = Site(
      desk: desk, pages: pages, hub: LiveHub(desk: desk, pages: pages, sync: sync, logger: logger),
      sessions: Sessions(desk: desk), files: files, pictures: pictures, options: options, sync: sync,
      fetcher: fetcher, name: names.name, secret: names.secret,
      streams: RateLimiter(burst: Double(options.burst), perSecond: Double(options.burst) / 12),
      reads: RateLimiter(burst: Double(options.burst) * 10, perSecond: Double(options.burst)))
    token = site.doors.make(lifetime: .infinity)
  }

  /// What the server answers, without a network. Nothing is deleted for good meanwhile, because no service runs.
  package var answers: RequestAnswers { RequestAnswers(site.router(logger), logger) }

  /// The method and the path of each route, as in `c/:conversation`.
  package var routeNames: [(method: String, path: String)] {
    Routes(site: site).all.map { ($0.method.rawValue, $0.path) }
  }

  /// Another address that signs the owner in, once.
  package func makeToken() -> String { site.doors.make(lifetime: 600) }

  /// Makes what every web store has, and brings accounts of earlier versions up to it.
  private static func prepare(_ work: Work) throws -> (name: String, secret: String) {
    try Confusables.check()
    let kept = try work.own.fetch(FetchDescriptor<SiteEntity>()).first
    let site = kept ?? SiteEntity()
    if kept == nil { work.own.insert(site) }
    if site.skeletonVersion < Confusables.version {
      for account in try work.own.fetch(FetchDescriptor<AccountEntity>()) {
        account.foldedName = AccountName.folded(account.userID)
        account.skeleton = AccountName.skeleton(account.userID)
      }
      site.skeletonVersion = Confusables.version
    }
    return (site.name, site.secret)
  }

  /// Serves until the task is cancelled, or one of the signals arrives.
  /// - Parameters:
  ///   - signals: whether Ctrl-C and a request to end do so.
  ///   - onRunning: called once, with the port.
  /// - Throws: an error of the encryption, or an error of NIO if the port is in use.
  public func run(
    signals: Bool = true, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    // It takes being cancelled, the usual end in a test, for an error.
    var quiet = logger
    quiet.logLevel = .critical
    let application = Application(
      responder: BodilessHead(site.router(logger).buildResponder()), server: try protocols(),
      configuration: .init(address: .hostname(site.options.host, port: site.options.port), serverName: "sorted"),
      services: [
        StreamsService(hub: site.hub),
        PurgeService(desk: site.desk, files: site.files, undoTime: site.options.undoTime),
      ],
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) }, logger: quiet)
    let group = ServiceGroup(
      configuration: .init(
        services: [.init(service: application)], gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [],
        logger: quiet))
    try await group.run()
  }

  /// HTTP/1.1, or what the encryption makes. A client that begins a request and does not finish it would hold a connection.
  private func protocols() throws -> HTTPServerBuilder {
    let connection = HTTP1Channel.Configuration(idleTimeout: .seconds(30))
    return try site.options.tls?.server(connection) ?? .endingAccepted(connection)
  }
}

/// Ends what is followed when the server ends.
private struct StreamsService: Service {
  let hub: LiveHub

  func run() async throws {
    try? await gracefulShutdown()
    await hub.finish()
  }
}
