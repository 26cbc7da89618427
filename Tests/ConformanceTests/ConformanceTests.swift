import Foundation
import PostgresDivisions
import PostgresServers
import SwiftData
import SwiftDataPostgres
import SwiftDataTesting
import Testing

/// The stores that every guarantee is checked for.
enum Subjects {
  static let onDisk = StoreUnderTest("Default store on disk", features: Set(StoreUnderTest.Feature.allCases)) {
    ModelConfiguration("disk", schema: $0, url: $1.appendingPathComponent("disk.store"))
  }
  static let inMemory = StoreUnderTest("Default store in memory", features: [.uniqueness, .history]) { schema, _ in
    ModelConfiguration("memory", schema: schema, isStoredInMemoryOnly: true)
  }
  static let delegating = StoreUnderTest(
    "Default store through snapshots", features: Set(StoreUnderTest.Feature.allCases)
  ) {
    DelegatingConfiguration(name: "snapshots", schema: $0, file: $1.appendingPathComponent("snapshots.store"))
  }
  static let json = StoreUnderTest("JSON file", features: [.persistence]) {
    JSONStoreConfiguration(name: "json", schema: $0, file: $1.appendingPathComponent("models.json"))
  }
  /// A schema of the server's database for each check.
  static let postgres = server("PostgreSQL", serverURL ?? "")

  static func server(_ name: String, _ url: String) -> StoreUnderTest {
    StoreUnderTest(name, features: Set(StoreUnderTest.Feature.allCases)) {
      PostgresConfiguration(
        url: url, schema: $0, namespace: $1.lastPathComponent.lowercased(), pool: PostgresPoolOptions(size: 8))
    }
  }

  /// Every class divided into partitions.
  static let partitions = StoreUnderTest("PostgreSQL, partitions", features: Set(StoreUnderTest.Feature.allCases)) {
    PostgresConfiguration(
      url: serverURL ?? "", schema: $0, namespace: $1.lastPathComponent.lowercased(),
      pool: PostgresPoolOptions(size: 8), partitions: PostgresPartitions.all(of: $0, count: 3))
  }

  /// Where `scripts/postgres` started a server; nil where nobody did.
  static let serverURL = ProcessInfo.processInfo.environment["POSTGRES_URL"]
  static let all = [onDisk, inMemory, delegating, json] + (serverURL == nil ? [] : [postgres, partitions])
}

@Suite("The conformance suite") struct ConformanceTests {
  @Test("A default store on disk keeps every guarantee", arguments: StoreGuarantee.all)
  func onDisk(_ guarantee: StoreGuarantee) throws { try guarantee.verify(Subjects.onDisk) }

  @Test("A default store in memory keeps every guarantee that it offers", arguments: StoreGuarantee.all)
  func inMemory(_ guarantee: StoreGuarantee) throws { try guarantee.verify(Subjects.inMemory) }

  @Test("A default store behind a store of somebody else keeps every guarantee", arguments: StoreGuarantee.all)
  func delegating(_ guarantee: StoreGuarantee) throws { try guarantee.verify(Subjects.delegating) }

  @Test("A JSON file that offers the least keeps every guarantee that it offers", arguments: StoreGuarantee.all)
  func json(_ guarantee: StoreGuarantee) throws { try guarantee.verify(Subjects.json) }

  @Test(
    "A PostgreSQL store keeps every guarantee",
    .enabled(
      if: Subjects.serverURL != nil, "no server: run `make test`, or `scripts/postgres swift test --traits Sync`"),
    arguments: StoreGuarantee.all)
  func postgres(_ guarantee: StoreGuarantee) throws { try guarantee.verify(Subjects.postgres) }

  @Test(
    "A PostgreSQL store whose classes are divided into partitions keeps every guarantee",
    .enabled(
      if: Subjects.serverURL != nil, "no server: run `make test`, or `scripts/postgres swift test --traits Sync`"),
    arguments: StoreGuarantee.all)
  func partitions(_ guarantee: StoreGuarantee) throws { try guarantee.verify(Subjects.partitions) }

  @Test("Every guarantee has a name of its own")
  func names() {
    #expect(StoreGuarantee.all.count > 60)
    #expect(Set(StoreGuarantee.all.map(\.id)).count == StoreGuarantee.all.count)
  }
}
