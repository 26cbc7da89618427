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

/// A server for one test alone, which it may restart.
final class PrivateServer {
  let url: String
  private let restarting: [String]
  private let process = Process()
  private let input = Pipe()

  init() throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("scripts/postgres")
    let output = Pipe()
    process.executableURL = script
    // Until its input ends.
    process.arguments = ["sh", "-c", "echo \"$POSTGRES_URL\"; echo \"$POSTGRES_RESTART\"; echo; cat"]
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("POSTGRES_") }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var said = Data()
    while said.count(where: { $0 == UInt8(ascii: "\n") }) < 3 {
      let part = output.fileHandleForReading.availableData
      if part.isEmpty { break }
      said += part
    }
    let lines = String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
    try #require(lines.count == 2, "scripts/postgres started no server")
    url = lines[0]
    restarting = lines[1].split(separator: " ").map(String.init)
  }

  /// Kills the server and starts it again.
  func restart() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    // Foundation takes a process for running as long as anybody has the files that it inherited, and the server would.
    let closing = "for f in /proc/$$/fd/*; do n=${f##*/}; [ $n -le 2 ] || [ $n = 255 ] || eval \"exec $n>&-\"; done"
    process.arguments = ["-c", "\(closing); exec \"$@\"", "bash"] + restarting
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
