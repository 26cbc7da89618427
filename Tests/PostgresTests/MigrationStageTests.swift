import Foundation
import SwiftData
import Synchronization
import Testing

@testable import SwiftDataPostgres

private enum StageV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

private enum StageV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  @Model final class Note {
    var text: String
    var size: Int = 0
    init(_ text: String) { self.text = text }
  }
}

private enum StagePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [StageV1.self, StageV2.self] }
  final class Kept: Sendable {
    let context = Mutex<Unchecked<ModelContext>?>(nil)
  }
  @TaskLocal static var kept: Kept?
  /// Called with the context of the stage.
  @TaskLocal static var body: (@Sendable (ModelContext) throws -> Void)?
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: StageV1.self, toVersion: StageV2.self,
        willMigrate: { context in
          let unchecked = Unchecked(context)
          kept?.context.withLock { $0 = unchecked }
          try body?(context)
        }, didMigrate: nil)
    ]
  }
}

@Suite("A migration stage in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct MigrationStageTests {
  private let store = TestStore()

  @Test("lends its connection to its context until it ends, and not to a program that kept the context")
  func keptContext() throws {
    let first = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: StageV1.self), configurations: [store.configuration]))
    first.insert(StageV1.Note("a"))
    try first.save()
    let kept = StagePlan.Kept()
    let container = try StagePlan.$kept.withValue(kept) {
      try ModelContainer(
        for: Schema(versionedSchema: StageV2.self), migrationPlan: StagePlan.self, configurations: [store.configuration]
      )
    }
    let stage = try #require(kept.context.withLock { $0 }).value
    #expect(throws: SwiftDataError.missingContainer) { try stage.fetch(FetchDescriptor<StageV1.Note>()) }
    stage.insert(StageV1.Note("b"))
    #expect(throws: SwiftDataError.missingContainer) { try stage.save() }
    #expect(try ModelContext(container).fetch(FetchDescriptor<StageV2.Note>()).map(\.text) == ["a"])
  }

  @Test("loses the transaction with its connection, so that a save in it is not tried again")
  func lostConnection() throws {
    let first = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: StageV1.self), configurations: [store.configuration]))
    first.insert(StageV1.Note("a"))
    try first.save()
    var configuration = store.configuration
    // A store waits for another primary only if there are several hosts.
    let host = try #require(PostgresURL(store.url)?.options["host"])
    configuration.url = store.url.replacing("host=\(host)", with: "host=\(host),\(host)")
    configuration.pool.timeout = .seconds(2)
    let trips = Mutex([Int]())
    let body: @Sendable (ModelContext) throws -> Void = { [store] context in
      // The opening begins again.
      guard trips.withLock({ $0.isEmpty }) else { return }
      context.insert(StageV1.Note("b"))
      try store.sql(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
          + " WHERE pid <> pg_backend_pid() AND application_name = 'swiftdata \(store.namespace)'")
      let (error, count) = RoundTrips.record { #expect(throws: SwiftDataError.io) { try context.save() } }
      trips.withLock { $0.append(count) }
      if let error { throw error }
    }
    let container = try StagePlan.$body.withValue(body) {
      try ModelContainer(
        for: Schema(versionedSchema: StageV2.self), migrationPlan: StagePlan.self, configurations: [configuration])
    }
    #expect(trips.withLock { $0 } == [1])
    #expect(try ModelContext(container).fetch(FetchDescriptor<StageV2.Note>()).map(\.text) == ["a"])
  }
}

@Suite struct KeyBlockTests {
  @Test("Of two rests the one with the greater keys is kept, so that a later object gets a greater key")
  func greatestRest() throws {
    let blocks = KeyBlocks()
    func keep(_ keys: Range<Int64>, timeline: Int64) {
      blocks.keep([KeyBlocks.Rest(table: "t", keys: keys, timeline: timeline)])
    }
    func take(timeline: Int64) throws -> [Int64] {
      var rests = [KeyBlocks.Rest]()
      return try blocks.take(1, for: "t", timeline: timeline, rest: &rests) { _, _ in throw CancellationError() }
    }
    keep(1065..<1128, timeline: 1)
    keep(1001..<1064, timeline: 1)
    #expect(try take(timeline: 1) == [1065])
    // Another primary's keys may be smaller.
    keep(5..<9, timeline: 2)
    #expect(try take(timeline: 2) == [5])
  }
}
