import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

@Suite("Live updates in a browser") struct LiveTests {
  private static let studio = Slug.encode("sample/studio")

  @Test("Two browsers hear of each other's messages, in the thread and in the list")
  func twoBrowsers() async throws {
    try await WebFixture.run { web in
      var first = try await web.owner()
      let second = try await web.owner()
      try await second.events(thread: Self.studio) { events in
        _ = try await first.send(
          "/c/\(Self.studio)/send", ["key": UUID().uuidString, "text": "A line\r\nand <b>another</b>"])
        let message = try #require(try await events.next("message"))
        #expect(message.contains("A line\nand &lt;b&gt;another&lt;/b&gt;"))
      }
      try await second.events { events in
        _ = try await first.send("/c/\(Self.studio)/send", ["key": UUID().uuidString, "text": "Once more"])
        #expect(try await events.next("row", containing: "Once more") != nil)
      }
    }
  }

  @Test("What another container saves to the file arrives")
  func otherProgram() async throws {
    try await WebFixture.run { web in
      let browser = try await web.owner()
      try await browser.events(thread: Self.studio) { events in
        // Opened anew, as another program would: it shares nothing but the file.
        let other = try SortedContainer.open(web.folder.appendingPathComponent("inbox.store"))
        let inbox = InboxService(context: ModelContext(other))
        try inbox.send("From elsewhere", to: try inbox.conversation("sample/studio"), from: "maya")
        #expect(try await events.next("message", containing: "From elsewhere") != nil)
      }
    }
  }

  @Test("Edits, deletions, archiving, drafts and deleting a conversation arrive as what they are")
  func kinds() async throws {
    try await WebFixture.run { web in
      var writer = try await web.owner()
      let reader = try await web.owner()
      let key = UUID().uuidString
      try await reader.events(thread: Self.studio) { events in
        _ = try await writer.send("/c/\(Self.studio)/send", ["key": key, "text": "First words"])
        #expect(try await events.next("message", containing: "First words") != nil)
        _ = try await writer.send("/c/\(Self.studio)/m/\(Slug.encode(key))/edit", ["text": "Better words"])
        #expect(try await events.next("message", containing: "Better words") != nil)
        _ = try await writer.send("/c/\(Self.studio)/m/\(Slug.encode(key))/delete")
        #expect(try await events.next("message-gone") == Slug.encode(key))
        _ = try await writer.send("/c/\(Self.studio)/draft", ["text": "Almost"])
        #expect(try await events.next("row", containing: "Draft:") != nil)
        _ = try await writer.send("/c/\(Self.studio)/set", ["archive": "1"])
        #expect(try await events.next("row", containing: "data-kinds=\"archived\"") != nil)
        _ = try await writer.send("/c/\(Self.studio)/delete")
        #expect(try await events.next("gone") == Self.studio)
      }
    }
  }

  @Test("The status changes when messages wait and fail")
  func status() async throws {
    try await WebFixture.run { web in
      let browser = try await web.owner()
      try await browser.events { events in
        let context = web.context()
        let inbox = InboxService(context: context)
        let message = try inbox.send("Hm", to: try inbox.conversation("sample/studio"))
        #expect(try await events.next("status", containing: "1 message waits to be sent") != nil)
        message.markAsFailed(error: "no room")
        try context.save()
        #expect(try await events.next("status", containing: "1 message was not sent") != nil)
      }
    }
  }

  @Test("A watch of a result ends with the server, and its browsers are let go")
  func ending() async throws {
    try await WebFixture.run { web in
      let browser = try await web.owner()
      let hub = LiveHub(
        desk: Desk(inbox: web.inbox, own: web.own), pages: try await Pages(), sync: nil, logger: .init(label: "test"))
      var stream = await hub.subscribe([.status]).makeAsyncIterator()
      #expect(await stream.next() != nil)
      await hub.finish()
      // What was on its way may still come; then it is over.
      var rest = 0
      while await stream.next() != nil { rest += 1 }
      #expect(rest < 10)
      #expect(browser.cookie != nil)
    }
  }

  @Test("An event has each line of its data on a line of its own, whatever ends it")
  func lines() {
    #expect(
      ServerEvent("a", "x\ny\r\nz\u{2028}w\rv").text == "event: a\ndata: x\ndata: y\ndata: z\ndata: w\ndata: v\n\n")
  }
}
