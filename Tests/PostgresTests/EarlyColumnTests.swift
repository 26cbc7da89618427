import Foundation
import PostgresServers
import SwiftData
import Testing

@testable import SwiftDataPostgres

private enum Old {
  @Model final class Line {
    var number: Int
    var text: String
    init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }
  }
}

private enum Keyed {
  @Model final class Line {
    var number: Int
    var text: String
    var key: UUID = UUID()
    init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }
  }
}

private enum First: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Old.Line.self] }
}

private enum Second: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Keyed.Line.self] }
}

/// The name of the second version's column goes to another property.
private enum Third: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Line.self] }

  @Model final class Line {
    var number: Int
    var text: String
    @Attribute(originalName: "key") var mark: UUID = UUID()
    var key: UUID = UUID()
    var day: Date = Date()
    init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }
  }
}

private enum OneStage: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: First.self, toVersion: Second.self)] }
}

private enum TwoStages: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [First.self, Second.self, Third.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: First.self, toVersion: Second.self,
        willMigrate: { context in
          context.insert(Old.Line(30_000, "inserted by willMigrate"))
          for line in try context.fetch(FetchDescriptor<Old.Line>(predicate: #Predicate { $0.number == 3 })) {
            context.delete(line)
          }
        },
        didMigrate: { context in
          for line in try context.fetch(FetchDescriptor<Keyed.Line>(predicate: #Predicate { $0.number == 1 })) {
            line.key = Fixed.key
          }
        }),
      .lightweight(fromVersion: Second.self, toVersion: Third.self),
    ]
  }
}

private enum Refused {
  @Model final class Line {
    var number: String
    var text: String
    var key: UUID = UUID()
    init(_ number: String, _ text: String) { (self.number, self.text) = (number, text) }
  }
}

private enum Fixed {
  static let key = UUID(uuidString: "00000000-0000-0000-0000-000000000001")!

  @Model final class Line {
    var number: Int
    var text: String
    var key: UUID = UUID(uuidString: "00000000-0000-0000-0000-000000000001")!
    init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }
  }
}

private enum Free {
  @Model final class Line {
    var number: Int
    var text: String
    var key: UUID?
    init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }
  }
}

@Suite(
  "A new property with another default in each row", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .timeLimit(.minutes(20)))
struct EarlyColumnTests {
  private let store = TestStore()

  private typealias Change = (inout PostgresConfiguration) -> Void

  /// A store with so many rows that they are filled in batches.
  private func fill(_ change: Change = { _ in }) throws -> ModelContext {
    let old = ModelContext(try store.open([Old.Line.self], change))
    try store.sql(
      "INSERT INTO \"Line\" (_pk, number, text) SELECT n, n, repeat(md5(n::text), 20)"
        + " FROM generate_series(1, 20000) AS n")
    try store.sql("SELECT setval('\"Line#keys\"', 20001, false)")
    return old
  }

  /// Begins an opening with the new models that stops at a row in the middle, until the returned connection ends.
  private func stoppedOpening(
    _ failures: Failures, _ open: @escaping @Sendable () throws -> Void
  ) throws -> (Worker, PostgresConnection) {
    let key = "hashtextextended('\(store.namespace)', 0)"
    try store.sql(
      "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$BEGIN PERFORM pg_advisory_xact_lock(\(key)); RETURN NEW; END$$")
    try store.sql(
      "CREATE TRIGGER stop BEFORE UPDATE ON \"Line\" FOR EACH ROW WHEN (NEW._pk = 10000) EXECUTE FUNCTION stop()")
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("SELECT pg_advisory_lock(\(key))")
    let opening = Worker { failures.collect(open) }
    let blocked = "SELECT 1 FROM pg_stat_activity WHERE \(other.processIdentifier) = ANY(pg_blocking_pids(pid))"
    while try store.sql(blocked).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    return (opening, other)
  }

