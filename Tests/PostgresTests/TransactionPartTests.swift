import Foundation
@_spi(Transactions) import SwiftData
import Testing

@testable import SwiftDataPostgres

private enum PartV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Job.self] }

  @Model final class Job {
    @Attribute(.unique) var name: String
    var words: [String]
    init(_ name: String, _ words: [String] = []) { (self.name, self.words) = (name, words) }
  }
}
private typealias Job = PartV1.Job

private enum PartV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Job.self] }

  @Model final class Job {
    @Attribute(.unique) var name: String
    var words: [String]
    var size: Int = 0
    init(_ name: String, _ words: [String] = []) { (self.name, self.words) = (name, words) }
  }
}

private enum PartPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PartV1.self, PartV2.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: PartV1.self, toVersion: PartV2.self,
        willMigrate: { context in
          context.insert(PartV1.Job("before"))
          try context.save()
          _ = try context.explain(FetchDescriptor<PartV1.Job>(predicate: #Predicate { $0.name > "a" }))
          try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
          let found = try context.fetch(FetchDescriptor<PartV1.Job>(predicate: #Predicate { $0.words.contains("x") }))
          for job in found { context.insert(PartV1.Job("copy of \(job.name)")) }
          try context.save()
        },
        didMigrate: { context in
          for job in try context.fetch(FetchDescriptor<PartV2.Job>(predicate: #Predicate { $0.words.contains("x") })) {
            job.size = 7
          }
          try context.save()
        })
    ]
  }
}

private struct Stop: Error {}

@Suite(
  "What runs inside a transaction of others", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .timeLimit(.minutes(20)))
struct TransactionPartTests {
  private let store = TestStore()

  /// A store with the jobs "a", whose words have an "x", and "b".
  private func filled() throws -> ModelContainer {
    let container = try ModelContainer(
      for: Schema(versionedSchema: PartV1.self), configurations: [store.configuration])
    let context = ModelContext(container)
    context.insert(Job("a", ["x", "y"]))
    context.insert(Job("b", ["z"]))
    try context.save()
    return container
  }

  private func insert(_ name: String, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Job(name))
    try context.save()
  }

  private func names(_ container: ModelContainer) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Job>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  private func postgres(_ container: ModelContainer) throws -> PostgresStore {
    try #require(container.core.stores[0] as? PostgresStore)
  }

  /// The server lacks the functions for stored arrays.
  private static var unknown: FetchDescriptor<Job> {
    FetchDescriptor(predicate: #Predicate { $0.words.contains("x") })
  }

  // MARK: - Reads

  @Test("A fetch that the server cannot compute leaves the transaction usable, and its saves are committed")
  func reads() throws {
    let container = try filled()
    try container.transaction {
      try insert("c", container)
      let context = ModelContext(container)
      #expect(try context.fetch(Self.unknown).map(\.name) == ["a"])
      #expect(try context.fetchCount(Self.unknown) == 1)
      _ = try context.explain(Self.unknown)
      try insert("d", container)
    }
    #expect(try names(container) == ["a", "b", "c", "d"])
  }

  @Test("A migration stage goes on after such a fetch, and deletes history and explains as a part of its transaction")
  func stage() throws {
    _ = try filled()
    let migrated = try ModelContainer(
      for: Schema(versionedSchema: PartV2.self), migrationPlan: PartPlan.self, configurations: [store.configuration])
    let jobs = try ModelContext(migrated).fetch(FetchDescriptor<PartV2.Job>(sortBy: [SortDescriptor(\.name)]))
    #expect(jobs.map(\.name) == ["a", "b", "before", "copy of a"])
    #expect(jobs.map(\.size) == [7, 0, 0, 0])
  }

  @Test("A fetch takes one round trip, inside a transaction too, and no savepoint outside")
  func cost() throws {
    let container = try filled()
    let descriptor = FetchDescriptor<Job>(predicate: #Predicate { $0.name == "a" })
    let context = ModelContext(container)
    _ = try context.fetch(descriptor)
    let (made, count) = try RoundTrips.record { try SQLTrace.record { try context.fetch(descriptor) }.statements }
    #expect(count == 1)
    #expect(made.count == 1)
    try container.transaction {
      let inside = ModelContext(container)
      _ = try inside.fetch(descriptor)
      #expect(try RoundTrips.record { try inside.fetch(descriptor) }.count == 1)
    }
  }

  @Test("A statement that the server refuses leaves the transaction usable")
  func refused() throws {
    let container = try filled()
    let postgres = try postgres(container)
    func steps() throws {
      try insert("c", container)
      #expect(throws: SwiftDataError.self) { try postgres.execute("INSERT INTO _swiftdata_none VALUES (1)", []) }
      #expect(throws: SwiftDataError.self) { try postgres.rows("SELECT 1 / (SELECT 0)", []) }
      #expect(throws: SwiftDataError.self) { try postgres.read { try $0.script("SELECT none") } }
    }
    try container.transaction(steps)
    #expect(try names(container) == ["a", "b", "c"])
  }

  @Test("A change of a table, which makes prepared statements stale, is no error inside a transaction")
  func stale() throws {
    let container = try filled()
    let postgres = try postgres(container)
    try container.transaction {
      _ = try postgres.rows("SELECT * FROM \"Job\"", [])
      try postgres.execute("ALTER TABLE \"Job\" ADD COLUMN other bigint", [])
      #expect(try postgres.rows("SELECT * FROM \"Job\"", []).count == 2)
      try insert("c", container)
    }
    #expect(try names(container) == ["a", "b", "c"])
  }

  @Test("A query of a tool that the server refuses leaves the moment of the reader usable")
  func reader() throws {
    _ = try filled()
    let reader = try PostgresReader(url: store.url, namespace: store.namespace)
    func check(_ moment: PostgresReader) throws {
      #expect(throws: RefusedServerStatement.self) { try moment.query("SELECT none", columns: { _ in }, { _ in }) }
      #expect(throws: SwiftDataError.self) { try moment.numbers("SELECT none") }
      var rows = 0
      try moment.query("SELECT name FROM \"Job\"", columns: { _ in }, { _ in rows += 1 })
      #expect(rows == 2)
      try insert("c", try ModelContainer(for: Job.self, configurations: store.configuration))
      let count = "SELECT count(*) FROM \"Job\""
      #expect(try moment.atOneMoment { try $0.numbers(count) } == [[2]])
      #expect(try moment.numbers(count) == [[2]])
    }
    try reader.atOneMoment(check)
  }

  // MARK: - Parts that write

  @Test("Deleting history, deleting everything and explaining neither commit nor roll back the transaction around them")
  func parts() throws {
    let container = try filled()
    func history() throws -> Int {
      try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    }
    func change(_ step: () throws -> Void) throws {
      try insert("c", container)
      try step()
      #expect(try postgres(container).connections.with { $0.isInTransaction })
    }
    let steps: [() throws -> Void] = [
      { try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>()) },
      { _ = try ModelContext(container).explain(FetchDescriptor<Job>(predicate: #Predicate { $0.name > "a" })) },
      { container.deleteAllData() },
    ]
    for step in steps {
      #expect(throws: Stop.self) {
        try container.transaction {
          try change(step)
          throw Stop()
        }
      }
      #expect(try names(container) == ["a", "b"])
      #expect(try history() == 1)
    }
    try container.transaction { try change(steps[1]) }
    #expect(try names(container) == ["a", "b", "c"])
    try container.transaction {
      try steps[0]()
      try insert("d", container)
    }
    #expect(try history() == 1)
    try container.transaction {
      container.deleteAllData()
      try insert("e", container)
    }
    #expect(try names(container) == ["e"])
  }

  @Test("What needs a transaction of its own is refused inside another one, which goes on")
  func alone() throws {
    let container = try filled()
    try container.transaction {
      try insert("c", container)
      #expect(throws: SwiftDataError.unsupportedFeature) { try postgres(container).erase() }
    }
    #expect(try names(container) == ["a", "b", "c"])
  }

  @Test("Deleting everything leaves all of a save that comes meanwhile, or nothing of it")
  func race() throws {
    let container = try store.open(Half.One.self, Half.Other.self)
    let context = ModelContext(container)
    context.insert(Half.One("first"))
    context.insert(Half.Other("first"))
    try context.save()
    let watch = try PostgresConnection(url: store.url, namespace: store.namespace)
    let lock = try PostgresConnection(url: store.url, namespace: store.namespace)
    try lock.script("BEGIN")
    // The deletion begins with one of the tables, and waits there.
    try lock.script("SELECT 1 FROM \"One\" FOR UPDATE")
    try lock.script("SELECT 1 FROM \"Other\" FOR UPDATE")
    func waiting() throws -> Int64 {
      let sql =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        + " AND application_name = 'swiftdata \(store.namespace)' AND pid <> \(lock.processIdentifier)"
      return try watch.run(sql).integer(0, 0)
    }
    let deletion = Worker { container.deleteAllData() }
    while try waiting() < 1 { Thread.sleep(forTimeInterval: 0.001) }
    let failures = Failures()
    let isSaved = DispatchSemaphore(value: 0)
    let save = Worker {
      failures.collect {
        let context = ModelContext(container)
        context.insert(Half.One("second"))
        context.insert(Half.Other("second"))
        try context.save()
      }
      isSaved.signal()
    }
    while try isSaved.wait(timeout: .now()) == .timedOut && waiting() < 2 { Thread.sleep(forTimeInterval: 0.001) }
    try lock.script("COMMIT")
    save.join()
    deletion.join()
    #expect(failures.all == [])
    let later = ModelContext(container)
    let counts = [
      try later.fetchCount(FetchDescriptor<Half.One>()), try later.fetchCount(FetchDescriptor<Half.Other>()),
    ]
    #expect(counts == [1, 1])
  }

  // MARK: - Commits

  @Test("A commit refuses a transaction of which a statement failed, and says that nothing was written")
  func failedTransaction() throws {
    let container = try filled()
    let connection = try PostgresConnection(url: store.url, namespace: store.namespace)
    try connection.script("BEGIN")
    try connection.script("DELETE FROM \"Job\"")
    #expect(throws: PostgresError.self) { try connection.script("SELECT none") }
    let error = #expect(throws: PostgresError.self) { try connection.commit() }
    #expect(error?.isOutcomeUnknown == false)
    #expect("\(error.map { $0.error("s") } as Any)".contains("nothing was written"))
    connection.rollBack(isPart: false)
    #expect(connection.isIdle)
    #expect(try names(container) == ["a", "b"])
    // A statement that the store does not know ended the transaction.
    try connection.script("BEGIN")
    try connection.script("ROLLBACK")
    #expect(throws: PostgresError.self) { try connection.commit() }
  }

  @Test("A part that fails is undone, also around parts that succeeded")
  func nested() throws {
    let container = try filled()
    let connection = try PostgresConnection(url: store.url, namespace: store.namespace)
    func delete(_ name: String) throws { try connection.script("DELETE FROM \"Job\" WHERE name = '\(name)'") }
    func succeedInside() throws {
      try connection.part {
        try connection.part { try delete("a") }
        throw Stop()
      }
    }
    func failInside() throws {
      #expect(throws: Stop.self) { try succeedInside() }
      try delete("b")
    }
    func steps() throws {
      #expect(connection.isInTransaction)
      #expect(throws: Stop.self) { try succeedInside() }
      let statements = [PostgresStatement("DELETE FROM \"Job\""), PostgresStatement("SELECT none")]
      #expect(throws: PostgresError.self) { try connection.part(statements) }
      try connection.part(isKept: false) { try delete("a") }
      try connection.part(failInside)
    }
    try connection.runAlone(steps)
    #expect(!connection.isInTransaction)
    #expect(try names(container) == ["a"])
  }

  /// Makes each insert into a table end the connection at the commit, or where the deferred constraints are checked before.
  private func breakConnections(at table: String) throws {
    try store.sql(
      "CREATE FUNCTION break_connection() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$")
    try store.sql(
      "CREATE CONSTRAINT TRIGGER broken AFTER INSERT ON \(table) DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
        + " EXECUTE FUNCTION break_connection()")
  }

  @Test(
    "A save whose commit was sent says that its outcome is unknown, also if the next attempt fails for another reason")
  func unknownSave() throws {
    let container = try filled()
    try breakConnections(at: "\"Job\"")
    try store.sql("CREATE SEQUENCE attempts")
    try store.sql(
      "CREATE FUNCTION refuse_second() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$ BEGIN IF nextval('attempts') > 1 THEN RAISE 'not again'; END IF; RETURN NEW; END $$")
    try store.sql(
      "CREATE TRIGGER refused BEFORE INSERT ON _swiftdata_history FOR EACH ROW EXECUTE FUNCTION refuse_second()")
    let error = #expect(throws: SwiftDataError.self) { try insert("c", container) }
    #expect(error?.code == .io)
    #expect("\(error as Any)".contains("it is not known whether"))
    #expect("\(error as Any)".contains("not again"))
  }

  @Test("A transaction whose connection is lost at the commit says that its outcome is unknown")
  func unknownTransaction() throws {
    let container = try filled()
    let postgres = try postgres(container)
    try postgres.execute("CREATE TABLE _swiftdata_end (number bigint)", [])
    try breakConnections(at: "_swiftdata_end")
    let error = #expect(throws: SwiftDataError.self) {
      try container.transaction {
        try insert("c", container)
        try postgres.execute("INSERT INTO _swiftdata_end VALUES (1)", [])
      }
    }
    #expect(error?.code == .io)
    #expect("\(error as Any)".contains("it is not known whether"))
    #expect(try names(container) == ["a", "b"])
  }

  @Test("A transaction whose connection is lost before its commit wrote nothing, and says nothing else")
  func lostBefore() throws {
    let container = try filled()
    try breakConnections(at: "\"Job\"")
    var inner: (any Error)?
    let outer = #expect(throws: SwiftDataError.self) {
      try container.transaction {
        // The save checks the deferred constraints.
        do { try insert("c", container) } catch { inner = error }
      }
    }
    for error in [inner, outer] {
      #expect((error as? SwiftDataError)?.code == .io)
      #expect(!"\(error as Any)".contains("not known"))
    }
    #expect(try names(container) == ["a", "b"])
  }
}

private enum Half {
  @Model final class One {
    var text: String
    init(_ text: String) { self.text = text }
  }
  @Model final class Other {
    var text: String
    init(_ text: String) { self.text = text }
  }
}
