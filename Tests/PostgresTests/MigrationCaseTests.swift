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
