import AsyncHTTPClient
import Foundation
import GRDB
import NIOCore
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

  @Test("An answer arrives with what it answers")
  func answer() async throws {
    try await WebFixture.run { web in
      var writer = try await web.owner()
      let reader = try await web.owner()
      let festival = Slug.encode("sample/festival")
      let first = Slug.encode("sample/festival/0")
      try await reader.events(thread: festival) { events in
        _ = try await writer.send(
          "/c/\(festival)/send", ["key": UUID().uuidString, "text": "To the first", "reply": first])
        let message = try #require(try await events.next("message", containing: "To the first"))
        #expect(message.contains("data-jump=\"\(first)\""))
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
        let context = ModelContext(other)
        let inbox = InboxService(context: context)
        try inbox.send("From elsewhere", to: try inbox.conversation("sample/studio"), from: "maya")
        try context.save()
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
        #expect(try await events.next("message-gone") == "\(Self.studio) \(Slug.encode(key))")
        _ = try await writer.send("/c/\(Self.studio)/draft", ["text": "Almost"])
        #expect(try await events.next("row", containing: "Draft:") != nil)
        _ = try await writer.send("/c/\(Self.studio)/set", ["archive": "1"])
        #expect(try await events.next("row", containing: "data-kinds=\"archived\"") != nil)
        _ = try await writer.send("/c/\(Self.studio)/delete")
        #expect(try await events.next("gone") == Self.studio)
      }
    }
  }

  @Test("Changes far up in a thread reach the page that shows them")
  func farUp() async throws {
    try await WebFixture.run(fill: { context in
      let conversation = ConversationEntity(id: "long", participantIDs: ["me", "x"])
      context.insert(conversation)
      conversation.messages = (0..<150).map { number in
        MessageEntity(
          id: "far/\(number)", conversationID: "long", senderID: "x", text: "number \(number)",
          createdAt: Date(timeIntervalSince1970: Double(number)), status: .read, syncStatus: .synced)
      }
      try context.save()
    }) { web in
      let reader = try await web.owner()
      func slug(_ number: Int) -> String { Slug.encode("far/\(number)") }
      let shown = "\(Slug.encode("long")):5000000:149000000"
      try await reader.events(thread: shown) { events in
        let context = web.context()
        for number in [2, 10] {
          try InboxService(context: context).message("far/\(number)").edit(text: "changed \(number)")
          try context.save()
        }
        // What is further up than the page is not told.
        let event = try #require(try await events.next("message"))
        #expect(event.contains("changed 10"))
        context.delete(try InboxService(context: context).message("far/7"))
        try context.save()
        #expect(try await events.next("message-gone") == "\(Slug.encode("long")) \(slug(7))")
      }
      var browser = reader
      let part = try await browser.get("/c/\(Slug.encode("long"))?from=9000000&to=140000000&part=1")
      #expect(part.text.matches(of: /<li class="msg[^"]*" id="m-/).count == 132)
    }
  }

  @Test("After an error open pages are told to load again what they may have missed")
  func failure() async throws {
    try await WebFixture.run { web in
      let reader = try await web.owner()
      let (table, store) = ("HiddenMessageEntity", web.folder.appendingPathComponent("web.store"))
      // While what people deleted cannot be read, neither a message nor a row can be shown.
      func loseMessage() throws {
        try Self.rename(table, to: "away", in: store)
        let context = web.context()
        let inbox = InboxService(context: context)
        try inbox.send("Not told", to: try inbox.conversation("sample/studio"), from: "maya")
        try context.save()
      }
      try await reader.events(thread: Self.studio) { events in
        try loseMessage()
        #expect(try await events.next("thread-changed") == Self.studio)
        try Self.rename("away", to: table, in: store)
      }
      try await reader.events { events in
        try loseMessage()
        #expect(try await events.next("list-changed") != nil)
        try Self.rename("away", to: table, in: store)
      }
    }
  }

  @Test("What fails again and again has pages load again once, when it works")
  func failures() async throws {
    let (desk, viewer) = (
      Desk(inbox: try SortedContainer.inMemory(), own: try WebSchema.inMemory()), Viewer.owner("me")
    )
    let work = desk.now()
    // The heartbeat ends the streams of sessions that the store does not have.
    work.own.insert(SessionEntity(tokenDigest: "s", userID: "me", isOwner: true, expiresAt: .distantFuture))
    try work.own.save()
    let hub = LiveHub(desk: desk, pages: try await Pages(), sync: nil, logger: .init(label: "test"))
    var stream = try await hub.subscribe([.list(viewer)], viewer, session: "s").makeAsyncIterator()
    #expect(await stream.next().map { String(buffer: $0) }?.contains("event: hello") == true)
    // A part that the list does not have, so that nothing else notes what it does.
    for _ in 0..<3 { await hub.failed(.list(viewer), 99) }
    await hub.isWatching(.list(viewer), 99)
    await hub.finish()
    var heard = ""
    while let buffer = await stream.next() { heard += String(buffer: buffer) }
    #expect(heard.ranges(of: "event: list-changed").count == 1)
  }

  /// Renames a table of a store that a server uses.
  private static func rename(_ table: String, to name: String, in store: URL) throws {
    var options = Configuration()
    options.busyMode = .timeout(60)
    let queue = try DatabaseQueue(path: store.path, configuration: options)
    try queue.write { try $0.execute(sql: "ALTER TABLE \"\(table)\" RENAME TO \"\(name)\"") }
  }

  @Test("Ranges of one conversation are one stretch, and a range that ends before it begins is none")
  func ranges() async throws {
    try await WebFixture.run(fill: { context in
      let conversation = ConversationEntity(id: "long", participantIDs: ["me", "x"])
      context.insert(conversation)
      conversation.messages = (0..<150).map { number in
        MessageEntity(
          id: "far/\(number)", conversationID: "long", senderID: "x", text: "number \(number)",
          createdAt: Date(timeIntervalSince1970: Double(number)), status: .read, syncStatus: .synced)
      }
      try context.save()
    }) { web in
      let (reader, slug, hub) = (try await web.owner(), Slug.encode("long"), web.server.site.hub)
      func stretches() async -> [LiveHub.Topic] { await hub.followedTopics.filter(\.isStretch) }
      try await reader.events(thread: "\(slug):9000000:5") { _ in }
      while await !stretches().isEmpty { await Task.yield() }
      let ranges = ["5000000:9000000", "20000000:30000000", "", "2000000:8000000"].map { "\(slug):\($0)" }
      try await reader.events(thread: ranges.joined(separator: ",")) { events in
        #expect(await stretches().count == 1)
        let context = web.context()
        try InboxService(context: context).message("far/2").edit(text: "changed")
        try context.save()
        #expect(try await events.next("message", containing: "changed") != nil)
      }
    }
  }

  /// A hub over a store with one conversation and with a session for each name, because the heartbeat ends the streams of sessions that
  /// the store does not have. A stretch ends for a person who may not read its conversation.
  private func makeHub(sessions: [String], people: [Viewer] = []) async throws -> LiveHub {
    let desk = Desk(inbox: try SortedContainer.inMemory(), own: try WebSchema.inMemory())
    let work = desk.now()
    work.inbox.insert(ConversationEntity(id: "c", participantIDs: ["me", "x"] + people.map(\.userID)))
    for name in sessions {
      work.own.insert(SessionEntity(tokenDigest: name, userID: "me", isOwner: true, expiresAt: .distantFuture))
    }
    try work.inbox.save()
    try work.own.save()
    return LiveHub(desk: desk, pages: try await Pages(), sync: nil, logger: .init(label: "test"))
  }

  private func stretch(_ viewer: Viewer, _ number: Int) -> LiveHub.Topic {
    let time = Date(timeIntervalSince1970: Double(number))
    return .stretch(viewer, "c", time...time)
  }

  @Test(
    "A person's browsers watch so many stretches of older messages; one more ends the oldest, and one that leaves makes room",
    .timeLimit(.minutes(20)))
  func stretches() async throws {
    let (most, me) = (LiveHub.maximumStretchesEach, Viewer.owner("me"))
    let hub = try await makeHub(sessions: (0...most + 1).map { "s\($0)" })
    let left = HTTPClient.defaultEventLoopGroup.any().makePromise(of: Void.self)
    var streams: [AsyncStream<ByteBuffer>] = []
    for number in 0..<most {
      let closed = number == 1 ? left.futureResult : nil
      streams.append(try await hub.subscribe([stretch(me, number)], me, session: "s\(number)", until: closed))
    }
    // Another browser of the same stretch needs no room.
    streams.append(try await hub.subscribe([stretch(me, 2)], me, session: "s\(most)"))
    #expect(await hub.listenerCount(stretch(me, 0)) == 1)
    streams.append(try await hub.subscribe([stretch(me, most)], me, session: "s\(most)"))
    #expect(await hub.listenerCount(stretch(me, 0)) == 0)
    for await _ in streams[0] {}
    left.succeed()
    while await hub.listenerCount(stretch(me, 1)) > 0 { await Task.yield() }
    streams.append(try await hub.subscribe([stretch(me, most + 1)], me, session: "s\(most + 1)"))
    #expect(await hub.listenerCount(stretch(me, 2)) == 2)
    await hub.finish()
  }

  @Test(
    "Six people who watch all that they may leave room for others, and cannot take it back", .timeLimit(.minutes(20)))
  func fairStretches() async throws {
    let (most, crowd) = (LiveHub.maximumStretchesEach, (0..<6).map { Viewer.member("crowd\($0)") })
    var sessions = (0..<6).flatMap { person in (0..<most).map { "s\(person)-\($0)" } }
    sessions += (0..<40).map { "other\($0)" }
    let others = (0..<40).map { Viewer.member("other\($0)") }
    let hub = try await makeHub(sessions: sessions, people: crowd + others)
    var streams: [AsyncStream<ByteBuffer>] = []
    func counts() async -> [String: Int] {
      await hub.followedTopics.reduce(into: [:]) { counts, topic in
        if case .stretch(let viewer, _, _) = topic { counts[viewer.userID, default: 0] += 1 }
      }
    }
    /// Opens a stream, which may be refused.
    func open(_ viewer: Viewer, _ number: Int, _ session: String) async throws -> Bool {
      do {
        streams.append(try await hub.subscribe([stretch(viewer, number)], viewer, session: session))
        return true
      } catch let error as PageError where error == .tooMany {
        return false
      }
    }
    for number in 0..<most {
      for (person, viewer) in crowd.enumerated() { _ = try await open(viewer, number, "s\(person)-\(number)") }
    }
    #expect(await counts().values.reduce(0, +) == LiveHub.maximumStretches)
    // The others come one by one, and the crowd asks again for what it lost.
    for number in 0..<40 {
      #expect(try await open(others[number], 0, "other\(number)"))
      for (person, viewer) in crowd.enumerated() { _ = try await open(viewer, number, "s\(person)-\(number)") }
    }
    let after = await counts()
    #expect((0..<40).allSatisfy { after["other\($0)"] == 1 })
    #expect(after.values.reduce(0, +) <= LiveHub.maximumStretches)
    // The crowd shares what is left.
    let shares = crowd.map { after[$0.userID] ?? 0 }
    #expect(shares.allSatisfy { $0 >= (LiveHub.maximumStretches - 40) / 6 - 1 }, "\(shares)")
    await hub.finish()
  }

  @Test("A piece of work makes only the contexts that it asks for, and saves them")
  func contexts() throws {
    let desk = Desk(inbox: try SortedContainer.inMemory(), own: try WebSchema.inMemory())
    let work = desk.now()
    #expect(try work.inbox.fetch(Access(work: work, viewer: .owner("me")).everything).isEmpty)
    #expect(work.inbox === work.inbox && work.contexts.madeOwn == nil)
    try desk.now().saving { work in
      work.own.insert(PlaceEntity(userID: "me", conversationID: "c"))
      #expect(work.contexts.madeInbox == nil)
    }
    #expect(try desk.now().own.fetchCount(FetchDescriptor<PlaceEntity>()) == 1)
  }

  @Test("The status changes when messages wait and fail")
  func status() async throws {
    try await WebFixture.run { web in
      let browser = try await web.owner()
      try await browser.events { events in
        let context = web.context()
        let inbox = InboxService(context: context)
        // Another program syncs the store; what waits is this viewer's own.
        context.insert(SyncStateEntity(userID: "me"))
        let message = try inbox.send("Hm", to: try inbox.conversation("sample/studio"))
        try inbox.send("From someone else", to: try inbox.conversation("sample/studio"), from: "maya")
        try context.save()
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
      var stream = try await hub.subscribe([.status(.owner("me"))], .owner("me"), session: "s").makeAsyncIterator()
      #expect(await stream.next() != nil)
      await hub.finish()
      // What was on its way may still come; then it is over.
      var rest = 0
      while await stream.next() != nil { rest += 1 }
      #expect(rest < 10)
      #expect(browser.cookie != nil)
    }
  }

  @Test(
    "A browser that comes later hears how the sync stands, though nothing changes any more", .timeLimit(.minutes(20)))
  func laterStatus() async throws {
    try await WebFixture.run { web in
      let hub = LiveHub(
        desk: Desk(inbox: web.inbox, own: web.own), pages: try await Pages(), sync: nil, logger: .init(label: "test"))
      for _ in 0..<2 {
        var heard = ""
        for await buffer in try await hub.subscribe([.status(.owner("me"))], .owner("me"), session: "s") {
          heard += String(buffer: buffer)
          if heard.contains("event: hello"), heard.contains("event: status") { break }
        }
        #expect(heard.contains("Stored on this computer"))
      }
      await hub.finish()
    }
  }

  @Test("An event has each line of its data on a line of its own, whatever ends it")
  func lines() {
    #expect(
      ServerEvent("a", "x\ny\r\nz\u{2028}w\rv").text == "event: a\ndata: x\ndata: y\ndata: z\ndata: w\ndata: v\n\n")
  }

  @Test("A session that opens streams of events without end is refused, as one that changes without end is")
  func limit() async throws {
    try await WebFixture.run(burst: 4) { web in
      var owner = try await web.owner()
      web.server.site.streams.stopClock()
      for _ in 0..<4 { try await owner.events { _ in } }
      #expect(try await owner.get("/events").status == 429)
      // Another browser is not slowed down by it.
      try await web.owner().events { _ in }
    }
  }

  @Test("HEAD is answered as GET is, without a body; it uses no address up that signs in")
  func head() async throws {
    try await WebFixture.run { web in
      var browser = Browser(base: web.base)
      let token = "/?token=\(web.server.makeToken())"
      #expect(try await browser.request("HEAD", token, [:], nil).status == 404)
      #expect(try await browser.get(token).status == 303)
      let answer = try await browser.request("HEAD", "/settings", [:], nil)
      #expect(answer.status == 200 && answer.body.isEmpty)
      #expect(answer["Content-Type"] == "text/html; charset=utf-8")
      #expect(try await browser.request("HEAD", "/nothing", [:], nil).status == 404)
      #expect(try await browser.request("HEAD", "/events", [:], nil).status == 404)
    }
  }
}
