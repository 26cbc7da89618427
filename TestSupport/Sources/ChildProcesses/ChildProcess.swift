import Foundation
import SpawnedProcesses

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that a test starts.
///
/// It inherits its standard streams and no other descriptor, and a thread of its own waits for its end. Foundation's `Process` has one
/// thread for all children, which learns of an end by a socket that the child inherits. A child that closes this socket and runs on keeps
/// the thread from all other children. Tests that wait for these children then hold up the few threads of Swift's tasks.
///
/// It ends at the latest with this process, however this process ends.
public final class ChildProcess: Sendable {
  /// The place that a standard stream of a process leads to.
  public enum Stream: Equatable, Sendable {
    /// The null device.
    case nothing
    /// The place of this process's stream.
    case inherited
    /// A pipe, whose other end is here.
    case pipe
    /// The place of the standard output, for the standard error alone.
    case output
    /// A descriptor of this process, which stays open here.
    case descriptor(Int32)
  }

  /// The way in which a process ended.
  public enum Ending: Equatable, Sendable {
    /// It exited with a status.
    case exit(Int32)
    /// A signal ended it.
    case signal(Int32)
  }

  /// Says why a process cannot be started.
  public struct Failure: Error, CustomStringConvertible {
    /// The command and the reason.
    public let description: String
  }

  /// The number of the process.
  public let identifier: Int32
  /// The pipe to the standard input; nil without one.
  public let input: FileHandle?
  /// The pipe from the standard output; nil without one.
  public let output: FileHandle?
  /// The pipe from the standard error; nil without one of its own.
  public let errors: FileHandle?
  private let end = End()

  /// Starts a process in a process group of its own.
  /// - Parameters:
  ///   - command: a path, or a name to look for in `PATH`.
  ///   - arguments: the arguments that follow the command.
  ///   - environment: all variables of the process; nil takes the variables of this process.
  ///   - directory: where it runs; nil is where this process runs.
  /// - Throws: ``Failure`` if it cannot be started.
  public init(
    _ command: String, _ arguments: [String] = [], environment: [String: String]? = nil, directory: URL? = nil,
    input: Stream = .nothing, output: Stream = .pipe, errors: Stream = .inherited
  ) throws {
    var pipes = [PipeEnds(), PipeEnds(), PipeEnds()]
    defer {
      for descriptor in [pipes[0].read, pipes[1].write, pipes[2].write] where descriptor >= 0 { close(descriptor) }
    }
    var streams: [Int32] = []
    for (standard, stream) in [input, output, errors].enumerated() {
      switch stream {
      case .nothing: streams.append(-1)
      case .inherited: streams.append(Int32(standard))
      case .output: streams.append(streams[1])
      case .descriptor(let number): streams.append(number)
      case .pipe:
        try pipes[standard].open()
        streams.append(standard == 0 ? pipes[0].read : pipes[standard].write)
      }
    }
    func handle(_ descriptor: Int32) -> FileHandle? {
      descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
    (self.input, self.output, self.errors) = (handle(pipes[0].write), handle(pipes[1].read), handle(pipes[2].read))
    let orphans = try Orphans.shared.get()
    let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
    let number = Self.withTexts([command] + arguments) { arguments in
      Self.withTexts(variables) { variables in spawn_process(command, arguments, variables, directory?.path, streams) }
    }
    guard number > 0 else {
      throw Failure(description: "\(command) cannot be started: \(String(cString: strerror(-number)))")
    }
    identifier = number
    orphans.began(number)
    Thread.detachNewThread { [end] in end.reap(number) }
  }

  fileprivate static func withTexts<T>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> T) -> T {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }

  // MARK: - Its end

  /// Whether it has not ended.
  public var isRunning: Bool { end.ending == nil }

  /// Waits for its end.
  @discardableResult
  public func wait() -> Ending { end.wait() }

  /// Waits for its end.
  /// - Parameter seconds: how long.
  /// - Returns: nil if it still runs.
  public func wait(seconds: Double) -> Ending? { end.wait(until: Date(timeIntervalSinceNow: seconds)) }

  /// Reads its output up to the end of a line. A program may write a line in several pieces.
  /// - Returns: the line with its line feed, or the rest of the output if the output ends without one.
  public func line() -> String {
    var data = Data()
    while data.last != UInt8(ascii: "\n"), let byte = try? output?.read(upToCount: 1), !byte.isEmpty { data += byte }
    return String(decoding: data, as: UTF8.self)
  }

  /// Reads the rest of its output, and waits for its end.
  public func text() -> String {
    let data = output?.readDataToEndOfFile() ?? Data()
    wait()
    return String(decoding: data, as: UTF8.self)
  }

  /// Sends it a signal, unless it has ended.
  public func send(_ signal: Int32) { end.whileRunning { kill(identifier, signal) } }
}

/// `scripts/end-orphans`, which ends the children that this process leaves behind. It reads from a pipe that ends with this process.
private struct Orphans {
  private let pipe: Int32

  static let shared = Result<Orphans, ChildProcess.Failure> { () throws(ChildProcess.Failure) in try Orphans() }

  private init() throws(ChildProcess.Failure) {
    var ends = PipeEnds()
    try ends.open()
    let script = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../scripts/end-orphans")
      .standardizedFileURL.path
    let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
    let number = ChildProcess.withTexts([script]) { arguments in
      ChildProcess.withTexts(variables) { variables in
        spawn_process(script, arguments, variables, "/", [ends.read, -1, -1])
      }
    }
    close(ends.read)
    guard number > 0 else {
      throw ChildProcess.Failure(description: "\(script) cannot be started: \(String(cString: strerror(-number)))")
    }
    pipe = ends.write
  }

  func began(_ process: Int32) { say("+ \(process)\n") }

  /// The caller says it before the number may belong to another process.
  func ended(_ process: Int32) { say("- \(process)\n") }

  /// Short enough for the pipe to take the line as one.
  private func say(_ line: String) {
    let bytes = Array(line.utf8)
    while write(pipe, bytes, bytes.count) == -1, errno == EINTR {}
  }
}

/// The two descriptors of a pipe. Each is -1 until the pipe is open.
private struct PipeEnds {
  var (read, write): (Int32, Int32) = (-1, -1)

  mutating func open() throws(ChildProcess.Failure) {
    var ends: [Int32] = [-1, -1]
    let error = make_private_pipe(&ends)
    guard error == 0 else { throw ChildProcess.Failure(description: "no pipe: \(String(cString: strerror(error)))") }
    (read, write) = (ends[0], ends[1])
  }
}

/// The end of a process, which threads wait for.
// @unchecked Sendable because all access to `known`, the only variable, is under the condition's lock.
private final class End: @unchecked Sendable {
  private let condition = NSCondition()
  private var known: ChildProcess.Ending?

  var ending: ChildProcess.Ending? { condition.withLock { known } }

  /// Waits for the process, and frees its number.
  func reap(_ process: Int32) {
    // Until it is waited for without this option, no other process gets the number.
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    try? Orphans.shared.get().ended(process)
    condition.withLock {
      var status: Int32 = 0
      while waitpid(process, &status, 0) == -1, errno == EINTR {}
      known = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
      condition.broadcast()
    }
  }

  func wait() -> ChildProcess.Ending {
    condition.withLock {
      while true {
        if let known { return known }
        // A wait with a date far away traps on Linux.
        condition.wait()
      }
    }
  }

  func wait(until date: Date) -> ChildProcess.Ending? {
    condition.withLock {
      while known == nil, condition.wait(until: date) {}
      return known
    }
  }

  func whileRunning(_ body: () -> Void) { condition.withLock { if known == nil { body() } } }
}
