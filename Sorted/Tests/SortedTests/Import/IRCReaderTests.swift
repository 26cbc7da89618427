import Foundation
import Sorted
import Testing

@Suite("Reading IRC logs") struct IRCReaderTests {
  /// Reads one log, written as bytes.
  private func read(_ bytes: [UInt8], name: String = "2008-04-27.raw.txt") throws -> ParsedFile {
    let folder = try TemporaryFolder()
    return try IRCReader(path: folder.url).read(folder.write(name, bytes))
  }

  private func read(_ text: String, name: String = "2008-04-27.raw.txt") throws -> ParsedFile {
    try read(Array(text.utf8), name: name)
  }

  private func texts(_ file: ParsedFile) -> [String] { file.conversations.flatMap(\.messages).map(\.text) }

  @Test("A day is a group conversation named after the channel and the day")
  func day() throws {
    let file = try read("[09:30] <ann> hello\n[09:31] <bob> hi there\n")
    let conversation = try #require(file.conversations.first)
    #expect(file.conversations.count == 1)
    #expect(conversation.id == "irc/ubuntu/2008-04-27")
    #expect(conversation.name == "#ubuntu 2008-04-27")
    #expect(conversation.isGroup)
    #expect(
      conversation.messages == [
        ImportedMessage(
          id: "irc/ubuntu/2008-04-27/1", sender: "ann", text: "hello", createdAt: try Date("2008-04-27T09:30:00Z")),
        ImportedMessage(
          id: "irc/ubuntu/2008-04-27/2", sender: "bob", text: "hi there", createdAt: try Date("2008-04-27T09:31:00Z")),
      ])
  }

  @Test("A part of a day is a conversation of its own with the day's name")
  func parts() throws {
    let file = try read("[09:30] <ann> hello\n", name: "2008-04-27_03.raw.txt")
    #expect(file.conversations.map(\.id) == ["irc/ubuntu/2008-04-27_03"])
    #expect(file.conversations.map(\.name) == ["#ubuntu 2008-04-27"])
    #expect(try read("[09:30] <ann> hello\n", name: "2008-04-27.train-c.raw.txt").conversations[0].id.hasSuffix("-27"))
  }

  @Test("Another channel has identifiers of its own")
  func channel() throws {
    let folder = try TemporaryFolder()
    try folder.write("2008-04-27.raw.txt", "[09:30] <ann> hello\n")
    let file = try IRCReader(path: folder.url, channel: "#swift").read(
      folder.url.appendingPathComponent("2008-04-27.raw.txt"))
    #expect(file.conversations.map(\.id) == ["irc/swift/2008-04-27"])
    #expect(file.conversations.map(\.name) == ["#swift 2008-04-27"])
  }

  @Test("A message is whatever follows the nick and a space, also nothing")
  func whatever() throws {
    let file = try read("[09:30] <ann> \n[09:30] <ann>   two spaces \n[09:30] <a> <b> [10:00] <c> d\n")
    #expect(texts(file) == ["", "  two spaces ", "<b> [10:00] <c> d"])
    #expect(file.skipped.isEmpty)
  }

  @Test(
    "A line ends at LF and nowhere else",
    arguments: ["\r", "\u{0B}", "\u{0C}", "\u{1C}", "\u{85}", "\u{2028}", "\u{2029}", "\0"])
  func onlyLineFeed(separator: String) throws {
    let file = try read("[09:30] <ann> a\(separator)[09:31] <bob> b\n[09:32] <ann> c")
    #expect(file.lines == 2)
    #expect(texts(file).count == 2)
    #expect(texts(file)[0].hasPrefix("a"))
    #expect(texts(file)[0].hasSuffix("[09:31] <bob> b"))
  }

  @Test("CR LF leaves a visible carriage return at the end of the text")
  func carriageReturns() throws {
    #expect(texts(try read("[09:30] <ann> a\r\n[09:30] <ann> \r\n")) == ["a␍", "␍"])
  }

  @Test("Bytes that are not UTF-8 and control characters are readable, in nicks too")
  func nasty() throws {
    let file = try read(
      Array("[09:30] <an".utf8) + [0xFF] + Array("n> \u{03}4red".utf8) + [0x00, 0xE9] + Array("\n".utf8))
    #expect(texts(file) == ["␃4red␀\u{FFFD}"])
    #expect(file.conversations[0].messages[0].sender == "an\u{FFFD}n")
  }

  @Test("Joins, renames, actions and notices are events")
  func events() throws {
    let file = try read(
      """
      === ann [n=ann@example.com] has joined #ubuntu
      === bob is now known as rob
      ===
      [09:30]  * ann waves
      [09:30] * ann waves again
      [09:30] -bot- a notice
      [09:31] <ann> a message

      """)
    #expect(file.events == 6)
    #expect(file.lines == 7)
    #expect(texts(file) == ["a message"])
    #expect(file.skipped.isEmpty)
  }

  @Test("Every other line is skipped with its number and a reason, and all lines are accounted for")
  func skipped() throws {
    let file = try read(
      """
      no time

      [9:30] <ann> one digit
      [24:00] <ann> no such hour
      [09:60] <ann> no such minute
      [09:30]<ann> no space before
      [09:30] <ann>
      [09:30] <ann>no space after
      [09:30] <> nobody
      [09:30] <ann does not end
      [09:30] something else
      [09:30] \("")
      [09:30] <ann> fine

      """)
    #expect(file.skipped.map(\.line) == Array(1...12))
    #expect(Set(file.skipped.map(\.file)) == ["2008-04-27.raw.txt"])
    let time = "it begins with no time of day, as in [09:30]"
    let space = "no space follows the <nick>"
    let nick = "the <nick> is empty or does not end"
    let nothing = "there is no <nick>, action or notice after the time"
    #expect(
      file.skipped.map(\.reason) == [
        time, "the line is empty", time, time, time, time, space, space, nick, nick, nothing, nothing,
      ])
    #expect(file.messageCount + file.events + file.skipped.count == file.lines)
  }

  @Test("A file may end without a line feed, and an empty file has no lines and no conversation")
  func ends() throws {
    #expect(try read("[09:30] <ann> a\n[09:30] <ann> b").lines == 2)
    #expect(texts(try read("[09:30] <ann> a\n[09:30] <ann> b")) == ["a", "b"])
    #expect(try read("").lines == 0)
    #expect(try read("").conversations.isEmpty)
    #expect(try read("\n").lines == 1)
    #expect(try read("\n\n").skipped.map(\.line) == [1, 2])
  }

  @Test("Messages of one minute keep the order of their lines, also when the minute comes again")
  func order() throws {
    let file = try read("[09:30] <a> 1\n[09:30] <a> 2\n[09:29] <a> 0\n[09:30] <a> 3\n")
    let messages = file.conversations[0].messages
    #expect(messages.sorted { $0.createdAt < $1.createdAt }.map(\.text) == ["0", "1", "2", "3"])
    #expect(Set(messages.map(\.createdAt)).count == 4)
    // The difference is too small to be seen in any minute or second.
    #expect(messages[3].createdAt.timeIntervalSince(try Date("2008-04-27T09:30:00Z")) < 0.001)
  }

  @Test("A log that runs past midnight goes on with the next day")
  func midnight() throws {
    let times = try read("[23:59] <a> 1\n[00:00] <a> 2\n[13:00] <a> 3\n[00:01] <a> 4\n").conversations[0].messages
      .map(\.createdAt)
    #expect(
      times == [
        try Date("2008-04-27T23:59:00Z"), try Date("2008-04-28T00:00:00Z"), try Date("2008-04-28T13:00:00Z"),
        try Date("2008-04-29T00:01:00Z"),
      ])
  }

  @Test("A log with a clock of twelve hours goes on in the afternoon")
  func twelveHours() throws {
    let times = try read("[11:59] <a> 1\n[12:59] <a> 2\n[01:00] <a> 3\n[11:58] <a> 4\n").conversations[0].messages
      .map(\.createdAt)
    #expect(
      times == [
        try Date("2008-04-27T11:59:00Z"), try Date("2008-04-27T12:59:00Z"), try Date("2008-04-27T13:00:00Z"),
        try Date("2008-04-27T23:58:00Z"),
      ])
  }

  @Test("A clock that was set back by less stands as written")
  func setBack() throws {
    let times = try read("[02:59] <a> 1\n[02:00] <a> 2\n").conversations[0].messages.map(\.createdAt)
    #expect(times == [try Date("2008-04-27T02:59:00Z"), try Date("2008-04-27T02:00:00Z")])
  }

  @Test("Only files of the format are read, by name; a single file has to begin with a day")
  func files() throws {
    let folder = try TemporaryFolder()
    for name in [
      "2008-04-28.raw.txt", "2008-04-27_02.raw.txt", "notes.raw.txt", "2008-04-27.tok.txt", "2008-13-01.raw.txt",
    ] {
      try folder.write(name, "")
    }
    let reader = try IRCReader(path: folder.url)
    #expect(try reader.files().map(\.lastPathComponent) == ["2008-04-27_02.raw.txt", "2008-04-28.raw.txt"])
    #expect(
      throws: DataLayerError.invalidData("notes.raw.txt: the name of an IRC log begins with its day, as in 2008-04-27")
    ) {
      try reader.read(folder.url.appendingPathComponent("notes.raw.txt"))
    }
    for name in ["2008-02-30.raw.txt", "2008-4-27.raw.txt", "+008-04-27.raw.txt"] {
      #expect(throws: DataLayerError.self) { try reader.read(try folder.write(name, "")) }
    }
  }

  @Test("A folder without logs and a path that is not there are errors that say so")
  func nothing() throws {
    let folder = try TemporaryFolder()
    #expect(
      throws: DataLayerError.invalidData(
        "\(folder.url.path) has no file YYYY-MM-DD*.raw.txt, which the format irc needs")
    ) { try IRCReader(path: folder.url).files() }
    let missing = folder.url.appendingPathComponent("missing")
    #expect(throws: DataLayerError.invalidData("\(missing.path) does not exist")) {
      try IRCReader(path: missing).files()
    }
  }

  // MARK: - Threads

  @Test("An annotated conversation with a message is one of its own, and the day keeps the rest")
  func threads() throws {
    let folder = try TemporaryFolder()
    try folder.write("train.clusters.txt", "2008-04-27:1 3\n2008-04-27:0\n2008-04-27:4 99\n2008-04-28:0 1\n")
    let log = try folder.write(
      "2008-04-27.train-a.raw.txt",
      "=== ann has joined\n[09:30] <ann> question\n[09:31] <bob> else\n[09:32] <cat> answer\n[09:33] <dan> alone\n")
    let file = try IRCReader(path: folder.url, withThreads: true).read(log)
    #expect(
      file.conversations.map(\.id) == [
        "irc/ubuntu/2008-04-27", "irc/ubuntu/2008-04-27/thread-2", "irc/ubuntu/2008-04-27/thread-5",
      ])
    #expect(file.conversations.map { $0.messages.map(\.text) } == [["else"], ["question", "answer"], ["alone"]])
    #expect(file.conversations[1].name == "#ubuntu 2008-04-27, thread at line 2")
    #expect(file.messageCount == 4)
    // The identifiers do not depend on the threads.
    let without = try IRCReader(path: folder.url).read(log)
    #expect(
      Set(without.conversations.flatMap(\.messages).map(\.id)) == Set(file.conversations.flatMap(\.messages).map(\.id)))
  }

  @Test("A line that two annotations name belongs to the first")
  func twice() throws {
    let folder = try TemporaryFolder()
    try folder.write("dev.clusters.txt", "2008-04-27:0 1\n2008-04-27:1 1 2\n")
    let log = try folder.write("2008-04-27.raw.txt", "[09:30] <a> 0\n[09:30] <a> 1\n[09:30] <a> 2\n")
    let file = try IRCReader(path: log, withThreads: true).read(log)
    #expect(file.conversations.map { $0.messages.map(\.text) } == [["0", "1"], ["2"]])
  }

  @Test("Annotations that are missing or of another form are errors that name the file and the line")
  func annotations() throws {
    let folder = try TemporaryFolder()
    #expect(
      throws: DataLayerError.invalidData(
        "\(folder.url.path) has no file *.clusters.txt, which the format irc --threads needs")
    ) { try IRCReader(path: folder.url, withThreads: true) }
    for line in ["2008-04-27", "2008-04-27:", "2008-04-27:1 x", ":1 2"] {
      let file = try folder.write("test.clusters.txt", "2008-04-27:1 2\n\(line)\n")
      #expect(throws: DataLayerError.invalidData("\(file.path):2 is not of the form DAY:line line …")) {
        try IRCReader(path: folder.url, withThreads: true)
      }
    }
  }
}