  /// Fills a store while an older program writes.
  private func fill(beside old: ModelContext, _ open: @escaping @Sendable () throws -> Void) throws {
    let failures = Failures()
    let (opening, other) = try stoppedOpening(failures, open)
    // The first batches are committed, and the older program goes on.
    #expect(try store.sql("SELECT 1 FROM \"Line\" WHERE key IS NOT NULL").count >= ColumnWriting.batch)
    old.insert(Old.Line(0, "a"))
    #expect(throws: Never.self) { try old.save() }
    try other.script("SELECT pg_advisory_unlock_all()")
    opening.join()
    #expect(failures.all == [])
    #expect(try store.sql("SELECT 1 FROM _swiftdata_metadata WHERE key = 'early columns' AND value <> '[]'").count == 0)
  }

  private func expectKeys() throws {
    #expect(try store.sql("SELECT DISTINCT key FROM \"Line\"").count == 20_001)
    let required = "SELECT 1 FROM pg_attribute WHERE attrelid = '\"Line\"'::regclass AND attname = 'key' AND attnotnull"
    #expect(try store.sql(required).count == 1)
  }

  @Test(
    "fills a large table in batches while an older program writes, also a table with partitions", arguments: [1, 3])
  func batches(partitions: Int) throws {
    let old = try fill { if partitions > 1 { $0.partitions = [.hashed(by: \Old.Line.number, count: partitions)] } }
    @Sendable func open() throws -> ModelContainer {
      try store.open([Keyed.Line.self]) {
        if partitions > 1 { $0.partitions = [.hashed(by: \Keyed.Line.number, count: partitions)] }
      }
    }
    try fill(beside: old) { _ = try open() }
    try expectKeys()
    let new = ModelContext(try open())
    let keys = try new.fetch(FetchDescriptor<Keyed.Line>(predicate: #Predicate { $0.number < 3 })).map(\.key)
    #expect(Set(keys).count == 3)
  }

  @Test("fills the rows on other servers before the transaction")
  func shards() throws {
    let servers = try (0..<2).map { _ in try PrivateServer() }
    defer { for server in servers { server.stop() } }
    let urls = servers.map(\.url)
    _ = try fill { $0.partitions = [.hashed(by: \Old.Line.number, count: 4, shards: urls)] }
    // The transaction of the opening stops where it writes the new layout.
    let key = "hashtextextended('\(store.namespace)', 0)"
    try store.sql(
      "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$BEGIN PERFORM pg_advisory_xact_lock(\(key)); RETURN NEW; END$$")
    try store.sql(
      "CREATE TRIGGER stop BEFORE UPDATE ON _swiftdata_metadata FOR EACH ROW WHEN (NEW.key = 'layout 2')"
        + " EXECUTE FUNCTION stop()")
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("SELECT pg_advisory_lock(\(key))")
    let failures = Failures()
    @Sendable func open() throws -> ModelContainer {
      try store.open([Keyed.Line.self]) { $0.partitions = [.hashed(by: \Keyed.Line.number, count: 4, shards: urls)] }
    }
    let opening = Worker { failures.collect { _ = try open() } }
    let blocked = "SELECT 1 FROM pg_stat_activity WHERE \(other.processIdentifier) = ANY(pg_blocking_pids(pid))"
    while try store.sql(blocked).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    let committed = try urls.map { url in
      try PostgresConnection(url: url, namespace: store.namespace).run("SELECT count(key) FROM \"Line\"").integer(0, 0)
    }
    #expect(committed.reduce(0, +) == 20_000 && committed.allSatisfy { $0 > 0 })
    try other.script("SELECT pg_advisory_unlock_all()")
    opening.join()
    #expect(failures.all == [])
    let new = ModelContext(try open())
    #expect(try Set(new.fetch(FetchDescriptor<Keyed.Line>()).map(\.key)).count == 20_000)
    try new.container.erase()
  }

  private func planned<Plan: SchemaMigrationPlan>(
    _ version: any VersionedSchema.Type, _: Plan.Type
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: Plan.self, configurations: [store.configuration])
  }

  @Test("fills a large table in batches before the stage of a plan that adds the property")
  func stage() throws {
    let old = try fill()
    try fill(beside: old) { [self] in _ = try planned(Second.self, OneStage.self) }
    try expectKeys()
  }

  @Test("keeps what the stages of a plan do with the rows and with the name of the column")
  func stages() throws {
    let old = try fill()
    try fill(beside: old) { [self] in _ = try planned(Third.self, TwoStages.self) }
    let new = ModelContext(try planned(Third.self, TwoStages.self))
    let lines = try new.fetch(FetchDescriptor<Third.Line>(sortBy: [SortDescriptor(\.number)]))
    #expect(lines.count == 20_001 && lines.last?.text == "inserted by willMigrate")
    #expect(Set(lines.map(\.mark)).count == 20_001 && Set(lines.map(\.key)).count == 20_001)
    #expect(Set(lines.map(\.mark)).isDisjoint(with: lines.map(\.key)))
    #expect(lines.first { $0.number == 1 }?.mark == Fixed.key)
    #expect(lines.first { $0.number == 3 } == nil)
    #expect(lines.allSatisfy { abs($0.day.timeIntervalSinceNow) < 3_600 })
  }

  @Test("adds nothing to a store whose migration is refused")
  func refused() throws {
    _ = try fill()
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try store.open(Refused.Line.self) }
    let there = "SELECT 1 FROM pg_attribute WHERE attrelid = '\"Line\"'::regclass AND attname = 'key'"
    #expect(try store.sql(there).count == 0)
  }

