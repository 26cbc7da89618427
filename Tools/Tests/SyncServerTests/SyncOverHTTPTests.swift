import Foundation
import SwiftData
import SwiftDataSync
import SyncProtocol
import Synchronization
import Testing

@testable import SyncServer

@Model final class HTTPTrip {
  @Attribute(.unique) var id: UUID = UUID()
  var name: String = ""
  @Attribute(.externalStorage) var picture: Data?
  @Relationship(deleteRule: .cascade, inverse: \HTTPStop.trip) var stops: [HTTPStop] = []
  init(_ name: String) { self.name = name }
}
@Model final class HTTPStop {
  var name: String = ""
  var trip: HTTPTrip?
  init(_ name: String) { self.name = name }
}

@Suite("Sync over HTTP", .serialized, .timeLimit(.minutes(20)))
struct SyncOverHTTPTests {
  private static func container(_ server: ServerFixture, _ account: String, _ store: URL? = nil) async throws
    -> ModelContainer
  {
    let database = "iCloud.\(UUID().uuidString)"
    // Other suites of the process make containers meanwhile, whose database is automatic.
    SyncRemote.register(
      database, transport: HTTPTransport(url: server.url),
      credentials: SyncCredentials(token: try await server.token(account)), servesAutomatic: false)
    defer { SyncRemote.unregister(database) }
    let schema = Schema([HTTPTrip.self])
    let configuration =
      store.map { ModelConfiguration(schema: schema, url: $0, cloudKitDatabase: .private(database)) }
      ?? ModelConfiguration(schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .private(database))
    return try ModelContainer(for: schema, configurations: configuration)
  }

  private static func engine(_ container: ModelContainer) throws -> SyncEngine {
    try #require(container.syncEngines.first)
  }

