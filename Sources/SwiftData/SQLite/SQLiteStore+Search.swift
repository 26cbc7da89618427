import Foundation

extension SQLiteStore {
  package func search(_ request: SearchRequest) throws -> SearchAnswer {
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
