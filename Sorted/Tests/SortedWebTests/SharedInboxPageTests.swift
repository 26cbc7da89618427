import Foundation
import Sorted
import SortedSync
import SwiftData
import SyncServer
import Testing

@testable import SortedWeb

@Suite("The pages of a shared inbox") struct SharedInboxPageTests {
  private static let talk = Slug.encode("talk")
  private static let png = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")!

  /// Runs a sync server with the inboxes of Ann and Bob, who have a conversation.
  private static func run(_ body: (_ ann: SharedInbox, _ bob: SharedInbox) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shared-web-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let keys = try await TokenKeys([("test", "0123456789abcdef0123456789abcdef")])
    let service = try SyncService(store: folder.appendingPathComponent("server.store").path, keys: keys)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    // It serves until the process ends: NIO traps where an inbox connects at the moment that its server is cancelled.
    Task {
      defer { continuation.finish() }
      try await service.run(port: 0, signals: false) { continuation.yield($0) }
    }
    let port = try #require(await ports.first { _ in true })
    func open(_ name: String) async throws -> SharedInbox {
      let token = try await keys.token(for: name, seconds: 600)
      return try SharedInbox.open(
        folder.appendingPathComponent("\(name).store"), server: URL(string: "http://127.0.0.1:\(port)")!
      ) { token }
    }
    let (ann, bob) = (try await open("ann"), try await open("bob"))
    let context = ModelContext(ann.container)
    let inbox = InboxService(context: context)
    try inbox.send("Hello", to: try inbox.begin("talk", with: ["bob"]))
    try context.save()
    for person in [ann, bob] { _ = try await SharedInboxSession(person).run() }
    try await body(ann, bob)
    for person in [ann, bob] { await person.close() }
  }

  @Test("A message, its edit and its receipt come to the open pages of both people")
  func live() async throws {
    try await Self.run { ann, bob in
      try await WebFixture.run(fill: { _ in }, shared: ann) { annsWeb in
        try await WebFixture.run(fill: { _ in }, shared: bob) { bobsWeb in
          var writer = try await annsWeb.owner()
          let reader = try await bobsWeb.owner()
          try await reader.events(thread: Self.talk) { events in
            let key = UUID().uuidString
            _ = try await writer.send("/c/\(Self.talk)/send", ["key": key, "text": "Over the server"])
            #expect(try await events.next("message", containing: "Over the server") != nil)
            let edit = try await writer.send("/c/\(Self.talk)/m/\(Slug.encode(key))/edit", ["text": "Edited there"])
            #expect(edit.status == 303)
            #expect(try await events.next("message", containing: "Edited there") != nil)
          }
          let sender = try await annsWeb.owner()
          try await sender.events { events in
            var browser = reader
            _ = try await browser.send("/c/\(Self.talk)/send", ["key": UUID().uuidString, "text": "And back"])
            #expect(try await events.next("row", containing: "And back") != nil)
          }
        }
      }
    }
  }

  @Test("A picture that one person attaches is served by the other person's pages")
  func picture() async throws {
    try await Self.run { ann, bob in
      try await WebFixture.run(fill: { _ in }, shared: ann) { annsWeb in
        try await WebFixture.run(fill: { _ in }, shared: bob) { bobsWeb in
          var writer = try await annsWeb.owner()
          var reader = try await bobsWeb.owner()
          try await reader.events(thread: Self.talk) { events in
            let sent = try await writer.upload(
              "/c/\(Self.talk)/send", ["key": UUID().uuidString, "text": ""], files: [("dot.png", Self.png)])
            #expect(sent.status == 303, "\(sent.text)")
            #expect(try await events.next("message", containing: "dot.png") != nil)
          }
          let files = try bobsWeb.context().fetch(FetchDescriptor<AttachmentEntity>())
          let answer = try await reader.get("/files/\(Slug.encode(try #require(files.first).id))")
          #expect(answer.status == 200 && answer.body == Self.png && answer["Content-Type"] == "image/png")
        }
      }
    }
  }

  @Test("Who began a group leaves it by the pages: it goes to the archive and stays there, and nothing can be written")
  func leaving() async throws {
    try await Self.run { ann, bob in
      let group = Slug.encode("group")
      let context = ModelContext(ann.container)
      let inbox = InboxService(context: context)
      try inbox.send("Hello all", to: try inbox.begin("group", with: ["bob", "eve"], name: "Three of us"))
      try context.save()
      for person in [ann, bob] { _ = try await SharedInboxSession(person).run() }
      try await WebFixture.run(fill: { _ in }, shared: ann) { annsWeb in
        try await WebFixture.run(fill: { _ in }, shared: bob) { bobsWeb in
          var browser = try await annsWeb.owner()
          let other = try await bobsWeb.owner()
          try await browser.events(thread: group) { [browser, other] events in
            var (browser, other) = (browser, other)
            #expect(try await browser.send("/c/\(group)/leave").status == 303)
            _ = try await other.send("/c/\(group)/send", ["key": UUID().uuidString, "text": "Ann is gone"])
            #expect(try await events.next("message", containing: "Ann is gone") != nil)
          }
          #expect(try await !browser.get("/").text.contains("Three of us"))
          #expect(try await browser.get("/?filter=archived").text.contains("Three of us"))
          let left = try #require(
            try annsWeb.context().fetch(FetchDescriptor<ConversationEntity>(predicate: #Predicate { $0.id == "group" }))
              .first)
          #expect(left.isArchived && left.unreadCount == 0 && left.participantIDs == ["bob", "eve"])
          let answer = try await browser.send("/c/\(group)/send", ["key": UUID().uuidString, "text": "Still here"])
          #expect(answer.status == 400 && answer.text.contains("Who left a conversation cannot write there."))
          let page = try await browser.get("/c/\(group)").text
          #expect(page.contains("You left this conversation.") && !page.contains("id=\"composer\""))
          let message = Slug.encode(try #require(left.messages.first).id)
          for (path, form) in [("react", ["emoji": "👍"]), ("pin", ["pinned": "true"])] {
            let answer = try await browser.send("/c/\(group)/m/\(message)/\(path)", form)
            #expect(
              answer.status == 400 && answer.text.contains("Who left a conversation cannot write there."), "\(path)")
          }
          #expect(left.messages.allSatisfy(\.reactions.isEmpty) && left.pinnedMessageIDs.isEmpty)
        }
      }
    }
  }
}
