import Foundation
import GRDB

/// An in-memory full-text index of the unsaved objects, for one search.
///
/// BM25 weighs each word by its rarity. Among a few unsaved objects that is meaningless, so the store's weights replace
/// theirs. Stored and unsaved objects can then be ranked in one list.
struct UnsavedSearch {
  private let index: SearchIndex
  private let database: DatabaseQueue
  private let count: Int

  init(_ index: SearchIndex, _ objects: [any PersistentModel]) throws {
    self.index = index
    self.database = try DatabaseQueue()
    self.count = objects.count
    try database.write { database in
      try index.createTable(in: database)
      let insert = try database.makeStatement(sql: index.insertion)
      for (position, object) in objects.enumerated() {
        let cells = [.integer(Int64(position))] + index.cells(of: object)
        try insert.execute(arguments: StatementArguments(cells.map(\.databaseValue)))
      }
    }
  }

  func hasHits(_ query: SearchQuery) throws -> Bool {
    try database.read { database in
      try Row.fetchOne(database, sql: sql("1") + " LIMIT 1", arguments: [query.expression]) != nil
    }
  }

  /// The hits in the order of the objects. `rarity` has the weight of each term in the store.
  func hits(_ query: SearchQuery, rarity: [Double]) throws -> [SearchFound] {
    try database.read { database in
      var ranks = [Int64: Double]()
      for (term, weight) in zip(query.terms, rarity) {
        let found = try Row.fetchAll(
          database, sql: sql("rowid, rank"), arguments: [SearchQuery.expression([term])])
        let own = SearchCounts.rarity(of: found.count, among: count)
        for row in found { ranks[row[0], default: 0] += (row[1] as Double) * weight / own }
      }
      return try places(query, database).map { SearchFound(key: $0, rank: ranks[$0] ?? 0) }
    }
  }

  /// The places of the hits among the objects, ascending.
  func places(_ query: SearchQuery) throws -> [Int] { try database.read { try places(query, $0).map { Int($0) } } }

  private func places(_ query: SearchQuery, _ database: Database) throws -> [Int64] {
    try Int64.fetchAll(database, sql: sql("rowid") + " ORDER BY rowid", arguments: [query.expression])
  }

  private func sql(_ columns: String) -> String {
    let name = index.name.quotedIdentifier
    return "SELECT \(columns) FROM \(name) WHERE \(name) MATCH ?"
  }

}

extension SearchIndex {
  /// Creates a table in memory that indexes its own copy of the texts in the same way.
  func createTable(in database: Database) throws {
    let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    try database.execute(
      sql: "CREATE VIRTUAL TABLE \(name.quotedIdentifier) USING fts5(\(names), \(SearchText.tokenizer))")
  }

  /// The statement that inserts a key and the indexed texts of all columns.
  var insertion: String {
    let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let marks = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
    return "INSERT INTO \(name.quotedIdentifier) (rowid, \(names)) VALUES (\(marks))"
  }
}
