#if Sync
  import Foundation
  import SwiftData
  import SwiftDataPostgres
  import SwiftDataSync
  import Testing

  /// Each test that registers a server runs in a process of its own, because a registration is valid for all containers of a
  /// process.
  @Suite("Article: Sync")
  struct Sync {
    @Model
    final class Trip {
      @Attribute(.unique) var id: UUID = UUID()
      var name: String = ""
      var changed: Date = Date.now

      init(name: String) { self.name = name }
    }

    struct NewestTrip: ConflictResolver {
      func resolve(local: Trip, remote: Trip) {
        if remote.changed > local.changed { local.name = remote.name }
      }
    }

    @Test("Without a network a save succeeds, and the status counts the change and says why it waits")
    func offline() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let file = folder.file("trips.store")
        // No server listens here. The tests of the server run the same calls against one.
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        let token = "a token of the server"

        try SyncRemote.register(
          "iCloud.com.example.trips", at: url, credentials: SyncCredentials(token: token), resolvers: [NewestTrip()])
        let container = try ModelContainer(
          for: Trip.self,
          configurations: ModelConfiguration(url: file, cloudKitDatabase: .private("iCloud.com.example.trips")))

        let context = ModelContext(container)
        context.insert(Trip(name: "Lisbon"))
        try context.save()

        let engine = container.syncEngines[0]
        do {
          try await engine.syncNow()
        } catch let error as SyncError where error.code == .offline {
          print("\(engine.status.pendingChanges) changes wait: \(error)")
        }

        #expect(engine.status.error?.code == .offline && engine.status.pendingChanges == 1)
        #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.name) == ["Lisbon"])
        #expect(try await engine.conflicts().isEmpty)
        await engine.stop()
      }
    }

    /// Needs a server of PostgreSQL and one of sync, so it is only compiled. `OtherStoreTests` runs the same calls.
    private func otherStores(url: String, file: URL) throws {
      try SyncRemote.register("iCloud.com.example.trips")
      let container = try ModelContainer(for: Trip.self, configurations: PostgresConfiguration("trips", url: url))
      try container.sync(configuration: "trips", with: "iCloud.com.example.trips", bookkeeping: file)
    }

    @Test("A resolver changes its local copy")
    func resolver() {
      let local = Trip(name: "Lisbon")
      let remote = Trip(name: "Porto")
      remote.changed = local.changed + 1
      NewestTrip().resolve(local: local, remote: remote)
      #expect(local.name == "Porto")
    }

    enum Unfit {
      @Model
      final class Owner {
        var name: String = ""
        @Relationship(inverse: \Pet.owner) var pets: [Pet] = []

        init() {}
      }

      @Model
      final class Pet {
        var owner: Owner

        init(owner: Owner) { self.owner = owner }
      }
    }

    @Test("A model that cannot sync is refused when the container opens")
    func refused() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        try SyncRemote.register("iCloud.com.example.unfit", at: url, credentials: SyncCredentials(token: "a token"))
        let error = #expect(throws: SwiftDataError.self) {
          _ = try ModelContainer(
            for: Unfit.Owner.self,
            configurations: ModelConfiguration(
              url: folder.file("unfit.store"), cloudKitDatabase: .private("iCloud.com.example.unfit")))
        }
        #expect(error?.description.contains("Pet.owner") == true)
      }
    }
  }
#endif
