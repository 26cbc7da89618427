import Foundation
import HTTPServing
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
  let pictures: PictureCabinet
  let options: WebOptions
  let sync: (any InboxSync)?
  let fetcher: LinkFetcher
  /// Part of the names that browsers keep things by.
  let name: String
  /// What invitations are made with.
  let secret: String
  let doors = Doors()
  /// For each name and address: guessing takes years.
  let signIns = RateLimiter<String>(burst: 10, perSecond: 0.2)
  /// For each name, whatever the addresses: guessing from many machines takes years as well.
  let names = RateLimiter<String>(burst: 100, perSecond: 1.0 / 30)
  /// For each address, whatever the names: every guess costs a tenth of a second.
  let guests = RateLimiter<String>(burst: 30, perSecond: 0.5)
  /// For each reader: how many pages of links the server fetches.
  let fetches = RateLimiter<String>(burst: 20, perSecond: 0.5)
  /// For each session: how many streams of events it opens.
  let streams: RateLimiter<String>
  /// For each person: how many pages, parts and files they ask for.
  let reads: RateLimiter<String>
  /// Forms with files: each is in memory until it is stored.
  let uploads = TransferLimit(maximum: 12, maximumEach: 3)
  /// Files that are sent from the folder, in parts.
  let downloads = TransferLimit(maximum: 1_000, maximumEach: 64, detail: Self.moreFiles)
  /// The bytes of files that are in memory until they are sent.
  let copies = TransferLimit(maximum: 256 << 20, maximumEach: 64 << 20, detail: Self.moreFiles)
  private static let moreFiles: Phrase = "Other files are on their way. Ask for these when they have arrived."

  func router(_ logger: Logger) -> Router<WebContext> {
    let router = Router(context: WebContext.self)
    router.add(middleware: SecurityHeaders())
    router.add(middleware: LanguageMiddleware())
    router.add(middleware: ErrorPages(site: self, logger: logger))
    router.add(middleware: FrontDoor(options: options))
    let routes = Routes(site: self)
    router.add(routes.unguarded)
    router.add(
      middleware: SessionMiddleware(
        sessions: sessions,
        changes: RateLimiter(burst: Double(options.burst), perSecond: Double(options.burst) / 2), reads: reads))
    router.add(routes.guarded)
    return router
  }

  // MARK: - Work

  /// Reads with the rights of a viewer.
  func read<T: Sendable>(_ viewer: Viewer, _ body: @escaping @Sendable (Access) throws -> T) async throws -> T {
    try await desk.read { try body(Access(work: $0, viewer: viewer)) }
  }

  /// Changes and saves with the rights of a viewer.
  func write<T: Sendable>(_ viewer: Viewer, _ body: @escaping @Sendable (Access) throws -> T) async throws -> T {
    try await desk.write { try body(Access(work: $0, viewer: viewer)) }
  }

  /// The form of a request from a page of this session.
  /// - Throws: ``PageError`` for any other.
  func form(_ request: Request, _ context: WebContext) async throws -> (Form, Visit) {
    let visit = try context.signedIn()
    let form =
      try await Form.isSmall(request)
      ? Form(request, context, maximumUpload: options.maximumUpload)
      : uploads.counting(visit.viewer.userID) { try await Form(request, context, maximumUpload: options.maximumUpload) }
    guard let token = form[Route.token], Secret.isEqual(token, visit.formToken) else { throw PageError.stale }
    return (form, visit)
  }

  /// What a page needs beside its own.
  func view(_ request: Request, _ visit: Visit?, section: String) async throws -> PageView {
    let sync = await hub.syncState()
    let sides = try await visit.mapAsync { visit in
      try await desk.read { work in
        let waiting = try WaitingMessages(work)
        return (StatusLine(waiting, visit.viewer, sync: sync), try Look(work, visit.viewer.userID))
      }
    }
    return PageView(
      visit: visit, hasAccounts: options.hasAccounts, path: request.uri.description, section: section,
      notice: Notice(Query(request, Notice.fields)), status: sides?.0, look: sides?.1 ?? Look(), site: name)
  }

  /// Where a form wants to come back to; the list, where that is no place of this server.
  func back(_ form: Form) -> String { Self.safe(form["return"]) ?? "/" }

  /// A path of this server; nil for anything else.
  static func safe(_ path: String?) -> String? {
    guard let path, path.hasPrefix("/"), !path.hasPrefix("//"), !path.contains("\\"),
      path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), path.utf8.count < 2_000
    else { return nil }
    return Notice.stripped(path)
  }
}

extension Optional {
  /// `map` with a body that waits.
  fileprivate func mapAsync<T>(_ body: (Wrapped) async throws -> T) async rethrows -> T? {
    guard let self else { return nil }
    return try await body(self)
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
      // A page request without a session leads to the sign-in.
      let isPage = request.headers[Self.mode].map { $0 == "navigate" } ?? true
      if problem.status == .unauthorized, request.method == .get, site.options.hasAccounts, isPage {
        return Pages.redirect(AccountController.signInPath(returningTo: request.uri.description))
      }
      let visit = try? await site.sessions.visit(request, isSecure: context.isSecure)
      let view = PageView(
        visit: visit ?? nil, hasAccounts: site.options.hasAccounts, path: "/", section: "none", site: site.name)
      let page = Page(
        heading: problem.title.text, detail: problem.detail.text, needsSignIn: problem.status == .unauthorized)
      return site.pages.page("error", problem.title, page, view, status: problem.status)
    }
  }

  /// What a browser wants an answer for: a page to go to, or something for a script.
  private static let mode = HTTPField.Name("Sec-Fetch-Mode")!

  private func known(_ error: any Error, _ request: Request) -> PageError {
    if let error = PageError(error) { return error }
    if let error = error as? any HTTPResponseError {
      return error.status == .notFound
        ? .notFound : PageError(error.status, "That did not work", "The request is not one that this server takes.")
    }
    logger.error("\(request.method) \(request.uri.path): \(error)")
    guard !(error is UnfinishedWork) else {
      return PageError(
        .internalServerError, "Not all of it was done",
        "The change was stored, but the server could not finish what belongs to it. Look at the page before you try again."
      )
    }
    return PageError(
      .internalServerError, "Something went wrong", "The server could not do that. Nothing was changed. Try again.")
  }
}
