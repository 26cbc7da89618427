import ArgumentParser
import Foundation
import Logging
import SwiftData
import SwiftDataSync
import Synchronization
import SyncServer

@Model
final class BenchItem {
  var title: String = ""
  var number: Int = 0
  var date: Date = Date(timeIntervalSince1970: 0)
  init(_ number: Int) { (title, self.number) = ("Item \(number)", number) }
}

/// A class with few objects, so that asking whether one arrived costs nothing.
@Model
final class BenchPing {
  var number: Int = 0
  init(_ number: Int) { self.number = number }
}

/// `make bench ONLY=sync`: what sync costs.
@main
struct SyncBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    subcommands: [
      CostCommand.self, ClientsCommand.self, CommitsCommand.self, FirstSyncCommand.self, IdleCommand.self,
      ServeCommand.self, ReadCommand.self,
    ],
    defaultSubcommand: CostCommand.self)
}

/// What sync costs beside the same work without sync, in one run on one machine.
///
/// Server and clients run in this process and speak HTTP over the loopback. All stores are SQLite files.
struct CostCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cost", abstract: "Compares sync with the same work without sync.")

  @Option(help: "How many objects are sent and taken in.") var objects = 100_000
  @Option(help: "How many objects a save has.") var batch = 1000
  @Option(help: "How many single changes are timed.") var changes = 200

  private static let database = "bench"

  func run() async throws {
    // The server logs each request, which would hide the results.
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .warning
      return handler
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let keys = try await TokenKeys([("bench", String(repeating: "k", count: 32))])
    var limits = ServerLimits()
    (limits.burst, limits.requestsPerSecond) = (1_000_000, 1_000_000)
    let service = try SyncService(
      store: folder.appendingPathComponent("server.store").path, keys: keys, limits: limits)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let server = Task { try await service.run(port: 0, signals: false) { continuation.yield($0) } }
    defer { server.cancel() }
    guard let port = await ports.first(where: { _ in true }), let url = URL(string: "http://127.0.0.1:\(port)") else {
      return
    }
    try SyncRemote.register(
      Self.database, at: url, credentials: SyncCredentials(token: try await keys.token(for: "ann", seconds: 86_400)))
    try await measure(folder)
  }

  private func measure(_ folder: URL) async throws {
    let local = try await cost { try insert(into: try open(folder, "local", syncs: false)) }
    print("insert \(objects) objects locally in saves of \(batch): \(local)")
    let raw = try RawLoop(folder.appendingPathComponent("raw.sqlite").path)
    let rows = try await cost { try raw.writeObjects(objects, batch: batch) }
    let bookkeeping = try await cost { try raw.writeBookkeeping(objects, batch: batch) }
    raw.close()
    print("a raw loop writes their rows: \(rows)")
    print("a raw loop writes a row of bookkeeping for each, and the log: \(bookkeeping)")

    let writer = try open(folder, "writer", syncs: true)
    let sender = writer.syncEngines[0]
    // Only then are the objects changes, and not what the store had before it synced.
    try await sender.syncNow()
    await sender.pause()
    try insert(into: writer)
    let push = try await cost { try await sender.syncNow() }
    print(
      "push them: \(push), \(push.ratio(to: local)) times the local insert, \(push.ratio(to: rows)) times the raw rows"
        + " of the objects, \(push.ratio(to: bookkeeping)) times the raw rows of bookkeeping and log")

    let before = Self.peakMemory
    let reader = try open(folder, "reader", syncs: true)
    let pull = try await cost { try await reader.syncEngines[0].syncNow() }
    let count = try ModelContext(reader).fetchCount(FetchDescriptor<BenchItem>())
    print(
      "pull \(count) into an empty store: \(pull), \(pull.ratio(to: local)) times the local insert;"
        + " peak memory grew by \((Self.peakMemory - before) >> 10) MB")

    let saves = try await savesWhilePulling(folder)
    print(
      "\(saves.count) saves of one object while a replica pulls: median \(text(saves[saves.count / 2] * 1000)) ms,"
        + " 99th percentile \(text(saves[saves.count * 99 / 100] * 1000)) ms, slowest \(text(saves[saves.count - 1] * 1000)) ms"
    )

    await sender.resume()
    var latencies: [Double] = []
    for number in 0..<changes { latencies.append(try await latency(number, from: writer, to: reader)) }
    latencies.sort()
    print(
      "one change from save() to visible on the other replica: median \(text(latencies[changes / 2] * 1000)) ms,"
        + " slowest \(text(latencies[changes - 1] * 1000)) ms")
    for container in [writer, reader] { await container.syncEngines[0].stop() }
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// The seconds of saves of one object in a store that takes in all objects meanwhile, ascending. A save waits for the transaction of a
  /// part of the pull.
  private func savesWhilePulling(_ folder: URL) async throws -> [Double] {
    let container = try open(folder, "saving", syncs: true)
    let engine = container.syncEngines[0]
    let done = Flag()
    async let pull: Void = {
      defer { done.isSet.store(true, ordering: .releasing) }
      try await engine.syncNow()
    }()
    var seconds: [Double] = []
    while !done.isSet.load(ordering: .acquiring) {
      let context = ModelContext(container)
      context.insert(BenchPing(0))
      let start = ContinuousClock.now
      try context.save()
      seconds.append(Self.seconds(ContinuousClock.now - start))
      try await Task.sleep(for: .milliseconds(2))
    }
    try await pull
    await engine.stop()
    return seconds.sorted()
  }

  private func open(_ folder: URL, _ name: String, syncs: Bool) throws -> ModelContainer {
    try ModelContainer(
      for: BenchItem.self, BenchPing.self,
      configurations: ModelConfiguration(
        url: folder.appendingPathComponent("\(name).store"),
        cloudKitDatabase: syncs ? .private(Self.database) : .none))
  }

  private func insert(into container: ModelContainer) throws {
    for start in stride(from: 0, to: objects, by: batch) {
      let context = ModelContext(container)
      for number in start..<min(start + batch, objects) { context.insert(BenchItem(number)) }
      try context.save()
    }
  }

  /// Seconds from a save on one replica until a fetch on the other one has it.
  private func latency(_ number: Int, from one: ModelContainer, to other: ModelContainer) async throws -> Double {
    let descriptor = FetchDescriptor<BenchPing>(predicate: #Predicate<BenchPing> { $0.number == number })
    let context = ModelContext(one)
    context.insert(BenchPing(number))
    let start = ContinuousClock.now
    try context.save()
    while try ModelContext(other).fetchCount(descriptor) == 0 { try await Task.sleep(for: .milliseconds(1)) }
    return Self.seconds(ContinuousClock.now - start)
  }

  /// What a step cost the process. A busy machine needs more seconds for the same processor time.
  private struct Cost: CustomStringConvertible {
    let seconds: Double
    let processor: Double

    var description: String {
      String(format: "%.2f s, %.2f s of processor time", seconds, processor)
    }

    /// How many times as much processor time as another step.
    func ratio(to other: Cost) -> String { String(format: "%.1f", processor / other.processor) }
  }

  private func cost(_ body: () async throws -> Void) async rethrows -> Cost {
    let (start, used) = (ContinuousClock.now, Self.processorSeconds)
    try await body()
    return Cost(seconds: Self.seconds(ContinuousClock.now - start), processor: Self.processorSeconds - used)
  }

  /// The processor time that the process had.
  private static var processorSeconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(0), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  private func text(_ value: Double) -> String { String(format: "%.2f", value) }

  /// The most memory that the process had at once, in KiB.
  private static var peakMemory: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(0), &usage)
    return Int(usage.ru_maxrss)
  }
}
