import Foundation
import Sorted
import SwiftData
import SwiftDataTesting
import Testing

@Suite("The inbox") struct InboxServiceTests {
  private let context: ModelContext
  private let inbox: InboxService

  init() throws {
    context = ModelContext(try SortedContainer.inMemory())
    inbox = InboxService(context: context)
  }

  @discardableResult
  private func add(_ id: String, at seconds: Double, name: String? = nil, texts: [String] = []) throws
    -> ConversationEntity
  {
    let conversation = ConversationEntity(id: id, participantIDs: ["a"], displayName: name)
    conversation.lastMessageAt = Date(timeIntervalSince1970: seconds)
    context.insert(conversation)
    for (index, text) in texts.enumerated() {
      conversation.messages.append(
        MessageEntity(
          id: "\(id)/\(index)", conversationID: id, senderID: "a", text: text,
          createdAt: Date(timeIntervalSince1970: seconds + Double(index)), syncStatus: .synced))
    }
    try context.save()
    return conversation
  }

  @Test("Pinned conversations lead the list, then the latest; archived ones are listed apart")
  func list() throws {
    try add("a", at: 1).isPinned = true
    try add("b", at: 2)
    try add("c", at: 3).unreadCount = 1
    try add("d", at: 4).isArchived = true
    try context.save()
    #expect(try inbox.conversations().map(\.id) == ["a", "c", "b"])
    #expect(try inbox.conversations(.unread).map(\.id) == ["c"])
    #expect(try inbox.conversations(.pinned).map(\.id) == ["a"])
    #expect(try inbox.conversations(.archived).map(\.id) == ["d"])
  }

  @Test("A conversation is found by its id, by the beginning of it, or by its name")
  func find() throws {
    try add("irc/2008-04-27", at: 1, name: "Day")
    try add("irc/2008-04-27/thread-1", at: 1, name: "Thread")
    try add("other", at: 1, name: "Same")
    try add("another", at: 1, name: "Same")
    #expect(try inbox.conversation("irc/2008-04-27").displayName == "Day")
    #expect(try inbox.conversation("irc/2008-04-27/").displayName == "Thread")
    #expect(try inbox.conversation("Thread").id == "irc/2008-04-27/thread-1")
    for (id, message) in [
      ("irc", "2 conversations begin with \"irc\"; give more of the id"),
      ("Same", "2 conversations have the name \"Same\"; give an id"),
      ("x", "there is no conversation \"x\"; `sorted list` shows their ids"),
      ("", "there is no conversation \"\"; `sorted list` shows their ids"),
      ("%", "there is no conversation \"%\"; `sorted list` shows their ids"),
    ] {
      #expect(throws: DataLayerError.invalidData(message)) { try inbox.conversation(id) }
    }
  }

