import Foundation
import Sorted
import Testing

@Suite("Plain text for a terminal") struct TextRenderingTests {
  private let rendering = TextRendering(width: 80)

  private func conversation(
    _ id: String, name: String? = nil, text: String? = "Hello", unread: Int = 0,
    at time: String? = "2026-01-31T09:30:00Z"
  ) throws -> ConversationSummary {
    let entity = ConversationEntity(id: id, participantIDs: ["ann", "bob"], displayName: name)
    entity.lastMessageText = text
    entity.lastMessageAt = try time.map { try Date($0) }
    entity.unreadCount = unread
    return ConversationSummary(entity)
  }

  private func message(_ text: String, sender: String = "ann", status: SyncStatus = .synced) throws -> MessageSummary {
    MessageSummary(
      MessageEntity(
        id: "m", conversationID: "c", senderID: sender, text: text, createdAt: try Date("2026-01-31T09:30:00Z"),
        syncStatus: status))
  }

  private func page(_ messages: [MessageSummary]) throws -> String {
    let entity = ConversationEntity(id: "c", participantIDs: [], displayName: "Team")
    let conversation = ConversationSummary(entity)
    return rendering.page(PageSummary(conversation: conversation, page: 1, pages: 2, total: 25, messages: messages))
  }

  @Test("The list has aligned columns: marks, unread, day, id, name, text")
  func list() throws {
    var first = try conversation("c1", name: "Team", unread: 12)
    first.isPinned = true
    first.isMuted = true
    var second = try conversation("long-id", text: nil, at: nil)
    second.isArchived = true
    #expect(
      rendering.list([first, second]) == """
        *m   12 2026-01-31 c1      Team      Hello
          a                long-id ann, bob
        """)
    #expect(rendering.list([]) == "No conversations.")
  }

  @Test(
    "No line is wider than the terminal, whatever the text",
    arguments: [
      String(repeating: "word ", count: 60), String(repeating: "x", count: 300), String(repeating: "日本", count: 100),
      String(repeating: "👩‍👩‍👧‍👦", count: 100), String(repeating: "e\u{301}", count: 200),
    ])
  func width(text: String) throws {
    let list = rendering.list([try conversation("c1", name: text, text: text)])
    let page = try page([message(text, sender: "ann")])
    // Wide characters are counted here by their own rule: two columns for each of these scripts.
    func columns(_ line: Substring) -> Int {
      line.reduce(0) { $0 + ($1.unicodeScalars.contains { $0.value >= 0x2E80 } ? 2 : 1) }
    }
    for line in (list + "\n" + page).split(separator: "\n") { #expect(columns(line) <= 80, "\(line)") }
    #expect(list.contains("…"))
    // Nothing of a message is lost on its page.
    let shown = page.split(separator: "\n").dropFirst(2).joined().filter { $0 != " " }
    #expect(shown == text.filter { $0 != " " })
  }

  @Test("A page names the conversation and has time, sender, state and text of each message")
  func pageText() throws {
    #expect(
      try page([message("Hello"), message("two\nlines", sender: "me", status: .pending), message("", status: .failed)])
        == """
        Team  (page 1 of 2, 25 messages)
        2026-01-31 09:30  ann
            Hello
        2026-01-31 09:30  me  (sending)
            two
            lines
        2026-01-31 09:30  ann  (not sent)

        """)
    #expect(try page([]) == "Team  (page 1 of 2, 25 messages)\nNo messages.")
  }

  @Test("Nothing in the store acts on the terminal")
  func controls() throws {
    let nasty = "a\u{1B}[31m\r\u{07}\u{9B}b"
    let all =
      try page([message(nasty, sender: nasty)]) + rendering.list([conversation(nasty, name: nasty, text: nasty)])
      + rendering.found(SearchSummary(total: 1, hasMore: false, messages: [message(nasty)]))
    #expect(all.unicodeScalars.allSatisfy { $0 == "\n" || ($0.properties.generalCategory != .control) })
    #expect(all.contains("a␛[31m␍␇\u{FFFD}b"))
  }

  @Test("A search says how many more there are")
  func found() throws {
    #expect(rendering.found(SearchSummary(total: 0, hasMore: false, messages: [])) == "Nothing found.")
    let last = try message("Hello\nyou")
    for (total, number) in [(3, "The newest 1 of 3"), (nil, "There are more")] {
      #expect(
        rendering.found(SearchSummary(total: total, hasMore: true, messages: [last])) == """
          2026-01-31 09:30  c  ann: Hello you
          \(number); --after \(last.id) shows older ones.
          """)
    }
  }

  @Test("A table is aligned")
  func table() {
    #expect(rendering.table([("a", "1"), ("long", "200")]) == "a       1\nlong  200")
  }
}
