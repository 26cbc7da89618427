import Foundation

extension ContextState {
  func search<M: PersistentModel>(_ type: M.Type, _ text: String, limit: Int?) throws -> [ModelContext.SearchHit<M>] {
    drainInbox()
    let table = try core.table(for: M.__entity)
    if !(core.store(of: table) is SQLiteStore) { return try searchCandidates(type, text, limit: limit, in: table) }
    let index = try searchIndex(of: table)
    guard let query = SearchQuery(text), limit.map({ $0 > 0 }) ?? true else { return [] }
    try loadMarkedRows(root: table.root)
    let unsaved = unsavedObjects(M.self)
    // Each unsaved object can push one stored hit out.
    let stored = try storedHits(index, query, table, limit: limit.map { $0.addingReportingOverflow(unsaved.count) })
    var byKey = [Int64: M]()
    if !stored.isEmpty {
      var rows = StoreQuery(table: table, columns: table.select())
      rows.condition = SQLFragment(
        "t0._pk IN (SELECT value FROM json_each(?))", [Self.list(stored.map(\.key))])
      for object in try load(rows) as [M] { byKey[object.__state.key] = object }
    }
    let pending: __ModelState.Flags = [.inserted, .changed, .deleted]
    var hits = stored.compactMap { found -> ModelContext.SearchHit<M>? in
      guard let object = byKey[found.key], object.__state.flags.isDisjoint(with: pending) else { return nil }
      return ModelContext.SearchHit(model: object, rank: found.rank, snippets: found.snippets)
    }
    let alive = unsaved.filter { !$0.__state.flags.contains(.deleted) }
    hits += try unsavedHits(index, query, table, alive).map {
      ModelContext.SearchHit(model: alive[Int($0.key)], rank: $0.rank, snippets: $0.snippets)
    }
    // A stable sort: what fits equally well stays in the order of age.
    hits.sort { $0.rank < $1.rank }
    return Array(hits.prefix(limit ?? .max))
  }

  private func searchIndex(of table: EntityTable) throws -> SearchIndex {
    let store = try core.sqlStore(of: table)
    let isSearchable = table.family.contains { $0.properties.contains(where: SearchIndex.isSearchable) }
    guard isSearchable, let index = store.layout.searchIndex(of: table) else {
      throw SearchIndex.nothing(table.entity)
    }
    guard store.derivedTables.contains(index.name) else {
      throw SwiftDataError(
        .storeReadOnly, entity: table.entity.name,
        message: "its store has no full-text index yet, and allowsSave: false does not let one be made; open the store"
          + " once with allowsSave: true")
    }
    return index
  }

  /// Changed and deleted objects, then new ones.
  private func unsavedObjects<M: PersistentModel>(_ type: M.Type) -> [M] {
    changed.values.compactMap { $0.object as? M }
      + deleted.values.compactMap { $0 as? M }
      .filter { changed[ObjectIdentifier($0)] == nil } + inserted.values.compactMap { $0 as? M }
  }

  // MARK: - Asking FTS5

  private func storedHits(
    _ index: SearchIndex, _ query: SearchQuery, _ table: EntityTable, limit: (partialValue: Int, overflow: Bool)?
  ) throws -> [SearchFound] {
    let name = index.name.quotedIdentifier
    var sql = SQLFragment("SELECT \(index.results) FROM \(name)")
    // The key is the index's row identifier, so the table is only needed to tell classes apart.
    if table.discriminatorCondition != nil {
      sql = sql + SQLFragment(" CROSS JOIN \(table.name.quotedIdentifier) AS t0 ON t0._pk = \(name).rowid")
    }
    sql = sql + SQLFragment(" WHERE \(name) MATCH ?", [.text(query.expression)])
    if let condition = table.discriminatorCondition { sql = sql + SQLFragment(" AND \(condition)") }
    sql = sql + SQLFragment(" ORDER BY \(name).rank")
    if let limit, !limit.overflow { sql = sql + SQLFragment(" LIMIT ?", [.integer(Int64(limit.partialValue))]) }
    return try read(table) { connection in
      try connection.rows(sql) { cells in
        SearchFound(
          key: cells.integer(0), rank: cells.real(1), snippets: index.snippets { cells.text(Int32($0) + 2) })
      }
    }
  }

