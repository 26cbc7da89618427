import ArgumentParser
import Foundation
import SwiftData
import SwiftDataSync
import SyncProtocol
import SyncServer

/// How much memory the first sync of a large zone takes, and whether it goes on after a kill.
///
/// The server is a process, and each reader is one: `SyncBench first` starts a reader, kills it in the middle, and starts it
/// again with the same store.
struct FirstSyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "first", abstract: "Measures the memory of the first sync of large zones.")

  @Option(help: "The numbers of objects, separated by commas.") var objects = "100000,200000,400000"
  @Flag(help: "Kills the reader in the middle and starts it again.") var kill = false
  @Flag(help: "The objects are in the store before it syncs, and are sent.") var send = false

  func run() async throws {
    for count in objects.split(separator: ",").compactMap({ Int($0) }) { try await measure(count) }
  }

  private func measure(_ count: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-first-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let secret = String(repeating: "k", count: 32)
    let server = try ServerProcess(store: folder.appendingPathComponent("server.store").path, secret: secret)
    defer { server.stop() }
    let token = try await TokenKeys([("bench", secret)]).token(for: "ann", seconds: 86_400)
    if send {
      try fillStore(folder.appendingPathComponent("reader.store"), count)
    } else {
      try await fill(server.port, token, "ann", count)
    }
    let before = server.memory
    func startReader() throws -> Process {
      let reader = Process()
      reader.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      reader.arguments = [
        "read", "--store", folder.appendingPathComponent("reader.store").path, "--url",
        "http://127.0.0.1:\(server.port)",
        "--token", token,
      ]
      reader.standardError = FileHandle.nullDevice
      try reader.run()
      return reader
    }
    if kill {
      let reader = try startReader()
      // About a third of the time that 100,000 objects take.
      try await Task.sleep(for: .seconds(Double(count) / 100_000))
      Foundation.kill(reader.processIdentifier, SIGKILL)
      reader.waitUntilExit()
      print("killed the reader of \(count) objects")
    }
    print("\(count) objects \(send ? "in the store" : "on the server"):", terminator: " ")
    fflush(nil)
    let reader = try startReader()
    reader.waitUntilExit()
    print("the server grew by \((server.memory - before) >> 10) MB meanwhile")
  }

  /// Puts objects into a store that does not sync.
  private func fillStore(_ url: URL, _ count: Int) throws {
    let container = try ModelContainer(
      for: BenchItem.self, configurations: ModelConfiguration(url: url, cloudKitDatabase: .none))
    for start in stride(from: 0, to: count, by: 1000) {
      let context = ModelContext(container)
      for number in start..<min(start + 1000, count) { context.insert(BenchItem(number)) }
      try context.save()
    }
  }

  /// Puts objects into the log in transactions of 1,000.
  private func fill(_ port: Int, _ token: String, _ account: String, _ count: Int) async throws {
    try await LightClient.with(port: port, token: token) { client in
      let epoch = try await client.epoch()
      for start in stride(from: 0, to: count, by: 1000) {
        let fields = (start..<min(start + 1000, count)).map { number -> [WireName: RegisterValue] in
          ["title": .text(ExactText("Item \(number)")), "number": .integer(Int64(number))]
        }
        try await client.push([SyncLog.Transaction(inserting: fields, into: account)], epoch)
      }
    }
  }
}

/// Syncs a store once and prints what it took.
struct ReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "read", shouldDisplay: false)

  @Option var store: String
  @Option var url: String
  @Option var token: String

  func run() async throws {
    guard let url = URL(string: url) else { throw ValidationError("\(url) is no URL") }
    try SyncRemote.register("bench", at: url, credentials: SyncCredentials(token: token))
    let container = try ModelContainer(
      for: BenchItem.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: store), cloudKitDatabase: .private("bench")))
    let had = try ModelContext(container).fetchCount(FetchDescriptor<BenchItem>())
    let engine = container.syncEngines[0]
    let progress = Task {
      var steps = 0
      var last = 0.0
      while !Task.isCancelled {
        if let now = engine.status.progress, now > last { (steps, last) = (steps + 1, now) }
        try? await Task.sleep(for: .milliseconds(20))
      }
      return steps
    }
    let start = ContinuousClock.now
    try await engine.syncNow()
    let seconds = (ContinuousClock.now - start).components
    progress.cancel()
    let steps = await progress.value
    var usage = rusage()
    getrusage(__rusage_who_t(0), &usage)
    let count = try ModelContext(container).fetchCount(FetchDescriptor<BenchItem>())
    print(
      "a reader that had \(had) has \(count) after \(seconds.seconds) s; its memory was at most"
        + " \(Int(usage.ru_maxrss) >> 10) MB; the progress grew \(steps) times;", terminator: " ")
    fflush(nil)
    await engine.stop()
  }
}
