import BlockingTests
import ChildProcesses
import Foundation
import SwiftData
import SyncServer
import Testing

@testable import Sorted
@testable import SortedSync

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A running sync server.
private final class SyncServerProgram {
  let port: Int
  private let process: ChildProcess

  /// - Parameter port: where a server is killed and starts again; nil is any port.
  init(_ folder: URL, at port: ReservedPort? = nil) throws {
    let keys = folder.appendingPathComponent("keys")
    try Data("test \(SharedPeople.secret)\n".utf8).write(to: keys)
    process = try ChildProcess(
      SortedProgram.beside.appendingPathComponent("SyncServerProcess").path,
      [folder.appendingPathComponent("server.store").path, keys.path, "\(port?.number ?? 0)"], errors: .nothing)
    let line = process.line()
    self.port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)), "the server printed \(line)")
  }

  /// As a power failure does.
  func kill() {
    process.send(SIGKILL)
    process.wait()
  }

  deinit { kill() }

  /// How many pulls and pushes it answered.
  func exchangeRequests() throws -> Int {
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
    let lines = String(decoding: try Data(contentsOf: url), as: UTF8.self).split(separator: "\n")
    let counts = lines.filter {
      $0.hasPrefix("sync_requests_total{") && ($0.contains("pull") || $0.contains("push"))
    }.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    return Int(counts.reduce(0, +))
  }
}

