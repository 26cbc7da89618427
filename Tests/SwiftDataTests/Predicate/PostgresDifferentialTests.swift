import Foundation
import PostgresDivisions
import PostgresServers
import SwiftData
import SwiftDataPostgres
import Testing

/// The same random predicates and orders, asked of a PostgreSQL store.
///
/// `PREDICATES=n` in the environment tries n of them in all, `SEED=s` begins at another seed.
@Suite(
  .enabled(
    if: LawServer.url != nil, "no server: run `make test`, or `scripts/postgres swift test --traits Sync`"))
struct PostgresDifferentialTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let first = environment["SEED"].flatMap(UInt64.init) ?? 1
  private static let seeds: UInt64 = 10
  private static let share = (environment["PREDICATES"].flatMap(Int.init) ?? 1_000) / Int(seeds)

  @Test("A PostgreSQL store returns the objects for which evaluate is true, sorted", arguments: first..<(first + seeds))
  func agreement(seed: UInt64) throws { try check(seed, partitions: 0) }

  @Test(
    "A store whose classes are divided into partitions returns them too",
    arguments: (first + seeds)..<(first + seeds + 3))
  func partitions(seed: UInt64) throws { try check(seed, partitions: 5) }

  @Test(
    "A PostgreSQL store computes with numbers at the ends of their types as Swift does", arguments: first..<(first + 2))
  func arithmetic(seed: UInt64) throws {
    var containers = [ModelContainer]()
    let data = try ArithmeticData(seed: seed) {
      let configuration = PostgresConfiguration(
        url: LawServer.url ?? "", namespace: "law_" + UUID().uuidString.lowercased(),
        pool: PostgresPoolOptions(size: 2))
      containers.append(try ModelContainer(for: Extreme.self, configurations: configuration))
      return ModelContext(containers.last!)
    }
    for number in 0..<(Self.share / 5) {
      for difference in data.differences(number) { Issue.record("seed \(seed), number \(number): \(difference)") }
    }
    for container in containers { try container.erase() }
  }

  private func check(_ seed: UInt64, partitions: Int) throws {
    let schema = Schema([Specimen.self, Drawer.self, StrongBox.self, Cabinet.self, Sticker.self])
    var configuration = PostgresConfiguration(
      url: LawServer.url ?? "", namespace: "law_" + UUID().uuidString.lowercased(), pool: PostgresPoolOptions(size: 2))
    if partitions > 0 { configuration.partitions = PostgresPartitions.all(of: schema, count: partitions) }
    let container = try ModelContainer(for: schema, configurations: configuration)
    let data = try DifferentialData(seed: seed) { objects in
      let context = ModelContext(container)
      for object in objects { context.insert(object) }
      try context.save()
      return context
    }
    for number in 0..<Self.share {
      if let difference = data.difference(number) { Issue.record("seed \(seed), number \(number): \(difference)") }
    }
    try container.erase()
  }
}

/// The server that `scripts/postgres` started.
private enum LawServer {
  static let url = ProcessInfo.processInfo.environment["POSTGRES_URL"]
}
