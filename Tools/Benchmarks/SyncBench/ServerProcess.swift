import ArgumentParser
import Foundation
import SyncServer

/// A server in a process of its own, whose memory and processor time can be read.
final class ServerProcess: Sendable {
  private let process = Process()
  let port: Int

  init(store: String, secret: String) throws {
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["serve", "--store", store, "--secret", secret]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw CocoaError(.executableLoad)
    }
    self.port = port
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  private func file(_ name: String) -> String {
    (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/\(name)", encoding: .utf8)) ?? ""
  }

  /// The memory that the process has, in KiB.
  var memory: Int {
    let line = file("status").split(separator: "\n").first { $0.hasPrefix("VmRSS") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// The processor time that the process has used, in milliseconds.
  var processor: Double {
    // The name of the program may have blanks. Fields 14 and 15 count hundredths of a second.
    let fields = file("stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
    return (user + system) * 10
  }
}

/// Runs the server of a ``ServerProcess``.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

  @Option var store: String
  @Option var secret: String

  func run() async throws {
    var limits = ServerLimits()
    (limits.burst, limits.requestsPerSecond) = (1_000_000, 1_000_000)
    let service = try SyncService(store: store, keys: try await TokenKeys([("bench", secret)]), limits: limits)
    try await service.run(port: 0) { port in
      print(port)
      fflush(nil)
    }
  }
}
