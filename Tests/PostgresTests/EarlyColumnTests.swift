import Foundation
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

  /// A store with so many rows that they are filled in batches.
  private func fill() throws -> ModelContext {
    let old = ModelContext(try store.open(Old.Line.self))
    try store.sql(
      "INSERT INTO \"Line\" (_pk, number, text) SELECT n, n, repeat(md5(n::text), 20)"
        + " FROM generate_series(1, 20000) AS n")
    try store.sql("SELECT setval('\"Line#keys\"', 20001, false)")
    return old
  }

  /// Begins an opening with the new models that stops at a row in the middle, until the returned connection ends.
  private func stoppedOpening(_ failures: Failures) throws -> (Worker, PostgresConnection) {
    let key = "hashtextextended('\(store.namespace)', 0)"
    try store.sql(
      "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$BEGIN PERFORM pg_advisory_xact_lock(\(key)); RETURN NEW; END$$")
    try store.sql(
      "CREATE TRIGGER stop BEFORE UPDATE ON \"Line\" FOR EACH ROW WHEN (NEW._pk = 10000) EXECUTE FUNCTION stop()")
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("SELECT pg_advisory_lock(\(key))")
    let opening = Worker { [store] in failures.collect { _ = try store.open(Keyed.Line.self) } }
    let blocked = "SELECT 1 FROM pg_stat_activity WHERE \(other.processIdentifier) = ANY(pg_blocking_pids(pid))"
    while try store.sql(blocked).count == 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    return (opening, other)
  }

  @Test("fills a large table in batches while an older program writes")
  func batches() throws {
    let old = try fill()
    let failures = Failures()
    let (opening, other) = try stoppedOpening(failures)
    // The first batches are committed, and the older program goes on.
    #expect(try store.sql("SELECT 1 FROM \"Line\" WHERE key IS NOT NULL").count >= ColumnWriting.batch)
    old.insert(Old.Line(0, "a"))
    #expect(throws: Never.self) { try old.save() }
    try other.script("SELECT pg_advisory_unlock_all()")
    opening.join()
    #expect(failures.all == [])
    #expect(try store.sql("SELECT DISTINCT key FROM \"Line\"").count == 20_001)
    let required = "SELECT 1 FROM pg_attribute WHERE attrelid = '\"Line\"'::regclass AND attname = 'key' AND attnotnull"
    #expect(try store.sql(required).count == 1)
    #expect(try store.sql("SELECT 1 FROM _swiftdata_metadata WHERE key = 'early columns' AND value <> '[]'").count == 0)
    let new = ModelContext(try store.open(Keyed.Line.self))
    let keys = try new.fetch(FetchDescriptor<Keyed.Line>(predicate: #Predicate { $0.number < 3 })).map(\.key)
    #expect(Set(keys).count == 3)
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
