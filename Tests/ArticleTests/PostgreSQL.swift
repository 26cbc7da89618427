import Foundation
import SwiftData
import SwiftDataPostgres
import SwiftDataTesting
import Testing

@Suite(
  "Article: PostgreSQL",
  .enabled(
    if: ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil,
    "no server: run `scripts/postgres swift test --traits Sync`"))
struct PostgreSQL {
  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    @Attribute(.spotlight) var notes: String = ""
    var seats: Int

    init(name: String, seats: Int) {
      self.name = name
      self.seats = seats
    }
  }

  private let container: ModelContainer

  init() throws {
    let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""
    let namespace = "article_" + UUID().uuidString.lowercased().replacing("-", with: "")

    let configuration = PostgresConfiguration(url: url, namespace: namespace)
    let container = try ModelContainer(for: Trip.self, configurations: configuration)

    self.container = container
  }

  @Test("Contexts, predicates, upserts, searches and updates work as over a file")
  func everything() async throws {
    defer { try? container.erase() }

    let seats = try await container.perform { context in
      context.insert(Trip(name: "Lisbon", seats: 4))
      context.insert(Trip(name: "Porto", seats: 2))
      try context.save()
      return try context.fetch(FetchDescriptor<Trip>(), computing: .sum(\.seats))
    }

    #expect(seats == 6)
    let context = ModelContext(container)
    context.insert(Trip(name: "Porto", seats: 3))
    try context.save()
    let small = FetchDescriptor<Trip>(predicate: #Predicate { $0.seats < 4 })
    let recorded = try StatementTrace.record { try ModelContext(container).fetch(small).map(\.seats) }
    #expect(recorded.result == [3] && recorded.statements.count == 1)
    #expect(try context.update(model: Trip.self, set: .assign(\.notes, "by the sea")) == 2)
    #expect(try context.search(Trip.self, matching: "sea").count == 2)
  }

  @Test("A cancelled task ends a fetch with a CancellationError, and the store works on")
  func cancellation() async throws {
    defer { try? container.erase() }

    let task = Task { [container] in
      try await container.perform { context in
        for _ in 0..<1_000_000 { _ = try context.fetchCount(FetchDescriptor<Trip>()) }
      }
    }
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
  }
}
