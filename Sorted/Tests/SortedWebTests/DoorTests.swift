import AsyncHTTPClient
import Foundation
import NIOCore
import Sorted
import SwiftData
import Synchronization
import Testing

@testable import SortedWeb

/// What became of some tasks.
private final class Outcomes: Sendable {
  private let kept = Mutex<[String]>([])
  var all: [String] { kept.withLock { $0 } }
  func add(_ outcome: String) { kept.withLock { $0.append(outcome) } }
}

@Suite("Who comes in, by which name, and for how long") struct DoorTests {
  private static let studio = Slug.encode("sample/studio")

  @Test("The address that signs the owner in works once, and a signed-in browser makes others")
  func once() async throws {
    try await WebFixture.run { web in
      var first = Browser(base: web.base)
      #expect(try await first.get("/?token=\(web.server.token)").status == 303)
      var second = Browser(base: web.base)
      #expect(try await second.get("/?token=\(web.server.token)").status == 401)
      let page = try await first.send("/settings/door")
      let link = try #require(page.text.firstMatch(of: /\?token=([A-Za-z0-9_-]+)/))
      // A browser that looks ahead does not use it up.
      #expect(try await second.get("/?token=\(link.1)", headers: ["Sec-Purpose": "prefetch"]).status == 404)
      #expect(try await second.get("/?token=\(link.1)").status == 303)
      #expect(try await second.get("/").status == 200)
    }
  }

  @Test("A request for another server's name is refused, whatever its cookie")
  func names() async throws {
    try await WebFixture.run(names: ["inbox.example.org"]) { web in
      var owner = try await web.owner()
      #expect(try await owner.get("/", headers: ["Host": "evil.example"]).status == 421)
      #expect(try await owner.get("/settings", headers: ["Host": "localhost.evil.example:80"]).status == 421)
      // Cookies are by port, so the same name without it knows no session; it is answered.
      #expect(try await owner.get("/", headers: ["Host": "inbox.example.org"]).status == 401)
    }
    for (text, host, port) in [("a.b:80", "a.b", 80), ("[::1]:8080", "::1", 8080), ("a.b", "a.b", nil)]
      as [(
        String, String, Int?
      )]
    {
      #expect(Authority(text).host == host)
      #expect(Authority(text).port == port)
    }
    #expect(Authority.isAddress("127.0.0.1") && Authority.isAddress("::1") && !Authority.isAddress("1.2.3.example"))
  }

  @Test("Behind a trusted proxy that encrypts, cookies are Secure, and who guesses is known by the browser's address")
  func proxy() async throws {
    try await WebFixture.run(accounts: true, proxies: ["127.0.0.1"]) { web in
      _ = try await web.member("ann")
      @Sendable func guess(_ address: String, _ name: String) async throws -> Int {
        var browser = Browser(base: web.base)
        return try await browser.send(
          "/sign-in", ["name": name, "password": "wrong password"], withToken: false,
          headers: ["X-Forwarded-For": "6.6.6.6, \(address)"]
        ).status
      }
      web.server.site.signIns.stopClock()
      var answers: [Int] = []
      for _ in 0..<20 { answers.append(try await guess("10.0.0.1", "ann")) }
      #expect(answers.contains(429))
      #expect(try await guess("10.0.0.2", "ann") == 403)
      var browser = Browser(base: web.base)
      let answer = try await browser.get(
        "/?token=\(web.server.token)", headers: ["X-Forwarded-Proto": "https", "X-Forwarded-For": "10.0.0.3"])
      let cookie = try #require(answer["Set-Cookie"])
      #expect(cookie.hasPrefix("__Host-sorted-") && cookie.contains("Secure"))
    }
    // Without a trusted proxy, what a browser says of itself counts for nothing.
    try await WebFixture.run { web in
      var browser = Browser(base: web.base)
      let answer = try await browser.get("/?token=\(web.server.token)", headers: ["X-Forwarded-Proto": "https"])
      #expect(answer["Set-Cookie"]?.contains("Secure") == false)
    }
  }

