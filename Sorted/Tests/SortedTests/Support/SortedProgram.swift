import ChildProcesses
import Foundation
import Testing

/// The built `sorted`, run as a process.
struct SortedProgram {
  /// How a run ended and what it printed.
  struct Run {
    let status: Int32
    let output: String
    let errors: String

    func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(status == 0, "\(errors)", sourceLocation: sourceLocation)
    }
  }

  /// The folder of the built programs and the test bundle.
  static let beside: URL = {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
      return bundle.bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.executableURL!.deletingLastPathComponent()
    #endif
  }()

  private static let executable = beside.appendingPathComponent("sorted")

  /// What the program finds as the home of its user's data.
  let dataHome: URL

  func run(_ arguments: String...) throws -> Run { try run(arguments) }

  /// - Parameter models: where the program finds a sentence model; nil is where this process does.
  func run(_ arguments: [String], models: URL? = nil) throws -> Run {
    let process = try start(arguments, models: models)
    let output = process.output.fileHandleForReading
    let data = output.readDataToEndOfFile()
    process.process.waitUntilExit()
    return Run(
      status: process.process.terminationStatus, output: String(decoding: data, as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: process.errors), as: UTF8.self))
  }

  /// The processor time of a run in seconds. A busy machine makes the run last longer, and its processor time hardly.
  func processorTime(_ arguments: String...) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    let script = "TIMEFORMAT='%U %S'; time \"$@\" >/dev/null 2>&1"
    process.arguments = ["-c", script, "bash", Self.executable.path] + arguments
    let own = ["XDG_DATA_HOME": dataHome.path, "LC_ALL": "C"]
    process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
    let output = try startingProcess {
      let output = Pipe()
      process.standardError = output
      try process.run()
      return output
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let times = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    try #require(times.count == 2, "\(text)")
    return times[0] + times[1]
  }

  /// A started process. Its errors go to a file, so that neither pipe can fill while the other is read.
  struct Started {
    let process: Process
    let output: Pipe
    let errors: URL
  }

  func start(_ arguments: [String], input: String? = nil, models: URL? = nil) throws -> Started {
    let errors = dataHome.appendingPathComponent("errors-\(UUID().uuidString)")
    try Data().write(to: errors)
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["XDG_DATA_HOME": dataHome.path]) { $1 }
    process.environment?["SORTED_STORE"] = nil
    if let models { process.environment?["SORTED_MODELS"] = models.path }
    process.standardError = try FileHandle(forWritingTo: errors)
    let (output, lines) = try startingProcess {
      let (output, lines) = (Pipe(), input.map { _ in Pipe() })
      process.standardOutput = output
      process.standardInput = lines ?? FileHandle.nullDevice
      try process.run()
      return (output, lines)
    }
    if let lines, let input {
      // Small enough for the pipe, or the program reads while this writes.
      try lines.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try lines.fileHandleForWriting.close()
    }
    return Started(process: process, output: output, errors: errors)
  }
}
