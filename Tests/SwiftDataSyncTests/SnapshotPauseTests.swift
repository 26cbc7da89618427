import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

@Suite("A snapshot that could not be sent")
struct SnapshotPauseTests {
  private let transport = LoopTransport()

  /// An engine that exchanges changes only when it is told to, with one object that the server has.
  private func engine() async throws -> (SyncEngine, ModelContainer) {
    let database = "iCloud.com.example.\(UUID().uuidString)"
    // Other suites of the process make containers meanwhile, whose database is automatic.
    SyncServer.register(
      database, transport: transport, credentials: SyncCredentials(token: "t"), servesAutomatic: false)
    defer { SyncServer.unregister(database) }
    let container = try ModelContainer(
      for: EngineTrack.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
    let engine = try #require(container.syncEngines.first)
    await engine.pause()
    let context = ModelContext(container)
    context.insert(EngineTrack(id: "a", title: "a"))
    try context.save()
    return (engine, container)
  }

  @Test("is not made again with the next answers of the server, which all ask for it, but after the pause")
  func pause() async throws {
    let (engine, container) = try await engine()
    transport.refuseSnapshots(replacing: 1 << 20)
    let tenMinutesLater = Date(timeIntervalSinceNow: 600)
    for _ in 0..<3 {
      try await engine.syncNow()
      await engine.snapshotUpload?.value
    }
    #expect(transport.snapshotParts == 1)
    #expect(await engine.snapshotsNotBefore >= tenMinutesLater)
    await engine.endSnapshotPause()
    try await engine.syncNow()
    await engine.snapshotUpload?.value
    #expect(transport.snapshotParts == 2)
    await engine.stop()
    withExtendedLifetime(container) {}
  }
}

extension SyncEngine {
  /// Lets the time pass in which it makes no snapshot.
  fileprivate func endSnapshotPause() { snapshotsNotBefore = .distantPast }
}
