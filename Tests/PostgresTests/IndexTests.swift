import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Composite private struct Box: Codable, Equatable {
  var number: Int
  var real: Double
  var single: Float
  var isFull: Bool
  var key: UUID
  var name: String
  init(_ number: Int) {
    (self.number, isFull, key, name) = (number, number.isMultiple(of: 2), UUID(), "n\(number)")
    (real, single) = (Double(number) / 4, Float(number) / 10)
  }
}

private enum Members {
  @Model final class Crate {
    #Index<Crate>(
      [\.box.number], [\.box.real], [\.box.single], [\.box.isFull], [\.box.key], [\.box.name], [\.place, \.box.number])
    var place: Int
    var box: Box
    init(_ number: Int) { (place, box) = (number % 10, Box(number)) }
  }
}

/// The member has another type.
@Composite private struct RealBox: Codable, Equatable {
  var number: Double
  init(_ number: Double) { self.number = number }
}

private enum Changed {
  @Model final class Crate {
    var place: Int
    var box: RealBox
    init(_ number: Double) { (place, box) = (0, RealBox(number)) }
  }
}

private enum Plain {
  @Model final class Line {
    var number: Int
    var text: String
    init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }
  }
}

private enum Indexed {
  @Model final class Line {
    #Index<Line>([\.number])
    var number: Int
    var text: String
    init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }
  }
}

private enum Renamed {
  @Model final class Line {
    #Index<Line>([\.place])
    @Attribute(originalName: "number") var place: Int
    var text: String
    init(_ place: Int, _ text: String) { (self.place, self.text) = (place, text) }
  }
}

