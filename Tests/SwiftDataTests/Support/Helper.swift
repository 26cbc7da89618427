#if os(Linux)
  import ChildProcesses
  import Foundation

  /// The command of `Tests/CrashHelper`, running as a process of its own.
  final class Helper {
    private let process = Process()
    private let pipe: Pipe
    private let hasEnded = DispatchSemaphore(value: 0)
    private var text = ""
    private var lines: [String] { text.split(separator: "\n").map(String.init) }

    init(_ arguments: String...) throws {
      // Test and helper are built into one folder.
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("CrashHelper")
      process.arguments = arguments
      process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
      pipe = try startingProcess { [process] in
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        return pipe
      }
    }

    /// Waits until it has written a line that is wanted, or ends.
    /// - Returns: whether it wrote the line.
    func wait(for isWanted: (String) -> Bool) -> Bool {
      while !lines.contains(where: isWanted) {
        let data = pipe.fileHandleForReading.availableData
        if data.isEmpty { return false }
        text += String(decoding: data, as: UTF8.self)
      }
      return true
    }

    /// Waits for its end.
    /// - Returns: the lines that it wrote.
    func wait() throws -> [String] {
      text += String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return lines
    }

    /// Kills it after some seconds, as nothing can be caught, unless it ends before.
    /// - Returns: the lines that it wrote.
    func kill(after seconds: Double = 0) throws -> [String] {
      if hasEnded.wait(timeout: .now() + seconds) == .timedOut { Foundation.kill(process.processIdentifier, SIGKILL) }
      return try wait()
    }

    var wasKilled: Bool { process.terminationReason == .uncaughtSignal }
  }
#endif
