import Foundation

/// An in-memory full-text index of the unsaved objects, for one search.
///
/// BM25 weighs each word by its rarity. Among a few unsaved objects that is meaningless, so the store's weights replace
/// theirs. Stored and unsaved objects can then be ranked in one list.
struct UnsavedSearch {
  private let index: SearchIndex
  private let database: SQLiteDatabase
  private let count: Int

  init(_ index: SearchIndex, _ objects: [any PersistentModel]) throws {
    self.index = index
    self.count = objects.count
    let database = try index.tableInMemory()
    self.database = database
    try database.transaction {
      let insert = try database.statement(index.insertion)
      for (position, object) in objects.enumerated() {
        try insert.run([.integer(Int64(position))] + index.cells(of: object))
      }
    }
  }

  func hasHits(_ query: SearchQuery) throws -> Bool {
    try database.first(sql("1") + " LIMIT 1", [.text(query.expression)]) { _ in true } ?? false
  }

  /// The hits in the order of the objects. `rarity` has the weight of each term in the store.
  func hits(_ query: SearchQuery, rarity: [Double]) throws -> [SearchFound] {
    var ranks = [Int64: Double]()
    for (term, weight) in zip(query.terms, rarity) {
      let found = try database.rows(sql("rowid, rank"), [.text(SearchQuery.expression([term]))]) {
        (place: $0.integer(0), rank: $0.real(1))
      }
      let own = SearchCounts.rarity(of: found.count, among: count)
      for row in found { ranks[row.place, default: 0] += row.rank * weight / own }
    }
    return try keys(query).map { SearchFound(key: $0, rank: ranks[$0] ?? 0) }
  }

  /// The places of the hits among the objects, ascending.
  func places(_ query: SearchQuery) throws -> [Int] { try keys(query).map { Int($0) } }

  private func keys(_ query: SearchQuery) throws -> [Int64] {
    try database.rows(sql("rowid") + " ORDER BY rowid", [.text(query.expression)]) { $0.integer(0) }
  }

  private func sql(_ columns: String) -> String {
    let name = index.name.quotedIdentifier
    return "SELECT \(columns) FROM \(name) WHERE \(name) MATCH ?"
  }

}

extension SearchIndex {
  /// A database in memory with a table that indexes its own copy of the texts in the same way.
  func tableInMemory() throws -> SQLiteDatabase {
    let database = try SQLiteDatabase.inMemory()
    let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    try database.execute(
      "CREATE VIRTUAL TABLE \(name.quotedIdentifier) USING fts5(\(names), \(SearchText.tokenizer))")
    return database
  }

  /// The statement that inserts a key and the indexed texts of all columns.
  var insertion: String {
    let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let marks = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
    return "INSERT INTO \(name.quotedIdentifier) (rowid, \(names)) VALUES (\(marks))"
  }
}
