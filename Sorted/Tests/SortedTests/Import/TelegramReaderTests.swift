import Foundation
import Sorted
import Testing

@Suite("Reading Telegram exports") struct TelegramReaderTests {
  private func read(_ json: String) throws -> ParsedFile {
    let folder = try TemporaryFolder()
    return try TelegramReader(path: folder.url).read(folder.write("result.json", json))
  }

  private let chat = """
    {"name": "Ann", "type": "personal_chat", "id": 7, "messages": [
      {"id": 1, "type": "service", "date": "2024-01-31T09:00:00", "actor": "Ann", "action": "phone_call"},
      {"id": 2, "type": "message", "date": "2024-01-31T10:30:00", "date_unixtime": "1706693400",
       "from": "Ann", "from_id": "user7", "text": "plain"},
      {"id": 3, "type": "message", "date": "2024-01-31T10:30:00", "date_unixtime": "1706693400",
       "from": "Me", "from_id": "user1", "text": ["see ", {"type": "link", "text": "example.com"}, "!"]},
      {"id": 4, "type": "message", "date": "2024-01-31T10:31:00", "from": null, "from_id": "user9", "text": "",
       "photo": "photos/1.jpg"}
    ]}
    """

  @Test("One chat: strings and parts are text, service messages are events")
  func single() throws {
    let file = try read(chat)
    let conversation = try #require(file.conversations.first)
    #expect(conversation.id == "telegram/user-7")
    #expect(conversation.name == "Ann")
    #expect(!conversation.isGroup)
    #expect(conversation.messages.map(\.text) == ["plain", "see example.com!", "[photo]"])
    #expect(conversation.messages.map(\.sender) == ["Ann", "Me", "user9"])
    #expect(conversation.messages.map(\.id) == ["telegram/user-7/2", "telegram/user-7/3", "telegram/user-7/4"])
    #expect(file.events == 1)
    #expect(file.lines == 4)
    #expect(file.skipped.isEmpty)
  }

  @Test("The exact time wins, a time without a zone is UTC, and messages of one second keep their order")
  func times() throws {
    let messages = try read(chat).conversations[0].messages
    #expect(messages[0].createdAt == (try Date("2024-01-31T09:30:00Z")))
    #expect(messages[1].createdAt > messages[0].createdAt)
    #expect(messages[1].createdAt < messages[0].createdAt + 0.001)
    #expect(messages[2].createdAt == (try Date("2024-01-31T10:31:00Z")))
  }

  @Test("A full export: all chats, those that were left included; equal numbers of different kinds stay apart")
  func full() throws {
    let file = try read(
      """
      {"about": "Here is your data", "chats": {"about": "", "list": [
        {"name": "Ann", "type": "personal_chat", "id": 7,
         "messages": [{"id": 1, "type": "message", "date_unixtime": "1", "from": "Ann", "text": "a"}]},
        {"name": "Team", "type": "private_group", "id": 7,
         "messages": [{"id": 1, "type": "message", "date_unixtime": "2", "from": "Ann", "text": "b"}]},
        {"type": "saved_messages", "id": 1, "messages": []}]},
       "left_chats": {"list": [{"name": "News", "type": "public_channel", "id": 7,
         "messages": [{"id": 1, "type": "message", "date_unixtime": "3", "from": "News", "text": "c"}]}]}}
      """)
    #expect(
      file.conversations.map(\.id) == ["telegram/user-7", "telegram/group-7", "telegram/user-1", "telegram/channel-7"])
    #expect(file.conversations.map(\.isGroup) == [false, true, false, true])
    #expect(file.conversations.flatMap(\.messages).map(\.text) == ["a", "b", "c"])
  }

  @Test("A message that is not as it should be is skipped with a reason and costs only itself")
  func skipped() throws {
    let file = try read(
      """
      {"name": "Ann", "type": "personal_chat", "id": 7, "messages": [
        {"type": "message", "date_unixtime": "1", "text": "no id"},
        {"id": "2", "type": "message", "date_unixtime": "1", "text": "odd id"},
        {"id": 3, "type": "message", "text": "no time"},
        {"id": 4, "type": "message", "date_unixtime": "1e300", "text": "no such year"},
        {"id": 5, "type": "message", "date_unixtime": "1", "text": 5},
        6,
        {"id": 7, "type": "message", "date_unixtime": "1", "from": "Ann", "text": "fine"},
        {"id": 7, "type": "message", "date_unixtime": "1", "from": "Ann", "text": "again"}
      ]}
      """)
    #expect(file.skipped.map(\.line) == [1, 2, 3, 4, 5, 6, 8])
    let time = "the message has no date_unixtime and no date that can be read"
    #expect(file.skipped[0].reason == "\"id\" is missing")
    #expect(file.skipped[1].reason == "\"id\" has the wrong type")
    #expect(file.skipped[2].reason == time)
    #expect(file.skipped[3].reason == time)
    #expect(file.skipped[6].reason == "the chat has a message 7 before this one")
    #expect(file.conversations[0].messages.map(\.text) == ["fine"])
    #expect(file.messageCount + file.events + file.skipped.count == file.lines)
  }

  @Test("Media without text stands for itself, text wins, and controls are readable")
  func content() throws {
    let file = try read(
      """
      {"id": 7, "messages": [
        {"id": 1, "type": "message", "date_unixtime": "1", "from": "A", "text": "", "media_type": "sticker", "file": "s"},
        {"id": 2, "type": "message", "date_unixtime": "1", "from": "A", "text": [], "file": "report.pdf"},
        {"id": 3, "type": "message", "date_unixtime": "1", "from": "A", "text": "look", "photo": "p.jpg"},
        {"id": 4, "type": "message", "date_unixtime": "1", "from": "A\\u001b", "text": "two\\nlines\\u0000"},
        {"id": 5, "type": "message", "date_unixtime": "1", "from_id": 42, "text": ""}]}
      """)
    #expect(file.conversations[0].messages.map(\.text) == ["[sticker]", "[file]", "look", "two\nlines␀", ""])
    #expect(file.conversations[0].messages.map(\.sender) == ["A", "A", "A", "A␛", "user42"])
  }

  @Test(
    "What is no export is an error that says why",
    arguments: [
      ("{", "it is not JSON"), ("[]", "it is not an object"), ("{}", "it has neither \"messages\" nor \"chats\""),
      ("{\"chats\": {}}", "\"list\" is missing at .chats"),
      ("{\"chats\": {\"list\": [{\"id\": 1}]}}", "\"messages\" is missing at .chats.list[0]"),
    ])
  func refused(json: String, reason: String) throws {
    let error = #expect(throws: DataLayerError.self) { try read(json) }
    #expect(error?.errorDescription?.hasSuffix("is not a Telegram export in JSON: \(reason)") == true)
  }
}
