import Foundation
import Sorted
import SwiftData
import Testing

@testable import SortedWeb

/// What a person deleted, archived, muted, pinned, blocked or was judged as spam, against everything that shows conversations and
/// messages.
@Suite("What shows what", .timeLimit(.minutes(20))) struct StandingTests {
  /// What shows a conversation or its messages to a person.
  enum Reader: String, CaseIterable {
    case list, unread, archived, pinned, spam, palette, title, preview, thread, search, waiting, file
  }

  /// What happens to a talk of ann, with what still shows it or its first message.
  private struct Case: Sendable {
    let name: String
    let act: @Sendable (inout Browser, _ talk: String, _ message: String, StandingTests.World) async throws -> Void
    let readers: Set<Reader>
  }

  struct World: Sendable {
    let web: WebFixture

    /// The other one writes.
    func write(_ text: String, in id: String, file: Bool = false) throws {
      let context = web.context()
      let inbox = InboxService(context: context)
      let conversation = try inbox.conversation(id)
      var files: [AttachmentEntity] = []
      if file {
        let stored = try web.server.site.files.store([Form.File(name: "\(id).png", bytes: RouteWorld.picture)])
        files = stored.map(\.attachment)
      }
      try inbox.send(text, to: conversation, from: "bob-\(id)", id: "\(text) \(id)", attachments: files)
      try context.save()
    }
  }

  private static let shown: Set<Reader> = [
    .list, .unread, .palette, .title, .preview, .thread, .search, .waiting, .file,
  ]

  private static let cases: [Case] = [
    Case(name: "plain", act: { _, _, _, _ in }, readers: shown),
    Case(
      name: "pinned", act: { ann, talk, _, _ in _ = try await ann.send("/c/\(Slug.encode(talk))/set", ["pin": "1"]) },
      readers: shown.union([.pinned])),
    Case(
      name: "muted", act: { ann, talk, _, _ in _ = try await ann.send("/c/\(Slug.encode(talk))/set", ["mute": "1"]) },
      readers: shown.subtracting([.title])),
    Case(
      name: "archived",
      act: { ann, talk, _, _ in _ = try await ann.send("/c/\(Slug.encode(talk))/set", ["archive": "1"]) },
      readers: [.archived, .palette, .preview, .thread, .search, .file]),
    Case(
      name: "archived-then-news",
      act: { ann, talk, _, world in
        _ = try await ann.send("/c/\(Slug.encode(talk))/set", ["archive": "1"])
        try world.write("later", in: talk)
      }, readers: [.list, .unread, .palette, .title, .thread, .search, .file]),
    Case(
      name: "archived-muted-then-news",
      act: { ann, talk, _, world in
        for field in ["archive", "mute"] { _ = try await ann.send("/c/\(Slug.encode(talk))/set", [field: "1"]) }
        try world.write("later", in: talk)
      }, readers: [.archived, .palette, .thread, .search, .file]),
    Case(
      name: "message-deleted",
      act: { ann, talk, message, _ in
        let path = "/c/\(Slug.encode(talk))/m/\(Slug.encode(message))/delete"
        _ = try await ann.send(path)
        // An answer may be lost, so it is asked for again.
        #expect(try await ann.send(path).status == 303)
      }, readers: [.list, .palette, .title]),
    Case(
      name: "deleted", act: { ann, talk, _, _ in _ = try await ann.send("/c/\(Slug.encode(talk))/delete") }, readers: []
    ),
    Case(
      name: "deleted-then-news",
      act: { ann, talk, _, world in
        _ = try await ann.send("/c/\(Slug.encode(talk))/delete")
        try world.write("later", in: talk)
      }, readers: [.list, .unread, .palette, .title]),
    Case(
      name: "blocked",
      act: { ann, talk, _, _ in
        _ = try await ann.send("/people/\(Slug.encode("bob-\(talk)"))/block", ["blocked": "1"])
      }, readers: shown),
    Case(
      name: "spam",
      act: { _, _, message, world in try mark(message, 0.98, world) },
      readers: [.spam, .palette, .preview, .thread, .search, .file]),
    Case(
      name: "perhaps-spam", act: { _, _, message, world in try mark(message, 0.95, world) },
      readers: shown.subtracting([.waiting])),
    Case(
      name: "spam-answered",
      act: { ann, talk, message, world in
        _ = try await ann.send("/c/\(Slug.encode(talk))/send", ["key": UUID().uuidString, "text": "and you?"])
        try world.write("later", in: talk)
        try mark("later \(talk)", 0.99, world)
      }, readers: [.list, .unread, .palette, .title, .thread, .search, .file]),
    Case(
      name: "spam-accepted",
      act: { ann, talk, message, world in
        try mark(message, 0.98, world)
        _ = try await ann.send("/c/\(Slug.encode(talk))/set", ["accept": "1"])
      }, readers: shown.subtracting([.waiting])),
    Case(
      name: "spam-pinned",
      act: { ann, talk, message, world in
        try mark(message, 0.98, world)
        _ = try await ann.send("/c/\(Slug.encode(talk))/set", ["pin": "1"])
      }, readers: shown.subtracting([.waiting]).union([.pinned])),
  ]

  private static func mark(_ message: String, _ confidence: Double, _ world: World) throws {
    let context = world.web.context()
    let found = try InboxService(context: context).message(message)
    found.category = .spam
    found.categoryConfidence = confidence
    try context.save()
  }

  @Test("Each state of a conversation and a message, and everything that shows them")
  func table() async throws {
    try await WebFixture.run(accounts: true, fill: { _ in }) { web in
      let world = World(web: web)
      var ann = try await web.member("ann")
      for state in Self.cases {
        let context = web.context()
        context.insert(ConversationEntity(id: state.name, participantIDs: ["ann", "bob-\(state.name)"]))
        try context.save()
        try world.write("zebra?", in: state.name, file: true)
        try await state.act(&ann, state.name, "zebra? \(state.name)", world)
      }
      // What is spam for others counts for them.
      let others = web.context()
      others.insert(ConversationEntity(id: "others", participantIDs: ["carl", "bob-others"]))
      try others.save()
      try world.write("zebra?", in: "others")
      try Self.mark("zebra? others", 0.99, world)
      var found: [String: Set<Reader>] = [:]
      func note(_ reader: Reader, _ page: String, _ sign: (String) -> String) {
        for state in Self.cases where page.contains(sign(state.name)) { found[state.name, default: []].insert(reader) }
      }
      let row: (String) -> String = { "id=\"c-\(Slug.encode($0))\"" }
      for (reader, path) in [
        (Reader.list, "/"), (.unread, "/?filter=unread"), (.archived, "/?filter=archived"),
        (.pinned, "/?filter=pinned"),
        (.spam, "/?category=spam"),
      ] { note(reader, try await ann.get(path).text, row) }
      let rows = try await ann.get("/").text + ann.get("/?filter=archived").text + ann.get("/?category=spam").text
      for match in rows.matches(
        of: /<li class="row[^"]*" id="c-([^"]*)"([^>]*)>.*?<span class="preview-text" dir="auto">([^<]*)/
          .dotMatchesNewlines())
      {
        let name = try Slug.decode(String(match.1))
        if match.3.contains("zebra?") { found[name, default: []].insert(.preview) }
        if !match.2.contains("data-silent") { found[name, default: []].insert(.title) }
      }
      note(.waiting, try await ann.get("/?filter=waiting").text, row)
      note(.search, try await ann.get("/search?q=zebra").text) { "/c/\(Slug.encode($0))?at" }
      for state in Self.cases {
        let slug = Slug.encode(state.name)
        if try await ann.get("/c/\(slug)?part=pane").text.contains(">zebra?<") {
          found[state.name, default: []].insert(.thread)
        }
        if try await ann.get("/find?q=bob-\(state.name)").text.contains("\"\\/c\\/\(slug)\"") {
          found[state.name, default: []].insert(.palette)
        }
        let files = try web.context().fetch(FetchDescriptor<AttachmentEntity>())
        let file = try #require(files.first { $0.fileName == "\(state.name).png" })
        if try await ann.get("/files/\(Slug.encode(file.id))").status == 200 {
          found[state.name, default: []].insert(.file)
        }
      }
      for state in Self.cases {
        let (seen, expected) = (found[state.name] ?? [], state.readers)
        #expect(
          seen == expected, "\(state.name): \(Reader.allCases.filter { seen.contains($0) != expected.contains($0) })")
      }
      // The number on the tab is that of the list.
      #expect(try await ann.get("/").text.contains("Spam<span class=\"tab-count\"> 1</span>"))
      #expect(try await ann.get("/").text.contains(">1 conversation is set aside as spam</a>"))
    }
  }

  @Test("What was deleted of a conversation comes back from the bin, and not with a new message or a new beginning")
  func bin() async throws {
    try await WebFixture.run(accounts: true, fill: { _ in }) { web in
      var (ann, bob) = (try await web.member("ann"), try await web.member("bob"))
      let path = try #require(try await bob.send("/new", ["people": "ann", "name": ""])["Location"])
      _ = try await bob.send("\(path)/send", ["key": UUID().uuidString, "text": "zebra"])
      _ = try await ann.send("\(path)/delete")
      #expect(try await ann.send("/new", ["people": "bob", "name": ""])["Location"] == path)
      #expect(try await ann.get("/").text.contains("id=\"c-"))
      #expect(try await !ann.get(path).text.contains("zebra"))
      #expect(try await bob.get(path).text.contains(">zebra<"))
      _ = try await bob.send("\(path)/send", ["key": UUID().uuidString, "text": "giraffe"])
      #expect(try await ann.get("/").text.contains("unread messages: </span>1<"))
      let bin = try await ann.get("/bin").text
      #expect(bin.contains("\(path)/restore"))
      _ = try await ann.send("\(path)/restore")
      #expect(try await ann.get(path).text.contains(">zebra<"))
    }
  }

  @Test("A conversation without a message is read, also if another person began it")
  func empty() async throws {
    try await WebFixture.run(accounts: true, fill: { _ in }) { web in
      var (ann, bob) = (try await web.member("ann"), try await web.member("bob"))
      let path = try #require(try await ann.send("/new", ["people": "bob", "name": ""])["Location"])
      func sees() async throws -> [Bool] {
        let row = "id=\"c-\(path.dropFirst(3))\""
        let (all, unread) = (try await bob.get("/").text, try await bob.get("/?filter=unread").text)
        return [all.contains(row), all.contains("Unread<span class=\"tab-count\"> 1</span>"), unread.contains(row)]
      }
      #expect(try await sees() == [true, false, false])
      _ = try await ann.send("\(path)/send", ["key": UUID().uuidString, "text": "hello"])
      #expect(try await sees() == [true, true, true])
    }
  }

  @Test("Neither of two people of whom one blocked the other hears anything new in their talk")
  func blocked() async throws {
    try await WebFixture.run(accounts: true, fill: { _ in }) { web in
      var (ann, bob) = (try await web.member("ann"), try await web.member("bob"))
      let path = try #require(try await ann.send("/new", ["people": "bob", "name": ""])["Location"])
      let key = UUID().uuidString
      _ = try await ann.send("\(path)/send", ["key": key, "text": "hello"])
      let one = "\(path)/m/\(Slug.encode(key))"
      func calls(_ browser: inout Browser) async throws -> [Int] {
        var answers: [Int] = []
        for (form, fields) in [("\(one)/react", ["emoji": "😡"]), ("\(one)/pin", ["pinned": "1"])] {
          answers.append(try await browser.send(form, fields).status)
        }
        return answers
      }
      let thread = String(path.dropFirst(3))
      try await ann.events(thread: thread) { [ann, bob] events in
        var (ann, bob) = (ann, bob)
        _ = try await bob.send("\(path)/typing")
        #expect(try await events.next("typing", containing: "bob") != nil)
        try await bob.events(thread: thread) { [bob] others in
          var bob = bob
          #expect(try await others.next("presence", containing: Slug.encode("ann")) != nil)
          #expect(try await events.next("presence", containing: Slug.encode("bob")) != nil)
          _ = try await ann.send("/people/\(Slug.encode("bob"))/block", ["blocked": "1"])
          #expect(try await events.next("presence")?.contains("\"people\":\"\"") == true)
          #expect(try await others.next("presence")?.contains("\"people\":\"\"") == true)
          _ = try await bob.send("\(path)/typing")
          #expect(try await calls(&bob) == [403, 403])
          #expect(try await calls(&ann) == [403, 403])
          // The next thing that ann hears of is after it was taken back.
          _ = try await ann.send("/people/\(Slug.encode("bob"))/block")
          _ = try await bob.send("\(one)/react", ["emoji": "👍"])
          let next = try #require(try await events.next("message"))
          #expect(next.contains("👍") && !next.contains("😡"))
        }
      }
    }
  }
}
