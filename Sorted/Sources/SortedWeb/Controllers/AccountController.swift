import Foundation
import HTTPTypes
import Hummingbird
import Sorted
import SwiftData

/// Signing in, up and out, and what belongs to an account.
struct AccountController: Sendable {
  let site: Site

  struct SignInPage {
    let isNew: Bool
    let problem: String?
    let name: String
    let heading: String
    let returnPath: String?
    let invitation: String?
  }

  static func signInPath(returningTo path: String) -> String {
    guard path != "/", let safe = Site.safe(path) else { return "/sign-in" }
    return "/sign-in?return=" + (safe.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
  }

  // MARK: - Signing in

  func showSignIn(_ request: Request, _ context: WebContext) async throws -> Response {
    try show(request, context, isNew: false)
  }

  func showSignUp(_ request: Request, _ context: WebContext) async throws -> Response {
    try show(request, context, isNew: true)
  }

  func signIn(_ request: Request, _ context: WebContext) async throws -> Response {
    try await answer(isNew: false, request, context) { entry in
      guard let user = try await check(entry) else {
        throw PageError(.forbidden, "That did not work", "The name or the password is wrong.")
      }
      return try await enter(user, entry, request, context)
    }
  }

  func signUp(_ request: Request, _ context: WebContext) async throws -> Response {
    try await answer(isNew: true, request, context) { entry in
      if let problem = try await register(entry) { throw PageError(.forbidden, "That did not work", problem) }
      return try await enter(entry.name, entry, request, context)
    }
  }

  /// Answers the form of a stranger. A refusal stands above the form, which keeps what was typed.
  private func answer(
    isNew: Bool, _ request: Request, _ context: WebContext, _ body: (Entry) async throws -> Response
  ) async throws -> Response {
    let entry = try await Entry(request, context, site)
    do {
      if let problem = entry.problem { throw problem }
      return try await body(entry)
    } catch let error as PageError {
      return page(isNew, error.detail, entry, status: error.status)
    }
  }

  private func show(_ request: Request, _ context: WebContext, isNew: Bool) throws -> Response {
    guard site.options.hasAccounts else { throw PageError.notFound }
    let query = Query(request, context)
    let path = Site.safe(query["return"])
    guard context.visit == nil else { return Pages.redirect(path ?? "/") }
    return page(isNew, nil, Entry(returnPath: path, invitation: query["invite"], name: query["name"] ?? ""))
  }

  private func enter(
    _ user: String, _ entry: Entry, _ request: Request, _ context: WebContext
  ) async throws -> Response {
    var path = entry.returnPath ?? "/"
    if let token = entry.invitation {
      let secret = site.secret
      // An invitation that is over is no reason to stay outside.
      let id = try? await site.desk.write { try $0.accept(token, secret, as: user) }
      if let id { path = "/c/\(Slug.encode(id))" }
    }
    return try await site.signedIn(.member(user), request, context, at: path)
  }

  private func page(_ isNew: Bool, _ problem: Phrase?, _ entry: Entry, status: HTTPResponse.Status = .ok) -> Response {
    let view = PageView(visit: nil, hasAccounts: true, path: "/", section: "none", site: site.name)
    let title: Phrase = isNew ? "Create an account" : "Sign in"
    let page = SignInPage(
      isNew: isNew, problem: problem?.text, name: entry.name, heading: title.text, returnPath: entry.returnPath,
      invitation: entry.invitation)
    return site.pages.page("sign-in", title, page, view, status: status)
  }

  /// What the form of a stranger has.
  fileprivate struct Entry: Sendable {
    var returnPath: String?
    var invitation: String?
    var name: String
    var password = ""
    /// Why it is refused before it is looked at: no person has such a name, or there were too many attempts.
    var problem: PageError?
  }

  // MARK: - Passwords

  /// - Returns: what is wrong; nil for nothing.
  private func register(_ entry: Entry) async throws -> Phrase? {
    let (name, password) = (entry.name, entry.password)
    guard password.count >= 10 else { return "A password has 10 characters at least." }
    guard AccountName.folded(password) != AccountName.folded(name) else { return "The password is the name." }
    // Before the work is done that a password costs.
    if try await site.desk.read({ try $0.isTaken(name) }) { return "That name is taken." }
    let rounds = site.options.passwordRounds
    let hash = try await site.desk.hash { try PasswordHash(of: password, rounds: rounds).text }
    return try await site.desk.write { work in
      guard try !work.isTaken(name) else { return "That name is taken." }
      work.own.insert(AccountEntity(userID: name, passwordHash: hash))
      return nil
    }
  }

  /// - Returns: the person with this name and password, or nil.
  private func check(_ entry: Entry) async throws -> String? {
    let (folded, password) = (AccountName.folded(entry.name), entry.password)
    let kept = try await site.desk.read { work in
      try work.own.fetch(FetchDescriptor<AccountEntity>(predicate: #Predicate { $0.foldedName == folded })).first
        .map { ($0.userID, $0.passwordHash) }
    }
    // An unknown name takes as long as a wrong password.
    let hash = kept?.1 ?? PasswordHash.ofNoPassword(rounds: site.options.passwordRounds).text
    let matches = try await site.desk.hash { try PasswordHash.matches(password, hash) }
    return matches ? kept?.0 : nil
  }

  /// Changes the password and ends the sessions of other browsers, so that the old password opens nothing any more.
  func changePassword(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    guard !visit.viewer.isOwner else {
      throw PageError.invalid("The owner signs in by an address, without a password.")
    }
    let (old, new) = (try form.text("old", maximum: 200), try form.text("new", maximum: 200))
    guard new.count >= 10 else { throw PageError.invalid("A password has 10 characters at least.") }
    let name = visit.viewer.userID
    try site.signIns.admit("\(context.client) \(AccountName.folded(name))")
    guard try await check(Entry(name: name, password: old)) == name else {
      throw PageError(.forbidden, "That did not work", "The old password is wrong.")
    }
    let rounds = site.options.passwordRounds
    let hash = try await site.desk.hash { try PasswordHash(of: new, rounds: rounds).text }
    let others = try await site.desk.write { work in
      try work.own.fetch(FetchDescriptor<AccountEntity>(predicate: #Predicate { $0.userID == name })).first?
        .passwordHash = hash
      return try work.sessions(of: name).map(\.tokenDigest).filter { $0 != visit.session }
    }
    try await end(others, "ended")
    return Pages.redirect("/settings?done=password")
  }

  // MARK: - Sessions

  /// Whose session it is, for scripts: a form that another session's page made is sent again with the token of this one.
  func session(_ request: Request, _ context: WebContext) async throws -> Response {
    let visit = try context.signedIn()
    let account = PageView.account(visit.viewer, site.name)
    return Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: .init(
        byteBuffer: ByteBuffer(
          string: try EventsController.json(["account": account, "token": visit.formToken]))))
  }

  func signOut(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    var response = Pages.redirect(site.options.hasAccounts ? "/sign-in" : "/")
    response.setCookie(Sessions.cookieOfNobody(request, isSecure: context.isSecure))
    // What the browser kept of the pages goes.
    response.headers[Self.clear] = "\"cache\""
    try await end([visit.session], "signed-out")
    return response
  }

  /// Ends a session of one's own in another browser.
  func endSession(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    let name = try context.parameters.require("session")
    let viewer = visit.viewer
    let found = try await site.desk.read { work in
      try work.sessions(of: viewer.userID).filter { $0.isOwner == viewer.isOwner && $0.shortName == name }
        .map(\.tokenDigest)
    }
    guard !found.isEmpty else { throw PageError.notFound }
    try await end(found, "ended")
    return Pages.redirect("/settings?done=session")
  }

  private func end(_ sessions: [String], _ why: String) async throws {
    try await site.sessions.end(sessions)
    await site.hub.end(sessions: sessions, why)
  }

  /// An address that signs the owner in, in another browser.
  func makeDoor(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    let token = site.doors.make(lifetime: 600)
    let origin = "\(context.isSecure ? "https" : "http")://\(request.head.authority ?? "")"
    let page = SettingsController.DoorPage(address: "\(origin)/?token=\(token)")
    return site.pages.page(
      "door", "Another browser", page, try await site.view(request, visit, section: "settings"))
  }

  private static let clear = HTTPField.Name("Clear-Site-Data")!
}

extension AccountController.Entry {
  /// - Throws: ``PageError`` for what is no form of this page.
  fileprivate init(_ request: Request, _ context: WebContext, _ site: Site) async throws {
    guard site.options.hasAccounts else { throw PageError.notFound }
    // There is no session yet whose token the form could have; the cookie is only sent by pages of this server.
    let form = try await Form(request, context, maximumUpload: Form.maximumBytes)
    name = try form.text("name", maximum: 200)
    password = try form.text("password", maximum: 200)
    returnPath = Site.safe(form["return"])
    invitation = form["invite"].flatMap { $0.isEmpty ? nil : $0 }
    do {
      // A client has few attempts whatever the names, so it cannot fill the limiter of the names.
      try site.guests.admit(context.client)
      try site.signIns.admit("\(context.client) \(AccountName.folded(name))")
      try site.names.admit(AccountName.folded(name))
      name = try AccountName.checked(name)
    } catch let error as PageError {
      problem = error
    }
  }
}

extension Site {
  /// Begins a session, and leads to a page of it.
  func signedIn(
    _ viewer: Viewer, _ request: Request, _ context: WebContext, at path: String
  ) async throws -> Response {
    var response = Pages.redirect(path)
    response.setCookie(try await sessions.begin(viewer, request, isSecure: context.isSecure))
    let look = try await desk.read { try Look($0, viewer.userID) }
    if !look.language.isEmpty { response.setCookie(Language.cookie(look.language, isSecure: context.isSecure)) }
    return response
  }
}

extension SessionEntity {
  /// What a page calls it; it tells nothing of the cookie.
  var shortName: String { String(tokenDigest.prefix(16)) }
}

extension Work {
  /// The latest first.
  func sessions(of userID: String) throws -> [SessionEntity] {
    let now = Date()
    return try own.fetch(
      FetchDescriptor<SessionEntity>(
        predicate: #Predicate { $0.userID == userID && $0.expiresAt > now },
        sortBy: [SortDescriptor(\.seenAt, order: .reverse)]))
  }

  /// Whether a name is taken, or looks like one that is: by an account, by the owner, by the server, or by a person whose messages
  /// were imported.
  func isTaken(_ name: String) throws -> Bool {
    guard !AccountName.isReserved(name) else { return true }
    let (folded, skeleton) = (AccountName.folded(name), AccountName.skeleton(name))
    let accounts = try own.fetchCount(
      FetchDescriptor<AccountEntity>(predicate: #Predicate { $0.foldedName == folded || $0.skeleton == skeleton }))
    guard accounts == 0 else { return true }
    func isAlike(_ other: String) -> Bool {
      AccountName.folded(other) == folded || AccountName.skeleton(other) == skeleton
    }
    let owner = try LocalUser.id(in: inbox)
    guard !isAlike(owner), !isAlike(LocalUser.placeholder) else { return true }
    var conversations = FetchDescriptor<ConversationEntity>()
    conversations.propertiesToFetch = [\.participantIDs]
    var seen: Set<String> = []
    for conversation in try inbox.fetch(conversations) {
      for other in conversation.participantIDs where seen.insert(other).inserted && isAlike(other) { return true }
    }
    return false
  }
}