  private static func names(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<HTTPTrip>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  /// Waits as long as it takes, because the machine may be busy. The time limit of the suite ends a wait without a result.
  private static func wait(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test(
    "A save on one replica appears on another one, with its relationships and large values, and on no other account's")
  func twoReplicas() async throws {
    try await ServerFixture.with { server in
      let one = try await Self.container(server, "ann")
      let other = try await Self.container(server, "ann")
      let stranger = try await Self.container(server, "bob")
      let context = ModelContext(one)
      let trip = HTTPTrip("Rome")
      trip.stops = ["Colosseum", "Forum"].map(HTTPStop.init)
      trip.picture = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      context.insert(trip)
      try context.save()
      try await Self.wait { try Self.names(other) == ["Rome"] }
      let copy = try #require(try ModelContext(other).fetch(FetchDescriptor<HTTPTrip>()).first)
      #expect(copy.stops.map(\.name) == ["Colosseum", "Forum"])
      #expect(copy.picture == trip.picture)
      try await Self.engine(stranger).syncNow()
      #expect(try Self.names(stranger).isEmpty)
      for container in [one, other, stranger] { try await Self.engine(container).stop() }
    }
  }

  @Test(
    "The token of another account is refused, also after a sign-out in the middle, and nothing of one account reaches the other"
  )
  func otherAccount() async throws {
    try await ServerFixture.with { server in
      let account = Mutex("ann")
      let database = "iCloud.\(UUID().uuidString)"
      SyncRemote.register(
        database, transport: HTTPTransport(url: server.url),
        credentials: SyncCredentials { try await server.token(account.withLock { $0 }) }, servesAutomatic: false)
      defer { SyncRemote.unregister(database) }
      let one = try ModelContainer(
        for: HTTPTrip.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private(database)))
      let (ann, eve) = (try await Self.container(server, "ann"), try await Self.container(server, "eve"))
      func save(_ name: String, _ container: ModelContainer) throws {
        let context = ModelContext(container)
        context.insert(HTTPTrip(name))
        try context.save()
      }
      try save("Rome", one)
      try await Self.engine(one).syncNow()
      for name in ["Oslo", "Bergen"] { try save(name, eve) }
      try await Self.engine(eve).syncNow()
      account.withLock { $0 = "eve" }
      try save("Paris", one)
      for _ in 0..<2 {
        let error = await #expect(throws: SyncError.self) { try await Self.engine(one).syncNow() }
        #expect(error?.code == .unauthorized && error?.message.contains("ann") == true)
      }
      try await Self.engine(eve).syncNow()
      #expect(try Self.names(eve) == ["Bergen", "Oslo"] && Self.names(one) == ["Paris", "Rome"])
      account.withLock { $0 = "ann" }
      try await Self.engine(one).syncNow()
      try await Self.engine(ann).syncNow()
      #expect(try Self.names(ann) == ["Paris", "Rome"])
      for container in [one, ann, eve] { try await Self.engine(container).stop() }
    }
  }

  @Test(
    "Devices that are new or were away end equal after the server folded its log", arguments: TestStore.available)
  func folded(_ store: TestStore) async throws {
    var limits = ServerLimits()
    (limits.foldSize, limits.retention) = (0, 0)
    try await store.with(limits: limits) { server in
      func save(_ container: ModelContainer, _ body: (HTTPTrip) -> Void) throws {
        let context = ModelContext(container)
        body(try #require(try context.fetch(FetchDescriptor<HTTPTrip>()).first))
        try context.save()
      }
      let one = try await Self.container(server, "ann")
      let context = ModelContext(one)
      context.insert(HTTPTrip("Rome"))
      try context.save()
      try await Self.engine(one).syncNow()
      let away = try await Self.container(server, "ann")
      try await Self.engine(away).syncNow()
      try await Self.engine(away).stop()
      try save(away) { $0.stops.append(HTTPStop("unsent")) }
      for number in 0..<40 {
        try save(one) { trip in
          trip.name = "Rome \(number)"
          trip.picture = Data(repeating: UInt8(number), count: 100_000)
          trip.stops = [HTTPStop("stop \(number)")]
        }
        try await Self.engine(one).syncNow()
      }
      try await server.fold("ann")
      let new = try await Self.container(server, "ann")
      try await Self.engine(new).syncNow()
      try await Self.engine(away).start()
      try await Self.engine(away).syncNow()
      for container in [one, new] { try await Self.engine(container).syncNow() }
      for container in [one, new, away] {
        let trip = try #require(try ModelContext(container).fetch(FetchDescriptor<HTTPTrip>()).first)
        #expect(trip.name == "Rome 39" && trip.picture == Data(repeating: 39, count: 100_000))
        #expect(trip.stops.map(\.name).sorted() == ["stop 39", "unsent"])
        try await Self.engine(container).stop()
      }
    }
  }

  @Test("Six replicas that save at the same time end equal")
  func many() async throws {
    try await ServerFixture.with { server in
      var containers: [ModelContainer] = []
      for _ in 0..<6 { containers.append(try await Self.container(server, "ann")) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, container) in containers.enumerated() {
          group.addTask {
            for number in 0..<10 {
              let context = ModelContext(container)
              context.insert(HTTPTrip("\(index)-\(number)"))
              try context.save()
              try await Task.sleep(for: .milliseconds(3))
            }
          }
        }
        try await group.waitForAll()
      }
      for container in containers { try await Self.wait { try Self.names(container).count == 60 } }
      for container in containers { try await Self.engine(container).stop() }
    }
  }

  @Test("A request that is cancelled while it fails ends")
  func cancelledRequests() async throws {
    let transport = HTTPTransport(url: URL(string: "http://127.0.0.1:1")!)
    for round in 0..<50 {
      let task = Task {
        try await transport.send(SyncRequest(method: "GET", path: "/", headers: [:], body: nil, timeout: .seconds(5)))
      }
      if round % 2 == 0 { await Task.yield() }
      task.cancel()
      _ = await task.result
    }
  }

  @Test("A store that is opened again goes on where it stopped: what was there before the sync is sent, nothing twice")
  func reopening() async throws {
    try await ServerFixture.with { server in
      let folder = try TestFolder()
      let store = folder.url.appendingPathComponent("user.store")
      do {
        let plain = try ModelContainer(
          for: Schema([HTTPTrip.self]),
          configurations: ModelConfiguration(schema: Schema([HTTPTrip.self]), url: store, cloudKitDatabase: .none))
        let context = ModelContext(plain)
        for number in 0..<50 { context.insert(HTTPTrip("old \(number)")) }
        try context.save()
      }
      for round in 0..<3 {
        let container = try await Self.container(server, "ann", store)
        let context = ModelContext(container)
        context.insert(HTTPTrip("new \(round)"))
        try context.save()
        try await Self.engine(container).syncNow()
        try await Self.engine(container).stop()
      }
      let fresh = try await Self.container(server, "ann")
      try await Self.engine(fresh).syncNow()
      #expect(try Self.names(fresh).count == 53)
      try await Self.engine(fresh).stop()
      withExtendedLifetime(folder) {}
    }
  }
}
