#if Sync
import Foundation
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftData
@testable import SwiftDataSync

@Suite("The first sync of a large zone") struct FirstSyncTests {
  private let server = ZoneServer()
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: GrowthItem.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    // What another replica sent: 60 transactions of 50 objects.
    let group = try ZoneGroup([GrowthItem.self], count: 1)
    for number in 0..<60 {
      try group.save(0) { context in for index in 0..<50 { context.insert(GrowthItem("\(number) \(index)")) } }
      try group.replicas[0].captureSaves()
    }
    let maker = group.replicas[0]
    let first = maker.pullRequest()
    _ = try maker.take(server.pull(first, by: "ann", limit: 5), for: first)
    try maker.sync(with: server)
  }

  private func replica(
    _ checkpoint: @escaping (ZoneReplica.Checkpoint) throws -> Void = { _ in }
  ) throws -> ZoneReplica {
    try ZoneReplica(
      user: UserStore(container), now: { [server] in server.now }, random: SeededGenerator(seed: 2),
      checkpoint: checkpoint)
  }

  @Test(
    "A replica that was killed in the middle goes on, with each object once",
    arguments: [0, 1, 2, 3, 4, 10, 20].map(CrashPoint.statement) + (0..<6).map(CrashPoint.commit))
  func resumes(_ crash: CrashPoint) throws {
    var (parts, crashesAt) = (0, CrashPoint?.some(crash))
    func pull(_ replica: ZoneReplica) throws {
      while true {
        let request = replica.pullRequest()
        let response = server.pull(request, by: "ann", limit: 100)
        parts += 1
        guard try replica.take(response, for: request) else { return }
      }
    }
    let killed = try replica { checkpoint in if parts >= 6 { try crashesAt.pass(checkpoint) } }
    #expect(throws: SimulatedCrash.self) { try pull(killed) }
    parts = 100
    try pull(try replica())
    let names = try ModelContext(container).fetch(FetchDescriptor<GrowthItem>()).map(\.name)
    #expect(names.count == 3000 && Set(names).count == 3000)
  }
}
#endif
