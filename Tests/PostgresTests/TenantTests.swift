import Foundation
import SwiftData
import Testing

@testable import SwiftDataPostgres

@Suite(
  "Many tenants in one database", .enabled(if: PostgresServer.isThere, PostgresServer.reason),
  .timeLimit(.minutes(20)))
struct TenantTests {
  /// `TENANTS=1000` for as many.
  private static let count = ProcessInfo.processInfo.environment["TENANTS"].flatMap(Int.init) ?? 30
  private let stores = (0..<Self.count).map { _ in TestStore() }
  private var names: [String] { stores.map(\.namespace) }

  private func tenants(_ schema: Schema, size: Int = 3) -> PostgresTenants {
    PostgresTenants(
      PostgresConfiguration(
        url: PostgresServer.url, schema: schema, pool: PostgresPoolOptions(size: size, timeout: .seconds(3_600))))
  }

  @Test("share a few connections and see only what is theirs")
  func sharing() throws {
    // A size of its own, so that no other test shares the pool.
    let tenants = tenants(Schema([Ware.self]), size: 5)
    let containers = try names.map {
      try ModelContainer(for: Ware.self, configurations: tenants.configuration(forNamespace: $0))
    }
    DispatchQueue.concurrentPerform(iterations: containers.count * 3) { number in
      let context = ModelContext(containers[number % containers.count])
      context.insert(Ware("\(number % containers.count)"))
      #expect(throws: Never.self) { try context.save() }
    }
    let pool = try #require((containers[0].core.stores.first as? PostgresStore)?.connections.primary)
    #expect(pool.count <= 5)
    for (number, container) in containers.enumerated() {
      let wares = try ModelContext(container).fetch(FetchDescriptor<Ware>())
      #expect(wares.map(\.name) == Array(repeating: "\(number)", count: 3))
    }
    #expect(Set(try tenants.namespaces()).isSuperset(of: names))
  }

  @Test("hear of each other's programs on one connection")
  func listening() async throws {
    let tenants = tenants(Schema([Ware.self]), size: 6)
    let open = { try ModelContainer(for: Ware.self, configurations: tenants.configuration(forNamespace: $0)) }
    let (here, there) = (try names.prefix(3).map(open), try names.prefix(3).map(open))
    let observers = try here.map { container in
      try ResultsObserver<Ware, Never>(sortBy: [SortDescriptor(\.name)], modelContext: ModelContext(container))
    }
    for (number, container) in there.enumerated() {
      let context = ModelContext(container)
      context.insert(Ware("\(number)"))
      try context.save()
    }
    while observers.map({ $0.results.map(\.name) }) != [["0"], ["1"], ["2"]], !Task.isCancelled { await Task.yield() }
    #expect(observers.map { $0.results.map(\.name) } == [["0"], ["1"], ["2"]])
  }

  @Test("are migrated one by one; one that fails leaves the others alone, and a second run goes on")
  func migration() throws {
    let old = tenants(Schema([First.Ware.self], version: Schema.Version(1, 0, 0)))
    #expect(try old.migrate(names).isEmpty)
    // A newer program was at one of them.
    func setVersion(_ version: String) throws {
      try stores[3].sql("UPDATE _swiftdata_metadata SET value = '\(version)' WHERE key = 'version 2'")
    }
    try setVersion("9.0.0")
    let new = tenants(Schema([Second.Ware.self, Second.Shelf.self], version: Schema.Version(2, 0, 0)))
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      _ = try new.migrate(names) { if $0.completedCount == 2 { throw Stop() } }
    }
    var seen = [PostgresTenants.Progress]()
    let failures = try new.migrate(names) { seen.append($0) }
    #expect(Array(failures.keys) == [names[3]])
    #expect(seen.map(\.namespace) == names)
    #expect(seen.filter { $0.failure != nil }.map(\.completedCount) == [4])
    try setVersion("1.0.0")
    #expect(try new.migrate(names).isEmpty)
    for store in stores { #expect(try store.sql("SELECT 1 FROM \"Shelf\"").count == 0) }
  }
}

@Model private final class Ware {
  var name: String
  init(_ name: String) { self.name = name }
}

private enum First {
  @Model final class Ware {
    var name = ""
    init() {}
  }
}

private enum Second {
  @Model final class Ware {
    var name = ""
    var price = 0
    init() {}
  }
  @Model final class Shelf {
    var number = 0
    init() {}
  }
}
