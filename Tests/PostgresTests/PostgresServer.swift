import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

/// The server that the tests run against: the one that `scripts/postgres` started.
enum PostgresServer {
  static let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""
  static var isThere: Bool { !url.isEmpty }
  static let reason: Comment = "no server: run `make test`, or `scripts/postgres swift test`"
}

/// A store of its own for one test, which goes with it.
final class TestStore: Sendable {
  let url: String
  let namespace = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
  init(url: String = PostgresServer.url) { self.url = url }

  var configuration: PostgresConfiguration {
    // Whoever waits for a connection does so until the suite's time limit ends the test: a busy machine takes its time.
    PostgresConfiguration(url: url, namespace: namespace, pool: PostgresPoolOptions(size: 4, timeout: 3_600))
  }

  /// The store as another program has it: with connections and contexts of its own.
  func open(_ types: any PersistentModel.Type..., version: Schema.Version = Schema.Version(1, 0, 0)) throws
    -> ModelContainer
  {
    try ModelContainer(for: Schema(types, version: version), configurations: configuration)
  }

  /// Runs SQL as somebody with `psql` would.
  @discardableResult
  func sql(_ text: String, _ parameters: [PostgresParameter] = []) throws -> PostgresResult {
    try PostgresConnection(url: url, namespace: namespace).run(text, parameters)
  }

  deinit {
    _ = try? PostgresConnection(url: url, namespace: "public")
      .run("DROP SCHEMA IF EXISTS \"\(namespace)\" CASCADE")
  }
}

/// Servers that a script starts for one test alone.
final class ServerScript {
  /// What the script told the command that it runs, by variable.
  private(set) var variables: [String: String] = [:]
  private let process = Process()
  private let input = Pipe()

  static func path(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("scripts/\(name)")
  }

  /// - Parameter prefix: how the variables begin that the script sets.
  init(_ name: String, _ arguments: [String] = [], prefix: String) throws {
    let output = Pipe()
    process.executableURL = Self.path(name)
    // Until its input ends.
    process.arguments = arguments + ["sh", "-c", "env | grep '^\(prefix)'; echo; cat"]
    process.environment = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("POSTGRES_") && !$0.key.hasPrefix(prefix)
    }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var said = Data()
    while !said.suffix(2).elementsEqual("\n\n".utf8) {
      let part = output.fileHandleForReading.availableData
      if part.isEmpty { break }
      said += part
    }
    for line in String(decoding: said, as: UTF8.self).split(separator: "\n") {
      guard let sign = line.firstIndex(of: "=") else { continue }
      variables[String(line[..<sign])] = String(line[line.index(after: sign)...])
    }
    try #require(!variables.isEmpty, "scripts/\(name) started nothing")
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Runs a command and waits for it.
  /// - Returns: what it printed.
  @discardableResult
  static func run(_ command: [String], _ environment: [String: String] = [:]) throws -> String {
    let output = FileManager.default.temporaryDirectory.appendingPathComponent("Output-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: output) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    // Foundation takes a process for running as long as anybody has the files that it inherited, and the server would.
    let closing = "for f in /proc/$$/fd/*; do n=${f##*/}; [ $n -le 2 ] || [ $n = 255 ] || eval \"exec $n>&-\"; done"
    process.arguments = ["-c", "\(closing); exec \"$@\"", "bash"] + command
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(command) failed")
    return try String(contentsOf: output, encoding: .utf8)
  }
}

/// A server for one test alone, which it may restart.
final class PrivateServer {
  let url: String
  private let script: ServerScript

  init() throws {
    script = try ServerScript("postgres", prefix: "POSTGRES_")
    url = try #require(script.variables["POSTGRES_URL"])
  }

  /// Kills the server and starts it again.
  func restart() throws {
    try ServerScript.run(try #require(script.variables["POSTGRES_RESTART"]).split(separator: " ").map(String.init))
  }

  func stop() { script.stop() }
}

/// A primary and its replicas for one test alone.
final class PrivateCluster {
  /// Names all hosts.
  let url: String
  private let script: ServerScript

  /// What takes the primary away.
  enum Failover: String { case kill, pause, cut, switchover, etcd }

  init(_ options: String...) throws {
    script = try ServerScript("cluster", options, prefix: "CLUSTER_")
    url = try #require(script.variables["CLUSTER_URL"])
  }

  /// Takes the primary away and promotes a replica.
  /// - Returns: when the primary went away and when the new one was promoted, in seconds since 1970.
  func failOver(_ kind: Failover) throws -> (lost: Double, promoted: Double) {
    let said = try ServerScript.run([ServerScript.path("cluster").path, "failover", kind.rawValue], script.variables)
    let words = said.split(separator: " ").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    try #require(words.count == 4)
    return (try #require(Double(words[2])), try #require(Double(words[3])))
  }

  func stop() { script.stop() }
}
