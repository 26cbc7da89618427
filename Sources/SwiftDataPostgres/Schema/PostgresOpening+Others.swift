import Foundation
import SwiftData

// The steps of an opening for programs that have the store open.
extension PostgresOpening {
  /// Refuses changes that older programs cannot go on with, before anything waits for them.
  func checkRolling(_ stored: LayoutRecord, isFormer: Bool) throws {
    guard !isFormer else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message:
          "the store \"\(configuration.name)\" has the format of an earlier release, whose programs could not go on"
          + " after its migration; open it with isRolling: false while none of them runs. Nothing was changed")
    }
    let change = layoutChange(of: current.layout, PartitionedTables(), isFormer: false)
    try RollingUpgrade(
      LayoutPlan(from: stored, to: current.layout, isPlanned: plan != nil), to: current.layout,
      defaults: try storedDefaults(), serverDefault: change.serverDefault
    ).check(store: configuration.name)
  }

  /// The columns of the store with a default.
  func storedDefaults() throws -> Set<RollingUpgrade.Place> {
    let found = try connection.run(
      "SELECT c.relname::text, a.attname::text FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c"
        + " ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
        + " WHERE n.nspname = $1::text AND a.atthasdef", [.text(configuration.namespace)])
    return Set(
      (0..<found.count).map { .init(table: found.text($0, 0) ?? "", column: found.text($0, 1) ?? "") })
  }

  // MARK: - The server

  func checkServer() throws {
    let result = try connection.run(
      "SELECT current_setting('server_encoding'), current_setting('server_version_num')::bigint")
    guard result.text(0, 0) == "UTF8" else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message:
          "the database of the store \"\(configuration.name)\" has the encoding \(result.text(0, 0) ?? "?"), which"
          + " cannot hold all text; make one with CREATE DATABASE … ENCODING 'UTF8'")
    }
    try Self.checkServer(version: result.integer(0, 1), store: configuration.name)
  }

  /// - Parameter version: the server's `server_version_num`.
  static func checkServer(version: Int64, store: String) throws {
    // The first with an infinite numeric, which `swift_decimal_key` returns.
    guard version < 140_000 else { return }
    throw SwiftDataError(
      .unsupportedFeature,
      message:
        "the server of the store \"\(store)\" is PostgreSQL \(version / 10_000), and the store needs 14 or later;"
        + " update the server")
  }

  // MARK: - Columns that are added before the transaction

  /// Adds and fills the columns that would keep saves waiting for long.
  func addEarlyColumns() throws {
    guard try isStore(), try !isFormer(), let stored = try storedRecord() else { return }
    try checkOwner()
    if configuration.isRolling { try checkRolling(stored, isFormer: false) }
    try earlyColumns(on: PartitionedTables(try partitions(of: stored)), from: stored).make(from: stored)
  }

  private func earlyColumns(on partitions: PartitionedTables, from stored: LayoutRecord) throws -> EarlyColumns {
    var (record, steps) = (stored, [EarlyColumns.Step]())
    for layout in try (migration?.steps ?? []).map(\.target.layout) + [current.layout] {
      steps.append(
        EarlyColumns.Step(
          plan: LayoutPlan(from: record, to: layout, isPlanned: plan != nil),
          change: layoutChange(of: layout, partitions, isFormer: false)))
      record = layout.record
    }
    return EarlyColumns(
      connection: connection, steps: steps, metadata: (earlyColumns, writeEarlyColumns), record: storedRecord,
      check: {
        try checkShape(stored)
        // A closure may remove what the tables of the next version refuse.
        if try migration?.steps.first?.willMigrate == nil { try steps[0].change.check(steps[0].plan) }
      },
      lock: {
        try lockNamespace()
        try connection.script("SET LOCAL lock_timeout = '\(OpeningAttempts.lockTimeout)'")
      })
  }

  /// Refuses tables that differ from the version that a plan starts from.
  func checkShape(_ stored: LayoutRecord) throws {
    guard let plan, let source = try migration?.steps.first?.source, !stored.holds(source.layout.record) else { return }
    throw ServerMigration.unknownShape(of: stored, notThat: source, of: plan, name: configuration.name)
  }

  /// Drops the columns that an opening added for models other than these, or whose values these models make in another way.
  /// - Parameter stored: the layout of the store, or nil for a new one.
  func dropEarlyColumns(_ stored: LayoutRecord?, _ partitions: PartitionedTables) throws {
    let added = try earlyColumns()
    guard !added.isEmpty, let stored else { return }
    let columns = try earlyColumns(on: partitions, from: stored)
    let wanted = try columns.places(from: stored)
    for place in added.subtracting(wanted) {
      let statement =
        "ALTER TABLE IF EXISTS \(place.table.quotedIdentifier) DROP COLUMN IF EXISTS \(place.column.quotedIdentifier)"
      try columns.steps.first?.change.alterShards(of: place.table) { _ in statement }
      try connection.script(statement)
    }
    try writeEarlyColumns(added.intersection(wanted))
  }

  func earlyColumns() throws -> Set<EarlyColumns.Place> {
    try read(Keys.early).map { try JSONCoding.decode(Set<EarlyColumns.Place>.self, from: Data($0.utf8)) } ?? []
  }

  func writeEarlyColumns(_ places: Set<EarlyColumns.Place>) throws {
    guard try earlyColumns() != places else { return }
    try write(Keys.early, String(decoding: JSONCoding.encode(places), as: UTF8.self))
  }

  func layoutChange(
    of layout: StoreLayout, _ partitions: PartitionedTables, isFormer: Bool
  ) -> LayoutChange {
    LayoutChange(
      connection: connection, layout: layout, store: configuration.name, namespace: configuration.namespace,
      partitions: partitions, shards: shards, isFormer: isFormer, isRolling: configuration.isRolling, log: log)
  }

  /// Makes saves of other programs wait until the new models are in force. Fetches go on until a table changes.
  func lockTables(_ stored: LayoutRecord) throws {
    let names = stored.tables.map(\.name) + stored.pairTables.map(\.name)
    let found = try connection.run(
      "SELECT c.relname::text FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
        + " WHERE n.nspname = $1::text AND c.relname::text = ANY($2::text[]) AND c.relkind IN ('r', 'p')"
        + " ORDER BY c.relname::text COLLATE \"C\"",
      [.text(configuration.namespace), .array(names.map { .text($0) }, .text)])
    let tables = (0..<found.count).compactMap { found.text($0, 0)?.quotedIdentifier }
    guard !tables.isEmpty else { return }
    // Stronger than what saves lock when they look rows up, so that none of them holds a lock that a change needs.
    try connection.script("LOCK TABLE \(tables.joined(separator: ", ")) IN EXCLUSIVE MODE")
  }
}
