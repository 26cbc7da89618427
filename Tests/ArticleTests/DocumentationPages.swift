import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataPostgres
import SwiftDataPostgresShards
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
    init(_ conversationID: UUID) { self.conversationID = conversationID }
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
private typealias Phrase = Pages.Phrase
private typealias Plan = Pages.Plan

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

private func clusters() -> PostgresConfiguration {
  let configuration = PostgresConfiguration(
    url: "postgres://app@a:5432,b:5432,c:5432/app?sslmode=verify-full", readPreference: .preferReplica)
  return configuration
}

private func tenants(url: String, schema: Schema) throws -> (ModelContainer, [String: any Error]) {
  let tenants = PostgresTenants(
    PostgresConfiguration(url: url, schema: schema, pool: PostgresPoolOptions(size: 8)), prefix: "tenant_")
  let container = try ModelContainer(for: schema, configurations: tenants.configuration(forNamespace: "tenant_17"))
  let failures = try tenants.migrate(try tenants.namespaces(migrationPlan: Plan.self), migrationPlan: Plan.self) {
    print($0.completedCount, "of", $0.totalCount)
  }
  return (container, failures)
}

private func partitions(
  url: String, id: UUID, context: ModelContext
) throws -> (PostgresConfiguration, PostgresPartitions) {
  let configuration = PostgresConfiguration(url: url, partitions: [.hashed(by: \Message.conversationID, count: 16)])
  print(try context.explain(FetchDescriptor<Message>(predicate: #Predicate { $0.conversationID == id })))
  // … Partitions of Message: 1 of 16

  let partitions = PostgresPartitions.hashed(
    by: \Message.conversationID, count: 16,
    shards: ["postgres://app:secret@b/app", "postgres://app:secret@c/app"])
  return (configuration, partitions)
}