@Suite("The commands of a shared inbox", .blocking, .timeLimit(.minutes(20))) struct SharedInboxCommandTests {
  private let folder: TemporaryFolder
  private let sorted: SortedProgram

  init() async throws {
    folder = try TemporaryFolder()
    sorted = SortedProgram(dataHome: folder.url)
    let keys = try await TokenKeys([("test", SharedPeople.secret)])
    for user in ["ann", "bob"] {
      try folder.write("\(user).token", try await keys.token(for: user, seconds: 3_600))
    }
  }

  private func store(_ user: String) -> URL { folder.url.appendingPathComponent("\(user).store") }

  private func run(_ user: String, _ arguments: String...) throws -> SortedProgram.Run {
    try sorted.run(arguments + ["--store", store(user).path])
  }

  private func options(_ user: String, _ port: Int) -> [String] {
    [
      "--store", store(user).path, "--server", "http://127.0.0.1:\(port)", "--token-file",
      folder.url.appendingPathComponent("\(user).token").path,
    ]
  }

  private func sync(_ user: String, _ port: Int) throws -> SortedProgram.Run {
    try sorted.run(["sync", "--json"] + options(user, port))
  }

  private func watch(_ user: String, _ port: Int) throws -> SortedProgram.Started {
    try sorted.start(["sync", "--watch", "--interval", "0.1"] + options(user, port))
  }

  private func json(_ run: SortedProgram.Run) throws -> [String: Any] {
    run.expectSuccess()
    return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  private func messages(_ user: String) throws -> [MessageEntity] {
    try ModelContext(try SortedContainer.open(store(user))).fetch(
      FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.createdAt)]))
  }

  private func wait(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(50)) }
  }

  @Test("Two stores exchange messages; what is written while the server is down waits, and the status says why")
  func exchange() throws {
    let place = try ReservedPort()
    let port = place.number
    var server = try SyncServerProgram(folder.url, at: place)
    try run("ann", "new", "--to", "bob", "--id", "talk").expectSuccess()
    try run("ann", "send", "talk", "0").expectSuccess()
    #expect((try json(sync("ann", port))["outgoing"] as? [String: Any])?["sent"] as? Int == 1)
    #expect((try json(sync("bob", port))["incoming"] as? [String: Any])?["received"] as? Int == 1)
    #expect(try run("bob", "show", "talk").output.contains("0"))

    server.kill()
    try run("bob", "send", "talk", "1").expectSuccess()
    let offline = try sync("bob", port)
    #expect(offline.status == 2 && offline.errors.contains("cannot be reached"), "\(offline.errors)")
    var status = try json(
      run("bob", "status", "--server", "http://127.0.0.1:\(port)", "--json"))
    // The message, and the receipt of the one that was shown.
    #expect(status["online"] as? Bool == false && status["pending"] as? Int == 2 && status["user"] as? String == "bob")
    #expect((status["lastError"] as? String)?.contains("cannot be reached") == true)

    server = try SyncServerProgram(folder.url, at: place)
    for user in ["bob", "ann", "bob"] { try sync(user, port).expectSuccess() }
    #expect(try messages("ann").map(\.text) == ["0", "1"])
    let wrong = try run("ann", "sync", "--remote", "http://127.0.0.1:1")
    #expect(wrong.status == 2 && wrong.errors.contains("use --server"))
    // Two at a time: the first one goes on, and the other one's trouble is not the store's.
    let watching = try watch("ann", port)
    // Its first line comes after its first exchange.
    #expect(!watching.process.line().isEmpty)
    let second = try sync("ann", port)
    #expect(second.status == 2 && second.errors.contains("another process"))
    #expect(try json(run("ann", "status", "--json"))["lastError"] == nil)
    watching.process.send(SIGTERM)
    #expect(watching.process.wait() == .exit(0))
    status = try json(run("bob", "status", "--server", "http://127.0.0.1:\(port)", "--json"))
    #expect(status["online"] as? Bool == true && status["pending"] as? Int == 0 && status["lastError"] == nil)
    server.kill()
  }

  @Test("Wrong options and tokens are refused with what to do")
  func refusals() throws {
    let both = try sorted.run(["sync", "--remote", "http://127.0.0.1:1"] + options("ann", 1))
    #expect(both.status == 2 && both.errors.contains("--server or --remote"))
    let accounts = try sorted.run(["serve", "--accounts", "--sync", "http://127.0.0.1:1", "--store", store("ann").path])
    #expect(accounts.status == 2 && accounts.errors.contains("one person"))
    let none = try run("ann", "sync", "--server", "http://127.0.0.1:1")
    #expect(none.status == 2 && none.errors.contains("--token-file"))
    let other = try sorted.run(["sync", "--user", "bob"] + options("ann", 1))
    #expect(other.status == 2 && other.errors.contains("the token is ann's"))
    try folder.write("ann.token", "nonsense")
    let nonsense = try sync("ann", 1)
    #expect(nonsense.status == 2 && nonsense.errors.contains("swiftdata sync-token"))
    #expect(!FileManager.default.fileExists(atPath: store("ann").path))
    let server = try SyncServerProgram(folder.url)
    // Signed by another server.
    try folder.write("ann.token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjk5OTk5OTk5OTl9.AAAA")
    let forged = try sync("ann", server.port)
    #expect(forged.status == 2 && forged.errors.contains("swiftdata sync-token"), "\(forged.errors)")
    let error = try json(run("ann", "status", "--json"))["lastError"] as? String
    #expect(error?.contains("swiftdata sync-token") == true)
    server.kill()
  }

  @Test("A message costs as many requests beside twenty conversations as beside two")
  func requests() async throws {
    func cost(_ count: Int) async throws -> Int {
      let folder = try TemporaryFolder()
      let server = try SyncServerProgram(folder.url)
      let token = try String(contentsOf: self.folder.url.appendingPathComponent("ann.token"), encoding: .utf8)
      let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
      let ann = try Person(SharedInbox.open(folder.store, server: url) { token })
      // Only what is asked for is counted. After an exchange the engine has started, so that it stays paused.
      try await ann.sync()
      await ann.inbox.engine.pause()
      for number in 0..<count {
        try ann.begin("\(number)", with: "bob")
        try ann.say("x", in: "\(number)")
      }
      for _ in 0..<3 { try await ann.sync() }
      let before = try server.exchangeRequests()
      try ann.say("One more", in: "0")
      try await ann.sync()
      let cost = try server.exchangeRequests() - before
      await ann.close()
      return cost
    }
    let (few, many) = (try await cost(2), try await cost(20))
    #expect(few > 0 && few == many, "\(few) and \(many) requests")
  }

  @Test("Messages of both sides arrive once and in one order, while the server and an inbox are killed")
  func killed() async throws {
    let place = try ReservedPort()
    let port = place.number
    var server = try SyncServerProgram(folder.url, at: place)
    try run("ann", "new", "--to", "bob", "--id", "talk").expectSuccess()
    try run("ann", "send", "talk", "first").expectSuccess()
    let ann = try watch("ann", port)
    var bob = try watch("bob", port)
    defer { for started in [ann, bob] { started.process.send(SIGKILL) } }
    try await wait { try FileManager.default.fileExists(atPath: store("bob").path) && !messages("bob").isEmpty }
    let count = 12
    for number in 1...count {
      try run(number % 2 == 0 ? "ann" : "bob", "send", "talk", "\(number)").expectSuccess()
      switch number {
      case 4: server.kill()
      case 7: server = try SyncServerProgram(folder.url, at: place)
      case 9:
        bob.process.send(SIGKILL)
        bob.process.wait()
      case 11: bob = try watch("bob", port)
      default: break
      }
    }
    try await wait {
      try messages("ann").count == count + 1 && messages("bob").count == count + 1
        && messages("ann").allSatisfy { $0.syncStatus == .synced && $0.status >= .delivered }
    }
    let texts = try messages("ann").map(\.text)
    #expect(try texts == messages("bob").map(\.text))
    #expect(Set(texts) == Set(["first"] + (1...count).map(String.init)))
    // Each side's own messages are in the order in which they were written.
    let numbers = texts.compactMap { Int($0) }
    for rest in 0...1 {
      let own = numbers.filter { $0 % 2 == rest }
      #expect(own == own.sorted())
    }
    server.kill()
  }
}
