import Foundation
import MigrationCases
import SwiftData
import Testing

@testable import SwiftDataPostgres

/// The namespace of a case, which each opening uses as another program.
private struct ServerStore: CaseStore {
  let store: TestStore

  func open(
    _ types: [any PersistentModel.Type], version: Schema.Version?, plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelContext {
    let schema = version.map { Schema(types, version: $0) } ?? Schema(types)
    return ModelContext(
      try ModelContainer(for: schema, migrationPlan: plan, configurations: [store.configuration]))
  }
}

@Suite(
  "The changes of models that both databases migrate alike, on a server",
  .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct MigrationCaseTests {
  private func check(_ known: MigrationCase) throws {
    let store = TestStore()
    let found = try known.run(ServerStore(store: store))
    #expect(found == known.expected)
  }

  @Test("Family 1: renames", arguments: MigrationCase.renames)
  func renames(_ known: MigrationCase) throws { try check(known) }

  @Test("Family 2: siblings of a hierarchy", arguments: MigrationCase.siblings)
  func siblings(_ known: MigrationCase) throws { try check(known) }

  @Test("Family 3: names that the store makes", arguments: MigrationCase.names)
  func names(_ known: MigrationCase) throws { try check(known) }

  @Test("Changes of a property's type", arguments: MigrationCase.typeChanges)
  func typeChanges(_ known: MigrationCase) throws { try check(known) }

  @Test("A store of the first format keeps all values, lists, orders, words and the history")
  func former() throws {
    let store = TestStore()
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../MigrationCases/Former/postgres1.sql").standardizedFileURL
    let connection = try PostgresConnection(url: store.url, namespace: store.namespace)
    try connection.script("CREATE SCHEMA \(store.namespace.quotedIdentifier)")
    try connection.script(String(contentsOf: file, encoding: .utf8))
    let context = try ServerStore(store: store).open(Former.models, version: nil, plan: nil)
    #expect(try Former.describe(context) == Former.contents)
    #expect(try Former.change(context) == Former.changed)
    // A program of the first format reads this version and refuses.
    let version = try store.sql("SELECT value FROM _swiftdata_metadata WHERE key = 'version'").text(0, 0)
    #expect(version == "2147483647.0.0")
    let left = try store.sql(
      "SELECT count(*) FROM information_schema.columns WHERE table_schema = $1::text"
        + " AND table_name NOT LIKE '\\_swiftdata%'"
        + " AND (column_name IN ('cost', 'value', 'playlist_position') OR column_name LIKE '\\_words%')",
      [.text(store.namespace)])
    #expect(left.integer(0, 0) == 0)
    let again = try ServerStore(store: store).open(Former.models, version: nil, plan: nil)
    #expect(try Former.workCount(again) == 2)
  }
}

private enum Yard {
  struct Size: Codable {
    var width = 1
    var height = 1
  }
  @Model final class Box {
    var size = Size()
    init() {}
  }
}

@Suite(
  "A struct of the same name with another member, on a server",
  .enabled(if: PostgresServer.isThere, PostgresServer.reason))
struct ServerStructTests {
  /// Opens a store whose description says that no value has a height.
  private func reopened(_ size: String, _ body: (TestStore, PostgresConfiguration) throws -> Void) throws {
    let store = TestStore()
    let context = ModelContext(try ModelContainer(for: Yard.Box.self, configurations: store.configuration))
    context.insert(Yard.Box())
    try context.save()
    _ = try store.sql(
      #"UPDATE _swiftdata_metadata SET value = replace(value, '"height":"Int"', '"depth":"Int?"') WHERE key = 'layout 2'"#
    )
    _ = try store.sql("UPDATE \"Box\" SET size = $1::text::jsonb", [.text(size)])
    try body(store, store.configuration)
  }

  @Test("is refused at the opening if a value lacks a member that is not optional")
  func refused() throws {
    try reopened(#"{"width":1}"#) { _, configuration in
      let error = #expect(throws: SwiftDataError.unreadableValue) {
        _ = try ModelContainer(for: Yard.Box.self, configurations: configuration)
      }
      #expect(error?.property == "size")
      #expect(error?.message?.contains(#"it has no "height"; make that member optional"#) == true, "\(error as Any)")
    }
  }

  @Test("is opened if all values have the member, and the next opening writes nothing")
  func opened() throws {
    try reopened(#"{"height":2,"width":1}"#) { store, configuration in
      let rows = try (0..<2).map { _ in
        let container = try ModelContainer(for: Yard.Box.self, configurations: configuration)
        #expect(try ModelContext(container).fetch(FetchDescriptor<Yard.Box>()).map(\.size.height) == [2])
        let row = try store.sql("SELECT value, xmin::text FROM _swiftdata_metadata WHERE key = 'layout 2'")
        #expect(row.text(0, 0)?.contains(#""height":"Int""#) == true)
        return row.text(0, 1)
      }
      #expect(rows[0] == rows[1])
    }
  }
}
