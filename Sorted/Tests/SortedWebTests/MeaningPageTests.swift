import Foundation
import AssistFixtures
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Search by meaning in the pages") struct MeaningPageTests {
  /// Conversations of the owner with Ann, and of Ann with Bob.
  private static func fill(_ context: ModelContext) throws {
    for (id, people) in [("mine", ["me", "ann"]), ("theirs", ["ann", "bob"])] {
      let conversation = ConversationEntity(id: id, participantIDs: people, displayName: id)
      context.insert(conversation)
      for index in 0..<60 {
        let message = MessageEntity(
          id: "\(id)/\(index)", conversationID: id, senderID: "ann", text: "hello refund \(index)",
          createdAt: Date().addingTimeInterval(Double(index) - 3_600), status: .read, syncStatus: .synced)
        if index < 2 { message.category = .business }
        context.insert(message)
        message.conversation = conversation
        conversation.updateWithMessage(message)
      }
    }
    try context.save()
  }

  private static func hits(_ page: Browser.Answer) -> [String] {
    page.text.matches(of: /href="\/c\/([^?"]+)\?at=([^&#"]+)/).map { String($0.2) }
  }

  @Test("The choice is offered where messages have vectors, and the search by words is what it was without")
  func offered() async throws {
    let model = MeaningModel(try SentenceModels.smallEncoder())
    try await WebFixture.run(meaning: model, fill: Self.fill) { web in
      var browser = try await web.owner()
      #expect(try await !browser.get("/search").text.contains("By meaning"))
      // Without vectors the address is that of a search by words.
      #expect(try await Self.hits(browser.get("/search?q=hello&by=meaning")).count == 50)
      try EmbeddingService(container: web.inbox, model: model).updateAll()
      let page = try await browser.get("/search?q=hello%20refund")
      #expect(page.text.contains("By meaning") && page.text.contains("120 messages"))
      #expect(page.text.contains("/search?q=hello%20refund&amp;by=meaning"))
      let byMeaning = try await browser.get("/search?q=hello%20refund&by=meaning")
      #expect(byMeaning.text.contains("It knows English.") && byMeaning.text.contains("name=\"by\" value=\"meaning\""))
      #expect(Self.hits(byMeaning).count == 50)
      #expect(try await browser.get("/search?by=meaning").status == 200)
    }
    try await WebFixture.run(fill: Self.fill) { web in
      try EmbeddingService(container: web.inbox, model: model).updateAll()
      var browser = try await web.owner()
      #expect(try await !browser.get("/search?by=meaning").text.contains("By meaning"))
    }
  }

  @Test(
    "Pages follow each other to the end, kinds bound them, and a person finds what they may read and have not hidden")
  func access() async throws {
    let model = MeaningModel(try SentenceModels.smallEncoder())
    let (inbox, own) = (try SortedContainer.inMemory(), try WebSchema.inMemory())
    try Self.fill(ModelContext(inbox))
    try EmbeddingService(container: inbox, model: model).updateAll()
    func access(_ viewer: Viewer) -> Access {
      Access(work: Work(inbox: ModelContext(inbox), own: ModelContext(own), setting: Setting()), viewer: viewer)
    }
    func all(_ viewer: Viewer, _ filter: ListFilter = ListFilter()) throws -> [String] {
      var found: [String] = []
      var last: String?
      while true {
        let page = try access(viewer).nearest(to: .init("hello refund"), by: model, filter, limit: 16, after: last)
        found += page.messages.map(\.id)
        guard let next = page.last else { return found }
        last = next
      }
    }
    let everything = try all(.owner("me"))
    #expect(everything.count == 120 && Set(everything).count == 120)
    #expect(try Set(all(.member("bob"))) == Set((0..<60).map { "theirs/\($0)" }))
    #expect(try all(.member("eve")).isEmpty)
    let business = ListFilter().with { $0.category = .business }
    #expect(try Set(all(.member("bob"), business)) == ["theirs/0", "theirs/1"])
    let context = ModelContext(own)
    context.insert(HiddenMessageEntity(userID: "bob", conversationID: "theirs", messageID: "theirs/7"))
    try context.save()
    #expect(try !all(.member("bob")).contains("theirs/7") && all(.member("ann")).contains("theirs/7"))
    // How near a message is that one may not read is not told by what follows it.
    #expect(throws: PageError.self) {
      try access(.member("bob")).nearest(to: .init("hello"), by: model, ListFilter(), limit: 16, after: "mine/0")
    }
    // Moved since its vector was made.
    try ModelContext(inbox).update(
      model: MessageEntity.self, where: #Predicate { $0.id == "theirs/3" }, set: .assign(\.conversationID, "mine"))
    #expect(try !all(.member("bob")).contains("theirs/3"))
  }

  @Test("Conditions narrow a search by meaning as they narrow one by words, on all its pages")
  func conditions() async throws {
    let model = MeaningModel(try SentenceModels.smallEncoder())
    try await WebFixture.run(meaning: model, fill: Self.fill) { web in
      try EmbeddingService(container: web.inbox, model: model).updateAll()
      let context = web.context()
      let old = try context.fetch(FetchDescriptor<MessageEntity>(predicate: #Predicate { $0.id == "mine/9" }))[0]
      (old.senderID, old.createdAt) = ("carl", Date(timeIntervalSince1970: 1_577_880_000))
      try context.save()
      var browser = try await web.owner()
      func found(_ words: String) async throws -> [String] {
        var ids: [String] = []
        var address: String? = "/search?by=meaning&q=" + words.replacing(" ", with: "%20")
        while let next = address {
          let page = try await browser.get(next)
          ids += Self.hits(page).compactMap { try? Slug.decode($0) }
          let more = page.text.firstMatch(of: /class="button more" href="([^"]+)"/)
          address = more.map { String($0.1).replacing("&amp;", with: "&") }
        }
        return ids
      }
      #expect(try await found("hello refund in:theirs").sorted() == (0..<60).map { "theirs/\($0)" }.sorted())
      #expect(try await found("hello refund from:carl") == ["mine/9"])
      #expect(try await found("before:2020-02-01 hello refund") == ["mine/9"])
      #expect(try await found("hello refund after:2020-02-01").count == 119)
      #expect(try await found("hello refund has:file").isEmpty)
      // Conditions without words mean nothing: the newest messages come.
      #expect(try await found("from:carl") == ["mine/9"])
      #expect(try await browser.get("/search?by=meaning&q=hello%20before:x").status == 400)
    }
  }

  @Test("The switch is the owner's, is there with the model alone, and switched off deletes the vectors at once")
  func settings() async throws {
    let model = MeaningModel(try SentenceModels.smallEncoder())
    try await WebFixture.run(accounts: true, meaning: model, fill: Self.fill) { web in
      try EmbeddingService(container: web.inbox, model: model).updateAll()
      func count() throws -> Int { try web.context().fetchCount(FetchDescriptor<MessageVectorEntity>()) }
      var owner = try await web.owner()
      var member = try await web.member("zoe")
      #expect(try await owner.get("/settings").text.contains("Remember what messages mean"))
      #expect(try await !member.get("/settings").text.contains("Remember what messages mean"))
      // A switch that a page does not have is not switched off by its form.
      _ = try await member.send("/settings/switches", ["faq": "1"])
      #expect(try count() == 120)
      _ = try await owner.send("/settings/switches", ["faq": "1", "meaning": "1"])
      #expect(try count() == 120)
      _ = try await owner.send("/settings/switches", ["faq": "1"])
      #expect(try count() == 0)
      #expect(try EmbeddingService(container: web.inbox, model: model).updateAll() == 0)
    }
  }

  @Test("In Hebrew the choice is translated, and says that the model knows English")
  func hebrew() async throws {
    let model = MeaningModel(try SentenceModels.smallEncoder())
    try await WebFixture.run(meaning: model, fill: Self.fill) { web in
      try EmbeddingService(container: web.inbox, model: model).updateAll()
      var browser = try await web.owner()
      let page = try await browser.get("/search?q=hello&by=meaning", headers: ["Accept-Language": "he"])
      #expect(page.text.contains("לפי משמעות") && page.text.contains("הוא מבין אנגלית"))
    }
  }
}
