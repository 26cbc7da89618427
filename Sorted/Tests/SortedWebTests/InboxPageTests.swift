import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("The inbox in a browser") struct InboxPageTests {
  private static let studio = Slug.encode("sample/studio")
  private static let festival = Slug.encode("sample/festival")

  /// The names in the list, in order.
  private static func names(_ page: Browser.Answer) -> [String] {
    page.text.matches(of: /<span class="name" dir="auto">([^<]*)<\/span>/).map { String($0.1) }
  }

  @Test("The list has what needs an answer, then pinned conversations, then the latest, and leaves out archived ones")
  func order() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let page = try await browser.get("/")
      #expect(page.status == 200)
      #expect(
        Self.names(page) == ["Ines, harbour festival", "Studio team", "John Doe", "Acme Audio", "Bike ride, Sunday"])
      #expect(page.text.contains("<h2>Pinned</h2>"))
      #expect(Self.names(try await browser.get("/?filter=unread")).count == 3)
      #expect(Self.names(try await browser.get("/?filter=pinned")) == ["Studio team"])
      #expect(Self.names(try await browser.get("/?filter=archived")) == ["Landlord"])
      #expect(Self.names(try await browser.get("/?category=fan")) == ["John Doe"])
      #expect(
        Self.names(try await browser.get("/?opportunity=75&category=business")) == [
          "Ines, harbour festival", "Acme Audio",
        ])
      #expect(Self.names(try await browser.get("/?sentiment=negative")) == [])
    }
  }

  @Test("A list of a thousand conversations comes in pages without gaps or doubles")
  func pages() async throws {
    try await WebFixture.run(fill: { context in
      for number in 0..<230 {
        let conversation = ConversationEntity(id: "c\(number)", participantIDs: ["me", "x"], displayName: "n\(number)")
        // Some at the same time, some without any.
        conversation.lastMessageAt = number % 7 == 0 ? nil : Date(timeIntervalSince1970: Double(number / 3))
        conversation.isPinned = number == 100
        context.insert(conversation)
      }
      try context.save()
    }) { web in
      var browser = try await web.owner()
      var path: String? = "/"
      var found: [String] = []
      while let next = path {
        let page = try await browser.get(next)
        found += Self.names(page)
        path = page.text.firstMatch(of: /id="more-rows" href="([^"]+)"/).map { String($0.1) }
      }
      #expect(found.count == 230)
      #expect(Set(found).count == 230)
      #expect(found.first == "n100")
    }
  }

  @Test("Pinning, muting, archiving and deleting change the list, and archiving and deleting can be undone")
  func actions() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let acme = Slug.encode("sample/acme")
      for (field, state) in [("pin", \ConversationEntity.isPinned), ("mute", \.isMuted), ("archive", \.isArchived)] {
        let answer = try await browser.send("/c/\(acme)/set", [field: "1", "return": "/"])
        #expect(answer.status == 303)
        #expect(try InboxService(context: web.context()).conversation("sample/acme")[keyPath: state])
      }
      _ = try await browser.send("/c/\(acme)/set", ["archive": "0"])
      let answer = try await browser.send("/c/\(acme)/delete", ["return": "/"])
      let path = try #require(answer["Location"])
      let page = try await browser.get(path)
      #expect(page.text.contains("Conversation deleted."))
      #expect(!Self.names(page).contains("Acme Audio"))
      let undo = try #require(page.text.firstMatch(of: /id="undo" form="act" formaction="([^"]+)"/))
      _ = try await browser.send(String(undo.1))
      #expect(Self.names(try await browser.get("/")).contains("Acme Audio"))
    }
  }

  @Test("What was deleted is gone once it cannot be had back, unless a message came meanwhile")
  func purge() async throws {
    try await WebFixture.run(undoTime: 3_600) { web in
      var browser = try await web.owner()
      for id in ["sample/acme", "sample/john"] {
        _ = try await browser.send("/c/\(Slug.encode(id))/delete")
      }
      let context = web.context()
      let inbox = InboxService(context: context)
      try inbox.send("Are you there?", to: try inbox.conversation("sample/john"), from: "john")
      try context.save()
      let purge = PurgeService(
        desk: Desk(inbox: web.inbox, own: web.own),
        files: try FileCabinet(folder: web.folder.appendingPathComponent("files")), undoTime: 3_600)
      try await purge.purge()
      #expect(try InboxService(context: web.context()).statistics().conversations == 6)
      try await purge.purge(now: Date().addingTimeInterval(3_700))
      let left = try web.context().fetch(FetchDescriptor<ConversationEntity>()).map(\.id)
      #expect(!left.contains("sample/acme"))
      #expect(left.contains("sample/john"))
      #expect(Self.names(try await browser.get("/")).contains("John Doe"))
    }
  }

  @Test("A thread shows its newest twenty messages and leads to all older ones, each once")
  func thread() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      var path: String? = "/c/\(Self.festival)"
      var counts: [Int] = []
      var ids: Set<String> = []
      while let next = path {
        let page = try await browser.get(next)
        #expect(page.status == 200)
        let found = page.text.matches(of: /id="(m-[^"]+)"/).map { String($0.1) }
        counts.append(found.count)
        ids.formUnion(found)
        path = page.text.firstMatch(of: /id="older" href="([^"]+)"/).map { String($0.1) }
      }
      #expect(counts == [20, 6])
      #expect(ids.count == 26)
      let page = try await browser.get("/c/\(Self.festival)")
      #expect(page.text.contains(">Business 91<"))
      // A mood alone says nothing.
      #expect(!page.text.contains("chip positive"))
    }
  }

  @Test("The scripts, style sheets and icons of a page have its version in their addresses, and browsers keep them")
  func versions() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let page = try await browser.get("/c/\(Self.studio)").text
      let addresses = Set(page.matches(of: /(?:src|href)="(\/assets\/[^"#]+\.(?:js|css|svg))[#"]/).map { String($0.1) })
      // The icon of the tab belongs to no version.
      let versioned = addresses.subtracting(["/assets/icon.svg"])
      #expect(versioned.count >= 5 && versioned.contains { $0.hasSuffix("/icons.svg") })
      #expect(Set(versioned.map { $0.split(separator: "/")[1] }).count == 1)
      for address in versioned {
        #expect(address.split(separator: "/").count == 3, "\(address)")
        #expect(try await browser.get(address)["Cache-Control"] == "public, max-age=31536000, immutable")
      }
    }
  }

  @Test("A message is sent, shown as waiting, edited and deleted, and a key that comes twice is one message")
  func writing() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let key = UUID().uuidString
      for _ in 1...2 {
        let answer = try await browser.send("/c/\(Self.studio)/send", ["key": key, "text": "Line one\r\nline two"])
        #expect(answer["Location"] == "/c/\(Self.studio)")
      }
      let page = try await browser.get("/c/\(Self.studio)")
      #expect(page.text.matches(of: /line two<\/div>/).count == 1)
      // Without a sync server, what is stored is sent.
      #expect(page.text.contains("aria-label=\"Sent\""))
      let slug = Slug.encode(key)
      _ = try await browser.send("/c/\(Self.studio)/m/\(slug)/edit", ["text": "Changed"])
      #expect(try InboxService(context: web.context()).message(key).text == "Changed")
      #expect(try InboxService(context: web.context()).conversation("sample/studio").lastMessageText == "Changed")
      let strange = Slug.encode("sample/studio/0")
      #expect(try await browser.send("/c/\(Self.studio)/m/\(strange)/edit", ["text": "Not mine"]).status == 403)
      _ = try await browser.send("/c/\(Self.studio)/m/\(slug)/delete-for-all")
      let deleted = try InboxService(context: web.context()).message(key)
      #expect(deleted.deletedAt != nil && deleted.text == InboxService.deletedText)
      #expect(try await browser.send("/c/\(Self.studio)/m/\(slug)/edit", ["text": "Again"]).status == 400)
    }
  }

  @Test("A message that failed says why and can be tried again")
  func retry() async throws {
    try await WebFixture.run { web in
      let context = web.context()
      let inbox = InboxService(context: context)
      context.insert(SyncStateEntity(userID: "ann"))
      let message = try inbox.send("Hello?", to: try inbox.conversation("sample/studio"))
      message.markAsFailed(error: "the server is full")
      try context.save()
      var browser = try await web.owner()
      let page = try await browser.get("/c/\(Self.studio)")
      #expect(page.text.contains("Not sent: the server is full"))
      #expect(page.text.contains("1 message was not sent"))
      _ = try await browser.send("/c/\(Self.studio)/m/\(Slug.encode(message.id))/retry")
      #expect(try InboxService(context: web.context()).message(message.id).syncStatus == .pending)
    }
  }

  @Test("A draft is kept for each conversation, shown in the list, and gone with the message")
  func drafts() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      _ = try await browser.send("/c/\(Self.studio)/draft", ["text": "Half a thou"])
      _ = try await browser.send("/c/\(Self.festival)/send", ["save": "1", "text": "Other"])
      let page = try await browser.get("/c/\(Self.studio)")
      #expect(page.text.contains(">Half a thou</textarea>"))
      #expect(page.text.contains("Draft:"))
      let key = UUID().uuidString
      _ = try await browser.send("/c/\(Self.studio)/send", ["key": key, "text": "Half a thought is one too."])
      #expect(try await !browser.get("/c/\(Self.studio)").text.contains("Half a thou</textarea>"))
      // A draft that was on its way longer than the message that it became.
      let draft = ["key": key, "text": "Half a thought"]
      #expect(try await browser.send("/c/\(Self.studio)/draft", draft).status == 303)
      #expect(try await !browser.get("/c/\(Self.studio)").text.contains("Half a thought</textarea>"))
      #expect(try await browser.send("/c/\(Self.festival)/draft", draft).status == 303)
      #expect(try await browser.get("/c/\(Self.festival)").text.contains(">Half a thought</textarea>"))
      _ = try await browser.send("/c/\(Self.festival)/draft", ["key": UUID().uuidString, "text": "Other"])
      #expect(try await browser.get("/c/\(Self.festival)").text.contains(">Other</textarea>"))
    }
  }

  @Test("Search marks what it found, and leads to the message among its neighbours")
  func search() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let page = try await browser.get("/search?q=GREY%20card")
      #expect(page.text.contains("<mark>grey card</mark>"))
      #expect(try await browser.get("/search?q=extension+cord").text.contains("1 message"))
      let found = try await browser.get("/search?q=archive+tape")
      let link = try #require(found.text.firstMatch(of: /hit-link" href="([^"#]+)#(m-[^"]+)"/))
      let thread = try await browser.get(String(link.1))
      #expect(thread.text.contains("class=\"msg hit\" id=\"\(link.2)\""))
      #expect(thread.text.matches(of: /<li class="msg[^"]*" id="m-/).count == 21)
      #expect(thread.text.contains("id=\"newer\""))
      #expect(thread.text.contains("id=\"older\""))
    }
  }

  @Test("Search finds messages of a kind, with a text or without")
  func searchOfAKind() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      func hits(_ query: String) async throws -> Int {
        try await browser.get("/search?\(query)").text.matches(of: /class="card hit-link"/).count
      }
      #expect(try await hits("q=&category=fan") == 2)
      #expect(try await hits("q=harbour&category=fan") == 1)
      #expect(try await hits("q=harbour&category=spam") == 0)
      #expect(try await hits("q=&opportunity=75") == 3)
      #expect(try await hits("q=budget&opportunity=75&category=business&sentiment=") == 1)
      #expect(try await browser.get("/search?category=nonsense").status == 400)
      #expect(try await browser.get("/search").text.contains("value=\"fan\""))
    }
  }

  @Test("Answers are added, changed, turned off, inserted with a count, and deleted")
  func answers() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      _ = try await browser.send(
        "/answers", ["category": "Career", "question": "How did you begin?", "answer": "With a borrowed camera."])
      let id = try #require(
        try web.context().fetch(
          FetchDescriptor<FAQEntity>(predicate: #Predicate { $0.questionPattern == "How did you begin?" })
        ).first
      ).id
      let slug = Slug.encode(id)
      _ = try await browser.send("/c/\(Self.studio)/answer/\(slug)")
      #expect(try await browser.get("/c/\(Self.studio)").text.contains("With a borrowed camera.</textarea>"))
      #expect(try await browser.get("/answers").text.contains("Used once, last Today"))
      _ = try await browser.send("/answers/\(slug)/enable", ["enabled": "0"])
      #expect(try await !browser.get("/c/\(Self.studio)").text.contains("<b>How did you begin?</b>"))
      _ = try await browser.send(
        "/answers/\(slug)/edit", ["category": "Other", "question": "How?", "answer": "So."])
      #expect(try await browser.get("/answers?edit=\(slug)").text.contains("value=\"How?\""))
      _ = try await browser.send("/answers/\(slug)/delete")
      #expect(try await !browser.get("/answers").text.contains("How?"))
    }
  }

  @Test("Settings change the profile and the switches, count and delete old messages, and compact the store")
  func settings() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      _ = try await browser.send("/settings/profile", ["name": "Sarah", "email": "s@example.com"])
      _ = try await browser.send("/settings/switches", ["faq": "1"])
      let user = try #require(try web.context().fetch(FetchDescriptor<UserEntity>()).first)
      #expect(user.displayName == "Sarah")
      #expect(user.enableFAQ && !user.enableSentiment)
      let preview = try await browser.get("/administration?days=0")
      #expect(preview.text.contains("messages would be deleted"))
      _ = try await browser.send("/settings/clean", ["days": "0"])
      #expect(try web.context().fetchCount(FetchDescriptor<MessageEntity>()) == 0)
      #expect(try await browser.send("/settings/compact")["Location"] == "/administration?done=compacted")
      #expect(try await browser.get("/").status == 200)
      #expect(try web.context().fetchCount(FetchDescriptor<ConversationEntity>()) == 6)
    }
  }

  @Test("What others wrote is marked as read where somebody says so")
  func reading() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      #expect(try await browser.get("/").text.contains("unread messages: </span>2<"))
      let answer = try await browser.send("/c/\(Self.studio)/read", headers: ["X-Live": "1"])
      #expect(answer.status == 204)
      #expect(try InboxService(context: web.context()).conversation("sample/studio").unreadCount == 0)
    }
  }
}
