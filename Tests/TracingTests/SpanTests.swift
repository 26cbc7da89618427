#if Tracing || Sync
  import Foundation
  import InMemoryTracing
  import SwiftData
  import SwiftDataPostgres
  import Testing
  import Tracing

  private enum Former {
    @Model
    final class Crate {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  private enum Present {
    @Model
    final class Crate {
      var number: Int
      var label: String?
      init(_ number: Int) { self.number = number }
    }
  }

  @Suite("Spans of swift-distributed-tracing")
  struct SpanTests {
    @Model
    final class Shelf {
      var name: String
      @Attribute(.unique) var number: Int
      @Relationship(inverse: \Volume.shelf) var volumes: [Volume] = []
      init(_ name: String, _ number: Int) { (self.name, self.number) = (name, number) }
    }

    @Model
    final class Volume {
      var title: String
      var shelf: Shelf?
      init(_ title: String, _ shelf: Shelf) { (self.title, self.shelf) = (title, shelf) }
    }

    private let tracer = InMemoryTracer()

    /// A container that found the tracer when it opened.
    private func open(
      _ configuration: any DataStoreConfiguration, _ models: [any PersistentModel.Type] = [Shelf.self, Volume.self]
    ) throws -> ModelContainer {
      try withTracer(tracer) { () throws(any Error) in
        try ModelContainer(for: Schema(models), configurations: [configuration])
      }
    }

    private func fill(_ container: ModelContainer) throws {
      let context = ModelContext(container)
      let shelf = Shelf("secret", 1)
      context.insert(shelf)
      for number in 0..<3 { context.insert(Volume("secret \(number)", shelf)) }
      try context.save()
    }

    /// The names and the attributes of the spans that ended since the last call, in the order of their ends.
    private func spans() -> [(name: String, facts: [String: String], span: FinishedInMemorySpan)] {
      tracer.popFinishedSpans().map { span in
        var facts = [String: String]()
        span.attributes.forEach { name, value in
          switch value {
          case .int32(let number): facts[name] = "\(number)"
          case .int64(let number): facts[name] = "\(number)"
          case .string(let text): facts[name] = text
          default: facts[name] = "\(value)"
          }
        }
        return (span.operationName, facts, span)
      }
    }

    @Test("name what a context does: open, save, fetch, count, and the faults of attributes and relationships")
    func operations() throws {
      let container = try open(ModelConfiguration("shelves", isStoredInMemoryOnly: true))
      let opened = spans()
      #expect(opened.map(\.name) == ["open"])
      #expect(opened.first?.facts == ["swiftdata.store": "shelves", "swiftdata.migration.steps": "0"])
      try fill(container)
      let saved = spans()
      #expect(saved.map(\.name) == ["save"])
      #expect(
        saved.first?.facts == [
          "db.system.name": "sqlite", "db.operation.name": "save", "swiftdata.store": "shelves",
          "swiftdata.inserted": "4", "swiftdata.changed": "0", "swiftdata.deleted": "0",
        ])
      let context = ModelContext(container)
      let volumes = try context.fetch(FetchDescriptor<Volume>())
      #expect(try context.fetchCount(FetchDescriptor<Shelf>()) == 1)
      #expect(try context.fetchIdentifiers(FetchDescriptor<Volume>()).count == 3)
      let fetched = spans()
      #expect(fetched.map(\.name) == ["fetch Volume", "count Shelf", "fetch identifiers Volume"])
      #expect(
        fetched.first?.facts == [
          "db.system.name": "sqlite", "db.operation.name": "fetch", "db.collection.name": "Volume",
          "swiftdata.store": "shelves", "db.response.returned_rows": "3",
        ])
      #expect(fetched.allSatisfy { $0.span.kind == .internal && $0.span.status == nil })
      // One fault for the objects of the fetch.
      #expect(Set(volumes.map { $0.shelf?.name }) == ["secret"])
      #expect(volumes[0].shelf?.volumes.count == 3)
      var descriptor = FetchDescriptor<Volume>()
      descriptor.propertiesToFetch = [\.shelf]
      let other = ModelContext(container)
      let partial = try other.fetch(descriptor)
      #expect(partial.map(\.title).count == 3)
      let faults = spans()
      #expect(
        faults.map(\.name) == ["fault Volume.shelf", "fault Shelf.volumes", "fetch Volume", "fault Volume.title"])
      #expect(faults.first?.facts["swiftdata.property"] == "shelf")
    }

    @Test("are children of the program's span, and have no values, also where an operation fails")
    func failures() throws {
      let container = try open(ModelConfiguration("shelves", isStoredInMemoryOnly: true))
      try fill(container)
      _ = spans()
      let context = ModelContext(container)
      let other = Shelf("secret", 2)
      context.insert(other)
      try context.save()
      other.number = 1
      #expect(throws: SwiftDataError.self) {
        try tracer.withSpan("request") { _ in try context.save() }
      }
      let found = spans()
      let failed = try #require(found.first { $0.facts["error.type"] != nil })
      let request = try #require(found.last)
      #expect(failed.name == "save" && failed.facts["error.type"] == "uniquenessViolation")
      #expect(failed.span.status?.code == .error && failed.span.status?.message == "uniquenessViolation")
      #expect(failed.span.parentSpanID == request.span.spanID && request.name == "request")
      #expect(failed.span.errors.isEmpty && failed.span.events.isEmpty)
      #expect(!found.contains { "\($0.facts)".contains("secret") })
    }

    @Test("say how many steps a migration took")
    func migration() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let configuration = ModelConfiguration("moved", url: folder.appending(path: "a.store"))
      _ = try ModelContainer(for: Schema([Former.Crate.self]), configurations: [configuration])
      _ = try open(configuration, [Present.Crate.self])
      #expect(spans().map(\.facts["swiftdata.migration.steps"]) == ["1"])
    }

    @Test("are not made for a container that was opened without a tracer")
    func without() throws {
      let container = try ModelContainer(
        for: Schema([Shelf.self, Volume.self]), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      try withTracer(tracer) { () throws(any Error) in try fill(container) }
      #expect(spans().isEmpty)
      #expect(container.core.spans == nil)
    }

    @Test(
      "of a PostgreSQL store are those of a client",
      .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil, "no server: run `make test`"))
    func postgres() throws {
      let url = try #require(ProcessInfo.processInfo.environment["POSTGRES_URL"])
      let namespace = "spans_" + UUID().uuidString.lowercased().replacing("-", with: "")
      let container = try open(PostgresConfiguration("server", url: url, namespace: namespace))
      defer { try? container.erase() }
      try fill(container)
      _ = try ModelContext(container).fetch(FetchDescriptor<Volume>())
      let found = spans()
      #expect(found.map(\.name) == ["open", "save", "fetch Volume"])
      #expect(found[2].facts["db.system.name"] == "postgresql" && found[2].facts["swiftdata.store"] == "server")
      #expect(found[1].span.kind == .client && found[2].span.kind == .client)
    }
  }
#endif
