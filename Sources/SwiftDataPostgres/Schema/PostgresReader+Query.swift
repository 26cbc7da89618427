import Foundation
import SwiftData

/// A column of the result of a statement that a person wrote.
package struct ServerColumn: Sendable {
  package let name: String
  /// The table and the column that the values come from. Nil for an expression.
  package let origin: (table: String, column: String)?
  /// The meaning that the type of an expression gives its values. Nil if they are shown as they are.
  package let family: ValueFamily?
}

/// Why the server refuses a statement that a person wrote.
package struct RefusedServerStatement: Error {
  package let reason: String
}

extension PostgresReader {
  /// The number of rows that are in memory at a time.
  private static let pageSize = 500

  /// Runs a SELECT that a person wrote, in a transaction that cannot write.
  /// - Parameter columns: called once, before the rows.
  /// - Throws: ``RefusedServerStatement`` if the server refuses the statement, `SwiftDataError` if it cannot be reached, and what the
  ///   closures throw.
  package func query(
    _ sql: String, columns: ([ServerColumn]) throws -> Void, _ row: ([SQLValue]) throws -> Void
  ) throws {
    guard connections.isWithinTransaction else {
      return try atOneMoment { try $0.query(sql, columns: columns, row) }
    }
    try PostgresStore.report(place) {
      try connections.with { connection in
        do {
          // A refused statement leaves the moment usable.
          try connection.part { try Self.query(sql, connection, columns, row) }
        } catch let error as PostgresError where !error.isLost && !error.state.isEmpty {
          throw RefusedServerStatement(reason: error.message)
        }
      }
    }
  }

  private static func query(
    _ sql: String, _ connection: PostgresConnection, _ columns: ([ServerColumn]) throws -> Void,
    _ row: ([SQLValue]) throws -> Void
  ) throws {
    var text = sql.trimmingCharacters(in: .whitespacesAndNewlines)
    while text.hasSuffix(";") { text = String(text.dropLast()).trimmingCharacters(in: .whitespacesAndNewlines) }
    // A subquery can only read: COPY, for example, is not allowed there, although a transaction that cannot write may run it. The line end
    // ends a comment.
    let source = "(\(text)\n) AS q"
    let head = try connection.run("SELECT * FROM \(source) LIMIT 0")
    let origins = try self.origins(of: head, connection)
    let names = (0..<head.width).map { "c\($0)" }
    // The server writes values of other types as text.
    let cells = names.indices.map { PostgresResult.isReadable(head.types[$0]) ? names[$0] : "\(names[$0])::text" }
    // Statements of the connection are kept by their texts, and another cursor of this name would have other columns.
    let cursor = "swiftdata_\(UUID().uuidString)".quotedIdentifier
    if !names.isEmpty {
      try connection.run(
        "DECLARE \(cursor) NO SCROLL CURSOR FOR SELECT \(cells.joined(separator: ", ")) FROM \(source)(\(names.joined(separator: ", ")))"
      )
    }
    try columns(
      names.indices.map { index in
        ServerColumn(
          name: head.name(index),
          origin: head.origin(index).flatMap { origins["\($0.table) \($0.column)"] }, family: family(head.types[index]))
      })
    while !names.isEmpty {
      let page = try connection.run("FETCH FORWARD \(pageSize) FROM \(cursor)")
      for place in 0..<page.count { try row(names.indices.map { page.value(place, $0) }) }
      if page.count < pageSize { return }
    }
  }

  private static func family(_ type: UInt32) -> ValueFamily? {
    switch type {
    case PostgresType.bool.rawValue: .bool
    case PostgresType.uuid.rawValue: .uuid
    case PostgresType.json.rawValue, PostgresType.jsonb.rawValue: .json
    default: nil
    }
  }

  /// The names of the tables and columns that a result comes from, by their numbers.
  private static func origins(
    of result: PostgresResult, _ connection: PostgresConnection
  ) throws -> [String: (table: String, column: String)] {
    let tables = Set((0..<result.width).compactMap { result.origin($0)?.table })
    guard !tables.isEmpty else { return [:] }
    let rows = try connection.run(
      "SELECT a.attrelid::bigint, a.attnum::bigint, c.relname::text, a.attname::text FROM pg_catalog.pg_attribute AS a"
        + " JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid WHERE c.relnamespace ="
        + " (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) AND a.attrelid IN (\(tables.map(String.init).joined(separator: ", ")))"
    )
    var names = [String: (table: String, column: String)]()
    for row in 0..<rows.count {
      names["\(rows.integer(row, 0)) \(rows.integer(row, 1))"] = (rows.text(row, 2) ?? "", rows.text(row, 3) ?? "")
    }
    return names
  }

  /// The tables of the store whose rows are on other servers.
  package func shardedTables() throws -> [String] {
    try rows(
      """
      SELECT relname::text FROM pg_catalog.pg_class WHERE relkind = 'f' AND relnamespace =
        (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) ORDER BY 1
      """
    ).compactMap { if case .text(let name) = $0[0] { name } else { nil } }
  }
}
