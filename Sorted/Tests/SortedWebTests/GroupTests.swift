import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("The admins of a group") struct GroupTests {
  @Test(
    "Only an admin removes people and makes admins; who was removed sees nothing, and the link of an invited person is void"
  )
  func admins() async throws {
    try await WebFixture.run(accounts: true) { web in
      var ann = try await web.member("ann")
      var bob = try await web.member("bob")
      var carol = try await web.member("carol")
      let begun = try await ann.send("/new", ["people": "bob carol dora", "name": "Walk", "invite": "1"])
      let path = try #require(begun["Location"])
      _ = try await ann.send("\(path)/send", ["key": UUID().uuidString, "text": "at nine"])
      func person(_ name: String) -> String { "\(path)/people/\(Slug.encode(name))" }
      func people() throws -> [String] {
        try web.context().fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.displayName == "Walk" }))
          .flatMap(\.participantIDs)
      }
      #expect(try await bob.send(person("carol") + "/remove").status == 403)
      #expect(try await bob.send(person("bob") + "/admin", ["admin": "1"]).status == 403)
      #expect(try await ann.send(person("ann") + "/remove").status == 400)
      #expect(try await ann.send(person("missing") + "/remove").status == 404)
      // The last admin stays one.
      #expect(try await ann.send(person("ann") + "/admin", ["admin": "0"]).status == 400)
      let invited = try #require(try people().first { $0.hasPrefix(InvitationEntity.prefix) })
      let invitation = try #require(try ModelContext(web.own).fetch(FetchDescriptor<InvitationEntity>()).first)
      let link = "/invite/\(invitation.token(web.server.site.secret))"
      #expect(try await ann.send(person(invited) + "/admin", ["admin": "1"]).status == 404)
      #expect(try await ann.send(person(invited) + "/remove").status == 303)
      #expect(try await carol.send(link).status == 410)
      #expect(try people() == ["ann", "bob", "carol"])
      #expect(try await ann.send(person("bob") + "/admin", ["admin": "1"]).status == 303)
      #expect(try await bob.send(person("ann") + "/admin", ["admin": "0"]).status == 303)
      #expect(try await ann.send(person("carol") + "/remove").status == 403)
      #expect(try await bob.send(person("carol") + "/remove").status == 303)
      #expect(try await carol.get(path).status == 404)
      #expect(!(try await carol.get("/")).text.contains("Walk"))
      let page = try await ann.get(path)
      for words in ["made bob an admin", "ended the admin rights of ann", "removed carol"] {
        #expect(page.text.contains(words), "\(words)")
      }
      // Without its admin the group has its first person.
      #expect(try await bob.send("\(path)/leave").status == 303)
      #expect(try await ann.get(path).text.contains("class=\"admin\""))
    }
  }

  @Test("A talk of two and a server without accounts have no admins; there the one person removes whom they like")
  func others() async throws {
    try await WebFixture.run(accounts: true) { web in
      var ann = try await web.member("ann")
      _ = try await web.member("bob")
      let path = try #require(try await ann.send("/new", ["people": "bob", "name": ""])["Location"])
      let bob = "\(path)/people/\(Slug.encode("bob"))"
      #expect(try await ann.send("\(bob)/remove").status == 400)
      #expect(try await ann.send("\(bob)/admin", ["admin": "1"]).status == 400)
    }
    try await WebFixture.run { web in
      var owner = try await web.owner()
      let path = try #require(try await owner.send("/new", ["people": "ann bob", "name": ""])["Location"])
      #expect(try await owner.send("\(path)/people/\(Slug.encode("bob"))/admin", ["admin": "1"]).status == 400)
      #expect(try await owner.send("\(path)/people/\(Slug.encode("bob"))/remove").status == 303)
      #expect(try await owner.get(path).text.contains("removed bob"))
    }
  }

  @Test("A form that is sent again because its answer was lost begins one group, invites once and saves one answer")
  func again() async throws {
    try await WebFixture.run(accounts: true) { web in
      var ann = try await web.member("ann")
      var bob = try await web.member("bob")
      let key = try Self.key(in: try await ann.get("/"))
      func begin(_ people: String, by browser: inout Browser) async throws -> String {
        let fields = ["people": people, "name": "Walk", "invite": "1", "key": key]
        return try #require(try await browser.send("/new", fields)["Location"])
      }
      let path = try await begin("bob dora", by: &ann)
      let again = try await begin("bob dora", by: &ann)
      #expect(again == path)
      // A page that is shown again has the key of what it began. So has the form of a person who knows the key.
      let others = [
        try await begin("bob dora erin", by: &ann), try await begin("bob erin", by: &ann),
        try await begin("ann dora", by: &bob),
      ]
      #expect(!others.contains(path) && Set(others).count == 3)
      // The answer to such a page may be lost too.
      let repeated = [try await begin("bob dora erin", by: &ann), try await begin("bob erin", by: &ann)]
      #expect(repeated == Array(others.prefix(2)))
      // People who came later leave the form what it was.
      _ = try await ann.send("\(path)/people", ["people": "gwen", "invite": "1", "key": UUID().uuidString])
      #expect(try await begin("bob dora", by: &ann) == path)
      let other = try Self.key(in: try await ann.get("\(path)?part=pane"))
      for _ in 0..<2 {
        let added = try await ann.send("\(path)/people", ["people": "finn", "invite": "1", "key": other])
        #expect(added.status == 303)
      }
      let invited = try ModelContext(web.own).fetch(FetchDescriptor<InvitationEntity>()).filter { $0.name == "finn" }
      #expect(invited.count == 1)
      let people = try web.context().fetch(FetchDescriptor<ConversationEntity>()).flatMap(\.participantIDs)
      #expect(people.filter { $0.hasPrefix("invited:finn") }.count == 1)
      let answer = ["category": "Other", "question": "When?", "answer": "At nine."]
      let form = answer.merging(["key": try Self.key(in: try await ann.get("/answers"))]) { $1 }
      for _ in 0..<2 { #expect(try await ann.send("/answers", form).status == 303) }
      let saved = try web.context().fetch(FetchDescriptor<FAQEntity>()).filter { $0.questionPattern == "When?" }
      #expect(saved.count == 1)
      let moved = form.merging(["category": "Software"]) { $1 }
      for _ in 0..<2 { #expect(try await ann.send("/answers", moved).status == 303) }
      #expect(try web.context().fetch(FetchDescriptor<FAQEntity>()).count { $0.questionPattern == "When?" } == 2)
    }
  }

  /// What the first form of a page with a key carries.
  private static func key(in page: Browser.Answer) throws -> String {
    String(try #require(page.text.firstMatch(of: /name="key" value="([^"]+)"/), "\(page.text)").1)
  }
}
