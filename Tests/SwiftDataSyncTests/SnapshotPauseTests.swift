#if Sync
import Foundation
import SwiftData
import Testing

@testable import SwiftDataSync

@Suite("A snapshot that could not be sent")
struct SnapshotPauseTests {
  private let transport = LoopTransport()

  @Test("is not made again with the next answers of the server, which all ask for it, but after the pause")
  func pause() async throws {
    let (container, engine) = try await transport.pausedEngine()
    let context = ModelContext(container)
    context.insert(EngineTrack(id: "a", title: "a"))
    try context.save()
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
#endif
