import Foundation
import Sorted
import Testing

@Suite("Reading NDJSON") struct NDJSONReaderTests {
  private func read(_ bytes: [UInt8], name: String = "messages.ndjson") throws -> ParsedFile {
    let folder = try TemporaryFolder()
    return try NDJSONReader(path: folder.url).read(folder.write(name, bytes))
  }

  private func read(_ text: String, name: String = "messages.ndjson") throws -> ParsedFile {
    try read(Array(text.utf8), name: name)
  }

  private func line(_ text: String, id: String? = nil, conversation: String = "c1", at time: String = "1") -> String {
    let id = id.map { "\"id\": \"\($0)\", " } ?? ""
    return
      "{\(id)\"conversation\": \"\(conversation)\", \"sender\": \"ann\", \"text\": \"\(text)\", \"createdAt\": \(time)}\n"
  }

  @Test("Each line is a message, whose conversation is where it says")
  func lines() throws {
    let file = try read(
      """
      {"id": "1", "conversation": "c1", "conversationName": "Team", "isGroup": true, "sender": "ann", "text": "Hi", \
      "createdAt": "2026-01-31T09:30:00Z"}
      {"id": "1", "conversation": "c2", "sender": "bob", "text": "Hello", "createdAt": "2026-01-31T11:30:00.250+02:00"}
      {"conversation": "c1", "sender": "bob", "text": "Ho", "createdAt": 1769851860.5, "more": [1]}

      """)
    #expect(file.conversations.map(\.id) == ["ndjson/c1", "ndjson/c2"])
    #expect(file.conversations.map(\.name) == ["Team", "c2"])
    #expect(file.conversations.map(\.isGroup) == [true, false])
    #expect(file.conversations.map { $0.messages.map(\.text) } == [["Hi", "Ho"], ["Hello"]])
    #expect(file.conversations[0].messages[0].id == "ndjson/c1/1")
    #expect(file.conversations[1].messages[0].id == "ndjson/c2/1")
    let first = try Date("2026-01-31T09:30:00Z")
    #expect(file.conversations[0].messages.map(\.createdAt) == [first, first + 60.5])
    #expect(abs(file.conversations[1].messages[0].createdAt.timeIntervalSince(first) - 0.25) < 0.001)
    #expect(file.lines == 3)
  }

  @Test("Without an id a message is known by its content, wherever its line and its file are")
  func identifiers() throws {
    let once = try read(line("a") + line("b") + line("a"), name: "one.ndjson").conversations[0].messages
    let grown = try read(line("new") + line("a") + line("a") + line("b"), name: "two.ndjson").conversations[0].messages
    #expect(Set(once.map(\.id)).count == 3)
    #expect(Set(once.map(\.id)).isSubset(of: Set(grown.map(\.id))))
  }

  @Test("A slash in a conversation's name does not make its messages another's")
  func slashes() throws {
    let file = try read(line("x", id: "b", conversation: "c/a") + line("y", id: "a/b", conversation: "c"))
    #expect(Set(file.conversations.flatMap(\.messages).map(\.id)).count == 2)
    #expect(file.conversations.map(\.id) == ["ndjson/c%2Fa", "ndjson/c"])
  }

  @Test("Messages of one time keep the order of their lines")
  func order() throws {
    let messages = try read((0..<30).map { line("\($0)") }.joined()).conversations[0].messages
    #expect(messages.sorted { $0.createdAt < $1.createdAt }.map(\.text) == (0..<30).map(String.init))
  }

  @Test("A line ends at LF; CR before it is white space, U+2028 is text")
  func ends() throws {
    let file = try read("{\"conversation\": \"c\", \"sender\": \"a\", \"text\": \"x\u{2028}y\", \"createdAt\": 1}\r\n")
    #expect(file.conversations[0].messages.map(\.text) == ["x\u{2028}y"])
    #expect(file.lines == 1)
  }

  @Test("Bytes that are not UTF-8 and bare control characters do not cost the message")
  func repaired() throws {
    let start = Array("{\"conversation\":\t\"c\", \"sender\": \"a\", \"createdAt\": 1, \"text\": \"x".utf8)
    let file = try read(start + [0xFF, 0x00, 0x1B] + Array("y\"}\n".utf8) + start + Array("\\u0000\\u001b\"}".utf8))
    #expect(file.skipped.isEmpty)
    #expect(file.conversations[0].messages.map(\.text) == ["x\u{FFFD}␀␛y", "x␀␛"])
  }

  @Test("Every other line is skipped with its number and a reason")
  func skipped() throws {
    let file = try read(
      """
      not JSON

      [1]
      {"sender": "a", "text": "t", "createdAt": 1}
      {"conversation": "c", "sender": 1, "text": "t", "createdAt": 1}
      {"conversation": "c", "sender": "a", "text": null, "createdAt": 1}
      {"conversation": "c", "sender": "a", "text": "t", "createdAt": "yesterday"}
      {"conversation": "c", "sender": "a", "text": "t", "createdAt": 1e300}
      {"id": "x", "conversation": "c", "sender": "a", "text": "t", "createdAt": 1}
      {"id": "x", "conversation": "c", "sender": "a", "text": "u", "createdAt": 1}
      """)
    #expect(file.skipped.map(\.line) == [1, 2, 3, 4, 5, 6, 7, 8, 10])
    let object = "the line is not a JSON object"
    let time = "\"createdAt\" is not a date and time of the years 1 to 9999"
    #expect(
      file.skipped.map(\.reason) == [
        object, "the line is empty", object, "\"conversation\" is missing", "\"sender\" has the wrong type",
        "\"text\" is null", time, time, "its id is that of line 9",
      ])
    #expect(file.conversations.flatMap(\.messages).map(\.text) == ["t"])
  }

  @Test("A folder is read by name, *.ndjson and *.jsonl")
  func folder() throws {
    let folder = try TemporaryFolder()
    for name in ["b.ndjson", "a.jsonl", "c.json"] { try folder.write(name, "") }
    #expect(try NDJSONReader(path: folder.url).files().map(\.lastPathComponent) == ["a.jsonl", "b.ndjson"])
  }
}
