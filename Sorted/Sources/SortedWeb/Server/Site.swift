import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Sorted
import SwiftData

/// What all pages and actions share, and where each of them is found.
struct Site: Sendable {
  let desk: Desk
  let pages: Pages
  let hub: LiveHub
  let sessions: Sessions
  let files: FileCabinet
  let options: WebOptions
  let sync: BackgroundSyncCoordinator?
  let token: String
  /// For each name and place: guessing takes years.
  let signIns = RateLimit(burst: 10, perSecond: 0.2)
  /// For each place, whatever the names: every guess costs a tenth of a second.
  let guests = RateLimit(burst: 60, perSecond: 1)
  let uploads = UploadLimit(maximum: 12, maximumEach: 3)

  func router(_ logger: Logger) -> Router<WebContext> {
    let router = Router(context: WebContext.self)
    router.add(middleware: SecurityHeaders())
    router.add(middleware: ErrorPages(site: self, logger: logger))
    router.get("assets/:name") { request, context in
      try Assets.response(try context.parameters.require("name"), version: Query(request)["v"])
    }
    router.get("favicon.ico") { _, _ in try Assets.response("icon.svg", version: nil) }
    router.add(
      middleware: SessionMiddleware(
        sessions: sessions,
        changes: RateLimit(burst: Double(options.burst), perSecond: Double(options.burst) / 2)))
    addInbox(to: router)
    addThread(to: router)
    addAnswers(to: router)
    addSearch(to: router)
    addSettings(to: router)
    addFiles(to: router)
    addSignIn(to: router)
    router.get("events") { request, context in
      let viewer = try context.signedIn().viewer
      let topics = try await topics(Query(request), viewer)
      return EventStream.response(request, hub, topics)
    }
    return router
  }

  /// What a page wants to hear of: `thread` is the conversation that it shows, `from` and `to` the first and the last
  /// message of it.
  private func topics(_ query: Query, _ viewer: Viewer) async throws -> [LiveHub.Topic] {
    let whole: [LiveHub.Topic] = [.list(viewer), .status]
    guard let id = try query["thread"].map({ try Slug.decode($0) }) else { return whole }
    let from = try query["from"].map { try Slug.decode($0) }
    let to = try query["to"].map { try Slug.decode($0) }
    return try await read(viewer) { access in
      let conversation = try access.conversation(id)
      let thread = whole + [.thread(viewer, id)]
      guard let from, let to, let first = try? access.message(from, in: conversation),
        let last = try? access.message(to, in: conversation)
      else { return thread }
      let reader = ThreadReader(context: access.work.inbox, conversationID: id)
      let shown = try reader.between(first, last).messages
      return thread + [.stretch(viewer, id, (shown.first ?? first).createdAt...(shown.last ?? first).createdAt)]
    }
  }

  // MARK: - Work

  /// Reads what somebody may see.
  func read<T: Sendable>(_ viewer: Viewer, _ body: @escaping @Sendable (Access) throws -> T) async throws -> T {
    try await desk.read { try body(Access(work: $0, viewer: viewer)) }
  }

  /// Changes what somebody may see.
  func write<T: Sendable>(_ viewer: Viewer, _ body: @escaping @Sendable (Access) throws -> T) async throws -> T {
    try await desk.write { try body(Access(work: $0, viewer: viewer)) }
  }

  /// The form of a request from a page of this session.
  /// - Throws: ``PageError`` for any other.
  func form(_ request: Request, _ context: WebContext) async throws -> (Form, Visit) {
    let visit = try context.signedIn()
    let form =
      try await Form.isSmall(request)
      ? Form(request, maximumUpload: options.maximumUpload)
      : uploads.counting(visit.session) { try await Form(request, maximumUpload: options.maximumUpload) }
    guard let token = form["form"], Secret.isEqual(token, visit.formToken) else { throw PageError.stale }
    return (form, visit)
  }

  /// What a page needs beside its own.
  func view(_ request: Request, _ visit: Visit?, section: String) async throws -> PageView {
    let sync = await hub.syncState()
    let status = visit == nil ? nil : try await desk.read { try StatusLine($0, sync: sync) }
    return PageView(
      visit: visit, hasAccounts: options.hasAccounts, path: request.uri.description, section: section,
      notice: Notice(Query(request)), status: status)
  }

  /// Where a form wants to come back to; the list, where that is no place of this server.
  func back(_ form: Form) -> String {
    guard let path = form["return"], path.hasPrefix("/"), !path.hasPrefix("//"), !path.contains("\\"),
      path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), path.utf8.count < 2_000
    else { return "/" }
    return Notice.stripped(path)
  }
}

/// Turns what was thrown into a page.
struct ErrorPages: RouterMiddleware {
  struct Page {
    let heading: String
    let detail: String
    let needsSignIn: Bool
  }

  let site: Site
  let logger: Logger

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      let problem = known(error, request)
      // Who comes to the door without a cookie is shown in.
      if problem.status == .unauthorized, request.method == .get, site.options.hasAccounts {
        return Pages.redirect("/sign-in")
      }
      let visit = try? await site.sessions.visit(request)
      let view = PageView(
        visit: visit ?? nil, hasAccounts: site.options.hasAccounts, path: "/", section: "none", notice: nil, status: nil
      )
      let page = Page(
        heading: problem.title, detail: problem.detail, needsSignIn: problem.status == .unauthorized)
      return site.pages.page("error", problem.title, page, view, status: problem.status)
    }
  }

  private func known(_ error: any Error, _ request: Request) -> PageError {
    if let error = PageError(error) { return error }
    if let error = error as? any HTTPResponseError {
      return error.status == .notFound
        ? .notFound : PageError(error.status, "That did not work", "The request is not one that this server takes.")
    }
    logger.error("\(request.method) \(request.uri.path): \(error)")
    return PageError(
      .internalServerError, "Something went wrong", "The server could not do that. Nothing was changed. Try again.")
  }
}