@Suite(
  "An index on PostgreSQL", .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct IndexTests {
  private let store = TestStore()

  private func indices() throws -> Set<String> {
    let found = try store.sql(
      "SELECT c.relname::text FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = c.oid"
        + " WHERE c.relnamespace = $1::text::regnamespace AND i.indisvalid", [.text(store.namespace)])
    return Set((0..<found.count).compactMap { found.text($0, 0) })
  }

  @Test("over members of a composite attribute serves the predicates and orders that read them")
  func members() throws {
    typealias Crate = Members.Crate
    let context = ModelContext(try store.open(Crate.self))
    let crates = (0..<3_000).map(Crate.init)
    for crate in crates { context.insert(crate) }
    try context.save()
    try store.sql("ANALYZE \"Crate\"")
    func expect(
      _ index: String, _ predicate: Predicate<Crate>, _ numbers: [Int], at location: SourceLocation = #_sourceLocation
    ) throws {
      let descriptor = FetchDescriptor<Crate>(predicate: predicate)
      let plan = "\(try context.explain(descriptor))"
      #expect(plan.contains("Crate#box@\(index)#index"), "\(plan)", sourceLocation: location)
      #expect(
        try context.fetch(descriptor).map(\.box.number).sorted() == numbers, sourceLocation: location)
    }
    let key = crates[77].box.key
    try expect("number", #Predicate { $0.box.number == 42 }, [42])
    try expect("number", #Predicate { $0.box.number >= 2_995 }, [2_995, 2_996, 2_997, 2_998, 2_999])
    try expect("real", #Predicate { $0.box.real == 2.5 }, [10])
    try expect("single", #Predicate { $0.box.single == 0.7 }, [7])
    try expect("key", #Predicate { $0.box.key == key }, [77])
    var first = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.box.number)])
    first.fetchLimit = 3
    #expect("\(try context.explain(first))".contains("Crate#box@number#index"))
    #expect(try context.fetch(first).map(\.box.number) == [0, 1, 2])
    // The server leaves some texts to Swift, so that it gets no index over them.
    #expect(try indices().contains("Crate#box@isFull#index"))
    #expect(try !indices().contains { $0.contains("name") })
    #expect(try context.fetch(FetchDescriptor<Crate>(predicate: #Predicate { $0.box.name == "n9" })).count == 1)
  }

  @Test("over a member goes when the member has another type, whose values it would refuse")
  func changedMember() throws {
    let context = ModelContext(try store.open(Members.Crate.self))
    context.insert(Members.Crate(1))
    try context.save()
    #expect(try indices().contains("Crate#box@number#index"))
    let changed = ModelContext(try store.open(Changed.Crate.self))
    #expect(try !indices().contains { $0.contains("@") })
    changed.insert(Changed.Crate(1.5))
    try changed.save()
    #expect(try changed.fetch(FetchDescriptor<Changed.Crate>(sortBy: [SortDescriptor(\.box.number)])).count == 2)
  }

  @Test("of a large table is made while other programs write, and again if it was not finished")
  func concurrent() throws {
    let old = ModelContext(try store.open(Plain.Line.self))
    try fill()
    // The server ends the index only after the transactions that see an earlier state.
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1")
    let failures = Failures()
    let opening = Worker { [store] in failures.collect { _ = try store.open(Indexed.Line.self) } }
    let first = try process(indexing: "Line")
    // A program that waited for the index would not come back.
    old.insert(Plain.Line(0, "a"))
    #expect(throws: Never.self) { try old.save() }
    #expect(try !indices().contains("Line#number#index"))
    // The opening replaces its connection, and the index that it left.
    try store.sql("SELECT pg_terminate_backend($1::bigint::integer)", [.integer(first)])
    _ = try process(indexing: "Line", not: first)
    try other.script("COMMIT")
    opening.join()
    #expect(failures.all == [])
    #expect(try indices().contains("Line#number#index"))
    #expect(try store.sql("SELECT 1 FROM pg_index WHERE indrelid = '\"Line\"'::regclass AND NOT indisvalid").count == 0)
  }

  /// Gives the lines more bytes than the server indexes in a moment.
  private func fill() throws {
    try store.sql(
      "INSERT INTO \"Line\" (_pk, number, text) SELECT n, n, repeat(md5(n::text), 20)"
        + " FROM generate_series(1, 20000) AS n")
    try store.sql("SELECT setval('\"Line#keys\"', 20001, false)")
  }

  /// Waits until an opening makes the index of a table and waits for a transaction that sees an earlier state.
  /// - Returns: the server's process.
  private func process(indexing table: String, not former: Int64? = nil) throws -> Int64 {
    try process(running: "CREATE INDEX CONCURRENTLY%\"\(table)\" (%", on: "virtualxid", not: former)
  }

  private func process(running statement: String, on event: String, not former: Int64? = nil) throws -> Int64 {
    while !Task.isCancelled {
      let found = try store.sql(
        "SELECT pid::bigint FROM pg_stat_activity WHERE query LIKE $1::text AND state = 'active'"
          + " AND wait_event = $2::text AND application_name = $3::text",
        [.text(statement), .text(event), .text("swiftdata \(store.namespace)")])
      if found.count > 0, found.integer(0, 0) != former { return found.integer(0, 0) }
      Thread.sleep(forTimeInterval: 0.01)
    }
    return 0
  }

  private func openDivided<M: PersistentModel>(_ type: M.Type, by property: KeyPath<M, Int>) throws -> ModelContainer {
    try store.open([type]) { $0.partitions = [.hashed(by: property, count: 3)] }
  }

  /// The indices of the partitions that belong to an index of the table, in the order of the partitions.
  private func parts(of index: String) throws -> [(name: String, identifier: Int64)] {
    let found = try store.sql(
      "SELECT c.relname::text, c.oid::bigint FROM pg_inherits AS h JOIN pg_class AS c ON c.oid = h.inhrelid"
        + " JOIN pg_index AS i ON i.indexrelid = c.oid AND i.indisvalid JOIN pg_class AS t ON t.oid = i.indrelid"
        + " WHERE h.inhparent = $1::text::regclass ORDER BY t.relname", [.text("\"\(index)\"")])
    return (0..<found.count).map { (found.text($0, 0) ?? "", found.integer($0, 1)) }
  }

  @Test("of a large divided table is made for each partition while other programs write, and goes on where it ended")
  func divided() throws {
    let old = ModelContext(try openDivided(Plain.Line.self, by: \.number))
    try fill()
    // Each index ends only after the transactions that see an earlier state.
    let (early, late) = (
      try PostgresConnection(url: store.url, namespace: store.namespace),
      try PostgresConnection(url: store.url, namespace: store.namespace)
    )
    let snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"
    try early.script(snapshot)
    let failures = Failures()
    let opening = Worker { [store] in failures.collect { _ = try store.open(Indexed.Line.self) } }
    let first = try process(indexing: "Line@0")
    try late.script(snapshot)
    for number in 0..<20 { old.insert(Plain.Line(-number, "a")) }
    #expect(throws: Never.self) { try old.save() }
    try early.script("COMMIT")
    #expect(try process(indexing: "Line@1") == first)
    let finished = try parts(of: "Line#number#index")
    #expect(finished.map(\.name) == ["Line@0#number#index"])
    #expect(try !indices().contains("Line#number#index"))
    try store.sql("SELECT pg_terminate_backend($1::bigint::integer)", [.integer(first)])
    _ = try process(indexing: "Line@1", not: first)
    try late.script("COMMIT")
    opening.join()
    #expect(failures.all == [])
    let made = try parts(of: "Line#number#index")
    #expect(made.map(\.name) == (0..<3).map { "Line@\($0)#number#index" })
    #expect(made.first?.identifier == finished.first?.identifier)
    #expect(try indices().contains("Line#number#index"))
    #expect(
      try store.sql(
        "SELECT 1 FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE NOT i.indisvalid"
          + " AND c.relnamespace = $1::text::regnamespace", [.text(store.namespace)]
      ).count == 0)
    try store.sql("ANALYZE \"Line\"")
    let context = ModelContext(try store.open(Indexed.Line.self))
    let descriptor = FetchDescriptor<Indexed.Line>(predicate: #Predicate { $0.number == 77 })
    #expect("\(try context.explain(descriptor))".contains("#number#index"))
    #expect(try context.fetch(descriptor).count == 1)
  }

  @Test("of a divided table that is missing is made again between the transactions of others, and renamed")
  func missingDivided() throws {
    _ = try openDivided(Indexed.Line.self, by: \.number)
    let names = try parts(of: "Line#number#index").map(\.name)
    #expect(names.count == 3)
    try store.sql("DROP INDEX \"Line#number#index\"")
    // The index of the table needs a lock that this transaction has.
    let other = try PostgresConnection(url: store.url, namespace: store.namespace)
    try other.script("BEGIN; INSERT INTO \"Line\" (_pk, number, text) VALUES (1, 1, 'a')")
    let failures = Failures()
    let opening = Worker { [store] in failures.collect { _ = try store.open(Indexed.Line.self) } }
    _ = try process(running: "CREATE INDEX IF NOT EXISTS % ON ONLY %", on: "relation")
    // It gives its place in the queue back, so that others go on.
    try store.sql("INSERT INTO \"Line\" (_pk, number, text) VALUES (2, 2, 'b')")
    try other.script("COMMIT")
    opening.join()
    #expect(failures.all == [])
    #expect(try parts(of: "Line#number#index").map(\.name) == (0..<3).map { "Line@\($0)#number#index" })
    let renamed = ModelContext(try openDivided(Renamed.Line.self, by: \.place))
    #expect(try parts(of: "Line#place#index").map(\.name) == (0..<3).map { "Line@\($0)#place#index" })
    #expect(try indices().contains("Line#place#index"))
    let lines = try renamed.fetch(FetchDescriptor<Renamed.Line>(sortBy: [SortDescriptor(\.place)]))
    #expect(lines.map(\.text) == ["a", "b"])
  }

  @Test("that is missing is made again by the next opening, but not by a user who may not")
  func missing() throws {
    _ = try store.open(Indexed.Line.self)
    try store.sql("DROP INDEX \"Line#number#index\"")
    let role = "role_" + store.namespace.suffix(12)
    for statement in [
      "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA \(store.namespace) TO \(role)",
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(store.namespace) TO \(role)",
      "GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(store.namespace) TO \(role)",
    ] { try store.sql(statement) }
    defer { for statement in ["DROP OWNED BY \(role)", "DROP ROLE \(role)"] { _ = try? store.sql(statement) } }
    var url = URLComponents(string: PostgresServer.url)!
    url.user = role
    let context = ModelContext(try store.open([Indexed.Line.self]) { $0.url = url.string! })
    context.insert(Indexed.Line(1, "a"))
    try context.save()
    #expect(try !indices().contains("Line#number#index"))
    _ = try store.open(Indexed.Line.self)
    #expect(try indices().contains("Line#number#index"))
  }
}
