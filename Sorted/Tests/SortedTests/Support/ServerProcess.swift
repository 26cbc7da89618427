import ChildProcesses
import Foundation
import Testing

/// Ports of servers that are killed and start again at the same port.
enum ServerPort {
  /// A port below those that the system gives to connections, and to other servers while this one is down.
  static var restartable: Int { .random(in: 20_000..<32_000) }
}

/// A running `sorted firestore`.
final class ServerProcess: Sendable {
  let port: Int
  private let started: SortedProgram.Started

  /// Starts one and waits until it answers.
  init(_ sorted: SortedProgram, _ store: URL, port: Int = 0) throws {
    started = try sorted.start(["firestore", "--port", "\(port)", "--store", store.path])
    var output = ""
    while !output.contains("\n") {
      let data = started.process.output!.availableData
      let errors = try String(contentsOf: started.errors, encoding: .utf8)
      try #require(!data.isEmpty, "the server ended: \(errors)")
      output += String(decoding: data, as: UTF8.self)
    }
    self.port = try #require(Int(output.prefix { $0 != "\n" }.split(separator: ":").last ?? ""))
  }

  deinit { kill() }

  /// As a power failure does.
  func kill() {
    started.process.send(SIGKILL)
    started.process.wait()
  }
}
