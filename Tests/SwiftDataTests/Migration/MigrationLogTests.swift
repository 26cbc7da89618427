import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum Both {
  @Model final class Note {
    var title: String = ""
    var subtitle: String = ""
    init(_ title: String, _ subtitle: String) { (self.title, self.subtitle) = (title, subtitle) }
  }
}

/// `Both` whose title takes over the subtitle.
private enum One {
  @Model final class Note {
    @Attribute(originalName: "subtitle") var title: String = ""
    init() {}
  }
}

/// `One` with a property that the rows have no value for.
private enum Demanding {
  @Model final class Note {
    @Attribute(originalName: "subtitle") var title: String = ""
    var day: Date
    init(_ day: Date) { self.day = day }
  }
}

private let server = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""

@Suite(
  "The log of a migration on PostgreSQL",
  .enabled(if: !server.isEmpty, "no server: run `make test`, or `scripts/postgres swift test --traits Sync`"))
struct MigrationLogTests {
  private let namespace = "log_" + UUID().uuidString.lowercased()

  private func open(_ type: any PersistentModel.Type) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([type]),
      configurations: PostgresConfiguration(
        url: server, namespace: namespace, pool: PostgresPoolOptions(size: 2)))
  }

  @Test("names the values that another property displaces, but not if the migration is refused")
  func displaced() throws {
    let context = ModelContext(try open(Both.Note.self))
    context.insert(Both.Note("t", "s"))
    try context.save()
    let refused = TaskLogHandler.logged(.warning) {
      #expect(throws: SwiftDataError.self) { _ = try open(Demanding.Note.self) }
    }
    #expect(refused.map(\.message) == [])
    #expect(try ModelContext(open(Both.Note.self)).fetch(FetchDescriptor<Both.Note>()).map(\.title) == ["t"])
    let made = try TaskLogHandler.logged(.warning) { _ = try open(One.Note.self) }
    #expect(made.count { $0.message.contains("Note.title gives its name to another property") } == 1)
  }
}
