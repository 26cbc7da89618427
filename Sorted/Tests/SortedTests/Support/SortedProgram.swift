import ChildProcesses
import Foundation
import Testing

/// The built `sorted`, run as a process.
struct SortedProgram {
  /// How a run ended and what it printed.
  struct Run {
    /// The status that it exited with; nil if a signal ended it.
    let status: Int32?
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
    let started = try start(arguments, models: models)
    let output = started.process.text()
    let status: Int32? = if case .exit(let status) = started.process.wait() { status } else { nil }
    return Run(
      status: status, output: output, errors: String(decoding: try Data(contentsOf: started.errors), as: UTF8.self))
  }

  /// The processor time of a run in seconds. A busy machine makes the run last longer, and its processor time hardly.
  func processorTime(_ arguments: String...) throws -> Double {
    let script = "TIMEFORMAT='%U %S'; time \"$@\" >/dev/null 2>&1"
    let own = ["XDG_DATA_HOME": dataHome.path, "LC_ALL": "C"]
    // bash prints the times to its errors.
    let text = try ChildProcess(
      "/bin/bash", ["-c", script, "bash", Self.executable.path] + arguments,
      environment: ProcessInfo.processInfo.environment.merging(own) { $1 }, errors: .output
    ).text()
    let times = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    try #require(times.count == 2, "\(text)")
    return times[0] + times[1]
  }

  /// A started process. Its errors go to a file, so that neither pipe can fill while the other is read.
  struct Started {
    let process: ChildProcess
    let errors: URL
  }

  func start(_ arguments: [String], input: String? = nil, models: URL? = nil) throws -> Started {
    let errors = dataHome.appendingPathComponent("errors-\(UUID().uuidString)")
    try Data().write(to: errors)
    let file = try FileHandle(forWritingTo: errors)
    defer { try? file.close() }
    var environment = ProcessInfo.processInfo.environment.merging(["XDG_DATA_HOME": dataHome.path]) { $1 }
    environment["SORTED_STORE"] = nil
    if let models { environment["SORTED_MODELS"] = models.path }
    let process = try ChildProcess(
      Self.executable.path, arguments, environment: environment, input: input == nil ? .nothing : .pipe,
      errors: .descriptor(file.fileDescriptor))
    if let lines = process.input, let input {
      // Small enough for the pipe, or the program reads while this writes.
      try lines.write(contentsOf: Data(input.utf8))
      try lines.close()
    }
    return Started(process: process, errors: errors)
  }
}
