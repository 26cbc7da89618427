#if Sync
import Foundation
import SwiftData
import SyncProtocol

@testable import SwiftDataSync

/// Replicas over real stores in memory, with a server without a network.
final class ReplicaGroup {
  let server = SimulatedServer()
  let containers: [ModelContainer]
  private(set) var replicas: [Replica] = []
  private let resolvers: ConflictResolvers
  /// Where the next crash of a replica comes.
  var crashesAt: CrashPoint?
  /// Whether everything happens in one millisecond.
  var isClockStill = false

  init(
    _ models: [any PersistentModel.Type], count: Int = 2, resolvers: ConflictResolvers = ConflictResolvers()
  ) throws {
    let schema = Schema(models)
    containers = try (0..<count).map { _ in
      try ModelContainer(
        for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .none))
    }
    self.resolvers = resolvers
    for index in 0..<count { replicas.append(try replica(index)) }
  }

  /// Starts a replica again after a crash: only what was saved is left.
  func restart(_ index: Int) throws { replicas[index] = try replica(index) }

  private func replica(_ index: Int) throws -> Replica {
    try Replica(
      user: UserStore(containers[index]), resolvers: resolvers,
      now: { [server, unowned self] in
        if !isClockStill { server.now += 1 }
        return server.now
      }, random: SeededGenerator(seed: UInt64(index) &+ UInt64(server.now)),
      checkpoint: { [unowned self] in try crashesAt.pass($0) })
  }

  /// Saves what the body does with a new context of a replica.
  func save(_ index: Int, _ body: (ModelContext) throws -> Void) throws {
    let context = ModelContext(containers[index])
    try body(context)
    try context.save()
  }

  /// Exchanges all changes of a replica.
  func sync(_ index: Int) throws {
    try replicas[index].scan()
    try replicas[index].exchange(with: server, as: index)
  }

  /// Exchanges all changes of all replicas.
  func syncAll() throws { for _ in 0..<2 { for index in replicas.indices { try sync(index) } } }

  func all<M: PersistentModel>(_ type: M.Type, _ index: Int) throws -> [M] {
    try ModelContext(containers[index]).fetch(FetchDescriptor<M>())
  }

  func first<M: PersistentModel>(_ type: M.Type, _ context: ModelContext) throws -> M {
    guard let object = try context.fetch(FetchDescriptor<M>()).first else {
      throw ReplicaError(description: "there is no \(type)")
    }
    return object
  }
}

extension Replica {
  /// Takes in all that the log of the private zone has, and sends all that it lacks.
  func exchange(with server: SimulatedServer, as index: Int = 0) throws {
    let zone = SyncWire.privateZone
    for _ in 0..<1000 {
      let response = server.changes(after: position(zone), limit: 100, replica: index)
      if !response.entries.isEmpty {
        _ = try didPull(response, zone: zone)
      } else if let request = nextPush(zone: zone) {
        try didPush(request, try server.push(request), zone: zone, account: "a")
      } else {
        return
      }
    }
  }
}
#endif
