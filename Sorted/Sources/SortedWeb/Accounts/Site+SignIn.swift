import Foundation
import HTTPTypes
import Hummingbird
import Sorted
import SwiftData

extension Site {
  struct SignInPage {
    let isNew: Bool
    let problem: String?
    let name: String
    let heading: String
  }

  func addSignIn(to router: Router<WebContext>) {
    for isNew in [false, true] {
      let path = isNew ? "sign-up" : "sign-in"
      router.get("\(path)") { request, context in
        try checkAccounts()
        guard context.visit == nil else { return Pages.redirect("/") }
        return signInPage(isNew, nil, "")
      }
      router.post("\(path)") { request, context in
        try checkAccounts()
        // There is no session yet whose token the form could have; the cookie is only sent by pages of this server.
        let form = try await Form(request, maximumUpload: Form.maximumBytes)
        let name = try AccountName.checked(try form.text("name", maximum: 200))
        let password = try form.text("password", maximum: 200)
        try signIns.take("\(context.remote) \(name)")
        try guests.take(context.remote)
        let problem = isNew ? try await signUp(name, password) : try await check(name, password)
        if let problem { return signInPage(isNew, problem, name, status: .forbidden) }
        return try await signedIn(.member(name), request)
      }
    }
    router.post("sign-out") { request, context in
      let (_, visit) = try await form(request, context)
      var response = Pages.redirect(options.hasAccounts ? "/sign-in" : "/")
      response.setCookie(try await sessions.end(visit))
      return response
    }
  }

  /// Exchanges the token of the owner for a cookie.
  /// - Returns: nil where there is none in the address.
  func enter(_ request: Request, _ context: WebContext) async throws -> Response? {
    guard let given = Query(request)["token"] else { return nil }
    try guests.take(context.remote)
    guard Secret.isEqual(given, token) else {
      // Who reloads the first address after a restart is signed in already.
      if context.visit != nil { return Pages.redirect("/") }
      throw PageError(
        .unauthorized, "That address is over", "Use the one that sorted serve printed when it started last.")
    }
    let owner = try await desk.read { try LocalUser.id(in: $0.inbox) }
    return try await signedIn(.owner(owner), request)
  }

  private func signedIn(_ viewer: Viewer, _ request: Request) async throws -> Response {
    var response = Pages.redirect("/")
    response.setCookie(try await sessions.begin(viewer, isSecure: false))
    return response
  }

  private func checkAccounts() throws {
    guard options.hasAccounts else { throw PageError.notFound }
  }

  private func signInPage(
    _ isNew: Bool, _ problem: String?, _ name: String, status: HTTPResponse.Status = .ok
  ) -> Response {
    let view = PageView(visit: nil, hasAccounts: true, path: "/", section: "none", notice: nil, status: nil)
    let title = isNew ? "Create an account" : "Sign in"
    return pages.page(
      "sign-in", title, SignInPage(isNew: isNew, problem: problem, name: name, heading: title), view, status: status)
  }

  /// - Returns: what is wrong; nil for nothing.
  private func signUp(_ name: String, _ password: String) async throws -> String? {
    guard password.count >= 10 else { return "A password has 10 characters at least." }
    guard password != name else { return "The password is the name." }
    let hash = try await hashed { try PasswordHash(of: password).text }
    return try await desk.write { work in
      let owner = try LocalUser.id(in: work.inbox)
      let taken = try work.own.fetchCount(FetchDescriptor<AccountEntity>(predicate: #Predicate { $0.userID == name }))
      // Whoever took the owner's name would take their conversations.
      guard taken == 0, name != owner, name != LocalUser.placeholder else { return "That name is taken." }
      work.own.insert(AccountEntity(userID: name, passwordHash: hash))
      return nil
    }
  }

  /// - Returns: what is wrong; nil for nothing.
  private func check(_ name: String, _ password: String) async throws -> String? {
    let kept = try await desk.read { work in
      try work.own.fetch(FetchDescriptor<AccountEntity>(predicate: #Predicate { $0.userID == name })).first?
        .passwordHash
    }
    // A name that nobody has takes as long as a wrong password.
    let matches = try await hashed { try PasswordHash.matches(password, kept ?? Self.nobody) }
    return matches && kept != nil ? nil : "The name or the password is wrong."
  }

  private static let nobody = (try? PasswordHash(of: Secret.random()).text) ?? ""

  /// Off the threads that answer browsers, because it is meant to take long.
  private func hashed<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await desk.read { _ in try body() }
  }
}
