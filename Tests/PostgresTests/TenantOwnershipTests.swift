import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

private enum Shop: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Order.self] }
  @Model final class Order {
    var number = 0
    init() {}
  }
}

private enum First: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [TripV1.self] }
  @Model final class TripV1 {
    var name = ""
    init() {}
  }
}

private enum Second: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [TripV2.self] }
  @Model final class TripV2 {
    var name = ""
    var seats = 4
    init() {}
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: First.self, toVersion: Second.self)] }
}

@Suite("A store of other models", .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct TenantOwnershipTests {
  private let shop = TestStore()
  private let tenant = TestStore()

  private func open(_ version: any VersionedSchema.Type, _ store: TestStore) throws -> ModelContainer {
    var configuration = store.configuration
    configuration.schema = Schema(versionedSchema: version)
    return try ModelContainer(for: Schema(versionedSchema: version), configurations: [configuration])
  }

  /// All that another program could notice of the store.
  private func contents(_ store: TestStore) throws -> [String] {
    let tables = try store.sql(
      "SELECT relname::text FROM pg_catalog.pg_class WHERE relnamespace = $1::text::regnamespace ORDER BY 1",
      [.text(store.namespace)])
    let metadata = try store.sql("SELECT key || '=' || value FROM _swiftdata_metadata ORDER BY 1")
    return [tables, metadata].flatMap { found in (0..<found.count).compactMap { found.text($0, 0) } }
  }

  @Test("is no tenant, and a migration of it fails and changes nothing")
  func tenants() throws {
    _ = try open(Shop.self, shop)
    _ = try open(First.self, tenant)
    let before = try contents(shop)
    let tenants = PostgresTenants(
      PostgresConfiguration(
        url: PostgresServer.url, schema: Schema(versionedSchema: Second.self),
        pool: PostgresPoolOptions(size: 2, timeout: .seconds(3_600))))
    let found = Set(try tenants.namespaces(migrationPlan: Plan.self))
    #expect(found.contains(tenant.namespace) && !found.contains(shop.namespace))
    let failures = try tenants.migrate([shop.namespace, tenant.namespace], migrationPlan: Plan.self)
    #expect(Array(failures.keys) == [shop.namespace])
    let error = try #require(failures[shop.namespace] as? SwiftDataError)
    #expect(error == SwiftDataError.loadIssueModelContainer)
    #expect("\(error)".contains("Order"))
    #expect(try contents(shop) == before)
    #expect(throws: Never.self) { try open(Shop.self, shop) }
    #expect(try tenant.sql("SELECT seats FROM \"TripV2\"").count == 0)
  }

  @Test("is no tenant even if it has the same models, where tenants have a prefix")
  func prefix() throws {
    _ = try open(First.self, tenant)
    func namespaces(_ prefix: String) throws -> Set<String> {
      let configuration = PostgresConfiguration(url: PostgresServer.url, schema: Schema(versionedSchema: First.self))
      return Set(try PostgresTenants(configuration, prefix: prefix).namespaces())
    }
    #expect(try namespaces("test_").contains(tenant.namespace))
    #expect(try namespaces("tenant_").isEmpty)
  }

  @Test("is not opened, and a table that no store made is not taken for the store's")
  func opening() throws {
    _ = try open(Shop.self, shop)
    let before = try contents(shop)
    #expect(throws: SwiftDataError.loadIssueModelContainer) { try open(First.self, shop) }
    #expect(try contents(shop) == before)
    try shop.sql("CREATE SCHEMA \(tenant.namespace)")
    try tenant.sql("CREATE TABLE \"Order\" (id bigint)")
    let error = #expect(throws: SwiftDataError.self) { try open(Shop.self, tenant) }
    #expect(error?.code == SwiftDataError.loadIssueModelContainer.code)
    #expect(error?.entity == "Order")
    #expect(try tenant.sql("SELECT to_regclass('_swiftdata_metadata') IS NULL").count == 1)
    #expect(try tenant.sql("SELECT id FROM \"Order\"").count == 0)
  }
}
