import BlockingTests
import ChildProcesses
import Foundation
import Sorted
import SwiftData
import Testing

@Suite("The sync commands", .blocking) struct SyncCommandTests {
  private let folder: TemporaryFolder
  private let sorted: SortedProgram

  init() throws {
    folder = try TemporaryFolder()
    sorted = SortedProgram(dataHome: folder.url)
  }

  private func store(_ user: String) -> String { folder.url.appendingPathComponent("\(user).store").path }

  private func run(_ user: String, _ arguments: String...) throws -> SortedProgram.Run {
    try sorted.run(arguments + ["--store", store(user)])
  }

  private func json(_ run: SortedProgram.Run) throws -> [String: Any] {
    run.expectSuccess()
    return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  private func texts(_ user: String) throws -> [String] {
    let page = try json(run(user, "show", "talk", "--json"))
    return try #require(page["messages"] as? [[String: Any]]).compactMap { $0["text"] as? String }
  }

  @Test("What two stores wrote while the server was down is on both when it is there, in order, exactly once")
  func exchange() throws {
    let documents = folder.url.appendingPathComponent("documents.store")
    let place = try ReservedPort()
    let port = place.number
    var server = try ServerProcess(sorted, documents, at: place)
    func sync(_ user: String) throws -> SortedProgram.Run {
      try run(user, "sync", "--user", user, "--remote", "http://127.0.0.1:\(port)", "--json")
    }
    _ = try json(run("ann", "new", "--to", "bob", "--id", "talk", "--json"))
    try run("ann", "send", "talk", "0").expectSuccess()
    #expect((try json(sync("ann"))["outgoing"] as? [String: Any])?["sent"] as? Int == 1)
    #expect((try json(sync("bob"))["incoming"] as? [String: Any])?["received"] as? Int == 1)

    server.kill()
    for number in 1...4 {
      try run(number % 2 == 0 ? "ann" : "bob", "send", "talk", "\(number)").expectSuccess()
    }
    let offline = try sync("ann")
    #expect(offline.status == 2)
    #expect(offline.errors.contains("UNAVAILABLE"))
    let status = try json(run("ann", "status", "--remote", "http://127.0.0.1:\(port)", "--json"))
    #expect(status["online"] as? Bool == false)
    #expect(status["pending"] as? Int == 2)
    #expect((status["lastError"] as? String)?.contains("UNAVAILABLE") == true)

    server = try ServerProcess(sorted, documents, at: place)
    for user in ["ann", "bob", "ann", "bob"] { try sync(user).expectSuccess() }
    let after = try json(run("ann", "status", "--remote", "http://127.0.0.1:\(port)", "--json"))
    #expect(after["online"] as? Bool == true)
    #expect(after["pending"] as? Int == 0 && after["failedCount"] as? Int == 0)
    #expect(after["user"] as? String == "ann" && after["lastSync"] != nil && after["lastError"] == nil)
    #expect(try texts("ann") == ["0", "1", "2", "3", "4"])
    #expect(try texts("bob") == ["0", "1", "2", "3", "4"])
    server.kill()
  }

  @Test("Status shows what failed and why, and retry puts it back")
  func failures() throws {
    _ = try json(run("ann", "new", "--to", "bob", "--id", "talk", "--json"))
    try run("ann", "send", "talk", "hello").expectSuccess()
    let context = ModelContext(try SortedContainer.open(URL(fileURLWithPath: store("ann"))))
    let message = try #require(try context.fetch(FetchDescriptor<MessageEntity>()).first)
    for _ in 0..<3 { message.markAsFailed(error: "PERMISSION_DENIED: no\u{1B}[31m") }
    try context.save()
    let status = try run("ann", "status")
    #expect(status.output.contains("failed  \(message.id)  PERMISSION_DENIED: no"))
    #expect(status.output.contains("sorted retry \(message.id)"))
    #expect(!status.output.contains("\u{1B}"))
    #expect(try run("ann", "retry", "nobody").errors == "Error: there is no message \"nobody\"\n")
    #expect(try run("ann", "retry").status == 2)
    #expect(try json(run("ann", "retry", message.id, "--json"))["retried"] as? Int == 1)
    #expect(try run("ann", "retry", "--all").output == "Nothing failed.\n")
    #expect(try json(run("ann", "status", "--json"))["pending"] as? Int == 1)
  }

  @Test("Lines of the standard input are messages, and each is there when its id is printed")
  func lines() throws {
    _ = try json(run("ann", "new", "--to", "bob", "--id", "talk", "--json"))
    let started = try sorted.start(["send", "talk", "--lines", "--store", store("ann")], input: "one\ntwo\nthree\n")
    let ids = started.process.text().split(separator: "\n")
    #expect(started.process.wait() == .exit(0))
    #expect(ids.count == 3)
    #expect(try texts("ann") == ["one", "two", "three"])
    let edited = try json(run("ann", "edit", String(ids[1]), "deux", "--json"))
    #expect(edited["text"] as? String == "deux")
    #expect(try texts("ann") == ["one", "deux", "three"])
  }

  @Test("What is wrong with a sync is said in one line")
  func errors() throws {
    func error(_ arguments: String...) throws -> String {
      try sorted.run(arguments + ["--store", store("ann")]).errors
    }
    #expect(
      try error("sync", "--remote", "http://127.0.0.1:1")
        == "Error: This store has no owner yet. Pass --user NAME.\n")
    #expect(try error("sync", "--user", "ann", "--remote", "nowhere").contains("is not an address"))
    let refused = try error("sync", "--user", "ann", "--remote", "http://127.0.0.1:1")
    #expect(refused.hasPrefix("Error: UNAVAILABLE: ") && refused.split(separator: "\n").count == 1)
    #expect(
      try error("sync", "--user", "bob", "--remote", "http://127.0.0.1:1")
        == "Error: this store belongs to \"ann\"; every user needs a store of their own\n")
  }

  @Test("With --watch it sends what is written later, and Ctrl-C ends it", .timeLimit(.minutes(20)))
  func watching() throws {
    let server = try ServerProcess(sorted, folder.url.appendingPathComponent("documents.store"))
    _ = try json(run("ann", "new", "--to", "bob", "--id", "talk", "--json"))
    let watch = try sorted.start([
      "sync", "--watch", "--interval", "0.05", "--user", "ann", "--remote", "http://127.0.0.1:\(server.port)",
      "--store",
      store("ann"), "--json",
    ])
    defer { watch.process.send(SIGKILL) }
    // Its first line comes after its first sync.
    try #require(!watch.process.output!.availableData.isEmpty, "it ended")
    try run("ann", "send", "talk", "hello").expectSuccess()
    // The store says that the message is sent before the program does. A signal in between ends the sync, which then has no report.
    var output = ""
    while !output.contains("\"sent\":1") {
      let data = watch.process.output!.availableData
      output += String(decoding: data, as: UTF8.self)
      try #require(!data.isEmpty && !output.contains("\"error\""), "\(output)")
    }
    #expect(try json(run("ann", "status", "--json"))["pending"] as? Int == 0)
    watch.process.send(SIGINT)
    let rest = watch.process.text()
    #expect(watch.process.wait() == .exit(0), "\(rest)")
    server.kill()
  }
}
