import Foundation
import SwiftData

/// Reads a store in a database without the classes of a program.
package final class PostgresReader: Sendable {
  /// The server and the database, without the password.
  package let place: String
  let connections: ServerConnections
  private let namespace: String

  /// - Throws: ``SwiftDataError`` where the configuration is wrong.
  package init(url: String, namespace: String) throws {
    let configuration = PostgresConfiguration(url: url, namespace: namespace, pool: PostgresPoolOptions(size: 1))
    try configuration.validate()
    place = PostgresURL(url)?.place ?? "the database"
    connections = ServerConnections(configuration)
    self.namespace = namespace
  }

  private init(_ other: PostgresReader, within connection: PostgresConnection) {
    (place, namespace) = (other.place, other.namespace)
    connections = ServerConnections(within: connection)
  }

  /// Calls `body` with a reader of one snapshot, to which other programs' saves are invisible. Until it returns, no one else
  /// may use this reader, which has one connection. A moment inside another one is the same moment.
  package func atOneMoment<T>(_ body: (PostgresReader) throws -> T) throws -> T {
    if connections.isWithinTransaction { return try body(self) }
    return try PostgresStore.report(place) {
      try connections.with { connection in
        let inner = PostgresReader(self, within: connection)
        defer { inner.connections.endTransaction() }
        let mode = PostgresStatement("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        return try connection.runAlone(isKept: false, beginning: [mode]) { try body(inner) }
      }
    }
  }

  /// The metadata of the store. Empty if the schema has no store.
  package func metadata() throws -> [String: String] {
    try PostgresStore.report(place) {
      try connections.read(cancellable: false) { connection in
        let there = try connection.run(
          "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1::text AND tablename = $2::text",
          [.text(namespace), .text(ServerNames.metadata)])
        guard there.count == 1 else { return [:] }
        let rows = try connection.run("SELECT key, value FROM \(ServerNames.metadata)")
        var values = [String: String]()
        for row in 0..<rows.count { values[rows.text(row, 0) ?? ""] = rows.text(row, 1) }
        return values
      }
    }
  }

  /// The rows of a statement that selects whole numbers.
  package func numbers(_ statement: String) throws -> [[Int64]] {
    try PostgresStore.report(place) {
      try connections.read(cancellable: false) { connection in
        let rows = try connection.run(statement)
        return (0..<rows.count).map { row in (0..<rows.width).map { rows.integer(row, $0) } }
      }
    }
  }

  /// The rows of a statement, with `?` for each argument.
  package func rows(_ statement: SQLFragment) throws -> [[SQLValue]] {
    try PostgresStore.report(place) {
      try connections.read(cancellable: false) { connection in
        let rows = try connection.run(statement)
        return (0..<rows.count).map { row in (0..<rows.width).map { rows.value(row, $0) } }
      }
    }
  }

  /// The cells of a table's rows as they were saved.
  /// - Parameters:
  ///   - columns: the columns of properties.
  ///   - heads: the columns before them: the key and the class.
  ///   - source: what follows the list of columns in the statement: `FROM`, `WHERE` and `ORDER BY`.
  package func rows(of columns: [LayoutRecord.Column], keyed heads: [String], _ source: SQLFragment) throws
    -> [[SQLValue]]
  {
    let list = (heads + columns.map(\.name) + ["_given"]).map(\.quotedIdentifier).joined(separator: ", ")
    return try rows("SELECT \(list) \(source)").map { row in
      let given = ServerCell.decode(given: row.last ?? .null)
      var cells = Array(row.dropLast())
      for (index, column) in columns.enumerated() {
        let place = heads.count + index
        if column.family == .mixed { cells[place] = ServerCell.unmixed(cells[place]) }
        if let text = given[column.name],
          ServerCell.isOriginal(text, of: cells[place], isJSON: column.serverType == .jsonb)
        {
          cells[place] = .text(text)
        }
      }
      return cells
    }
  }

  /// How many bytes a table takes with its indices.
  package func size(of table: String) throws -> Int64 {
    let name = "\(namespace.quotedIdentifier).\(table.quotedIdentifier)".quotedLiteral
    return try numbers("SELECT pg_total_relation_size(\(name)::regclass)").first?.first ?? 0
  }
}
