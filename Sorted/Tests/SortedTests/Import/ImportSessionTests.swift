import Foundation
import Sorted
import SwiftData
import Testing

@Suite("Importing") struct ImportSessionTests {
  /// A log of some minutes with one message each.
  private func log(_ count: Int, text: String = "line") -> String {
    (0..<count).map { String(format: "[%02d:%02d] <nick%d> \(text) %d\n", $0 / 60, $0 % 60, $0 % 3, $0) }.joined()
  }

  private func folder(days: Int = 2, messages: Int = 5) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for day in 1...days { try folder.write("2008-04-0\(day).raw.txt", "=== a joined\nodd line\n" + log(messages)) }
    return folder
  }

  @Test("Messages, conversations, participants and the last message are stored, and the report counts them")
  func stored() throws {
    let folder = try folder()
    let report = try folder.bringIn(IRCReader(path: folder.url))
    #expect(report.files == 2)
    #expect(report.lines == 14)
    #expect(report.messages == 10)
    #expect(report.conversations == 2)
    #expect(report.participants == 3)
    #expect(report.events == 2)
    #expect(report.skipped.map { "\($0.file):\($0.line)" } == ["2008-04-01.raw.txt:2", "2008-04-02.raw.txt:2"])
    #expect(report.changes == 12)
    #expect(report.changedMessages == 10)
    #expect(!report.isInterrupted)

    let context = try folder.context()
    let conversations = try context.fetch(FetchDescriptor<ConversationEntity>(sortBy: [SortDescriptor(\.id)]))
    #expect(conversations.map(\.displayName) == ["#ubuntu 2008-04-01", "#ubuntu 2008-04-02"])
    let first = try #require(conversations.first)
    #expect(first.isGroup)
    #expect(first.participantIDs == ["nick0", "nick1", "nick2"])
    #expect(first.lastMessageText == "line 4")
    #expect(first.lastMessageSenderID == "nick1")
    #expect(first.lastMessageAt == (try Date("2008-04-01T00:04:00Z")))
    #expect(first.updatedAt == first.lastMessageAt)
    #expect(first.createdAt == (try Date("2008-04-01T00:00:00Z")))
    #expect(first.unreadCount == 0)
    #expect(first.messages.map(\.text) == (0..<5).map { "line \($0)" })
    let message = try #require(first.messages.first)
    #expect(message.status == .read)
    #expect(message.syncStatus == .synced)
    #expect(message.conversationID == first.id)
  }

  @Test("Importing the same archive again changes nothing, not even a date", arguments: [1, 3, 2_000])
  func twice(chunkSize: Int) throws {
    let folder = try folder()
    let first = try folder.bringIn(IRCReader(path: folder.url), chunkSize: chunkSize)
    let contents = try folder.contents()
    let second = try folder.bringIn(IRCReader(path: folder.url), chunkSize: chunkSize)
    #expect(first.changes == 12)
    #expect(second.changes == 0)
    #expect(second.messages == 10)
    #expect(second.conversations == 2)
    #expect(try folder.contents() == contents)
  }

  @Test("Only what differs is written: a new line, a changed text")
  func differences() throws {
    let folder = try TemporaryFolder()
    try folder.write("2008-04-01.raw.txt", log(3))
    try folder.bringIn(IRCReader(path: folder.url))
    try folder.write("2008-04-01.raw.txt", log(4))
    let grown = try folder.bringIn(IRCReader(path: folder.url))
    #expect(grown.changedMessages == 1)
    #expect(grown.changedConversations == 1)
    try folder.write("2008-04-01.raw.txt", log(3) + "[00:03] <nick0> another text\n")
    let changed = try folder.bringIn(IRCReader(path: folder.url))
    #expect(changed.changedMessages == 1)
    let conversation = try InboxService(context: folder.context()).conversation("irc/ubuntu/2008-04-01")
    #expect(conversation.lastMessageText == "another text")
    #expect(conversation.messages.count == 4)
  }

  @Test("What the user did to a conversation stays when the archive is imported again")
  func userChanges() throws {
    let folder = try folder(days: 1)
    try folder.bringIn(IRCReader(path: folder.url))
    let context = try folder.context()
    let inbox = InboxService(context: context)
    let conversation = try inbox.conversation("irc")
    try inbox.setPinned(true, conversation)
    try inbox.send("An answer", to: conversation)
    try context.save()
    #expect(try folder.bringIn(IRCReader(path: folder.url)).changes == 0)
    let again = try InboxService(context: folder.context()).conversation("irc")
    #expect(again.isPinned)
    #expect(again.lastMessageText == "An answer")
    #expect(again.messages.count == 6)
  }

  @Test("Stopped at any chunk, it keeps what was saved, and a second run completes it", arguments: 0...7)
  func interrupted(after chunks: Int) throws {
    let whole = try folder()
    try whole.bringIn(IRCReader(path: whole.url))

    let folder = try folder()
    let stop = ImportSession.StopSign()
    if chunks == 0 { stop.raise() }
    var seen = 0
    let first = try folder.bringIn(IRCReader(path: folder.url), chunkSize: 2, stop: stop) { report, _ in
      // Called after each chunk and after each file.
      if report.messages > seen { seen = report.messages }
      if (seen + 1) / 2 >= chunks { stop.raise() }
    }
    let saved = try folder.context().fetchCount(FetchDescriptor<MessageEntity>())
    #expect(saved == first.messages)
    #expect(first.isInterrupted == (saved < 10))
    if chunks < 5 { #expect(first.isInterrupted) }

    let second = try folder.bringIn(IRCReader(path: folder.url), chunkSize: 2)
    #expect(!second.isInterrupted)
    #expect(second.messages == 10)
    #expect(second.changedMessages == 10 - saved)
    #expect(try folder.contents() == whole.contents())
    #expect(try folder.bringIn(IRCReader(path: folder.url), chunkSize: 2).changes == 0)
  }

  @Test("An error in a later file keeps what was saved before it")
  func failing() throws {
    let folder = try folder(days: 1)
    // A folder with a log's name cannot be read, not even by root.
    let directory = folder.url.appendingPathComponent("2008-04-02.raw.txt")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let error = #expect(throws: DataLayerError.self) { try folder.bringIn(IRCReader(path: folder.url)) }
    #expect(error?.errorDescription?.contains("\(directory.path) cannot be read") == true)
    #expect(try folder.context().fetchCount(FetchDescriptor<MessageEntity>()) == 5)
  }

  @Test("Threads move messages out of their day, and back when they are not asked for", arguments: [1, 3, 2_000])
  func threads(chunkSize: Int) throws {
    func archive() throws -> TemporaryFolder {
      let folder = try folder(days: 1, messages: 6)
      // Lines 2 to 7 are the messages; thread 2, 4 takes nick0 and nick2, thread 7 the last message.
      try folder.write("train.clusters.txt", "2008-04-01:2 4\n2008-04-01:7\n2008-04-01:0\n")
      return folder
    }
    let day = try archive()
    try day.bringIn(IRCReader(path: day.url))
    let fresh = try archive()
    let report = try fresh.bringIn(IRCReader(path: fresh.url, withThreads: true))
    #expect(report.conversations == 3)
    #expect(report.messages == 6)

    let moved = try archive()
    try moved.bringIn(IRCReader(path: moved.url), chunkSize: chunkSize)
    let change = try moved.bringIn(IRCReader(path: moved.url, withThreads: true), chunkSize: chunkSize)
    #expect(change.changedMessages == 3)
    #expect(change.changedConversations == 3)
    #expect(try moved.contents() == fresh.contents())
    #expect(try moved.bringIn(IRCReader(path: moved.url, withThreads: true), chunkSize: chunkSize).changes == 0)

    let back = try moved.bringIn(IRCReader(path: moved.url), chunkSize: chunkSize)
    #expect(back.changedMessages == 3)
    #expect(try moved.contents().sorted() == day.contents().sorted())
  }

  @Test("Telegram and NDJSON archives are stored the same way, and again without a change")
  func otherFormats() throws {
    let folder = try TemporaryFolder()
    let telegram = try folder.write(
      "result.json",
      """
      {"name": "Ann", "type": "personal_chat", "id": 7, "messages": [
        {"id": 1, "type": "service", "date_unixtime": "1"},
        {"id": 2, "type": "message", "date_unixtime": "1", "from": "Ann", "text": ["Hi ", {"text": "you"}]}]}
      """)
    let report = try folder.bringIn(TelegramReader(path: telegram))
    #expect(report.messages == 1)
    #expect(report.events == 1)
    #expect(try folder.bringIn(TelegramReader(path: folder.url)).changes == 0)

    let record = "{\"conversation\": \"c1\", \"sender\": \"ann\", \"text\": \"same\", \"createdAt\": 1}\n"
    let lines = try folder.write("messages.ndjson", String(repeating: record, count: 3))
    #expect(try folder.bringIn(NDJSONReader(path: lines)).changes == 4)
    #expect(try folder.bringIn(NDJSONReader(path: folder.url), chunkSize: 1).changes == 0)
    #expect(try folder.context().fetchCount(FetchDescriptor<MessageEntity>()) == 4)
  }

  @Test("A conversation whose messages are in several files is counted once")
  func severalFiles() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] {
      try folder.write(
        "\(name).ndjson",
        "{\"conversation\": \"c1\", \"sender\": \"\(name)\", \"text\": \"\(name)\", \"createdAt\": 1}\n")
    }
    let report = try folder.bringIn(NDJSONReader(path: folder.url))
    #expect(report.files == 2)
    #expect(report.conversations == 1)
    #expect(report.changedConversations == 1)
    #expect(report.participants == 2)
    #expect(try InboxService(context: folder.context()).conversation("ndjson/c1").participantIDs == ["a", "b"])
  }

  @Test("Progress goes up to the whole")
  func progress() throws {
    let folder = try folder(days: 3)
    var fractions: [Double] = []
    try folder.bringIn(IRCReader(path: folder.url), chunkSize: 2) { fractions.append($1) }
    #expect(fractions == fractions.sorted())
    #expect(fractions.first! > 0)
    #expect(fractions.last == 1)
  }
}
