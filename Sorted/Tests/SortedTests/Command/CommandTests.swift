import BlockingTests
import ChildProcesses
import Foundation
import Sorted
import SwiftData
import Testing

@Suite("The sorted command", .blocking) struct CommandTests {
  private let folder: TemporaryFolder
  private let sorted: SortedProgram

  init() throws {
    folder = try TemporaryFolder()
    sorted = SortedProgram(dataHome: folder.url)
  }

  private var store: String { folder.store.path }

  /// A store with one day of messages.
  private func importDay(_ count: Int = 25) throws {
    let lines = (0..<count).map { String(format: "[09:%02d] <nick%d> line %d\n", $0, $0 % 2, $0) }.joined()
    let file = try folder.write("2008-04-27.raw.txt", lines)
    #expect(try sorted.run("import", "irc", file.path, "--store", store).status == 0)
  }

  private func json(_ run: SortedProgram.Run) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  @Test("A store can be named before the command")
  func storeFirst() throws {
    let log = try folder.write("2008-04-27.raw.txt", "[09:30] <ann> hello\n")
    #expect(try sorted.run("--store", store, "import", "irc", log.path).status == 0)
    #expect(try json(sorted.run("--store", store, "stats", "--json"))["messages"] as? Int == 1)
  }

  @Test("Import prints skipped lines and a summary, progress goes to the errors, and a second run changes nothing")
  func importing() throws {
    let log = try folder.write("2008-04-27.raw.txt", "=== a joined\n[09:30] <ann> hello\nodd\n[09:31] <bob> hi\n")
    let first = try sorted.run("import", "irc", folder.url.path, "--store", store)
    #expect(first.status == 0)
    #expect(
      first.output == """
        skipped  2008-04-27.raw.txt:3  it begins with no time of day, as in [09:30]
        messages       2
        conversations  1
        participants   2
        events         1
        skipped        1
        lines          4
        changes        3

        """)
    #expect(first.errors.hasSuffix("100%  2 messages\n"))
    // No bar and no colours where there is no terminal.
    #expect(!(first.output + first.errors).contains { $0 == "\r" || $0 == "\u{1B}" })
    let second = try json(sorted.run("import", "irc", log.path, "--store", store, "--json"))
    #expect(second["changes"] as? Int == 0)
    #expect(second["messages"] as? Int == 2)
    let skipped = try #require(second["skipped"] as? [[String: Any]])
    #expect(skipped.map { $0["line"] as? Int } == [3])
  }

  @Test("Threads and a channel can be asked for")
  func threads() throws {
    try folder.write("2008-04-27.raw.txt", "[09:30] <ann> hello\n[09:30] <bob> other\n[09:31] <bob> hi\n")
    try folder.write("train.clusters.txt", "2008-04-27:0 2\n")
    let run = try sorted.run(
      "import", "irc", folder.url.path, "--threads", "--channel", "#swift", "--store", store, "--json")
    #expect(try json(run)["conversations"] as? Int == 2)
    #expect(try sorted.run("show", "irc/swift/2008-04-27/thread-1", "--store", store).output.contains("hi"))
    #expect(try sorted.run("import", "ndjson", folder.url.path, "--threads", "--store", store).status == 2)
  }

  @Test("Stopped by Ctrl-C it ends with 130, keeps whole chunks, and a second run completes it")
  func interrupted() throws {
    for day in 1...28 {
      let lines = (0..<2_000).map { String(format: "[%02d:%02d] <a> %d\n", $0 / 60 % 24, $0 % 60, $0) }.joined()
      try folder.write(String(format: "2008-04-%02d.raw.txt", day), lines)
    }
    let started = try sorted.start(["import", "irc", folder.url.path, "--store", store])
    // The first tenth is done when the first line of progress is there.
    while try Data(contentsOf: started.errors).isEmpty, started.process.isRunning { usleep(10_000) }
    started.process.send(SIGINT)
    let output = started.process.text()
    #expect(started.process.wait() == .exit(130))
    #expect(output.contains("run the command again to complete it"))
    let saved = try folder.context().fetchCount(FetchDescriptor<MessageEntity>())
    #expect(saved > 0 && saved < 56_000)
    #expect(saved.isMultiple(of: 2_000))
    let second = try json(sorted.run("import", "irc", folder.url.path, "--store", store, "--json"))
    #expect(second["messages"] as? Int == 56_000)
    #expect(second["changedMessages"] as? Int == 56_000 - saved)
    #expect(try folder.context().fetchCount(FetchDescriptor<MessageEntity>()) == 56_000)
  }

  @Test("Clean deletes old messages, a dry run does not, and what is kept or not sent yet stays")
  func cleaning() throws {
    try importDay()
    try sorted.run("send", "irc", "not sent yet", "--store", store).expectSuccess()
    let dry = try json(sorted.run("clean", "--older-than", "1", "--dry-run", "--store", store, "--json"))
    #expect(dry["deleted"] as? Int == 25)
    #expect(try sorted.run("keep", "irc", "--store", store).output == "irc/ubuntu/2008-04-27: kept\n")
    #expect(try json(sorted.run("clean", "--older-than", "1", "--store", store, "--json"))["stayed"] as? Int == 25)
    #expect(try json(sorted.run("stats", "--store", store, "--json"))["messages"] as? Int == 26)
    try sorted.run("keep", "irc", "--undo", "--store", store).expectSuccess()
    let cleaned = try sorted.run("clean", "--older-than", "1", "--store", store)
    #expect(cleaned.output.contains(/\ndeleted +25\n/))
    #expect(try json(sorted.run("stats", "--store", store, "--json"))["messages"] as? Int == 1)
    #expect(try sorted.run("clean", "--older-than=-1", "--store", store).status == 2)
  }

  @Test("List, show, send, pin, mute, archive, search, stats and delete work on one store")
  func commands() throws {
    try importDay()
    let list = try sorted.run("list", "--store", store)
    #expect(list.output.hasPrefix("        2008-04-27 irc/ubuntu/2008-04-27 #ubuntu 2008-04-27"))
    let shown = try sorted.run("show", "irc", "--store", store)
    #expect(shown.output.hasPrefix("#ubuntu 2008-04-27  (page 1 of 2, 25 messages)\n"))
    #expect(shown.output.hasSuffix("2008-04-27 09:24  nick0\n    line 24\n"))
    #expect(!shown.output.contains("line 4\n"))
    let second = try json(sorted.run("show", "irc", "--page", "2", "--store", store, "--json"))
    #expect((second["messages"] as? [[String: Any]])?.map { $0["text"] as? String } == (0..<5).map { "line \($0)" })

    let sent = try json(sorted.run("send", "irc", "an answer", "--store", store, "--json"))
    #expect(sent["status"] as? String == "sending")
    #expect(sent["syncStatus"] as? String == "pending")
    #expect(try sorted.run("show", "irc", "--store", store).output.hasSuffix("  me  (sending)\n    an answer\n"))

    #expect(try sorted.run("pin", "irc", "--store", store).output == "irc/ubuntu/2008-04-27: pinned\n")
    #expect(try sorted.run("pin", "irc", "--store", store).output == "irc/ubuntu/2008-04-27: already pinned\n")
    #expect(try sorted.run("mute", "irc", "--store", store).output == "irc/ubuntu/2008-04-27: muted\n")
    #expect(try sorted.run("list", "--pinned", "--store", store).output.hasPrefix("*m "))
    #expect(try sorted.run("pin", "irc", "--undo", "--store", store).output == "irc/ubuntu/2008-04-27: unpinned\n")
    #expect(try sorted.run("list", "--unread", "--store", store).output == "No conversations.\n")
    #expect(try json(sorted.run("archive", "irc", "--store", store, "--json"))["change"] as? String == "archived")
    #expect(try sorted.run("list", "--store", store).output == "No conversations.\n")
    #expect(try sorted.run("list", "--archived", "--store", store).output.contains("irc/ubuntu"))
    let found = try json(sorted.run("search", "2 LINE", "--store", store, "--json"))
    #expect(found["total"] as? Int == 6 && found["hasMore"] as? Bool == false)
    let ids = (found["messages"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    let rest = try json(sorted.run("search", "2 LINE", "--after", ids[3], "--store", store, "--json"))
    #expect((rest["messages"] as? [[String: Any]])?.compactMap { $0["id"] as? String } == Array(ids.suffix(2)))
    #expect(try sorted.run("search", "from:me an", "--store", store).output.hasSuffix("me: an answer\n"))
    #expect(try json(sorted.run("stats", "--store", store, "--json"))["messages"] as? Int == 26)
    #expect(try sorted.run("delete", "irc", "--store", store).output == "irc/ubuntu/2008-04-27: deleted\n")
    #expect(try json(sorted.run("stats", "--store", store, "--json"))["messages"] as? Int == 0)
  }

  @Test("--version prints a version")
  func version() throws {
    let result = try sorted.run("--version")
    #expect(result.status == 0 && result.output.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil, "\(result.output)")
  }

  @Test("The default store is in the user's data folder")
  func defaultStore() throws {
    let missing = try sorted.run("list")
    #expect(missing.status == 2)
    let place = folder.url.appendingPathComponent("sorted/sorted.store").path
    #expect(missing.errors == "Error: there is no store at \(place); `sorted import` or `sorted new` makes one\n")
    #expect(!FileManager.default.fileExists(atPath: place))
    let file = try folder.write("2008-04-27.raw.txt", "[09:30] <ann> hello\n")
    #expect(try sorted.run("import", "irc", file.path).status == 0)
    #expect(FileManager.default.fileExists(atPath: place))
    #expect(try sorted.run("list").output.contains("hello"))
  }

  @Test("What is wrong is said in one line, and the status is 2")
  func errors() throws {
    try importDay(1)
    let text = try folder.write("letter.txt", "This is a letter and no database, whatever its name says. It is long.\n")
    func error(_ arguments: String...) throws -> String {
      let run = try sorted.run(arguments)
      #expect(run.output.isEmpty && run.status == 2)
      return run.errors
    }
    #expect(
      try error("show", "nobody", "--store", store)
        == "Error: there is no conversation \"nobody\"; `sorted list` shows their ids\n")
    #expect(
      try error("show", "irc", "--page", "2", "--store", store) == "Error: there is no page 2; the conversation has 1\n"
    )
    #expect(try error("send", "irc", " ", "--store", store) == "Error: the message is empty\n")
    #expect(
      try error("list", "--store", "\(store)x")
        == "Error: there is no store at \(store)x; `sorted import` or `sorted new` makes one\n")
    let rules = try error("firestore", "--port", "0", "--rules", "\(store)z")
    #expect(rules.hasPrefix("Error: \(store)z: ") && rules.hasSuffix("The file doesn’t exist.\n"), "\(rules)")
    #expect(try error("firestore", "--port", "65536").contains("--port is 0 to 65535"))
    #expect(try error("list", "--store", text.path).contains("is not an SQLite database; the file was left untouched"))
    #expect(try error("import", "irc", "\(store)y", "--store", "\(store)x") == "Error: \(store)y does not exist\n")
    #expect(!FileManager.default.fileExists(atPath: "\(store)x"))
    #expect(try error("import", "telegram", text.path, "--store", store).contains("is not a Telegram export in JSON"))
    #expect(try error("import", "mail", "x").contains("'irc', 'telegram' or 'ndjson'"))
    #expect(try error("list", "--pinned", "--unread").contains("--unread"))
    #expect(try error("frobnicate").contains("frobnicate"))
  }

  @Test("A damaged store is recovered into a new one, and the status says whether something is lost")
  func recovering() throws {
    try importDay(55)
    let new = folder.url.appendingPathComponent("new.store").path
    let whole = try json(sorted.run("recover", store, "--to", new, "--json"))
    let entities = try #require(whole["entities"] as? [[String: Any]])
    let messages = try #require(entities.first { $0["name"] as? String == "MessageEntity" })
    #expect(messages["recovered"] as? Int == 55)
    #expect(try json(sorted.run("stats", "--store", new, "--json"))["messages"] as? Int == 55)
    // A page of the messages.
    var data = try Data(contentsOf: URL(fileURLWithPath: store))
    let page = try #require(
      (1..<data.count / 4096).first { page in
        let range = page * 4096..<(page + 1) * 4096
        return data[range.lowerBound] == 13 && data.range(of: Data("line 20".utf8), in: range) != nil
      })
    data.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(count: 4096))
    try data.write(to: URL(fileURLWithPath: store))
    let mended = folder.url.appendingPathComponent("mended.store").path
    let run = try sorted.run("recover", store, "--to", mended)
    #expect(run.status == 1)
    #expect(run.output.contains(" lost: their pages are damaged"), "\(run.output)")
    #expect(try sorted.run("list", "--store", mended).status == 0)
    #expect(try sorted.run("recover", store, "--to", mended).errors.contains("exists already; name a new file"))
  }

  @Test("The demo shows a list, a thread, a sent message and a search within five seconds, in 80 columns")
  func demo() throws {
    let run = try sorted.run("demo")
    #expect(try sorted.processorTime("demo") < 5)
    #expect(run.status == 0)
    #expect(run.errors == "")
    for text in [
      "$ sorted list\n*     2", "Bring the grey card this time.", "Stored as sending, pending.", "sorted search",
    ] {
      #expect(run.output.contains(text), "\(text)")
    }
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(!run.output.contains("\u{1B}"))
    let demo = try json(sorted.run("demo", "--json"))
    #expect(demo.keys.sorted() == ["found", "list", "listAfterwards", "sent", "thread"])
  }

  @Test(
    "Every command has help with an example",
    arguments: ["import", "list", "show", "send", "pin", "mute", "archive", "delete", "search", "stats", "demo"]
      + ["new", "edit", "sync", "status", "retry", "recover", "keep", "clean", "copy", "firestore", "serve", "assist"]
      + ["digest", "people", "about"])
  func help(command: String) throws {
    let all = try sorted.run("--help")
    #expect(all.status == 0)
    #expect(all.output.contains("\n  \(command)"))
    let run = try sorted.run(command, "--help")
    #expect(run.status == 0)
    #expect(run.output.contains("EXAMPLE\n  sorted \(command)"))
    #expect(run.output.contains("--json") == !["serve", "firestore"].contains(command))
    let tooLong = run.output.split(separator: "\n").filter { $0.count > 80 && !$0.hasPrefix("USAGE") }
    #expect(tooLong == [])
  }

  @Test("A word that is not a command is an error, also next to a request for help")
  func unknownCommand() throws {
    for arguments in [["none"], ["help", "none"], ["none", "--help"], ["--store", "inbox.store", "none"]] {
      let run = try sorted.run(arguments)
      #expect(run.status == 2 && run.output.isEmpty, "\(arguments): \(run.output)")
      #expect(run.errors.hasPrefix("Error: There is no command 'none'."), "\(arguments): \(run.errors)")
    }
    #expect(try sorted.run("help", "list").status == 0)
  }

  @Test("The help names the exit codes and the environment variables that stand for options")
  func generalHelp() throws {
    let help = try sorted.run("--help").output
    #expect(help.contains("The exit code is 0"))
    for variable in ["SORTED_STORE", "SWIFTDATA_SYNC_TOKEN", "FIRESTORE_EMULATOR_HOST"] {
      #expect(help.contains("\n  \(variable) "))
    }
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
