import ArgumentParser
import Foundation
import Logging

/// What keeps the promises of `Documentation/reliability.md`: each command tries to break one, and fails where it can.
@main
struct Reliability: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reliability",
    abstract: "Tries to make a store lose something.",
    subcommands: [
      CrashCommand.self, PowerCommand.self, FaultsCommand.self, DamageCommand.self, SoakCommand.self,
      WriteCommand.self, SoakWorkerCommand.self,
    ])

  static func main() {
    // A migration says more than anybody wants to read a thousand times.
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    main(nil)
  }
}

/// What every command takes.
struct Options: ParsableArguments {
  @Option(help: "The seed that everything random follows from.")
  var seed = 1

  @Option(help: "Where to work; a temporary folder of its own by default. It is kept where something was found.")
  var folder: String?

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
      throw ExitCode.failure
    }
  }
}

func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// A process of this same program.
final class Child {
  let process = Process()
  private let output = Pipe()

  init(_ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// Waits for its first words.
  /// - Returns: whether it said something before it ended.
  func waitForOutput() -> Bool { !output.fileHandleForReading.availableData.isEmpty }

  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for its end.
  /// - Returns: what it wrote since.
  func wait() -> String {
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  var wasKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }
}
