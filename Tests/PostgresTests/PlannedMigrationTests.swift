import Foundation
import SwiftData
import SwiftDataPostgres
import Synchronization
import Testing

private enum PlanV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Guest.self, Visit.self] }

  @Model final class Guest {
    var name: String
    var full: String
    @Relationship(inverse: \Visit.guest) var visits: [Visit] = []
    init(_ name: String, full: String) {
      self.name = name
      self.full = full
    }
  }
  @Model final class Visit {
    var day: Int
    var guest: Guest?
    init(_ day: Int, _ guest: Guest?) {
      self.day = day
      self.guest = guest
    }
  }
}

private enum PlanV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Guest.self, Visit.self] }

  @Model final class Guest {
    @Attribute(.unique, originalName: "name") var nick: String
    var first: String = ""
    var last: String = ""
    @Relationship(inverse: \Visit.guest) var visits: [Visit] = []
    init(_ nick: String) { self.nick = nick }
  }
  @Model final class Visit {
    var day: Int
    @Attribute(.spotlight) var remark: String = "none"
    var guest: Guest?
    init(_ day: Int) { self.day = day }
  }
}

private enum GuestPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PlanV1.self, PlanV2.self] }
  static var stages: [MigrationStage] { [toV2] }

  struct Refused: Error {}
  /// What runs in the test at hand.
  @TaskLocal static var isRefused = false
  @TaskLocal static var runs: Counter?
  final class Counter: Sendable {
    let count = Mutex(0)
  }

  static let toV2 = MigrationStage.custom(
    fromVersion: PlanV1.self, toVersion: PlanV2.self,
    willMigrate: { context in
      runs?.count.withLock { $0 += 1 }
      // One guest of each name, with the visits of all.
      var kept = [String: PlanV1.Guest]()
      for guest in try context.fetch(FetchDescriptor<PlanV1.Guest>(sortBy: [SortDescriptor(\.full)])) {
        if let first = kept[guest.name] {
          first.visits += guest.visits
          context.delete(guest)
        } else {
          kept[guest.name] = guest
        }
      }
      // In V2 there is no full name to take apart, so both ways hold it for a moment.
      for guest in kept.values { context.insert(PlanV1.Visit(-1, guest)) }
      try context.save()
    },
    didMigrate: { context in
      for visit in try context.fetch(FetchDescriptor<PlanV2.Visit>(predicate: #Predicate { $0.day == -1 })) {
        visit.guest?.first = "First " + (visit.guest?.nick ?? "")
        context.delete(visit)
      }
      let late = try context.fetch(FetchDescriptor<PlanV2.Visit>(predicate: #Predicate { $0.day > 2 }))
      for visit in late { visit.remark = "late" }
      if isRefused { throw Refused() }
    })
}

private enum LogV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self, Log.self] }

  @Model final class Item {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Log {
    var text: String
    var item: Item
    init(_ text: String, _ item: Item) { (self.text, self.item) = (text, item) }
  }
}

private enum LogV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self] }

  @Model final class Item {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum LogPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LogV1.self, LogV2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: LogV1.self, toVersion: LogV2.self)] }
}

@Suite("Migration plans in PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct PostgresPlanTests {
  private let store = TestStore()

  private func open(_ version: any VersionedSchema.Type) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: GuestPlan.self, configurations: [store.configuration])
  }

  private func fill() throws {
    let context = ModelContext(try open(PlanV1.self))
    let guests = [
      PlanV1.Guest("ann", full: "Ann A"), PlanV1.Guest("bob", full: "Bob B"), PlanV1.Guest("ann", full: "Ann Z"),
    ]
    for (day, guest) in (guests + guests).enumerated() { context.insert(PlanV1.Visit(day, guest)) }
    try context.save()
  }

  private func check(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    let guests = try context.fetch(FetchDescriptor<PlanV2.Guest>(sortBy: [SortDescriptor(\.nick)]))
    #expect(guests.map(\.nick) == ["ann", "bob"])
    #expect(guests.map(\.first) == ["First ann", "First bob"])
    #expect(guests.map { $0.visits.map(\.day).sorted() } == [[0, 2, 3, 5], [1, 4]])
    #expect(try context.search(PlanV2.Visit.self, matching: "late").map(\.model.day).sorted() == [3, 4, 5])
    #expect(try context.search(PlanV2.Visit.self, matching: "none").count == 3)
    context.insert(PlanV2.Guest("ann"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<PlanV2.Guest>()) == 2)
  }

  @Test("run their closures on both versions, and rename what has another name")
  func stages() throws {
    try fill()
    try check(try open(PlanV2.self))
    // Once and for all.
    let counter = GuestPlan.Counter()
    _ = try GuestPlan.$runs.withValue(counter) { try open(PlanV2.self) }
    #expect(counter.count.withLock { $0 } == 0)
    #expect(throws: SwiftDataError.backwardMigration) { try open(PlanV1.self) }
  }

  @Test("change nothing where a closure throws, and can be tried again")
  func refused() throws {
    try fill()
    #expect(throws: GuestPlan.Refused.self) { try GuestPlan.$isRefused.withValue(true) { try open(PlanV2.self) } }
    let old = ModelContext(try open(PlanV1.self))
    #expect(try old.fetch(FetchDescriptor<PlanV1.Guest>()).map(\.name).sorted() == ["ann", "ann", "bob"])
    #expect(try old.fetchCount(FetchDescriptor<PlanV1.Visit>()) == 6)
    #expect(try old.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
    try check(try open(PlanV2.self))
  }

  @Test("let objects be deleted that rows of a removed model need")
  func removedModel() throws {
    func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: LogPlan.self, configurations: [store.configuration]))
    }
    let old = try open(LogV1.self)
    old.insert(LogV1.Log("made", LogV1.Item("a")))
    try old.save()
    let new = try open(LogV2.self)
    for item in try new.fetch(FetchDescriptor<LogV2.Item>()) { new.delete(item) }
    #expect(throws: Never.self) { try new.save() }
    #expect(try ModelContext(new.container).fetchCount(FetchDescriptor<LogV2.Item>()) == 0)
    #expect(try store.sql("SELECT 1 FROM \"Log\" WHERE text = 'made' AND item IS NULL").count == 1)
  }

  @Test("are run by one of many programs that start at a time")
  func atOnce() throws {
    try fill()
    let counter = GuestPlan.Counter()
    let store = store
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        let container = try GuestPlan.$runs.withValue(counter) {
          try ModelContainer(
            for: Schema(versionedSchema: PlanV2.self), migrationPlan: GuestPlan.self,
            configurations: [store.configuration])
        }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<PlanV2.Guest>()) == 2)
      } catch {
        Issue.record(error)
      }
    }
    #expect(counter.count.withLock { $0 } == 1)
    try check(try open(PlanV2.self))
  }

  @Test("refuse a store of a version that they do not know")
  func unknown() throws {
    _ = try store.open(PlanV1.Guest.self, version: Schema.Version(7, 0, 0))
    #expect(throws: SwiftDataError.newerSchema) { try open(PlanV1.self) }
    try store.sql("UPDATE _swiftdata_metadata SET value = '0.5.0' WHERE key = 'version 2'")
    #expect(throws: SwiftDataError.unknownDataStoreSchema) { try open(PlanV2.self) }
  }
}
