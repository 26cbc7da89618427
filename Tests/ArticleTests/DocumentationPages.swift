#if Sync
  import Foundation
  import SwiftData
  import SwiftDataAppleStore
  import SwiftDataPostgres
  import SwiftDataSync
  import Testing

  // The Swift blocks of the pages in `Documentation`, which `ArticleBlockTests` compares with this file. Most of them need a server or a
  // file of Apple's frameworks, so they are only compiled.

  private enum Pages {
    @Model final class Trip {
      var name: String = ""
      var start: Date = Date.distantPast
      init() {}
    }

    @Model final class Message {
      var conversationID: UUID
      var uploadProgress: Double = 0
      init(_ conversationID: UUID) { self.conversationID = conversationID }
    }

    @Model final class Conversation {
      var isPinned: Bool = false
      init() {}
    }

    @Model final class UploadJob {
      var file: String = ""
      init() {}
    }

    @Model final class Track {
      var title: String
      var lastModified: Date
      init(_ title: String, _ lastModified: Date) { (self.title, self.lastModified) = (title, lastModified) }
    }

    @Model final class Phrase {
      var text: String
      init(_ text: String) { self.text = text }
    }

    enum Version: VersionedSchema {
      static let versionIdentifier = Schema.Version(1, 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self] }
    }

    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [Version.self] }
      static var stages: [MigrationStage] { [] }
    }
  }

  private typealias Trip = Pages.Trip
  private typealias Message = Pages.Message
  private typealias Conversation = Pages.Conversation
  private typealias UploadJob = Pages.UploadJob
  private typealias Phrase = Pages.Phrase
  private typealias Plan = Pages.Plan
  private typealias Track = Pages.Track

  @Suite("Code in Documentation")
  struct DocumentationPages {
    @Test("A user's store and a pack of the same models are fetched as one")
    func packs() throws {
      let folder = try TemporaryFolder()
      let (userFile, packFile) = (folder.file("user.store"), folder.file("pack.store"))
      do {
        let container = try ModelContainer(for: Phrase.self, configurations: ModelConfiguration(url: packFile))
        let context = ModelContext(container)
        context.insert(Phrase("of the pack"))
        try context.save()
      }

      let container = try ModelContainer(
        for: Phrase.self,
        configurations: ModelConfiguration("user", url: userFile),
        ModelConfiguration("pack", url: packFile, allowsSave: false))

      let context = ModelContext(container)
      context.insert(Phrase("of the user"))
      try context.save()
      let phrases = try context.fetch(FetchDescriptor<Phrase>(sortBy: [SortDescriptor(\.text)]))
      #expect(phrases.map(\.text) == ["of the pack", "of the user"])
    }
  }

  private func appleStores(file: URL) throws -> [Trip] {
    let container = try ModelContainer(for: Trip.self, configurations: AppleStoreConfiguration(url: file))
    let trips = try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)]))
    return trips
  }

  private func postgres() throws -> ModelContainer {
    let container = try ModelContainer(
      for: Trip.self, configurations: PostgresConfiguration(url: "postgres://app@db.example/app?sslmode=verify-full"))
    return container
  }

  private func clusters() -> PostgresConfiguration {
    let configuration = PostgresConfiguration(
      url: "postgres://app@a:5432,b:5432,c:5432/app?sslmode=verify-full", readReplicas: .prefer)
    return configuration
  }

  private func tenants(url: String, schema: Schema) throws -> (ModelContainer, [String: any Error]) {
    let tenants = PostgresTenants(
      PostgresConfiguration(url: url, schema: schema, pool: PostgresPoolOptions(size: 8)), prefix: "tenant_")
    let container = try ModelContainer(for: schema, configurations: tenants.configuration(of: "tenant_17"))
    let failures = try tenants.migrate(try tenants.namespaces(migrationPlan: Plan.self), migrationPlan: Plan.self) {
      print($0.done, "of", $0.total)
    }
    return (container, failures)
  }

  private func partitions(
    url: String, id: UUID, context: ModelContext
  ) throws -> (PostgresConfiguration, PostgresPartitions) {
    let configuration = PostgresConfiguration(url: url, partitions: [.hash(\Message.conversationID, count: 16)])
    print(try context.explain(FetchDescriptor<Message>(predicate: #Predicate { $0.conversationID == id })))
    // … Partitions of Message: 1 of 16

    let partitions = PostgresPartitions.hash(
      \Message.conversationID, count: 16,
      shards: ["postgres://app:secret@b/app", "postgres://app:secret@c/app"])
    return (configuration, partitions)
  }

  private func otherStores(url: String, file: URL) throws {
    try SyncServer.register("iCloud.com.example.trips")
    let container = try ModelContainer(for: Trip.self, configurations: PostgresConfiguration("trips", url: url))
    try container.sync(configuration: "trips", with: "iCloud.com.example.trips", bookkeeping: file)
  }

  private func owner(container: ModelContainer, playlist: Trip) async throws -> String {
    let engine = container.syncEngines[0]
    let share = try await engine.share(playlist.persistentModelID, title: "Road trip")
    try await engine.invite("bob", to: share.id, permission: .readWrite)
    let link = try await engine.makeLink(to: share.id)  // read-only by default
    return link
  }

  private func participant(engine: SyncEngine, link: String) async throws {
    for offer in try await engine.shares() where !offer.hasAccepted { _ = try await engine.accept(offer.id) }
    _ = try await engine.accept(link: link)
  }

  private func scopes() throws {
    try SyncServer.register(
      "iCloud.com.example.chat",
      scopes: [.account(\Conversation.isPinned), .device(\Message.uploadProgress), .device(UploadJob.self)])
  }

  private func conflicts() throws {
    struct NewestTrack: ConflictResolver {
      func resolve(local: Track, remote: Track) {
        if remote.lastModified > local.lastModified { local.title = remote.title }
      }
    }
    try SyncServer.register("iCloud.com.example.music", resolvers: [NewestTrack()])
  }

  private func encryption(file: URL, keyFile: URL) throws -> ModelContainer {
    // Once: make the key and keep its bytes outside the store.
    let key = ModelConfiguration.EncryptionKey.random()
    try key.withBytes { bytes in try bytes.write(to: keyFile, options: .withoutOverwriting) }

    // At each start:
    var configuration = ModelConfiguration(url: file)
    configuration.encryptionKey = try ModelConfiguration.EncryptionKey(Data(contentsOf: keyFile))
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    return container
  }
#endif
