/// Computes the snippets of one search's hits when the program reads them. A search for a common word finds thousands of objects,
/// and a program shows some of them; a snippet costs more than finding the object.
///
/// FTS5 makes a snippet from one row and the query, so a table in memory with this row gives the store's result.
final class SearchSnippets {
  private let index: SearchIndex
  private let query: SearchQuery
  /// An empty table, made for the first snippet.
  private lazy var database = try? index.tableInMemory()

  init(_ index: SearchIndex, _ query: SearchQuery) {
    (self.index, self.query) = (index, query)
  }

  /// The snippets with a match. There are none if SQLite has no memory for the table.
  func snippets(of texts: [SQLValue]) -> [MarkedText] {
    guard let database, let row = try? row(of: texts, in: database) else { return [] }
    return zip(index.columns, row).compactMap { column, text in
      text.flatMap { SearchText.snippet($0, of: column.property) }
    }
  }

  private func row(of texts: [SQLValue], in database: SQLiteDatabase) throws -> [String?]? {
    try database.transaction {
      try database.withStatement(index.insertion, [.integer(1)] + texts, isKept: true) {
        _ = try database.step($0, index.insertion)
      }
      defer { try? database.execute("DELETE FROM \(index.name.quotedIdentifier)") }
      return try database.withStatement(sql, [.text(query.expression)], isKept: true) { statement in
        guard try database.step(statement, sql) else { return nil }
        let cells = SQLiteCells(statement)
        return (0..<cells.count).map { cells.text($0) }
      }
    }
  }

  private var sql: String {
    let name = index.name.quotedIdentifier
    let snippets = index.columns.indices.map { SearchText.snippetSQL(index.name, column: $0) }
    return "SELECT \(snippets.joined(separator: ", ")) FROM \(name) WHERE \(name) MATCH ?"
  }
}
