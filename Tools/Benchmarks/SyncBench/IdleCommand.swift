import ArgumentParser
import Foundation
import SwiftData
import SwiftDataSync
import SyncServer

/// How often a client wakes up that has nothing to sync.
struct IdleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "idle", abstract: "Counts the wake-ups of a client that has nothing to sync.")

  @Option(help: "How long to count, in seconds.") var seconds = 60

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-idle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let secret = String(repeating: "k", count: 32)
    let server = try ServerProcess(store: folder.appendingPathComponent("server.store").path, secret: secret)
    defer { server.stop() }
    let token = try await TokenKeys([("bench", secret)]).token(for: "ann", seconds: 86_400)
    guard let url = URL(string: "http://127.0.0.1:\(server.port)") else { return }
    try SyncRemote.register("bench", at: url, credentials: SyncCredentials(token: token))
    func open(_ name: String, syncs: Bool) throws -> ModelContainer {
      try ModelContainer(
        for: BenchItem.self,
        configurations: ModelConfiguration(
          url: folder.appendingPathComponent("\(name).store"), cloudKitDatabase: syncs ? .private("bench") : .none))
    }
    let alone = try open("alone", syncs: false)
    print("a container without sync: \(try await count()) wake-ups in \(seconds) s")
    let synced = try open("synced", syncs: true)
    try await synced.syncEngines[0].syncNow()
    print("and one that syncs: \(try await count()) wake-ups in \(seconds) s")
    await synced.syncEngines[0].pause()
    print("the latter paused: \(try await count()) wake-ups in \(seconds) s")
    await synced.syncEngines[0].stop()
    withExtendedLifetime(alone) {}
  }

  /// How often threads of this process began to run again after they had waited.
  private func count() async throws -> Int {
    // What just happened has its end.
    try await Task.sleep(for: .seconds(3))
    let before = Self.switches
    try await Task.sleep(for: .seconds(seconds))
    return Self.switches.reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
  }

  /// The voluntary context switches of each thread.
  private static var switches: [String: Int] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    var switches: [String: Int] = [:]
    for task in tasks {
      let status = (try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
      switches[task] = line?.split(separator: "\t").last.flatMap { Int($0) }
    }
    return switches
  }
}
