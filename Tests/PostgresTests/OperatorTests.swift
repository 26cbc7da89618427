import Foundation
import SwiftData
import SwiftDataInspection
import Testing

@testable import SwiftDataPostgres

@Model private final class Item {
  var key: String
  init(_ key: String) { self.key = key }
}

@Model private final class Mark {
  @Attribute(.unique) var name: String
  var item: Item?
  init(_ name: String, _ item: Item) { (self.name, self.item) = (name, item) }
}

@Suite("What an operator reads", .enabled(if: PostgresServer.isThere, PostgresServer.reason), .timeLimit(.minutes(20)))
struct OperatorTests {
  private let store = TestStore()

  private func open(user: String? = nil, database: String? = nil) throws -> ModelContext {
    var url = URLComponents(string: PostgresServer.url)!
    if let user { url.user = user }
    if let database { url.path = "/" + database }
    return ModelContext(try store.open([Item.self]) { $0.url = url.string! })
  }

  private func expect(
    _ code: SwiftDataError, _ text: String, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: SwiftDataError.self, sourceLocation: location) { try body() }
    #expect(error?.code == code.code, sourceLocation: location)
    #expect("\(error as Any)".contains(text), "\(error as Any)", sourceLocation: location)
  }

  @Test("names a missing database and a missing user, and what to do")
  func missing() {
    expect(.io, "CREATE DATABASE") { _ = try open(database: "no_\(store.namespace)") }
    expect(.io, "CREATE ROLE") { _ = try open(user: "no_\(store.namespace)") }
    let password = PostgresError(message: "FATAL:  password authentication failed for user \"a\"", isLost: true)
    #expect("\(password.error("s"))".contains("PGPASSWORD"))
    let full = PostgresError(message: "FATAL:  sorry, too many clients already", isLost: true)
    #expect("\(full.error("s"))".contains("max_connections"))
  }

  @Test("says what to grant to a user without rights, and which setting makes one read only")
  func rights() throws {
    _ = try open()
    let role = "role_" + store.namespace.suffix(12)
    try store.sql("CREATE ROLE \(role) LOGIN")
    defer { for statement in ["DROP OWNED BY \(role)", "DROP ROLE \(role)"] { _ = try? store.sql(statement) } }
    expect(.storeReadOnly, "GRANT USAGE ON SCHEMA") { _ = try open(user: role) }
    try store.sql("GRANT USAGE ON SCHEMA \(store.namespace) TO \(role)")
    try store.sql("GRANT SELECT ON ALL TABLES IN SCHEMA \(store.namespace) TO \(role)")
    func save() throws {
      let context = try open(user: role)
      context.insert(Item("a"))
      try context.save()
    }
    expect(.storeReadOnly, "INSERT, UPDATE and DELETE on its tables", save)
    try store.sql("GRANT ALL ON ALL TABLES IN SCHEMA \(store.namespace) TO \(role)")
    try store.sql("GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(store.namespace) TO \(role)")
    #expect(throws: Never.self) { try save() }
    try store.sql("ALTER ROLE \(role) SET default_transaction_read_only = on")
    expect(.storeReadOnly, "default_transaction_read_only", save)
  }

  @Test("names the property whose column has another type, and the class whose keys are used twice")
  func changed() throws {
    let context = try open()
    context.insert(Item("a"))
    try context.save()
    try store.sql("ALTER TABLE \"Item\" ALTER COLUMN key TYPE varchar(50)")
    expect(.storeDamaged, "ALTER COLUMN") { _ = try ModelContext(context.container).fetch(FetchDescriptor<Item>()) }
    try store.sql("ALTER TABLE \"Item\" ALTER COLUMN key TYPE text COLLATE \"C\"")
    try store.sql("SELECT setval('\"Item#keys\"', 1, false)")
    expect(.storeDamaged, "setval") {
      let context = try open()
      context.insert(Item("b"))
      try context.save()
    }
  }

  @Test("lists what other programs did to the tables, the indices, the keys and the rows")
  func faults() throws {
    let container = try store.open([Item.self, Mark.self])
    let context = ModelContext(container)
    context.insert(Item("a"))
    context.insert(Mark("m", Item("b")))
    try context.save()
    func faults() throws -> [StoreFault] {
      try InspectedStore(PostgresServer.url, namespace: store.namespace).faults()
    }
    func expect(_ area: String, _ text: String, at location: SourceLocation = #_sourceLocation) throws {
      let found = try faults()
      #expect(found.map(\.area) == [area], sourceLocation: location)
      #expect(found.first?.text.contains(text) == true, "\(found)", sourceLocation: location)
    }
    #expect(try faults() == [])
    try store.sql("SELECT setval('\"Item#keys\"', 1, false)")
    try expect("keys", "Item#keys")
    try store.sql("SELECT setval('\"Item#keys\"', 1_000, true)".replacing("_", with: ""))
    try store.sql("UPDATE pg_index SET indisvalid = false WHERE indexrelid = '\"Mark#item#index\"'::regclass")
    try expect("indices", "Mark#item#index")
    _ = try store.open([Item.self, Mark.self])
    try store.sql("ALTER TABLE \"Mark\" DROP CONSTRAINT \"Mark#item#fkey\"")
    try store.sql("DELETE FROM \"Item\" WHERE key = 'b'")
    try expect("references", "Mark.item")
    try store.sql("DELETE FROM \"Mark\"")
    try store.sql("ALTER TABLE \"Mark\" DROP COLUMN name")
    try expect("tables", "column name of the table Mark")
    try store.sql("DROP TABLE \"Mark\"")
    try expect("tables", "table Mark is missing")
  }

  @Test("refuses a namespace that the server replaces, and a server or a client library that is too old")
  func configuration() throws {
    let user = PostgresConfiguration(url: PostgresServer.url, namespace: "$user")
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try user.validate() }
    #expect(throws: Never.self) { try PostgresOpening.checkServer(version: 140_001, store: "s") }
    #expect(throws: SwiftDataError.unsupportedFeature) { try PostgresOpening.checkServer(version: 130_017, store: "s") }
    #expect(throws: Never.self) { try PostgresConnection.checkLibrary(version: 140_000) }
    #expect(throws: SwiftDataError.unsupportedFeature) { try PostgresConnection.checkLibrary(version: 130_018) }
  }

  @Test("sees no connections of a store that is not used for the time that its pool says")
  func idle() throws {
    let container = try store.open([Item.self]) { $0.pool.idleTimeout = .seconds(0.2) }
    let pool = try #require((container.core.stores.first as? PostgresStore)?.connections.primary)
    while pool.count > 0, !Task.isCancelled { Thread.sleep(forTimeInterval: 0.01) }
    #expect(pool.count == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Item>()) == 0)
  }
}
