import SwiftData

/// A difference between the database and what the store made in it.
package struct PostgresFault: Sendable {
  /// The area: `tables`, `indices` or `keys`.
  package let area: String
  /// A description with the class, and what to do.
  package let text: String
}

extension PostgresReader {
  /// Lists what another program changed at the tables, the indices and the sequences of the store.
  /// - Complexity: two statements, and one for each table.
  package func faults(of layout: LayoutRecord) throws -> [PostgresFault] {
    let missing = try missingColumns(layout) + missingTables(layout)
    guard missing.isEmpty else { return missing }
    return try invalidIndices() + layout.tables.flatMap(usedKeys)
  }

  private func missingTables(_ layout: LayoutRecord) throws -> [PostgresFault] {
    try absent(
      layout.pairTables.flatMap { pairs in ["source", "target"].map { (pairs.name, $0) } }
        + layout.tables.map { ($0.name, "_pk") }
    ).map { table, _ in
      PostgresFault(area: "tables", text: "the table \(table) is missing; restore the store from a backup")
    }
  }

  private func missingColumns(_ layout: LayoutRecord) throws -> [PostgresFault] {
    let absentTables = Set(try absent(layout.tables.map { ($0.name, "_pk") }).map(\.0))
    let columns = layout.tables.filter { !absentTables.contains($0.name) }.flatMap { table in
      table.columns.map { (table.name, $0.name) }
    }
    return try absent(columns).map { table, column in
      PostgresFault(
        area: "tables", text: "the column \(column) of the table \(table) is missing; restore the store from a backup")
    }
  }

  /// The columns that are not there.
  private func absent(_ columns: [(String, String)]) throws -> [(String, String)] {
    let lists = [columns.map(\.0), columns.map(\.1)].map { $0.map(\.quotedLiteral).joined(separator: ", ") }
    guard !columns.isEmpty else { return [] }
    let found = try rows(
      """
      SELECT n.t, n.c FROM unnest(ARRAY[\(lists[0])]::text[], ARRAY[\(lists[1])]::text[]) AS n (t, c)
      WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_attribute AS a WHERE a.attname = n.c::name AND NOT a.attisdropped
        AND a.attrelid = to_regclass(quote_ident(current_schema()) || '.' || quote_ident(n.t)))
      """)
    return found.compactMap { row in
      if case .text(let table) = row[0], case .text(let column) = row[1] { (table, column) } else { nil }
    }
  }

  /// The indices that a server or a program did not finish.
  private func invalidIndices() throws -> [PostgresFault] {
    try rows(
      """
      SELECT c.relname::text, t.relname::text FROM pg_catalog.pg_index AS i
      JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid JOIN pg_catalog.pg_class AS t ON t.oid = i.indrelid
      WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
        AND NOT i.indisvalid ORDER BY 1
      """
    ).compactMap { row in
      guard case .text(let name) = row[0], case .text(let table) = row[1] else { return nil }
      return PostgresFault(
        area: "indices",
        text: "the index \(name) of the table \(table) was not finished; open the store as the owner of its schema")
    }
  }

  /// Whether the sequence of a table gives keys that rows have.
  private func usedKeys(of table: LayoutRecord.Table) throws -> [PostgresFault] {
    let sequence = ServerNames.keys(of: table.name)
    let found = try numbers(
      "SELECT count(*) FROM \(sequence.quotedIdentifier) AS s WHERE (SELECT max(_pk) FROM \(table.name.quotedIdentifier))"
        + " >= s.last_value + CASE WHEN s.is_called THEN \(KeyBlocks.size) ELSE 0 END")
    guard found.first?.first != 0 else { return [] }
    return [
      PostgresFault(
        area: "keys",
        text: "the sequence \(sequence) gives keys that rows of \(table.name) have; end all programs, and set it after"
          + " the greatest _pk with setval")
    ]
  }
}
