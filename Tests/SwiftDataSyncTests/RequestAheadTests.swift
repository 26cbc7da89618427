#if Sync
import Foundation
import SwiftData
import SyncCore
import SyncProtocol
import Synchronization
import Testing

@testable import SwiftDataSync

/// A server that folds its log after the next push. The zone then comes in parts.
private final class FoldingTransport: SyncTransport {
  private let transport: LoopTransport
  private let state = Mutex((isArmed: false, pushes: 0))

  init(_ transport: LoopTransport) { self.transport = transport }

  /// The pushes since the log may be folded.
  var pushes: Int { state.withLock { $0.pushes } }

  func foldAfterPush() { state.withLock { $0 = (true, 0) } }

  func send(_ request: SyncRequest) async throws -> SyncReply {
    let reply = try await transport.send(request)
    guard request.path == "/v2/log/push" else { return reply }
    let folds = state.withLock { state in
      defer { (state.isArmed, state.pushes) = (false, state.pushes + 1) }
      return state.isArmed
    }
    if folds { transport.fold() }
    return reply
  }
}

@Suite("A request under way that asks for the next part", .timeLimit(.minutes(20)))
struct RequestAheadTests {
  @Test("names the transactions again that the answer acknowledges, because one to a zone in parts stays in the outbox")
  func unsent() throws {
    let (own, id) = (ZoneName.account("ann"), UUID())
    let request = SyncLog.PullRequest(
      cursor: 1, epoch: UUID(), known: [own], loading: [:], unsent: [id], held: [id], version: "1")
    var response = SyncLog.PullResponse(cursor: 2, latest: 3, time: 0)
    response.taken = [id]
    #expect(request.following(response)?.unsent == [id])
    response.loads = [SyncLog.ZoneLoad(zone: own, isStart: true, records: [:], position: "2/1")]
    let following = try #require(request.following(response))
    #expect(following.unsent == [id] && following.known == [] && following.loading == [own: "2/1"])
  }

  // A server names what the log has in the first answer. The transaction stays in the outbox until the zone is here.
  @Test("learns of a transaction that an earlier answer acknowledged before its zone was here")
  func earlyAcknowledgement() async throws {
    let transport = LoopTransport()
    let folding = FoldingTransport(transport)
    let (container, engine) = try await transport.pausedEngine(over: folding)
    let context = ModelContext(container)
    for number in 0..<200 { context.insert(EngineTrack(id: "\(number)", title: "old")) }
    try context.save()
    try await engine.syncNow()
    folding.foldAfterPush()
    let track = try #require(try context.fetch(FetchDescriptor<EngineTrack>()).first)
    track.title = "new"
    try context.save()
    let requests = transport.requests
    try await engine.syncNow()
    #expect(engine.status.error == nil && engine.status.pendingChanges == 0)
    #expect(folding.pushes == 1)
    // A pull that finds nothing, the push, and six pulls, the last of which were under way ahead and are not asked for twice.
    #expect(transport.requests - requests <= 10, "\(transport.requests - requests)")
    let titles = try ModelContext(container).fetch(FetchDescriptor<EngineTrack>()).map(\.title)
    #expect(titles.count == 200 && titles.count { $0 == "new" } == 1)
    await engine.stop()
  }
}
#endif
