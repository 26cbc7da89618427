import GRDB

/// Computes the snippets of one search's hits when the program reads them. A search for a common word finds thousands of objects,
/// and a program shows some of them; a snippet costs more than finding the object.
///
/// FTS5 makes a snippet from one row and the query, so a table in memory with this row gives the store's result.
final class SearchSnippets {
  private let index: SearchIndex
  private let query: SearchQuery
  /// An empty table, made for the first snippet.
  private lazy var database = try? DatabaseQueue.forSnippets(of: index)

  init(_ index: SearchIndex, _ query: SearchQuery) {
    (self.index, self.query) = (index, query)
  }

  /// The snippets with a match. There are none if SQLite has no memory for the table.
  func snippets(of texts: [SQLValue]) -> [MarkedText] {
    let row = try? database?.write { database in
      let cells = [.integer(1)] + texts
      try database.cachedStatement(sql: index.insertion).execute(
        arguments: StatementArguments(cells.map(\.databaseValue)))
      defer { try? database.execute(sql: "DELETE FROM \(index.name.quotedIdentifier)") }
      return try Row.fetchOne(try database.cachedStatement(sql: sql), arguments: [query.expression])
    }
    guard let row else { return [] }
    return index.columns.enumerated().compactMap { position, column in
      (row[position] as String?).flatMap { SearchText.snippet($0, of: column.property) }
    }
  }

  private var sql: String {
    let name = index.name.quotedIdentifier
    let snippets = index.columns.indices.map { SearchText.snippetSQL(index.name, column: $0) }
    return "SELECT \(snippets.joined(separator: ", ")) FROM \(name) WHERE \(name) MATCH ?"
  }
}

extension DatabaseQueue {
  fileprivate static func forSnippets(of index: SearchIndex) throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { try index.createTable(in: $0) }
    return queue
  }
}
