import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("What was deleted and is kept for how long") struct UndoTests {
  private static let studio = Slug.encode("sample/studio")

  private static func purge(_ web: WebFixture, now: Date) async throws {
    let files = try FileCabinet(folder: web.folder.appendingPathComponent("files"))
    try await PurgeService(desk: Desk(inbox: web.inbox, own: web.own), files: files, undoTime: 3_600).purge(now: now)
  }

  private static func kept(_ web: WebFixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: web.folder.appendingPathComponent("files").path)
      .filter { $0 != "pictures" }
  }

  @Test("The copy that a deleted message comes back from has every property of it and of its files")
  func copies() throws {
    let message = MessageEntity(id: "m", conversationID: "c", senderID: "s", text: "t")
    message.attachments = [
      AttachmentEntity(type: .image, localURL: "a", fileSize: 1, mimeType: "image/png", fileName: "a.png")
    ]
    let copy = MessageCopy(message)
    func names(_ value: Any) -> Set<String> { Set(Mirror(reflecting: value).children.compactMap(\.label)) }
    let entities = SortedContainer.schema.entitiesByName
    // The conversation is known by its identifier; the message of a file is the one that it is copied with.
    let stored = try #require(entities["MessageEntity"]).storedPropertiesByName.keys
    #expect(names(copy) == Set(stored).subtracting(["conversation"]))
    let file = try #require(entities["AttachmentEntity"]).storedPropertiesByName.keys
    #expect(names(try #require(copy.attachments.first)) == Set(file).subtracting(["message"]))
  }

  @Test("A message that was deleted for everybody says so, and comes back with its files and its line, for a while")
  func undo() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let key = UUID().uuidString
      _ = try await browser.upload(
        "/c/\(Self.studio)/send", ["key": key, "text": "With a note"], files: [("note.txt", Data("hi".utf8))])
      let message = "/c/\(Self.studio)/m/\(Slug.encode(key))"
      let answer = try await browser.send("\(message)/delete-for-all", ["return": "/c/\(Self.studio)"])
      let deleted = try InboxService(context: web.context()).message(key)
      #expect(deleted.text == InboxService.deletedText && deleted.attachments.isEmpty)
      #expect(deleted.conversation?.lastMessageText == InboxService.deletedText)
      let page = try await browser.get(try #require(answer["Location"]))
      #expect(page.text.contains("formaction=\"\(message)/restore\""))
      #expect(!page.text.contains("With a note"))
      #expect(try await browser.get("/bin").text.contains("With a note"))
      #expect(try await browser.send("\(message)/restore").status == 303)
      let again = try InboxService(context: web.context()).message(key)
      #expect(again.text == "With a note" && again.syncStatus == .pending && again.attachments.count == 1)
      #expect(again.conversation?.lastMessageText == "With a note")
      let file = try #require(again.attachments.first)
      #expect(try await browser.get("/files/\(Slug.encode(file.id))").body == Data("hi".utf8))
      // What is back is not had back twice, and its file stays.
      #expect(try await browser.send("\(message)/restore").status == 410)
      try await Self.purge(web, now: .distantFuture)
      #expect(try Self.kept(web).count == 1)
      _ = try await browser.send("\(message)/delete-for-all")
      try await Self.purge(web, now: Date())
      #expect(try Self.kept(web).count == 1)
      try await Self.purge(web, now: Date().addingTimeInterval(3_700))
      #expect(try await browser.send("\(message)/restore").status == 410)
      #expect(try Self.kept(web).isEmpty)
    }
  }

  @Test("A message that somebody deleted for themselves is there for others, and back from the bin")
  func hidden() async throws {
    try await WebFixture.run(accounts: true) { web in
      var (ann, bob) = (try await web.member("ann"), try await web.member("bob"))
      let path = try #require(try await ann.send("/new", ["people": "bob", "name": ""])["Location"])
      let key = UUID().uuidString
      _ = try await ann.send("\(path)/send", ["key": key, "text": "Hello bob"])
      let message = "\(path)/m/\(Slug.encode(key))"
      _ = try await bob.send("\(message)/delete")
      #expect(try await !bob.get("\(path)?part=1").text.contains("Hello bob"))
      #expect(try await !bob.get("/search?q=hello").text.contains("<mark>"))
      #expect(try await ann.get("\(path)?part=1").text.contains("Hello bob"))
      #expect(try await bob.get("/bin").text.contains("Hello bob"))
      #expect(try await ann.send("\(message)/restore").status == 410)
      #expect(try await bob.send("\(message)/restore").status == 303)
      #expect(try await bob.get("\(path)?part=1").text.contains("Hello bob"))
      _ = try await bob.send("\(message)/delete")
      try await Self.purge(web, now: .distantFuture)
      #expect(try await ann.get("\(path)?part=1").text.contains("Hello bob"))
    }
  }

  @Test("The files of a conversation go with it, and those of old messages with them")
  func files() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      for path in [Self.studio, Slug.encode("sample/john")] {
        let key = UUID().uuidString
        _ = try await browser.upload(
          "/c/\(path)/send", ["key": key, "text": "A note"], files: [("note.txt", Data("hi".utf8))])
        let context = web.context()
        let message = try InboxService(context: context).message(key)
        message.markAsSynced()
        message.attachments[0].markAsUploaded(url: "somewhere")
        try context.save()
      }
      #expect(try Self.kept(web).count == 2)
      _ = try await browser.send("/c/\(Self.studio)/delete")
      #expect(try Self.kept(web).count == 2)
      try await Self.purge(web, now: Date().addingTimeInterval(3_700))
      #expect(try Self.kept(web).count == 1)
      _ = try await browser.send("/settings/clean", ["days": "0"])
      #expect(try Self.kept(web).isEmpty)
    }
  }

  @Test("Only who deleted a message has it back")
  func others() async throws {
    try await WebFixture.run(accounts: true) { web in
      var (ann, bob) = (try await web.member("ann"), try await web.member("bob"))
      let path = try #require(try await ann.send("/new", ["people": "bob", "name": ""])["Location"])
      let key = UUID().uuidString
      _ = try await ann.send("\(path)/send", ["key": key, "text": "Hello bob"])
      let message = "\(path)/m/\(Slug.encode(key))"
      _ = try await ann.send("\(message)/delete-for-all")
      #expect(try await bob.send("\(message)/restore").status == 410)
      #expect(try await ann.send("\(message)/restore").status == 303)
      #expect(try await bob.get(path).text.contains("Hello bob"))
    }
  }

  @Test("A copy of a message has all that the models have")
  func completeness() throws {
    let message = MessageEntity(conversationID: "c", senderID: "me", text: "x")
    (message.lastSyncAttempt, message.nextSyncAttempt, message.editedAt) = (Date(), Date(), Date())
    (message.deletedAt, message.replyToID, message.reactions) = (Date(), "m", ["me": "👍"])
    (message.category, message.categoryConfidence, message.sentiment) = (.fan, 1, .positive)
    (message.sentimentIntensity, message.opportunityScore, message.faqMatchID) = (.high, 1, "a")
    (message.faqConfidence, message.smartReplyDraft, message.supermemoryID, message.syncError) = (1, "a", "b", "c")
    let attachment = AttachmentEntity(type: .image, localURL: "a", fileSize: 1, mimeType: "b", fileName: "c")
    (attachment.remoteURL, attachment.thumbnailURL, attachment.uploadError) = ("a", "b", "c")
    attachment.contents = Data([1])
    message.attachments = [attachment]
    let copy = MessageCopy(message)
    func names(_ value: some Encodable) throws -> Set<String> {
      let json = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(value))
      return Set(try #require(json as? [String: Any]).keys)
    }
    let schema = Schema([MessageEntity.self])
    func stored(_ entity: String) throws -> Set<String> {
      Set(try #require(schema.entitiesByName[entity]).storedProperties.map(\.name))
    }
    #expect(try names(copy) == stored("MessageEntity").subtracting(["conversation"]))
    #expect(try names(copy.attachments[0]) == stored("AttachmentEntity").subtracting(["message"]))
    // And all of it comes back.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let again = copy.message()
    again.attachments = copy.attachments.map { $0.attachment() }
    #expect(try encoder.encode(MessageCopy(again)) == encoder.encode(copy))
  }

  @Test("Compacting deletes what is older than the owner wants to keep, and nothing where they keep all")
  func retention() async throws {
    try await WebFixture.run { web in
      var browser = try await web.owner()
      let context = web.context()
      let old = try InboxService(context: context).message("sample/john/0")
      old.createdAt = Date().addingTimeInterval(-100 * 86_400)
      try context.save()
      let all = try context.fetchCount(FetchDescriptor<MessageEntity>())
      func count() throws -> Int { try web.context().fetchCount(FetchDescriptor<MessageEntity>()) }
      _ = try await browser.send("/settings/compact")
      #expect(try count() == all)
      #expect(try await browser.send("/settings/retention", ["keep": "-3"]).status == 400)
      _ = try await browser.send("/settings/retention", ["keep": "90"])
      #expect(
        try await browser.get("/administration").text.contains(
          "name=\"keep\" type=\"number\" min=\"0\" max=\"36500\" value=\"90\""))
      _ = try await browser.send("/settings/compact")
      #expect(try count() == all - 1)
      _ = try await browser.send("/settings/retention", ["keep": ""])
      #expect(try await browser.get("/administration").text.contains("messages stay for ever"))
    }
  }
}
