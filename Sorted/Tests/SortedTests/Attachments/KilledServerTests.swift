import BlockingTests
import ChildProcesses
import Dispatch
import FirestoreClient
import FirestoreProtocol
import Foundation
import Sorted
import Synchronization
import Testing

@Suite("Uploads to a server that is killed", .blocking) struct KilledServerTests {
  /// A server that can be killed at any moment, and comes back at its port.
  private final class Victim: Sendable {
    private let server: Mutex<ServerProcess?>
    private let start: @Sendable (ReservedPort) throws -> ServerProcess
    private let kills = DispatchGroup()
    private let place: ReservedPort
    var port: Int { place.number }

    init(_ start: @escaping @Sendable (ReservedPort) throws -> ServerProcess) throws {
      place = try ReservedPort()
      server = Mutex(try start(place))
      self.start = start
    }

    /// On a thread of its own: the chunk is on its way at the same time.
    func killSoon() {
      kills.enter()
      Thread {
        self.kill()
        self.kills.leave()
      }.start()
    }

    func kill() {
      server.withLock { server in
        server?.kill()
        server = nil
      }
    }

    /// After the kills that have begun.
    func revive() throws {
      kills.wait()
      try server.withLock { server in if server == nil { server = try start(place) } }
    }
  }

  @Test("Every file arrives whole, whatever was under way when the server was killed", .timeLimit(.minutes(20)))
  func killed() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Killed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let sorted = SortedProgram(dataHome: folder)
    let victim = try Victim { try ServerProcess(sorted, folder.appendingPathComponent("server.store"), at: $0) }
    defer { victim.kill() }
    let storage = FirebaseStorage(
      bucket: "b", environment: ["FIREBASE_STORAGE_EMULATOR_HOST": "127.0.0.1:\(victim.port)"])
    let bench = try UploadBench(folder, storage)
    bench.storage.onChunk { number in if number % 3 == 0 { victim.killSoon() } }
    let sizes = [0, 1, UploadBench.chunk, 3 * UploadBench.chunk + 5, 4 * UploadBench.chunk]
    for (number, size) in sizes.enumerated() { try bench.attach("\(number)", bytes: size) }

    var completed = Set<String>()
    // Each round sends a chunk at least; with more rounds than this nothing goes on.
    for _ in 0..<60 where completed.count < sizes.count {
      try victim.revive()
      let summary = try await bench.service().uploadPending(ignoringBackoff: true)
      completed.formUnion(summary.completed)
      for id in summary.failed { try await bench.service().retry(id) }
    }
    bench.storage.onChunk { _ in }
    try victim.revive()
    #expect(completed.count == sizes.count)
    for (number, size) in sizes.enumerated() {
      let arrived = try await storage.contents(of: bench.name("\(number)"))
      #expect(arrived == bench.data(size))
    }
  }
}
