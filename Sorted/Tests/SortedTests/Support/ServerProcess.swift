import ChildProcesses
import Foundation
import Testing

/// A running `sorted firestore`.
final class ServerProcess: Sendable {
  let port: Int
  private let started: SortedProgram.Started

  /// Starts one and waits until it answers.
  /// - Parameter port: where a server is killed and starts again; nil is any port.
  init(_ sorted: SortedProgram, _ store: URL, at port: ReservedPort? = nil) throws {
    started = try sorted.start(["firestore", "--port", "\(port?.number ?? 0)", "--store", store.path])
    let line = started.process.line()
    let errors = try String(contentsOf: started.errors, encoding: .utf8)
    try #require(line.hasSuffix("\n"), "the server ended: \(errors)")
    self.port = try #require(Int(line.dropLast().split(separator: ":").last ?? ""))
  }

  deinit { kill() }

  /// As a power failure does.
  func kill() {
    started.process.send(SIGKILL)
    started.process.wait()
  }
}
