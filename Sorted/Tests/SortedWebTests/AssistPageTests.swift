import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("The assistant in the pages") struct AssistPageTests {
  private static let offer = "We'd like to sponsor two videos, budget 4,500 EUR each. What are your rates?"

  private static func fill(_ context: ModelContext) throws {
    let lines = [
      ("offer", "dana", offer), ("fire", "eve", "Please call me right now, she is in the hospital!!"),
      ("bot", "prizes", "CONGRATULATIONS you won a FREE prize! Claim now at http://prize.example"),
      ("talk", "tom", "The greenhouse thermostat reads 4 degrees"),
    ]
    for (index, (id, sender, text)) in lines.enumerated() {
      let conversation = ConversationEntity(id: id, participantIDs: ["me", sender], displayName: id)
      let message = MessageEntity(
        id: "\(id)/0", conversationID: id, senderID: sender, text: text,
        createdAt: Date().addingTimeInterval(-Double(index) * 60), status: .delivered, syncStatus: .synced)
      context.insert(conversation)
      context.insert(message)
      message.conversation = conversation
      conversation.updateWithMessage(message)
    }
    try context.save()
    try AssistService(container: context.container).classifyPending()
  }

  private static func names(_ page: Browser.Answer) -> [String] {
    page.text.matches(of: /<span class="name" dir="auto">([^<]*)<\/span>/).map { String($0.1) }
  }

  @Test("Spam is out of the way, each kind has a list, and the digest counts what needs an answer")
  func lists() async throws {
    try await WebFixture.run(fill: Self.fill) { web in
      var browser = try await web.owner()
      let inbox = try await browser.get("/")
      #expect(Self.names(inbox) == ["fire", "offer", "talk"])
      #expect(inbox.text.contains("Needs an answer · 2"))
      #expect(Self.names(try await browser.get("/?filter=waiting")) == ["fire", "offer"])
      #expect(Self.names(try await browser.get("/?category=spam")) == ["bot"])
      #expect(Self.names(try await browser.get("/?category=urgent")) == ["fire"])
      #expect(Self.names(try await browser.get("/?sort=opportunity")) == ["offer"])
      #expect(try await browser.get("/?sort=nonsense").status == 400)
    }
  }

  @Test("A list that is empty but for spam says where the spam is")
  func onlySpam() async throws {
    let archive: @Sendable (ModelContext) throws -> Void = { context in
      try Self.fill(context)
      for conversation in try context.fetch(FetchDescriptor<ConversationEntity>()) where conversation.id != "bot" {
        conversation.isArchived = true
      }
      try context.save()
    }
    try await WebFixture.run(fill: archive) { web in
      var browser = try await web.owner()
      let inbox = try await browser.get("/")
      #expect(Self.names(inbox) == [])
      #expect(inbox.text.contains("No conversations but the ones under Spam."))
      #expect(!(try await browser.get("/?filter=pinned")).text.contains("under Spam."))
    }
  }

  @Test("A message says why it is sorted so, and a correction holds; another person's message cannot be corrected")
  func correcting() async throws {
    try await WebFixture.run(fill: Self.fill) { web in
      var browser = try await web.owner()
      let path = "/c/\(Slug.encode("offer"))/m/\(Slug.encode("offer/0"))"
      #expect(try await browser.get(path + "/why").text.hasPrefix("because of “"))
      #expect(try await browser.get("/c/\(Slug.encode("offer"))").text.contains("name=\"kind\" value=\"fan\""))
      #expect(try await browser.send(path + "/sort", ["kind": "fan"]).status == 303)
      #expect(try InboxService(context: web.context()).message("offer/0").category == .fan)
      #expect(try await browser.get(path + "/why").text == "because you said so")
      let hebrew = ["Accept-Language": "he"]
      #expect(try await browser.get(path + "/why", headers: hebrew).text == "כי כך קבעת")
      let fire = "/c/\(Slug.encode("fire"))/m/\(Slug.encode("fire/0"))/why"
      #expect(try await browser.get(fire, headers: hebrew).text.hasPrefix("בגלל “"))
      #expect(try await browser.send(path + "/sort", ["kind": "friend"]).status == 400)
      let own = "/c/\(Slug.encode("talk"))"
      _ = try await browser.send(own + "/send", ["text": "hello", "key": UUID().uuidString])
      let sent = try InboxService(context: web.context()).search("hello").messages
      #expect(try await browser.send(own + "/m/\(Slug.encode(sent[0].id))/sort", ["kind": "fan"]).status == 400)
    }
  }

  @Test("A new answer suggests itself for the message that asks for it; switched off, it does not")
  func suggesting() async throws {
    try await WebFixture.run(fill: Self.fill) { web in
      var browser = try await web.owner()
      let path = "/c/\(Slug.encode("offer"))"
      let answer = ["category": "Business", "question": "What are your rates?", "answer": "They are on the site."]
      _ = try await browser.send("/answers", answer)
      try AssistService(container: web.inbox).classifyPending()
      #expect(try await browser.get(path).text.contains("data-draft=\"Hi Dana! They are on the site.\""))
      _ = try await browser.send("/settings/switches", ["categorization": "1", "faq": "1"])
      try AssistService(container: web.inbox).classifyPending()
      let page = try await browser.get(path)
      #expect(!page.text.contains("data-draft"))
      #expect(page.text.contains("chip business"))
    }
  }
}
