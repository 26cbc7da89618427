import Foundation
import SwiftData

/// Makes the tables that the models need, or brings those that are there up to them: all of it in one transaction, and
/// by one program at a time.
struct StoreOpening {
  let connection: PostgresConnection
  let configuration: PostgresConfiguration
  let tables: [EntityTable]
  let record: LayoutRecord

  /// - Returns: the identity of the store.
  func open() throws -> String {
    try checkServer()
    try ServerNames.validate(record)
    if let known = try known() { return known }
    do {
      try connection.script("BEGIN")
      // Whoever comes second waits here and then finds everything made.
      _ = try connection.run("SELECT pg_advisory_xact_lock(hashtextextended($1::text, 7))", [lock])
      let namespace = try connection.run(
        "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1::text", [.text(configuration.namespace)])
      // Also where it is there, making it takes a right that the user may not have.
      if namespace.count == 0 { try connection.script("CREATE SCHEMA \(configuration.namespace.quotedIdentifier)") }
      try connection.script(OwnTables.creation)
      let identifier = try identifier()
      let change = LayoutChange(connection: connection, tables: tables, store: configuration.name)
      let stored = try storedRecord() ?? .empty
      let new = try change.bring(stored, to: record)
      try write("layout", String(decoding: JSONCoding.encode(new), as: UTF8.self))
      try write("version", "\(versionNumbers)")
      // Those of a newer program serve an older one too.
      if try functionVersion() < ServerFunctions.version {
        try ServerFunctions.install(on: connection)
        try write("functions", "\(ServerFunctions.version)")
      }
      try connection.script("COMMIT")
      return identifier
    } catch {
      try? connection.script("ROLLBACK")
      throw error
    }
  }

  private var lock: PostgresParameter { .text("swiftdata \(configuration.namespace)") }

  /// The identity of a store that needs nothing; nil where something is to be made.
  private func known() throws -> String? {
    let there = try connection.run(
      "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1::text AND tablename = $2::text",
      [.text(configuration.namespace), .text(ServerNames.metadata)])
    guard there.count == 1, let identifier = try read("identifier"), let stored = try storedRecord() else { return nil }
    try checkVersion()
    guard try functionVersion() >= ServerFunctions.version, stored.holds(record) else { return nil }
    return identifier
  }

  // MARK: - The server

  private func checkServer() throws {
    let result = try connection.run(
      "SELECT current_setting('server_encoding'), current_setting('server_version_num')::bigint")
    guard result.text(0, 0) == "UTF8" else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        message:
          "the database of the store \"\(configuration.name)\" has the encoding \(result.text(0, 0) ?? "?"), which"
          + " cannot hold all text; make one with CREATE DATABASE … ENCODING 'UTF8'")
    }
  }

  /// A program with older models must not write what newer ones read otherwise.
  private func checkVersion() throws {
    guard let stored = try read("version") else { return }
    let numbers = stored.split(separator: ".").compactMap { Int($0) }
    let own = versionNumbers.split(separator: ".").compactMap { Int($0) }
    guard own.lexicographicallyPrecedes(numbers) else { return }
    throw SwiftDataError(
      .newerSchema,
      message:
        "the store \"\(configuration.name)\" has version \(stored) of the schema and the program \(versionNumbers);"
        + " update the program")
  }

  private var versionNumbers: String {
    let version = configuration.schema?.version ?? Schema.Version(1, 0, 0)
    return "\(version.major).\(version.minor).\(version.patch)"
  }

  // MARK: - Metadata

  private func identifier() throws -> String {
    if let known = try read("identifier") {
      try checkVersion()
      return known
    }
    let new = UUID().uuidString
    try write("identifier", new)
    return new
  }

  private func functionVersion() throws -> Int { try read("functions").flatMap { Int($0) } ?? 0 }

  private func storedRecord() throws -> LayoutRecord? {
    try read("layout").map { try JSONCoding.decode(LayoutRecord.self, from: Data($0.utf8)) }
  }

  private func read(_ key: String) throws -> String? {
    let result = try connection.run(
      "SELECT value FROM \(ServerNames.metadata) WHERE key = $1::text", [.text(key)])
    return result.count == 1 ? result.text(0, 0) : nil
  }

  private func write(_ key: String, _ value: String) throws {
    _ = try connection.run(
      "INSERT INTO \(ServerNames.metadata) (key, value) VALUES ($1::text, $2::text)"
        + " ON CONFLICT (key) DO UPDATE SET value = excluded.value", [.text(key), .text(value)])
  }
}
