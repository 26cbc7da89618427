#if Sync
import Foundation
import SwiftData
import SyncProtocol
import Testing

@testable import SwiftDataSync

/// Engines of three stores over a network that fails. A seed determines what the programs do and which requests fail. When the
/// requests come does not follow from it.
@Suite("Engines over a network that fails", .serialized, .timeLimit(.minutes(20)))
struct EngineFaultTests {
  /// A store with its engine, which can be closed and opened again.
  private final class Program {
    let transport: FaultyTransport
    private let url: URL
    private let database = "iCloud.com.example.\(UUID().uuidString)"
    private(set) var container: ModelContainer!

    init(_ server: LoopTransport, in folder: URL, seed: UInt64) throws {
      transport = FaultyTransport(server, seed: seed)
      url = folder.appendingPathComponent("\(seed).store")
      try open()
    }

    var engine: SyncEngine {
      get throws { try #require(container.syncEngines.first) }
    }

    private func open() throws {
      SyncRemote.register(
        database, transport: transport, credentials: SyncCredentials(token: "t"), resolvers: [],
        servesAutomatic: false)
      defer { SyncRemote.unregister(database) }
      container = try ModelContainer(
        for: EngineTrack.self, configurations: ModelConfiguration(url: url, cloudKitDatabase: .private(database)))
    }

    func reopen() async throws {
      await (try engine).stop()
      container = nil
      try open()
    }

    /// The attributes of all objects. A large value is told by its first byte and its size.
    var contents: [String] {
      get throws {
        try ModelContext(container).fetch(FetchDescriptor<EngineTrack>()).map { track in
          "\(track.id) \(track.title) \(track.cover.map { "\($0.first ?? 0) \($0.count)" } ?? "none")"
        }.sorted()
      }
    }
  }

  /// One save of a program.
  private func edit(_ program: Program, _ number: Int, _ random: inout SeededGenerator) throws {
    let context = ModelContext(program.container)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let tracks = try context.fetch(FetchDescriptor<EngineTrack>(sortBy: [SortDescriptor(\.id)]))
      let track = tracks.randomElement(using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2: context.insert(EngineTrack(id: "\(number) \(random.next())", title: "new"))
      case 3: track?.title = "\(random.next() % 100)"
      case 4: if let track, tracks.count > 5 { context.delete(track) }
      case 5: track?.cover = nil
      default:
        let pattern = UInt8.random(in: 1..<6, using: &random)
        track?.cover = Data(repeating: pattern, count: SyncWire.assetThreshold * Int(pattern) + 1)
      }
    }
    try context.save()
  }

  private func act(_ program: Program, _ number: Int, _ random: inout SeededGenerator) async throws {
    let engine = try program.engine
    switch Int.random(in: 0..<16, using: &random) {
    case 0: await engine.pause()
    case 1: await engine.resume()
    case 2: await engine.stop()
    case 3: await engine.start()
    case 4: try await program.reopen()
    case 5, 6, 7: try? await engine.syncNow()
    case 8: try await Task.sleep(for: .milliseconds(Int.random(in: 0..<20, using: &random)))
    default: try edit(program, number, &random)
    }
  }

  @Test(
    "When the faults end, all stores are equal, all is sent, and no status has an error",
    arguments: 1...(ProcessInfo.processInfo.environment["FAULT_RUNS"].flatMap { Int($0) } ?? 4))
  func faults(_ run: Int) async throws {
    let first = ProcessInfo.processInfo.environment["FAULT_SEED"].flatMap { UInt64($0) } ?? 1
    let seed = first + UInt64(run) - 1
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("faults-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = SeededGenerator(seed: seed)
    let server = LoopTransport()
    let programs = try (0..<3).map { try Program(server, in: folder, seed: seed &* 3 &+ UInt64($0)) }
    for _ in 0..<60 {
      let number = Int.random(in: 0..<programs.count, using: &random)
      try await act(programs[number], number, &random)
    }
    for program in programs {
      program.transport.mend()
      await (try program.engine).start()
      await (try program.engine).resume()
    }
    // No program asks for an exchange: the engines have to find out by themselves. The time limit cancels the task of a test whose
    // engines do not, and the expectations then say what is missing.
    while try !isSettled(programs), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(20)) }
    let expected = try programs[0].contents
    for program in programs {
      let status = try program.engine.status
      #expect(try program.contents == expected, "seed \(seed)")
      #expect(status.error == nil, "seed \(seed): \(status.error.map { $0.message } ?? "")")
      #expect(status.pendingChanges == 0, "seed \(seed)")
    }
    #expect(Set(server.log.map(\.id)).count == server.log.count, "seed \(seed)")
    for program in programs { await (try program.engine).stop() }
  }

  private func isSettled(_ programs: [Program]) throws -> Bool {
    let expected = try programs[0].contents
    return try programs.allSatisfy { program in
      let status = try program.engine.status
      return try status.error == nil && status.pendingChanges == 0 && !status.isSyncing && status.lastSync != nil
        && program.contents == expected
    }
  }
}
#endif
