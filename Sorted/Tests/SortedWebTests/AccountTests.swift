import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Several people and one inbox") struct AccountTests {
  /// A conversation of ann and bob, with one message.
  private static func meet(_ ann: inout Browser) async throws -> String {
    let answer = try await ann.send("/new", ["people": "bob", "name": "Two of us"])
    let path = try #require(answer["Location"])
    _ = try await ann.send("\(path)/send", ["key": UUID().uuidString, "text": "Hello bob"])
    return path
  }

  @Test("A person signs up, out and in again; a wrong password and a taken name are refused")
  func signing() async throws {
    try await WebFixture.run(accounts: true) { web in
      var ann = try await web.member("ann")
      #expect(try await ann.get("/").status == 200)
      _ = try await ann.send("/sign-out")
      #expect(try await ann.get("/")["Location"] == "/sign-in")
      func sign(_ path: String, _ name: String, _ password: String) async throws -> Int {
        var browser = Browser(base: web.base)
        return try await browser.send(path, ["name": name, "password": password], withToken: false).status
      }
      #expect(try await sign("/sign-in", "ann", "correct horse ann") == 303)
      #expect(try await sign("/sign-in", "ann", "wrong horse ann") == 403)
      #expect(try await sign("/sign-in", "nobody", "correct horse ann") == 403)
      #expect(try await sign("/sign-up", "ann", "another password") == 403)
      #expect(try await sign("/sign-up", "me", "another password") == 403)
      #expect(try await sign("/sign-up", "carl", "short") == 403)
      #expect(try await sign("/sign-up", "<b>carl</b>", "another password") == 400)
      let hash = try #require(try ModelContext(web.own).fetch(FetchDescriptor<AccountEntity>()).first).passwordHash
      #expect(hash.hasPrefix("scrypt$") && !hash.contains("horse"))
    }
  }

  @Test("A person without a picture has the colour in the settings that others see")
  func colour() async throws {
    try await WebFixture.run(accounts: true) { web in
      var (ann, bob) = (try await web.member("ann"), try await web.member("bob"))
      _ = try await Self.meet(&ann)
      let seen = try #require(
        try await bob.get("/people/\(Slug.encode("ann"))").text.firstMatch(of: /class="avatar large (h\d)"/))
      #expect(try await ann.get("/settings").text.contains("class=\"avatar \(seen.1)\""))
    }
  }

  @Test("Passwords that are guessed one after the other are refused before they are looked at")
  func guessing() async throws {
    try await WebFixture.run(accounts: true) { web in
      _ = try await web.member("ann")
      web.server.site.signIns.stopClock()
      var answers: [Int] = []
      while answers.last != 429, answers.count < 40 {
        var browser = Browser(base: web.base)
        let fields = ["name": "ann", "password": "guess number \(answers.count)"]
        answers.append(try await browser.send("/sign-in", fields, withToken: false).status)
      }
      #expect(answers.first == 403)
      #expect(answers.last == 429)
    }
  }

  @Test("A name that is guessed at from many addresses is refused as well, and the form keeps what was typed")
  func guessingFromManyAddresses() async throws {
    try await WebFixture.run(accounts: true, proxies: ["127.0.0.1"]) { web in
      web.server.site.names.stopClock()
      for _ in 0..<100 { try web.server.site.names.admit("ann") }
      var browser = Browser(base: web.base)
      for path in ["/sign-in", "/sign-up"] {
        let answer = try await browser.send(
          path, ["name": "ann", "password": "correct horse", "invite": "a.b", "return": "/settings"], withToken: false,
          headers: ["X-Forwarded-For": "192.0.2.\(path.count)"])
        #expect(answer.status == 429)
        for part in ["value=\"ann\"", "value=\"a.b\"", "value=\"/settings\"", "name=\"password\"", "Wait a moment"] {
          #expect(answer.text.contains(part), "\(path) \(part)")
        }
      }
    }
  }

  @Test("Only the owner sees the administration page, which lists accounts, ends their sessions and shows no text")
  func administration() async throws {
    try await WebFixture.run(accounts: true) { web in
      var ann = try await web.member("ann")
      var bob = try await web.member("bob")
      _ = try await Self.meet(&ann)
      var owner = try await web.owner()
      let page = try await owner.get("/administration").text
      for part in ["<bdi>ann</bdi>", "<bdi>bob</bdi>", "2 accounts", "1 browser is signed in", "messages in"] {
        #expect(page.contains(part), "\(part)")
      }
      for part in ["Hello bob", "Two of us"] { #expect(!page.contains(part), "\(part)") }
      #expect(try await bob.get("/administration").status == 403)
      let end = "/administration/people/\(Slug.encode("ann"))/end"
      #expect(try await bob.send(end).status == 403)
      #expect(try await ann.get("/").status == 200)
      #expect(try await owner.send(end)["Location"] == "/administration?done=sessions")
      #expect(try await ann.get("/").status == 303)
      #expect(try await bob.get("/").status == 200)
    }
  }

  @Test("Each sees the conversations that they take part in, and whose identifiers they guess are not there")
  func apart() async throws {
    try await WebFixture.run(accounts: true) { web in
      var ann = try await web.member("ann")
      var bob = try await web.member("bob")
      var eve = try await web.member("mallory")
      let path = try await Self.meet(&ann)
      #expect(try await ann.get("/").text.contains("Two of us"))
      #expect(try await bob.get("/").text.contains("Hello bob"))
      #expect(try await bob.get(path).text.contains("Hello bob"))
      #expect(try await bob.get("/search?q=hello").text.contains("<mark>Hello</mark>"))
      #expect(try await !eve.get("/").text.contains("Two of us"))
      #expect(try await !eve.get("/").text.contains("Studio"))
      #expect(try await !eve.get("/search?q=hello").text.contains("bob"))
      #expect(try await !eve.get("/answers").text.contains("camera"))
      let message = try #require(
        try web.context().fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.text == "Hello bob" })).first)
      let slug = Slug.encode(message.id)
      let thread = String(path.dropFirst(3))
      for other in [path, "\(path)?at=\(slug)", "/?after=\(thread)"] {
        #expect(try await eve.get(other).status == 404, "\(other)")
      }
      let forms: [(String, [String: String])] = [
        ("\(path)/send", ["key": UUID().uuidString, "text": "I am in"]), ("\(path)/set", ["pin": "1"]),
        ("\(path)/delete", [:]), ("\(path)/restore", [:]), ("\(path)/read", [:]), ("\(path)/draft", ["text": "x"]),
        ("\(path)/m/\(slug)/edit", ["text": "x"]), ("\(path)/m/\(slug)/delete", [:]), ("\(path)/m/\(slug)/retry", [:]),
      ]
      for (form, fields) in forms { #expect(try await eve.send(form, fields).status == 404, "\(form)") }
      // Bob takes part, but it is not his message.
      #expect(try await bob.send("\(path)/m/\(slug)/edit", ["text": "x"]).status == 403)
      #expect(try await bob.send("\(path)/m/\(slug)/delete-for-all").status == 403)
      // A key that is another message's is nobody's.
      let stolen = try await bob.send("\(path)/send", ["key": message.id, "text": "x"])
      #expect(stolen.status == 404)
      for form in ["/settings/clean", "/settings/compact"] {
        #expect(try await bob.send(form, ["days": "0"]).status == 403)
      }
    }
  }

  @Test("Pinning, archiving, drafts, unread counts and deleting are each person's own")
  func own() async throws {
    try await WebFixture.run(accounts: true) { web in
      var ann = try await web.member("ann")
      var bob = try await web.member("bob")
      let path = try await Self.meet(&ann)
      #expect(try await bob.get("/").text.contains("unread messages: </span>1<"))
      #expect(try await !ann.get("/").text.contains("unread messages"))
      _ = try await bob.send("\(path)/read")
      #expect(try await !bob.get("/").text.contains("unread messages"))
      #expect(try await ann.get(path).text.contains("aria-label=\"Read\""))
      _ = try await bob.send("\(path)/set", ["pin": "1"])
      _ = try await bob.send("\(path)/draft", ["text": "My secret draft"])
      #expect(try await bob.get("/").text.contains("<h2>Pinned</h2>"))
      #expect(try await !ann.get("/").text.contains("<h2>Pinned</h2>"))
      #expect(try await !ann.get(path).text.contains("secret"))
      _ = try await bob.send("\(path)/delete")
      #expect(try await !bob.get("/").text.contains("Two of us"))
      #expect(try await ann.get("/").text.contains("Two of us"))
      _ = try await ann.send("\(path)/send", ["key": UUID().uuidString, "text": "Still there?"])
      // In the list it says what bob has begun to write.
      #expect(try await bob.get("/").text.contains("Two of us"))
      #expect(try await bob.get(path).text.contains("Still there?"))
    }
  }

  @Test("A member hears of messages in their conversations only")
  func live() async throws {
    try await WebFixture.run(accounts: true) { web in
      var ann = try await web.member("ann")
      let bob = try await web.member("bob")
      let eve = try await web.member("mallory")
      let path = try await Self.meet(&ann)
      try await eve.events { events in
        _ = try await ann.send("\(path)/send", ["key": UUID().uuidString, "text": "Between us"])
        // The next thing that eve hears of is her own.
        var other = eve
        _ = try await other.send("/new", ["people": "ann", "name": "Eve and ann"])
        #expect(try await events.next("row")?.contains("Eve and ann") == true)
      }
      try await bob.events(thread: String(path.dropFirst(3))) { events in
        _ = try await ann.send("\(path)/send", ["key": UUID().uuidString, "text": "For bob"])
        #expect(try await events.next("message", containing: "For bob") != nil)
      }
    }
  }
}
