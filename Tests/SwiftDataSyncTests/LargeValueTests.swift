#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("Large values", .serialized)
struct LargeValueTests {
  private let transport = LoopTransport()

  private func cover(_ number: Int, _ size: Int) -> Data {
    withUnsafeBytes(of: number) { Data($0) } + Data(repeating: UInt8(truncatingIfNeeded: number), count: size - 8)
  }

  private func save(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(container)
    try body(context)
    try context.save()
  }

  private func insert(_ numbers: Range<Int>, size: Int, _ container: ModelContainer) throws {
    try save(container) { context in
      for number in numbers {
        let track = EngineTrack(id: "\(number)", title: "\(number)")
        track.cover = cover(number, size)
        context.insert(track)
      }
    }
  }

  private func edit(_ id: String, _ container: ModelContainer, _ body: (EngineTrack) -> Void) throws {
    try save(container) { context in
      let found = try context.fetch(FetchDescriptor<EngineTrack>(predicate: #Predicate { $0.id == id }))
      body(try #require(found.first))
    }
  }

  private func covers(_ container: ModelContainer) throws -> [String: Data?] {
    let tracks = try ModelContext(container).fetch(FetchDescriptor<EngineTrack>())
    return Dictionary(uniqueKeysWithValues: tracks.map { ($0.id, $0.cover) })
  }

  @Test("They come back to a server that was restored from an older copy, also those that were replaced meanwhile")
  func restored() async throws {
    let ((one, sender), (other, receiver)) = (try await transport.pausedEngine(), try await transport.pausedEngine())
    try insert(0..<3, size: 100_000, one)
    for engine in [sender, receiver] { try await engine.syncNow() }
    let kept = transport.log.count
    for number in 0..<2 { try edit("\(number)", one) { $0.cover = cover(number + 10, 200_000) } }
    for engine in [sender, receiver] { try await engine.syncNow() }
    // Both replicas replace this value, so no replica can send the bytes that the log names.
    for container in [one, other] { try edit("1", container) { $0.cover = cover(20, 300_000) } }
    transport.restore(to: kept)
    for engine in [sender, receiver, sender] { try await engine.syncNow() }
    let (third, reader) = try await transport.pausedEngine()
    try await reader.syncNow()
    for container in [one, other, third] {
      #expect(
        try covers(container) == ["0": cover(10, 200_000), "1": cover(20, 300_000), "2": cover(2, 100_000)])
    }
    for engine in [sender, receiver, reader] {
      #expect(engine.status.pendingChanges == 0 && engine.status.error == nil)
      await engine.stop()
    }
  }

  @Test("A restored server gets the value of an object although another object no longer has the same bytes")
  func sameBytes() async throws {
    let (one, sender) = try await transport.pausedEngine()
    try save(one) { context in
      for (id, number) in ["kept": 1, "same as kept": 1, "alone": 2] {
        let track = EngineTrack(id: id, title: id)
        track.cover = cover(number, 100_000)
        context.insert(track)
      }
    }
    try await sender.syncNow()
    for id in ["same as kept", "alone"] { try edit(id, one) { $0.cover = cover(3, 100_000) } }
    // The server refuses the old value of "alone": no device has its bytes.
    transport.restore(to: 0)
    try await sender.syncNow()
    let (other, reader) = try await transport.pausedEngine()
    try await reader.syncNow()
    let (old, new) = (cover(1, 100_000), cover(3, 100_000))
    #expect(try covers(other) == ["kept": old, "same as kept": new, "alone": new])
    for engine in [sender, reader] { await engine.stop() }
  }

  @Test("A store that had objects before it synced is sent in transactions that a server takes, whatever is in them")
  func firstScan() async throws {
    let (one, engine) = try await transport.pausedEngine()
    try insert(0..<40, size: 60_000, one)
    try await engine.syncNow()
    #expect(transport.log.count >= 3)
    #expect(transport.log.allSatisfy { $0.encoded.count < 1_200_000 })
    await engine.stop()
  }

  @Test("A save that is too large for a request is one small transaction, whose values travel apart")
  func largeSave() async throws {
    let ((one, sender), (other, receiver)) = (try await transport.pausedEngine(), try await transport.pausedEngine())
    for engine in [sender, receiver] { try await engine.syncNow() }
    try insert(0..<100, size: 60_000, one)
    for engine in [sender, receiver] { try await engine.syncNow() }
    #expect(transport.log.count == 1 && transport.log[0].encoded.count < 50_000)
    #expect(try covers(other) == covers(one))
    // The values are not sent or fetched again when something else changes.
    try edit("7", other) { $0.title = "seven" }
    for engine in [receiver, sender] { try await engine.syncNow() }
    let last = transport.log.last?.parts[LoopTransport.zone]?.values.map { $0.fields.keys.map(\.text) }
    #expect(last == [["title"]])
    let requests = transport.requests
    try edit("8", one) { $0.title = "eight" }
    for engine in [sender, receiver] { try await engine.syncNow() }
    #expect(transport.requests - requests < 10)
    #expect(try covers(other) == covers(one))
    for engine in [sender, receiver] { await engine.stop() }
  }

  @Test("The values of a save arrive bit by bit at a server that takes few requests at once")
  func fewRequests() async throws {
    let (one, engine) = try await transport.pausedEngine()
    try await engine.syncNow()
    try insert(0..<100, size: 60_000, one)
    for _ in 0..<4 {
      transport.refuseUploads(after: 30)
      try? await engine.syncNow()
    }
    #expect(transport.log.count == 1 && transport.assets.count == 100)
    await engine.stop()
  }

  @Test("A download goes on where the connection was cut")
  func cut() async throws {
    let ((one, sender), (other, receiver)) = (try await transport.pausedEngine(), try await transport.pausedEngine())
    try insert(0..<1, size: 1_000_000, one)
    try await sender.syncNow()
    transport.cutDownloads()
    for _ in 0..<5 { try? await receiver.syncNow() }
    #expect(try covers(other) == covers(one))
    for engine in [sender, receiver] { await engine.stop() }
  }

  @Test("Large values that came before the connection was lost do not come again")
  func parts() async throws {
    let ((one, sender), (other, receiver)) = (try await transport.pausedEngine(), try await transport.pausedEngine())
    try await sender.syncNow()
    for number in 0..<3 { try insert(number..<number + 1, size: 9 << 20, one) }
    try await sender.syncNow()
    // The first value has 36 chunks. The connection is lost while the second one comes.
    transport.loseDownloads(after: 40)
    await #expect(throws: SyncError.self) { try await receiver.syncNow() }
    transport.loseDownloads(after: .max)
    try await receiver.syncNow()
    #expect(try covers(other) == covers(one))
    // 108 chunks, and the one that was lost.
    #expect(transport.downloads == 109)
    for engine in [sender, receiver] { await engine.stop() }
  }

  @Test("A restored server gets what it lacks in transactions that it takes, whatever is in them")
  func restoredParts() async throws {
    let (one, engine) = try await transport.pausedEngine()
    try await engine.syncNow()
    try insert(0..<40, size: 60_000, one)
    try await engine.syncNow()
    transport.restore(to: 0)
    try await engine.syncNow()
    #expect(transport.log.count >= 3 && transport.log.allSatisfy { $0.encoded.count < 1_200_000 })
    await engine.stop()
  }

  @Test("Sharing sends no large value that the server has, and copies none; one that it lacks is sent")
  func share() async throws {
    let transport = AlteringTransport()
    let (one, engine) = try await transport.server.pausedEngine(over: transport)
    try insert(0..<2, size: 100_000, one)
    try await engine.syncNow()
    let uploads = transport.server.uploads
    func share(_ title: String) async throws {
      let track = try ModelContext(one).fetch(FetchDescriptor<EngineTrack>()).first { $0.title == title }
      _ = try await engine.share(try #require(track).persistentModelID)
    }
    try await share("0")
    #expect(transport.server.uploads == uploads)
    #expect(try await engine.kept(UserStore.sha256(cover(0, 100_000))) == nil)
    #expect(engine.status.pendingChanges == 0)
    // A server that lost the bytes.
    transport.drop("/push")
    transport.answer { [transport] request, reply in
      guard request.path.contains("/push") else { return reply }
      transport.drop(nil)
      transport.answer(nil)
      let now = Int64(Date().timeIntervalSince1970 * 1000)
      let refusal = SyncFailure(.missingAsset, "it is not here")
      return SyncReply(
        status: 200, body: try SyncWire.encode(SyncLog.PushResponse(taken: 0, refusal: refusal, time: now)))
    }
    try await share("1")
    #expect(transport.server.uploads > uploads && engine.status.pendingChanges == 0)
    await engine.stop()
  }
}

extension SyncEngine {
  /// The bytes of an asset that the bookkeeping has.
  fileprivate func kept(_ sha256: String) throws -> Data? { try replica().asset(sha256) }
}
#endif
