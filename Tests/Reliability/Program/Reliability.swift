import ChildProcesses
import Foundation
import Logging

/// What keeps the promises of `Documentation/reliability.md`: each command tries to break one, and fails where it can.
@main
enum Reliability {
  private static var commands: [any Command.Type] {
    [
      CrashCommand.self, PowerCommand.self, FaultsCommand.self, DamageCommand.self, SoakCommand.self,
      WriteCommand.self, SoakWorkerCommand.self,
    ]
  }

  static func main() {
    // A migration says more than anybody wants to read a thousand times.
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch is ReportedFailure {
      exit(EXIT_FAILURE)
    } catch let error as UsageError {
      FileHandle.standardError.write(Data("\(error)\n\(usage)".utf8))
      exit(EX_USAGE)
    } catch {
      say("FAILED: \(error)")
      exit(EXIT_FAILURE)
    }
  }

  private static func run(_ words: [String]) throws {
    guard let name = words.first else { throw UsageError("which command?") }
    guard let type = commands.first(where: { $0.name == name }) else { throw UsageError("unknown: \(name)") }
    var arguments = Arguments(Array(words.dropFirst()))
    let command = try type.init(&arguments)
    try arguments.finish()
    try command.run()
  }

  private static var usage: String {
    let lines = commands.compactMap { type in type.usage.map { "  Reliability \(type.name) \($0)\n" } }
    return "usage:\n\(lines.joined())each also takes [--seed N] [--folder FOLDER]\n"
  }
}

/// What every command takes.
struct Options {
  /// The seed that everything random follows from.
  let seed: Int
  /// Where to work; a temporary folder of its own by default. It is kept where something was found.
  let folder: String?

  init(_ arguments: inout Arguments) throws {
    seed = try arguments.value("seed") ?? 1
    folder = try arguments.value("folder")
  }

  /// Runs in a folder that is removed if nothing was found.
  func inFolder(_ body: (URL) throws -> Void) throws {
    let parent = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    let url = parent.appendingPathComponent("reliability-\(UUID().uuidString)").resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    do {
      try body(url)
      try FileManager.default.removeItem(at: url)
    } catch {
      say("FAILED: \(error)\n  in \(url.path)")
      throw ReportedFailure()
    }
  }
}

func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// A process of this same program.
final class Child {
  private let process: ChildProcess

  init(_ arguments: [String]) throws {
    process = try ChildProcess(URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path, arguments)
  }

  /// Waits for its first words.
  /// - Returns: whether it said something before it ended.
  func waitForOutput() -> Bool { process.output?.availableData.isEmpty == false }

  func kill() { process.send(SIGKILL) }

  /// Waits for its end.
  /// - Returns: what it wrote since.
  func wait() -> String { process.text() }

  var wasKilled: Bool { process.wait() == .signal(SIGKILL) }
  var hasSucceeded: Bool { process.wait() == .exit(0) }
}
