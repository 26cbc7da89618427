import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("People who block others") struct BlockTests {
  private static func talk(_ browser: inout Browser, _ people: String) async throws -> String {
    let answer = try await browser.send("/new", ["people": people, "name": "", "invite": "1"])
    #expect(answer.status == 303, "\(answer.text)")
    return try #require(answer["Location"])
  }

  private static func say(_ text: String, at path: String, _ browser: inout Browser) async throws -> Browser.Answer {
    try await browser.send("\(path)/send", ["key": UUID().uuidString, "text": text])
  }

  @Test("Who is blocked can neither write to the other nor begin anything with them, until that is taken back")
  func blocked() async throws {
    try await WebFixture.run(accounts: true) { web in
      var (ann, bob, carol) = (try await web.member("ann"), try await web.member("bob"), try await web.member("carol"))
      let (talk, group) = (try await Self.talk(&ann, "bob"), try await Self.talk(&carol, "ann bob"))
      #expect(try await Self.say("hello", at: talk, &ann).status == 303)
      let messages = {
        try web.context().fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.senderID == "ann" }))
      }
      let first = try #require(try messages().first)
      let page = "/people/\(Slug.encode("ann"))"
      #expect(try await bob.get(page).text.contains("Block ann"))
      #expect(try await bob.send("\(page)/block", ["blocked": "1"]).status == 303)
      #expect(try await bob.get(page).text.contains("You take no messages from ann."))

      let refused = try await Self.say("again", at: talk, &ann)
      #expect(refused.status == 403 && refused.text.contains("bob takes no messages from you."))
      #expect(try await ann.send("\(talk)/m/\(Slug.encode(first.id))/edit", ["text": "changed"]).status == 403)
      for people in ["bob", "bob carol"] {
        #expect(try await ann.send("/new", ["people": people, "name": "other"]).status == 403, "\(people)")
      }
      let other = try await Self.talk(&ann, "carol dave")
      #expect(try await ann.send("\(other)/people", ["people": "bob"]).status == 403)
      // A message that was deleted before does not come back to the other, and one that was deleted for oneself does.
      let message = "\(talk)/m/\(Slug.encode(first.id))"
      for way in ["delete-for-all", "delete"] { #expect(try await ann.send("\(message)/\(way)").status == 303) }
      #expect(try await ann.send("\(message)/restore").status == 303)
      #expect(try await ann.send("\(message)/restore").status == 403)
      #expect(try messages().map(\.text) == [InboxService.deletedText])
      #expect(try await bob.send("\(page)/block").status == 303)
      #expect(try await ann.send("\(message)/restore").status == 303)
      #expect(try await bob.send("\(page)/block", ["blocked": "1"]).status == 303)
      #expect(try messages().map(\.text) == ["hello"])
      let own = try await Self.say("and I?", at: talk, &bob)
      #expect(own.status == 403 && own.text.contains("You blocked ann."))
      // A group of others is as it was.
      #expect(try await Self.say("to all", at: group, &ann).status == 303)

      #expect(try await bob.send("\(page)/block").status == 303)
      #expect(try await Self.say("again", at: talk, &ann).status == 303)
      #expect(try messages().count == 3)
    }
  }

  @Test("People block those with whom they share a conversation, and not themselves")
  func whom() async throws {
    try await WebFixture.run(accounts: true) { web in
      var (ann, bob) = (try await web.member("ann"), try await web.member("bob"))
      _ = try await Self.talk(&ann, "carol")
      for person in ["bob", "ann"] {
        let answer = try await ann.send("/people/\(Slug.encode(person))/block", ["blocked": "1"])
        #expect(answer.status == 404, "\(person)")
      }
      #expect(try await bob.send("/new", ["people": "ann", "name": ""]).status == 303)
      #expect(try await !ann.get("/people/\(Slug.encode("ann"))").text.contains("Block "))
    }
  }
}