  /// The state that an opening with the new models leaves if its program ends in the middle.
  private func end(type: String = "uuid") throws {
    try store.sql("ALTER TABLE \"Line\" ADD COLUMN key \(type)")
    try store.sql(
      "INSERT INTO _swiftdata_metadata (key, value)"
        + " VALUES ('early columns', '[{\"table\":\"Line\",\"column\":\"key\",\"type\":\"\(type)\","
        + "\"standard\":\"gen_random_uuid()\"}]')")
    if type == "uuid" { try store.sql("UPDATE \"Line\" SET key = gen_random_uuid() WHERE _pk = 1") }
  }

  @Test("leaves no values behind if its opening ended early and the next models have another default, or none")
  func otherDefault() throws {
    let other = EarlyColumnTests()
    for test in [self, other] {
      let old = ModelContext(try test.store.open(Old.Line.self))
      for number in 1...3 { old.insert(Old.Line(number, "a")) }
      try old.save()
      try test.end()
    }
    let new = ModelContext(try store.open(Fixed.Line.self))
    #expect(try new.fetch(FetchDescriptor<Fixed.Line>()).map(\.key) == Array(repeating: Fixed.key, count: 3))
    let free = ModelContext(try other.store.open(Free.Line.self))
    #expect(try free.fetch(FetchDescriptor<Free.Line>()).map(\.key) == [nil, nil, nil])
  }

  @Test("goes on where an opening that ended early stopped")
  func again() throws {
    _ = try fill()
    try end()
    let before = try store.sql("SELECT key::text FROM \"Line\" WHERE _pk = 1").text(0, 0)
    let new = ModelContext(try store.open(Keyed.Line.self))
    let first = try new.fetch(FetchDescriptor<Keyed.Line>(predicate: #Predicate { $0.number == 1 })).first
    #expect(first?.key.uuidString.lowercased() == before)
    #expect(try store.sql("SELECT DISTINCT key FROM \"Line\"").count == 20_000)
  }

  @Test("drops a column that an opening for other models left, and takes no column of an administrator")
  func left() throws {
    _ = try fill()
    try end(type: "bigint")
    let new = ModelContext(try store.open(Keyed.Line.self))
    #expect(try new.fetchCount(FetchDescriptor<Keyed.Line>()) == 20_000)
    let other = EarlyColumnTests()
    _ = try other.fill()
    try other.store.sql("ALTER TABLE \"Line\" ADD COLUMN key uuid")
    #expect(throws: SwiftDataError.self) { try other.store.open(Keyed.Line.self) }
    #expect(try other.store.sql("SELECT 1 FROM \"Line\" WHERE key IS NOT NULL").count == 0)
  }
}