  @Test(
    "Names that differ in case or width only are one, and names that look alike are one person's",
    arguments: [
      ("Alice", "ALICE"), ("Alice", "Ａｌｉｃｅ"), ("Alice", "alice"), ("paul", "раul"), ("coco", "сосо"),
      ("AIda", "Alda"), ("modern", "rnodern"), ("bob0", "bobo"), ("ottilie", "ottılie"),
      // Letters of Lisu and digits of Arabic and Bengali, which the data of Unicode has and no table of ours.
      ("ALA", "ꓮꓡꓮ"), ("bobo", "bob٥"), ("bobo", "bob০"),
    ])
  func alike(_ pair: (String, String)) {
    #expect(
      AccountName.folded(pair.0) == AccountName.folded(pair.1)
        || AccountName.skeleton(pair.0) == AccountName.skeleton(pair.1))
  }

  @Test("A name of two alphabets is refused; names that merely resemble each other are two")
  func alphabets() throws {
    for name in ["аlice", "bοb", "pаypal"] { #expect(throws: PageError.self) { try AccountName.checked(name) } }
    #expect(try AccountName.checked("Ａｎｎ") == "Ann")
    for (one, other) in [("ann", "anna"), ("bob", "rob"), ("ÄRGER", "arger2")] {
      #expect(AccountName.folded(one) != AccountName.folded(other))
      #expect(AccountName.skeleton(one) != AccountName.skeleton(other))
    }
  }

  @Test("Nobody becomes somebody whose messages were there before, and no sign-up takes a look-alike")
  func claims() async throws {
    try await WebFixture.run(accounts: true) { web in
      _ = try await web.member("ann")
      func signUp(_ name: String) async throws -> Int {
        var browser = Browser(base: web.base)
        return try await browser.send("/sign-up", ["name": name, "password": "correct horse"], withToken: false).status
      }
      // The sample has conversations with these.
      for name in ["ines", "INES", "ANN", "Ann"] { #expect(try await signUp(name) == 403, "\(name)") }
      var ann = Browser(base: web.base)
      let answer = try await ann.send(
        "/sign-in", ["name": "ANN", "password": "correct horse ann"], withToken: false)
      #expect(answer.status == 303)
    }
  }

  @Test("Passwords and searches that pile up leave the pages alone, and more of them than may wait are sent away")
  func queues() async throws {
    let queue = WorkQueue("test", width: 1, maximumWaiting: 2)
    let gate = DispatchSemaphore(value: 0)
    let results = Outcomes()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          do {
            try await queue.run { gate.wait() }
            results.add("done")
          } catch {
            results.add("busy")
          }
        }
      }
      while results.all.count < 3 { await Task.yield() }
      for _ in 0..<3 { gate.signal() }
    }
    #expect(results.all.sorted() == ["busy", "busy", "busy", "done", "done", "done"])
    // As many hashes as may wait, and a page is read beside them.
    let desk = Desk(inbox: try SortedContainer.inMemory(), own: try WebSchema.inMemory())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { try await desk.hash { gate.wait() } } }
      for _ in 0..<10 { group.addTask { _ = try await desk.search { _ in gate.wait() } } }
      #expect(try await desk.read { try $0.inbox.fetchCount(FetchDescriptor<MessageEntity>()) } == 0)
      for _ in 0..<20 { gate.signal() }
      try await group.waitForAll()
    }
  }

  @Test("A stream ends with its session: at the sign-out, when another browser ends it, and when it expires")
  func sessions() async throws {
    try await WebFixture.run { web in
      var first = try await web.owner()
      let second = try await web.owner()
      try await second.events { events in
        let page = try await first.get("/settings").text
        let other = try #require(page.firstMatch(of: /settings\/sessions\/([^\/]+)\/end/))
        _ = try await first.send("/settings/sessions/\(other.1)/end")
        #expect(try await events.next("bye") == "ended")
        #expect(try await events.next("row") == nil)
      }
      let third = first
      try await third.events { events in
        _ = try await first.send("/sign-out")
        #expect(try await events.next("bye") == "signed-out")
        #expect(try await events.next("row") == nil)
      }
      #expect(try await first.get("/").status == 401)
    }
    let desk = Desk(inbox: try SortedContainer.inMemory(), own: try WebSchema.inMemory())
    let hub = LiveHub(desk: desk, pages: try await Pages(), sync: nil, logger: .init(label: "test"))
    let session = SessionEntity(tokenDigest: "s", userID: "me", isOwner: true, expiresAt: .distantFuture)
    let work = desk.now()
    work.own.insert(session)
    try work.own.save()
    var stream = try await hub.subscribe([], .owner("me"), session: "s").makeAsyncIterator()
    try await hub.endOldSessions()
    #expect(await stream.next().map { String(buffer: $0) }?.contains("hello") == true)
    session.expiresAt = .distantPast
    try work.own.save()
    try await hub.endOldSessions()
    #expect(await stream.next().map { String(buffer: $0) }?.contains("bye") == true)
    #expect(await stream.next() == nil)
    for _ in 0..<LiveHub.maximumStreams { _ = try await hub.subscribe([], .owner("me"), session: "t") }
    await hub.finish()
  }

  @Test(
    "A session has so many streams; a new one ends the oldest, and a connection that is closed ends its own",
    .timeLimit(.minutes(10)))
  func streams() async throws {
    let desk = Desk(inbox: try SortedContainer.inMemory(), own: try WebSchema.inMemory())
    let hub = LiveHub(desk: desk, pages: try await Pages(), sync: nil, logger: .init(label: "test"))
    // The heartbeat ends the streams of sessions that the store does not have.
    let work = desk.now()
    for name in ["s", "other"] {
      work.own.insert(SessionEntity(tokenDigest: name, userID: "me", isOwner: true, expiresAt: .distantFuture))
    }
    try work.own.save()
    let loop = HTTPClient.defaultEventLoopGroup.any()
    var closing: [EventLoopPromise<Void>] = []
    var streams: [AsyncStream<ByteBuffer>] = []
    for session in ["other"] + [String](repeating: "s", count: LiveHub.maximumStreams + 2) {
      let promise = loop.makePromise(of: Void.self)
      closing.append(promise)
      streams.append(try await hub.subscribe([], .owner("me"), session: session, until: promise.futureResult))
    }
    // The other session's is the first one, and the two after it are the oldest of this session.
    #expect(await hub.listenerCount(.heartbeat) == LiveHub.maximumStreams + 1)
    for number in [1, 2] { for await _ in streams[number] {} }
    closing[3].succeed()
    for await _ in streams[3] {}
    while await hub.listenerCount(.heartbeat) > LiveHub.maximumStreams { await Task.yield() }
    for number in closing.indices where number != 3 { closing[number].succeed() }
    while await hub.listenerCount(.heartbeat) > 0 { await Task.yield() }
    await hub.finish()
  }

  @Test("Who leaves a group hears nothing of it any more; the others go on")
  func leaving() async throws {
    try await WebFixture.run(accounts: true) { web in
      var (ann, bob) = (try await web.member("ann"), try await web.member("bob"))
      _ = try await web.member("zoe")
      let path = try #require(try await ann.send("/new", ["people": "bob zoe", "name": "Three"])["Location"])
      let thread = String(path.dropFirst(3))
      try await bob.events(thread: thread) { [bob] events in
        var bob = bob
        _ = try await bob.send("\(path)/leave")
        #expect(try await events.next("thread-gone") == thread)
        _ = try await ann.send("\(path)/send", ["key": UUID().uuidString, "text": "Without bob"])
        var other = ann
        _ = try await other.send("/new", ["people": "bob", "name": "Two of us"])
        // The next thing that he hears of is another conversation.
        #expect(try await events.next("row", containing: "Two of us") != nil)
      }
      #expect(try await bob.get(path).status == 404)
      #expect(try await ann.get(path).text.contains("Without bob"))
    }
  }

  @Test("Changing the password ends the sessions of other browsers")
  func password() async throws {
    try await WebFixture.run(accounts: true) { web in
      var ann = try await web.member("ann")
      var other = Browser(base: web.base)
      _ = try await other.send(
        "/sign-in", ["name": "ann", "password": "correct horse ann"], withToken: false)
      #expect(try await other.get("/").status == 200)
      let wrong = ["old": "wrong", "new": "battery staple"]
      #expect(try await ann.send("/settings/password", wrong).status == 403)
      let right = ["old": "correct horse ann", "new": "battery staple"]
      #expect(try await ann.send("/settings/password", right).status == 303)
      #expect(try await other.get("/").status == 303)
      #expect(try await ann.get("/").status == 200)
      #expect(
        try await other.send("/sign-in", ["name": "ann", "password": "battery staple"], withToken: false).status == 303)
    }
  }
}
