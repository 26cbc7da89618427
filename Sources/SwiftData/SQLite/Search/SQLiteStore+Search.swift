import Foundation

extension SQLiteStore {
  package func search(_ request: SearchRequest) throws -> SearchAnswer {
    try checkIndex(of: request)
    let (index, table) = (request.index, request.table)
    var sql: SQLFragment = "SELECT \(name: index.name).rowid, \(name: index.name).rank FROM \(name: index.name)"
    // The key is the index's rowid, so the table is needed only to tell classes apart.
    if table.discriminatorCondition != nil {
      sql = "\(sql) CROSS JOIN \(name: table.name) AS t0 ON t0._pk = \(name: index.name).rowid"
    }
    sql = "\(sql) WHERE \(name: index.name) MATCH \(bind: .text(request.query.expression))"
    if let condition = table.discriminatorCondition { sql = "\(sql) AND \(condition)" }
    if request.limit != nil, table.discriminatorCondition == nil {
      // The plus sign hides the order from FTS5, which would sort all hits. SQLite keeps the best ones only. It would look up
      // the row of each hit before it sorts, so classes with a discriminator leave the order to FTS5.
      sql = "\(sql) ORDER BY +\(name: index.name).rank, \(name: index.name).rowid"
    } else {
      sql = "\(sql) ORDER BY \(name: index.name).rank"
    }
    if let limit = request.limit { sql = "\(sql) LIMIT \(bind: .integer(Int64(limit)))" }
    let found = try read { connection in
      try connection.rows(sql) { SearchFound(key: $0.integer(0), rank: $0.real(1)) }
    }
    return .hits(found) { try self.searchCounts(request) }
  }

  /// A row has the words if the index has its key.
  ///
  /// If the words are rare, SQLite looks up the rows of the hits and sorts them. If they are frequent, it reads the rows
  /// in the order of the fetch and asks of each whether it is a hit, until it has enough of them.
  package func condition(of request: SearchRequest) throws -> SearchCondition? {
    try checkIndex(of: request)
    let (index, expression) = (request.index.name, SQLValue.text(request.query.expression))
    let hits: SQLFragment =
      "SELECT \(name: index).rowid FROM \(name: index) WHERE \(name: index) MATCH \(bind: expression)"
    // The plus sign hides the key, so that SQLite looks up no rows by it.
    let key = try isFrequent(hits, request) ? "+t0._pk" : "t0._pk"
    return SearchCondition("\(key) IN (\(hits))", isExact: true)
  }

  /// Whether reading in order costs less than looking up all hits. With h hits among n rows, p of them are found after about
  /// p * n / h rows, which is less than h if h * h > p * n.
  private func isFrequent(_ hits: SQLFragment, _ request: SearchRequest) throws -> Bool {
    guard let limit = request.limit else { return false }
    return try read { connection in
      let last = try connection.rows("SELECT max(_pk) FROM \(name: request.table.name)") { $0.integer(0) }
      let bound = min(1e9, (Double(limit) * Double(max(0, last.first ?? 0))).squareRoot())
      // Counting stops here.
      let most: SQLFragment = "SELECT count(*) FROM (\(hits) LIMIT \(bind: .integer(Int64(bound) + 1)))"
      return try connection.rows(most) { Double($0.integer(0)) > bound }.first ?? false
    }
  }

  /// - Throws: `SwiftDataError` if the file has no index of all objects of the class.
  private func checkIndex(of request: SearchRequest) throws {
    let (index, table) = (request.index, request.table)
    if let pack = packs.first(where: { $0.tables.contains(table.name) }) {
      throw SwiftDataError(
        .unsupportedFeature, entity: table.entity.name,
        message:
          "a search does not reach over several stores, and the configuration \"\(pack.store.name)\" has objects of"
          + " the model too; fetch with a predicate, or open the configurations in containers of their own to search")
    }
    guard derivedTables.contains(index.name) else {
      throw SwiftDataError(
        .storeReadOnly, entity: table.entity.name,
        message: "its store has no full-text index yet, and allowsSave: false does not allow creating one; open the"
          + " store once with allowsSave: true")
    }
  }

  private func searchCounts(_ request: SearchRequest) throws -> SearchCounts {
    try read { connection in
      func count(_ sql: SQLFragment) throws -> Int { try connection.rows(sql) { Int($0.integer(0)) }[0] }
      let name = request.index.name
      return SearchCounts(
        rowCount: try count("SELECT count(*) FROM \(name: request.table.name)"),
        counts: try request.query.terms.map { term in
          let expression = SearchQuery.expression([term])
          return try count("SELECT count(*) FROM \(name: name) WHERE \(name: name) MATCH \(bind: .text(expression))")
        })
    }
  }
}
