import ChildProcesses
import Foundation

/// Servers that a script starts for one test alone.
package final class ServerScript {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
  }

  /// The environment that the script gave to the command that it runs.
  package private(set) var variables: [String: String] = [:]
  private let process: ChildProcess

  package static func path(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../scripts/\(name)").standardizedFileURL
  }

  /// - Parameter prefix: how the variables begin that the script sets.
  package init(_ name: String, _ arguments: [String] = [], prefix: String) throws {
    // Until its input ends.
    process = try ChildProcess(
      Self.path(name).path, arguments + ["sh", "-c", "env | grep '^\(prefix)'; echo; cat"],
      environment: ProcessInfo.processInfo.environment.filter {
        !$0.key.hasPrefix("POSTGRES_") && !$0.key.hasPrefix(prefix)
      }, input: .pipe)
    var said = Data()
    while !said.suffix(2).elementsEqual("\n\n".utf8) {
      let part = process.output?.availableData ?? Data()
      if part.isEmpty { break }
      said += part
    }
    for line in String(decoding: said, as: UTF8.self).split(separator: "\n") {
      guard let sign = line.firstIndex(of: "=") else { continue }
      variables[String(line[..<sign])] = String(line[line.index(after: sign)...])
    }
    guard !variables.isEmpty else { throw Failure("scripts/\(name) started nothing") }
  }

  /// - Throws: ``Failure`` if the script did not set the variable.
  package func variable(_ name: String) throws -> String {
    guard let value = variables[name] else { throw Failure("the script did not set \(name)") }
    return value
  }

  package func stop() {
    try? process.input?.close()
    process.wait()
  }

  /// Runs a command and waits for it.
  /// - Returns: what it printed.
  @discardableResult
  package static func run(_ command: [String], _ environment: [String: String] = [:]) throws -> String {
    let output = FileManager.default.temporaryDirectory.appendingPathComponent("Output-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: output) }
    // A server that the command starts would keep a pipe open.
    let file = try FileHandle(forWritingTo: output)
    defer { withExtendedLifetime(file) {} }
    let process = try ChildProcess(
      command[0], Array(command.dropFirst()),
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      output: .descriptor(file.fileDescriptor))
    guard process.wait() == .exit(0) else { throw Failure("\(command) failed") }
    return try String(contentsOf: output, encoding: .utf8)
  }
}

/// A server for one test alone, which it may restart.
public final class PrivateServer {
  /// The address of the server.
  public let url: String
  private let script: ServerScript

  /// Starts the server.
  public init() throws {
    script = try ServerScript("postgres", prefix: "POSTGRES_")
    url = try script.variable("POSTGRES_URL")
  }

  /// Kills the server and starts it again.
  public func restart() throws {
    try ServerScript.run(try script.variable("POSTGRES_RESTART").split(separator: " ").map(String.init))
  }

  /// Ends the server and removes its files.
  public func stop() { script.stop() }
}

/// A primary and its replicas for one test alone.
public final class PrivateCluster {
  /// Names all hosts.
  public let url: String
  private let script: ServerScript

  /// The ways to take the primary away.
  public enum Failover: String, Sendable { case kill, pause, cut, switchover, etcd }

  /// Starts the servers.
  /// - Parameter options: the options of `scripts/cluster`.
  public init(_ options: String...) throws {
    script = try ServerScript("cluster", options, prefix: "CLUSTER_")
    url = try script.variable("CLUSTER_URL")
  }

  /// Takes the primary away and promotes a replica.
  /// - Returns: when the primary went away and when the new one was promoted, in seconds since 1970.
  public func failOver(_ kind: Failover) throws -> (lost: Double, promoted: Double) {
    let said = try ServerScript.run([ServerScript.path("cluster").path, "failover", kind.rawValue], script.variables)
    let words = said.split(separator: " ").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    guard words.count == 4, let lost = Double(words[2]), let promoted = Double(words[3]) else {
      throw ServerScript.Failure("scripts/cluster failover \(kind.rawValue) answered: \(said)")
    }
    return (lost, promoted)
  }

  /// Ends the servers and removes their files.
  public func stop() { script.stop() }
}

/// A server with a PgBouncer before it, for one test alone.
package final class PrivatePooler {
  package let url: String
  package let direct: String
  private let script: ServerScript

  package static var isInstalled: Bool {
    ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
      FileManager.default.isExecutableFile(atPath: $0 + "/pgbouncer")
    }
  }

  /// - Parameter mode: what it pools: `session` or `transaction`.
  package init(_ mode: String) throws {
    script = try ServerScript("postgres", [ServerScript.path("pgbouncer").path, mode], prefix: "POSTGRES_")
    url = try script.variable("POSTGRES_URL")
    direct = try script.variable("POSTGRES_DIRECT_URL")
  }

  package func stop() { script.stop() }
}