  /// The same asked of the unsaved objects; keys are positions.
  private func unsavedHits(
    _ index: SearchIndex, _ query: SearchQuery, _ table: EntityTable, _ objects: [any PersistentModel]
  ) throws -> [SearchFound] {
    if objects.isEmpty { return [] }
    let search = try UnsavedSearch(index, objects)
    guard try search.hasHits(query) else { return [] }
    let rarity = try read(table) { connection in
      func count(_ sql: SQLFragment) throws -> Int { try connection.rows(sql) { Int($0.integer(0)) }[0] }
      let rows = try count(SQLFragment("SELECT count(*) FROM \(table.name.quotedIdentifier)"))
      let name = index.name.quotedIdentifier
      return try query.terms.map { term in
        UnsavedSearch.rarity(
          of: try count(
            SQLFragment("SELECT count(*) FROM \(name) WHERE \(name) MATCH ?", [.text(SearchQuery.expression([term]))])),
          among: rows)
      }
    }
    return try search.hits(query, rarity: rarity)
  }
}

/// What a search found of an object, before the object is at hand.
struct SearchFound {
  let key: Int64
  let rank: Double
  let snippets: [ModelContext.SearchSnippet]
}

extension SearchIndex {
  /// What is selected of a row that was found: its key, its rank, and a snippet of each column.
  var results: String {
    let name = name.quotedIdentifier
    let snippets = columns.indices.map { SearchText.snippetSQL(self.name, column: $0) }
    return (["\(name).rowid", "\(name).rank"] + snippets).joined(separator: ", ")
  }

  /// The snippets in which something was found.
  func snippets(_ marked: (Int) -> String?) -> [ModelContext.SearchSnippet] {
    columns.enumerated().compactMap { index, column in
      marked(index).flatMap { SearchText.snippet($0, of: column.property) }
    }
  }
}

extension ModelContext {
  /// The objects in whose `.spotlight` attributes a text is found, the best first.
  ///
  /// The text is what a person types into a search field; none is an error.
  /// - Words must all be found, in any order and in any of the attributes: `invoice march`.
  /// - A phrase in quotation marks must be found as it is: `"annual report"`.
  /// - A star after a word or a phrase takes its last word for a beginning: `invo*`, `"annual rep"*`.
  ///
  /// Words are runs of letters and digits; other characters separate them. Case and diacritics do not matter
  /// (`cafe` finds `Café`), canonically equivalent texts are the same; `ß` and `ss` differ, as do `ø` and `o`. In
  /// scripts without spaces between words (Chinese, Japanese, Thai, …) each character is a word, so that a run of them
  /// is found anywhere; so is each emoji and each other symbol. No language is assumed: there are no stems and no stop
  /// words. A predicate with `contains` or `localizedStandardContains` is another question, since it also finds parts of
  /// words; it looks at every row.
  ///
  /// Unsaved changes count: new and changed objects are searched as they are in memory, deleted ones are not found.
  /// - Parameter limit: the greatest number of hits; nil is all.
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` where neither the class nor a subclass has a `String` attribute
  ///   with `.spotlight`.
  /// - Complexity: that of SQLite's FTS5: proportional to the number of stored objects that have the words, not to
  ///   that of all. A PostgreSQL store finds them by `tsvector` and counts all rows; FTS5 then ranks them in memory.
  public func search<T: PersistentModel>(
    _ model: T.Type, _ text: String, limit: Int? = nil
  ) throws -> [ModelContext.SearchHit<T>] {
    try state.used(.read) { try state.search(model, text, limit: limit) }
  }
}