  @Test("A page has twenty messages, the newest last, and page 1 is the newest")
  func pages() throws {
    let conversation = try add("a", at: 0, texts: (0..<45).map(String.init))
    try add("b", at: 0, texts: ["another's"])
    let first = try inbox.page(1, of: conversation)
    #expect(first.messages.map(\.text) == (25..<45).map(String.init))
    #expect(first.count == 3)
    #expect(first.total == 45)
    #expect(try inbox.page(3, of: conversation).messages.map(\.text) == (0..<5).map(String.init))
    for number in [0, 4, -1, .max, .min] {
      #expect(throws: DataLayerError.invalidData("there is no page \(number); the conversation has 3")) {
        try inbox.page(number, of: conversation)
      }
    }
    let empty = try inbox.page(1, of: try add("c", at: 0))
    #expect(empty.messages.isEmpty)
    #expect(empty.count == 1)
  }

  @Test("A page costs a count and a fetch, however long the conversation")
  func statements() throws {
    let conversation = try add("a", at: 0, texts: (0..<200).map(String.init))
    let statements = try StatementTrace.record { try inbox.page(1, of: conversation).messages.map(\.text) }.statements
    #expect(statements.count == 2)
  }

  @Test("A search finds words in any order, whatever their case and accents, newest first")
  func search() throws {
    try add(
      "a", at: 0, texts: ["grub rescue", "Grub", "my GRUB", "other", "100% sure", "it's", "Café in gruber", "ngrub"])
    func texts(_ query: String) throws -> [String] { try inbox.search(query).messages.map(\.text) }
    #expect(try texts("grub") == ["Café in gruber", "my GRUB", "Grub", "grub rescue"])
    #expect(try texts("rescue grub") == ["grub rescue"])
    #expect(try texts("\"rescue grub\"") == [])
    #expect(try texts("cafe gru") == ["Café in gruber"])
    #expect(try texts("100%") == ["100% sure"])
    #expect(try texts("it's") == ["it's"])
    #expect(try texts("_") == [])
    #expect(try inbox.search("grub", limit: 1).total == 4)
    #expect(try inbox.search("grub", limit: .max).messages.count == 4)
    #expect(throws: DataLayerError.invalidData("the text to search for is empty")) { try inbox.search(" ") }
  }

  @Test("Conditions narrow a search: the sender, the conversation, the day and files")
  func conditions() throws {
    try add("a", at: 0, name: "Harbour", texts: ["the cord", "the tape"])
    try add("b", at: 90_000, name: "Studio", texts: ["the cord again"])
    try inbox.send("my cord", to: try inbox.conversation("a"), now: Date(timeIntervalSince1970: 200_000))
    let file = AttachmentEntity(
      type: .document, localURL: "file:///tmp/a.txt", fileSize: 1, mimeType: "text/plain", fileName: "a.txt")
    try inbox.send(
      "the list", to: try inbox.conversation("b"), attachments: [file], now: Date(timeIntervalSince1970: 200_000))
    try context.save()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    func texts(_ query: String) throws -> [String] {
      try inbox.search(query, calendar: calendar).messages.map(\.text)
    }
    #expect(try texts("cord from:a") == ["the cord again", "the cord"])
    #expect(try texts("cord from:me") == ["my cord"])
    #expect(try texts("cord in:HARB") == ["my cord", "the cord"])
    #expect(try texts("cord before:1970-01-02") == ["the cord"])
    #expect(try texts("cord after:1970-01-01") == ["my cord", "the cord again"])
    #expect(try texts("has:file") == ["the list"])
    #expect(try texts("cord in:nowhere") == [])
    #expect(throws: DataLayerError.invalidData("give a day as 2026-01-31")) { try inbox.search("before:someday") }
    #expect(
      throws: DataLayerError.invalidData("there is no has:money; has:file finds messages with attachments")
    ) { try inbox.search("has:money") }
  }

  @Test("Pages of a search follow each other, of few and of very many matches")
  func searchPages() throws {
    for (id, count) in [("few", 120), ("many", 700)] {
      try add(id, at: count == 120 ? 0 : 10_000, texts: (0..<count).map { "\(id) number \($0)" })
      var found: [MessageEntity] = []
      repeat {
        let page = try inbox.search(id, after: found.last)
        // More than 500 matches are not counted.
        #expect(page.total == (id == "few" && found.isEmpty ? 120 : nil))
        found += page.messages
        #expect(page.hasMore == (found.count < count) && !page.messages.isEmpty)
      } while found.count < count
      #expect(found.map(\.text) == (0..<count).reversed().map { "\(id) number \($0)" })
    }
  }

  @Test("A sent message is sending and pending, and the conversation's last")
  func send() throws {
    let conversation = try add("a", at: 0, texts: ["old"])
    let message = try inbox.send("new", to: conversation)
    #expect(message.status == .sending)
    #expect(message.syncStatus == .pending)
    #expect(message.senderID == "me")
    #expect(conversation.lastMessageText == "new")
    #expect(try inbox.page(1, of: conversation).messages.map(\.text) == ["old", "new"])
    #expect(throws: DataLayerError.invalidData("the message is empty")) { try inbox.send(" \n", to: conversation) }
    // The front end that asked for it saves.
    #expect(context.hasChanges)
  }

  @Test("Pinning, muting and archiving set a state, say whether it changed, and undo it")
  func states() throws {
    let conversation = try add("a", at: 0)
    #expect(try inbox.setPinned(true, conversation))
    #expect(try !inbox.setPinned(true, conversation))
    #expect(conversation.isPinned)
    #expect(try inbox.setPinned(false, conversation))
    #expect(!conversation.isPinned)
    #expect(try inbox.setMuted(true, conversation))
    #expect(conversation.isMuted)
    #expect(try inbox.setArchived(true, conversation))
    #expect(conversation.isArchived)
    #expect(context.hasChanges)
  }

  @Test("Deleting takes the messages along; reading clears the unread count")
  func deleteAndRead() throws {
    let conversation = try add("a", at: 0, texts: ["1", "2"])
    conversation.unreadCount = 2
    try inbox.markAsRead(conversation)
    #expect(conversation.unreadCount == 0)
    try inbox.delete(conversation)
    #expect(try context.fetchCount(FetchDescriptor<MessageEntity>()) == 0)
  }

  @Test("The statistics count what the sample inbox has")
  func statistics() throws {
    #expect(try inbox.statistics() == InboxService.Statistics())
    let now = try Date("2026-01-31T12:00:00Z")
    try SampleInbox.fill(context, now: now)
    try inbox.send("new", to: try inbox.conversation("sample/john"))
    let statistics = try inbox.statistics()
    #expect(statistics.conversations == 5)
    #expect(statistics.messages == 19)
    #expect(statistics.unread == 2)
    #expect(statistics.pinned == 1)
    #expect(statistics.archived == 1)
    #expect(statistics.pending == 1)
    #expect(statistics.failed == 0)
    #expect(statistics.users == 1)
    #expect(statistics.faqs == 1)
    #expect(statistics.attachments == 0)
    #expect(try #require(statistics.firstMessageAt) < now)
    #expect(try #require(statistics.lastMessageAt) > now)
  }

  @Test("The sample inbox can be made twice in one store: it is the same one")
  func sampleTwice() throws {
    try SampleInbox.fill(context)
    try SampleInbox.fill(context)
    #expect(try context.fetchCount(FetchDescriptor<ConversationEntity>()) == 5)
    #expect(try context.fetchCount(FetchDescriptor<MessageEntity>()) == 18)
  }
}
