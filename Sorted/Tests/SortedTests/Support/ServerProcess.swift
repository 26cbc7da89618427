import Foundation
import Testing

/// A running `sorted firestore`.
final class ServerProcess: Sendable {
  let port: Int
  private let started: SortedProgram.Started

  /// Starts one and waits until it answers.
  init(_ sorted: SortedProgram, _ store: URL, port: Int = 0) throws {
    started = try sorted.start(["firestore", "--port", "\(port)", "--store", store.path])
    var output = ""
    while !output.contains("\n") {
      let data = started.output.fileHandleForReading.availableData
      let errors = try String(contentsOf: started.errors, encoding: .utf8)
      try #require(!data.isEmpty, "the server ended: \(errors)")
      output += String(decoding: data, as: UTF8.self)
    }
    self.port = try #require(Int(output.prefix { $0 != "\n" }.split(separator: ":").last ?? ""))
  }

  deinit { kill() }

  /// As a power failure does.
  func kill() {
    guard started.process.isRunning else { return }
    Foundation.kill(started.process.processIdentifier, SIGKILL)
    started.process.waitUntilExit()
  }
}
