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
}
