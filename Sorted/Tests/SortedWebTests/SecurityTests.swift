import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Hostile visitors") struct SecurityTests {
  private static let studio = Slug.encode("sample/studio")

  /// Every form that changes something, with fields that it takes.
  static let forms: [(path: String, fields: [String: String])] = [
    ("/new", ["people": "ann", "name": "n"]), ("/c/\(studio)/set", ["pin": "0"]), ("/c/\(studio)/delete", [:]),
    ("/c/\(studio)/restore", [:]), ("/c/\(studio)/read", [:]), ("/c/\(studio)/draft", ["text": "t"]),
    ("/c/\(studio)/send", ["text": "t", "key": UUID().uuidString]),
    ("/c/\(studio)/m/\(Slug.encode("sample/studio/0"))/edit", ["text": "t"]),
    ("/c/\(studio)/m/\(Slug.encode("sample/studio/0"))/delete", [:]),
    ("/c/\(studio)/m/\(Slug.encode("sample/studio/0"))/retry", [:]),
    ("/answers", ["category": "Other", "question": "q", "answer": "a"]),
    ("/settings/profile", ["name": "n", "email": ""]),
    ("/settings/switches", [:]), ("/settings/clean", ["days": "0"]), ("/settings/compact", [:]), ("/sync", [:]),
    ("/sign-out", [:]), ("/settings/look", ["theme": "dark"]), ("/settings/door", [:]),
    ("/settings/sessions/x/end", [:]), ("/c/\(studio)/leave", [:]), ("/c/\(studio)/people", ["people": "eve"]),
    ("/c/\(studio)/typing", [:]), ("/c/\(studio)/m/\(Slug.encode("sample/studio/0"))/delete-for-all", [:]),
    ("/c/\(studio)/m/\(Slug.encode("sample/studio/0"))/react", ["emoji": "👍"]),
    ("/c/\(studio)/m/\(Slug.encode("sample/studio/0"))/pin", ["pinned": "1"]),
  ]

  /// What people try to smuggle in.
  static let smuggled = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'; DROP TABLE \"MessageEntity\"; --",
    "{{=<% %>=}}<%& x %>{{{x}}}", "../../../../etc/passwd", "javascript:alert(1)", "\u{202E}gpj.exe",
    "%00%0d%0aSet-Cookie: a=b",
    "' OR 1=1 --", "</textarea><script>1</script>",
    // With a combining mark, a quote is another character for Swift, and a quote for a browser and for FTS5.
    "\"\u{301}/onmouseover=alert(1)", "https://x.y/\"\u{301}/onmouseover=alert(1)", "'\u{301}a <\u{338}b &\u{301}c",
  ]

  /// Everything in the inbox, to see that nothing changed.
  private static func contents(_ web: WebFixture) throws -> [String] {
    let context = web.context()
    let conversations = try context.fetch(FetchDescriptor<ConversationEntity>(sortBy: [SortDescriptor(\.id)]))
    let messages = try context.fetch(FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.id)]))
    return conversations.map { "\($0.id) \($0.isPinned) \($0.unreadCount)" } + messages.map { "\($0.id) \($0.text)" }
  }

  @Test("Nobody changes anything without a session, without the form's token, with another's, or from another site")
  func strangers() async throws {
    try await WebFixture.run { web in
      let before = try Self.contents(web)
      var stranger = Browser(base: web.base)
      var owner = try await web.owner()
      var other = try await web.owner()
      let otherToken = try await other.token()
      for form in Self.forms {
        #expect(try await stranger.send(form.path, form.fields, withToken: false).status == 401, "\(form.path)")
        #expect(try await owner.send(form.path, form.fields, withToken: false).status == 403, "\(form.path)")
        let stolen = form.fields.merging(["form": otherToken]) { $1 }
        #expect(try await owner.send(form.path, stolen, withToken: false).status == 403, "\(form.path)")
        let origin = ["Origin": "http://evil.example"]
        #expect(try await owner.send(form.path, form.fields, headers: origin).status == 403, "\(form.path)")
      }
      for path in ["/", "/c/\(Self.studio)", "/answers", "/settings", "/search?q=a", "/events", "/files/x"] {
        #expect(try await stranger.get(path).status == 401, "\(path)")
      }
      #expect(try await stranger.get("/?token=\(web.server.token.dropLast())x").status == 401)
      stranger.cookie = try #require(owner.cookie).prefix { $0 != "=" } + "=" + String(repeating: "A", count: 43)
      #expect(try await stranger.get("/").status == 401)
      #expect(try Self.contents(web) == before)
    }
  }

  @Test("Texts of all kinds come back as they are, inert, on every page", arguments: smuggled)
  func payloads(_ payload: String) async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      _ = try await browser.send("/c/\(Self.studio)/send", ["key": UUID().uuidString, "text": payload])
      _ = try await browser.send("/c/\(Self.studio)/draft", ["text": payload])
      _ = try await browser.send("/answers", ["category": "Other", "question": payload, "answer": payload])
      _ = try await browser.send("/settings/profile", ["name": payload, "email": payload])
      let new = try await browser.send("/new", ["people": "ann", "name": payload])
      let query = Browser.escaped(payload)
      let paths = [
        "/", "/c/\(Self.studio)", "/answers", "/settings", "/search?q=\(query)", "/c/\(Self.studio)?edit=\(query)",
        "/?filter=\(query)", "/?done=\(query)&of=\(query)", "/c/\(query)", "/?token=\(query)",
        try #require(new["Location"]),
      ]
      for path in paths {
        let page = try await browser.get(path)
        #expect(page.status < 500, "\(path)")
        let policy = try #require(page["Content-Security-Policy"])
        #expect(!policy.contains("unsafe"))
        guard page.status != 303 else { continue }
        #expect(page["X-Content-Type-Options"] == "nosniff")
        // One script, ours; no tag and no attribute came from outside.
        #expect(page.text.matches(of: /<script/).count == 1, "\(path)")
        #expect(!page.text.contains("<img src=x"), "\(path)")
        #expect(!page.text.hasSignWithMark, "\(path)")
        #expect(!page.text.contains("root:x:"), "\(path)")
        #expect(!page.text.contains("href=\"javascript:"), "\(path)")
        #expect(page["Set-Cookie"] == nil)
      }
      let stored = try web.context().fetch(
        FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.conversationID == "sample/studio" }))
      #expect(stored.map(\.text).contains(payload))
    }
  }

  @Test("Values of the wrong type, too long, missing or not there are refused with a page that says so")
  func wrongValues() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let before = try Self.contents(web)
      let key = UUID().uuidString
      let wrong: [(String, [String: String], Int)] = [
        ("/c/\(Self.studio)/set", ["pin": "maybe"], 400), ("/c/\(Self.studio)/set", [:], 400),
        ("/c/\(Self.studio)/send", ["text": "hi", "key": "1"], 400), ("/c/\(Self.studio)/send", ["key": key], 400),
        ("/c/\(Self.studio)/send", ["text": "  \n ", "key": key], 400),
        ("/c/\(Self.studio)/send", ["text": "\u{2800}\u{200B}\u{3164}", "key": key], 400),
        ("/c/\(Self.studio)/send", ["text": String(repeating: "x", count: 20_001), "key": key], 400),
        ("/c/\(Self.studio)/send", ["text": String(repeating: "x", count: 300_000), "key": key], 413),
        ("/c/\(Self.studio)/send", ["text": "a\u{0}b", "key": key], 400),
        ("/c/nothing/send", ["text": "hi", "key": key], 404), ("/c/\(Slug.encode("no"))/read", [:], 404),
        ("/c/\(Self.studio)/m/\(Slug.encode("sample/john/0"))/delete", [:], 404),
        ("/new", ["people": "", "name": ""], 400), ("/new", ["people": "<b>", "name": ""], 400),
        ("/new", ["people": "me", "name": ""], 400),
        ("/answers", ["category": "Nope", "question": "q", "answer": "a"], 400),
        ("/answers", ["category": "Other", "question": " ", "answer": "a"], 400),
        ("/answers/\(Slug.encode("x"))/delete", [:], 404), ("/settings/clean", ["days": "-1"], 400),
        ("/settings/clean", ["days": "99999999999999999999"], 400),
        ("/settings/profile", ["name": " ", "email": ""], 400),
      ]
      for (path, fields, status) in wrong {
        let answer = try await browser.send(path, fields)
        #expect(answer.status == status, "\(path) \(fields.mapValues { $0.prefix(20) })")
        #expect(answer.text.contains("<h1>"), "\(path)")
      }
      for path in [
        "/c/%2e%2e%2fetc", "/assets/..%2f..%2fPackage.swift", "/assets/app.css.map", "/files/..%2fweb.store",
        "/nothing", "/c/\(Self.studio)?before=\(Slug.encode("sample/john/0"))",
      ] {
        #expect(try await browser.get(path).status == 404, "\(path)")
      }
      for path in [
        "/?opportunity=x", "/?category=zz", "/search?q=" + String(repeating: "x", count: 201), "/administration?days=x",
      ] {
        #expect(try await browser.get(path).status == 400, "\(path)")
      }
      let json = ["Content-Type": "application/json"]
      #expect(try await browser.request("POST", "/sync", json, Data("{}".utf8)).status == 415)
      #expect(try await browser.request("PUT", "/", [:], nil).status == 404)
      #expect(try Self.contents(web) == before)
    }
  }

  @Test(
    "A form comes back to a page of this server and to no other",
    arguments: [
      "//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "/\r\nSet-Cookie: a=b", "",
    ])
  func redirects(_ target: String) async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let answer = try await browser.send("/c/\(Self.studio)/set", ["pin": "1", "return": target])
      #expect(answer["Location"] == "/")
      #expect(answer["Set-Cookie"] == nil)
    }
  }

  @Test("Who changes too much in a short time is asked to wait")
  func rate() async throws {
    try await WebFixture.run(burst: 1) { web in
      var browser = try await web.owner()
      _ = try await browser.token()
      // All at once, because one after the other may be slow enough on a busy machine.
      let answers = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...20 {
          group.addTask { [browser] in
            var browser = browser
            return try await browser.send("/c/\(Self.studio)/set", ["pin": "1"]).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.contains(303))
      #expect(answers.contains(429))
    }
  }

  @Test("Who asks for too much in a short time is asked to wait, in all of their browsers, and others are not")
  func reading() async throws {
    try await WebFixture.run(accounts: true, burst: 2) { web in
      web.server.site.reads.stopClock()
      var owner = try await web.owner()
      var statuses: [Int] = []
      for _ in 0..<30 { statuses.append(try await owner.get("/session").status) }
      #expect(statuses == [Int](repeating: 200, count: 20) + [Int](repeating: 429, count: 10))
      owner = try await web.owner()
      #expect(try await owner.get("/").status == 429)
      var stranger = Browser(base: web.base)
      #expect(try await stranger.get("/sign-in").status == 200)
    }
  }

  @Test("The server finds out whose a request is while all readers are busy", .timeLimit(.minutes(20)))
  func busyReaders() async throws {
    let desk = Desk(inbox: try SortedContainer.inMemory(), own: try WebSchema.inMemory())
    let gate = DispatchSemaphore(value: 0)
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let readers = (0..<4).map { _ in
      Task {
        try await desk.read { _ in
          beginning.yield()
          gate.wait()
        }
      }
    }
    var iterator = begun.makeAsyncIterator()
    for _ in readers { _ = await iterator.next() }
    #expect(try await Sessions(desk: desk).ended(["s"]) == ["s"])
    for reader in readers {
      gate.signal()
      try await reader.value
    }
  }

  @Test("A network of IPv6 is one client for the limits, an address of IPv4 is one")
  func clients() {
    #expect(Authority.network(of: "2001:db8:1:2::7") == Authority.network(of: "2001:db8:1:2:ffff::8"))
    #expect(Authority.network(of: "2001:db8:1:2::7") != Authority.network(of: "2001:db8:1:3::7"))
    #expect(Authority.network(of: "192.0.2.1") == "192.0.2.1")
    #expect(Authority.network(of: "?") == "?" && Authority.network(of: "a:b") == "a:b")
  }

  @Test("A guesser who makes up a name for each attempt gets no more attempts, and takes none from others")
  func guesses() async throws {
    try await WebFixture.run(accounts: true) { web in
      web.server.site.guests.stopClock()
      var statuses: [Int] = []
      for number in 0..<60 {
        var browser = Browser(base: web.base)
        let fields = ["name": "made up \(number)".replacing(" ", with: "."), "password": "short"]
        statuses.append(try await browser.send("/sign-up", fields, withToken: false).status)
      }
      let admitted = statuses.count { $0 == 403 }
      #expect(admitted == 30 && statuses.contains(429), "\(statuses)")
      #expect(web.server.site.signIns.count <= admitted)
    }
  }

  @Test("Only so many uploads are taken in at once, of one person and of all, and those that end make room")
  func uploads() async throws {
    let limit = TransferLimit(maximum: 3, maximumEach: 2)
    func isTaken(_ person: String) async -> Bool { (try? await limit.counting(person) { true }) ?? false }
    try await limit.counting("a") {
      try await limit.counting("a") {
        #expect(await !isTaken("a"))
        try await limit.counting("b") { #expect(await !isTaken("c")) }
        #expect(await isTaken("c"))
      }
      #expect(await isTaken("a"))
    }
    struct Interrupted: Error {}
    for _ in 1...5 {
      await #expect(throws: Interrupted.self) { try await limit.counting("a") { throw Interrupted() } }
    }
    do {
      let large = try limit.take("a", 100)
      #expect(throws: PageError.self) { try limit.take("a") }
      withExtendedLifetime(large) {}
    }
    #expect(await isTaken("a"))
    try await WebFixture.run { web in
      let places = try (0..<3).map { _ in try web.server.site.uploads.take("me") }
      // Another session is the same person.
      for _ in 0..<2 {
        var owner = try await web.owner()
        let fields = ["key": UUID().uuidString, "text": "with a file"]
        let answer = try await owner.upload(
          "/c/\(Self.studio)/send", fields, files: [("a.txt", Data(count: 300 << 10))])
        #expect(answer.status == 429)
      }
      #expect(places.count == 3)
    }
  }

  @Test("A form that trickles in is refused after a while, and a slow one is not")
  func trickle() {
    #expect(!Form.isTooSlow(1, after: .seconds(29)))
    #expect(Form.isTooSlow(1_000, after: .seconds(60)))
    #expect(!Form.isTooSlow(1 << 20, after: .seconds(60)))
    #expect(Form.isTooSlow(25 << 20, after: .seconds(7_200)))
  }

  @Test("A session's cookie is no script's, goes to no other site, and the store has only its digest")
  func cookie() async throws {
    try await WebFixture.run { web in
      var browser = Browser(base: web.base)
      let answer = try await browser.get("/?token=\(web.server.token)")
      let cookie = try #require(answer["Set-Cookie"])
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
      let port = try #require(web.base.split(separator: ":").last)
      #expect(cookie.hasPrefix("sorted-\(port)="))
      let value = String(try #require(cookie.firstMatch(of: /sorted-\d+=([^;]+)/)).1)
      let kept = try ModelContext(web.own).fetch(FetchDescriptor<SessionEntity>()).map(\.tokenDigest)
      #expect(kept == [Secret.digest(value)])
      #expect(!kept.contains(value))
      _ = try await browser.send("/sign-out")
      browser.cookie = "sorted-\(port)=\(value)"
      #expect(try await browser.get("/").status == 401)
    }
  }

  @Test("A multipart form that is cut short or twisted is refused, whatever its bytes are")
  func multipart() throws {
    let whole = Data("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--x--\r\n".utf8)
    #expect(try MultipartBody.parts(of: whole, boundary: "x").map(\.name) == ["a"])
    for count in 0..<(whole.count - 4) {
      #expect(throws: PageError.self) { try MultipartBody.parts(of: whole.prefix(count), boundary: "x") }
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var bytes = whole
      for _ in 0..<3 { bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
      _ = try? MultipartBody.parts(of: bytes, boundary: "x")
    }
    #expect(MultipartBody.boundary(of: "multipart/form-data; boundary=\"a b\"") == "a b")
    #expect(MultipartBody.boundary(of: "multipart/form-data") == nil)
  }

  @Test("A slug is one identifier and no other text is one")
  func slugs() throws {
    for id in ["a", "sample/studio", "..", "ü/\u{1F600}", "a b?c#d", ""] {
      #expect(try Slug.decode(Slug.encode(id)) == id)
    }
    for text in ["!", "a", "YQ==", "YR", "..", "_w"] {
      #expect(throws: PageError.self) { try Slug.decode(text) }
    }
  }
}

extension String {
  /// Whether it has a sign of HTML with a combining mark, as the hostile texts have. A page shows such a sign escaped.
  var hasSignWithMark: Bool {
    zip(unicodeScalars, unicodeScalars.dropFirst()).contains { sign, mark in
      "<\"'&".unicodeScalars.contains(sign) && (mark == "\u{301}" || mark == "\u{338}")
    }
  }
}
