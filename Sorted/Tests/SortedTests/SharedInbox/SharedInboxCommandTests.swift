import Foundation
import Sorted
import SwiftData
import SyncServer
import Testing

/// A running sync server.
private final class SyncServerProgram {
  let port: Int
  private let process = Process()

  init(_ folder: URL, port: Int = 0) throws {
    let keys = folder.appendingPathComponent("keys")
    try Data("test \(SharedPeople.secret)\n".utf8).write(to: keys)
    let output = Pipe()
    process.executableURL = SortedProgram.beside.appendingPathComponent("SyncServerProcess")
    process.arguments = [folder.appendingPathComponent("server.store").path, keys.path, "\(port)"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    self.port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)), "the server printed \(line)")
  }

  /// As a power failure does.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  deinit { kill() }
}

@Suite("The commands of a shared inbox", .timeLimit(.minutes(10))) struct SharedInboxCommandTests {
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
    var server = try SyncServerProgram(folder.url)
    let port = server.port
    try run("ann", "new", "--to", "bob", "--id", "talk").expectSuccess()
    try run("ann", "send", "talk", "0").expectSuccess()
    #expect((try json(sync("ann", port))["outgoing"] as? [String: Any])?["sent"] as? Int == 1)
    #expect((try json(sync("bob", port))["incoming"] as? [String: Any])?["received"] as? Int == 1)
    #expect(try run("bob", "show", "talk").output.contains("0"))

    server.kill()
    try run("bob", "send", "talk", "1").expectSuccess()
    let offline = try sync("bob", port)
    #expect(offline.status == 1 && offline.errors.contains("cannot be reached"), "\(offline.errors)")
    var status = try json(
      run("bob", "status", "--server", "http://127.0.0.1:\(port)", "--json"))
    #expect(status["online"] as? Bool == false && status["pending"] as? Int == 1 && status["user"] as? String == "bob")
    #expect((status["lastError"] as? String)?.contains("cannot be reached") == true)

    server = try SyncServerProgram(folder.url, port: port)
    for user in ["bob", "ann", "bob"] { try sync(user, port).expectSuccess() }
    #expect(try messages("ann").map(\.text) == ["0", "1"])
    status = try json(run("bob", "status", "--server", "http://127.0.0.1:\(port)", "--json"))
    #expect(status["online"] as? Bool == true && status["pending"] as? Int == 0 && status["lastError"] == nil)
    server.kill()
  }

  @Test("Wrong options and tokens are refused with what to do")
  func refusals() throws {
    let both = try sorted.run(["sync", "--remote", "http://127.0.0.1:1"] + options("ann", 1))
    #expect(both.status == 64 && both.errors.contains("--server or --remote"))
    let accounts = try sorted.run(["serve", "--accounts", "--sync", "http://127.0.0.1:1", "--store", store("ann").path])
    #expect(accounts.status == 64 && accounts.errors.contains("one person"))
    let none = try run("ann", "sync", "--server", "http://127.0.0.1:1")
    #expect(none.status == 1 && none.errors.contains("--token-file"))
    let other = try sorted.run(["sync", "--user", "bob"] + options("ann", 1))
    #expect(other.status == 1 && other.errors.contains("the token is ann's"))
    try folder.write("ann.token", "nonsense")
    let nonsense = try sync("ann", 1)
    #expect(nonsense.status == 1 && nonsense.errors.contains("swiftdata sync-token"))
    #expect(!FileManager.default.fileExists(atPath: store("ann").path))
    let server = try SyncServerProgram(folder.url)
    // Signed by another server.
    try folder.write("ann.token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjk5OTk5OTk5OTl9.AAAA")
    let forged = try sync("ann", server.port)
    #expect(forged.status == 1 && forged.errors.contains("sign in again"), "\(forged.errors)")
    #expect((try json(run("ann", "status", "--json"))["lastError"] as? String)?.contains("sign in again") == true)
    server.kill()
  }

  @Test("Messages of both sides arrive once and in one order, while the server and an inbox are killed")
  func killed() async throws {
    var server = try SyncServerProgram(folder.url)
    let port = server.port
    try run("ann", "new", "--to", "bob", "--id", "talk").expectSuccess()
    try run("ann", "send", "talk", "first").expectSuccess()
    let ann = try watch("ann", port)
    var bob = try watch("bob", port)
    defer { for process in [ann, bob] { kill(process.process.processIdentifier, SIGKILL) } }
    try await wait { try FileManager.default.fileExists(atPath: store("bob").path) && !messages("bob").isEmpty }
    let count = 12
    for number in 1...count {
      try run(number % 2 == 0 ? "ann" : "bob", "send", "talk", "\(number)").expectSuccess()
      switch number {
      case 4: server.kill()
      case 7: server = try SyncServerProgram(folder.url, port: port)
      case 9:
        kill(bob.process.processIdentifier, SIGKILL)
        bob.process.waitUntilExit()
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
