#if os(Linux)
  import ChildProcesses
  import Foundation

  /// The command of `Tests/CrashHelper`, running as a process of its own.
  final class Helper {
    private let process: ChildProcess
    private var text = ""
    private var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The command. Test and helper are built into one folder.
    static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("CrashHelper")

    init(_ arguments: String...) throws { process = try ChildProcess(Self.program.path, arguments) }

    /// Waits until it has written a line that is wanted, or ends.
    /// - Returns: whether it wrote the line.
    func wait(for isWanted: (String) -> Bool) -> Bool {
      while !lines.contains(where: isWanted) {
        let data = process.output?.availableData ?? Data()
        if data.isEmpty { return false }
        text += String(decoding: data, as: UTF8.self)
      }
      return true
    }

    /// Waits for its end.
    /// - Returns: the lines that it wrote.
    func wait() throws -> [String] {
      text += process.text()
      return lines
    }

    /// Kills it after some seconds, as nothing can be caught, unless it ends before.
    /// - Returns: the lines that it wrote.
    func kill(after seconds: Double = 0) throws -> [String] {
      if process.wait(seconds: seconds) == nil { process.send(SIGKILL) }
      return try wait()
    }

    var wasKilled: Bool { if case .signal = process.wait() { true } else { false } }
  }
#endif
