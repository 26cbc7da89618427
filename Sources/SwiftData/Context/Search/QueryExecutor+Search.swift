import Foundation

extension QueryExecutor {
  func search<M: PersistentModel>(_ type: M.Type, _ text: String, limit: Int?) throws -> [ModelContext.SearchHit<M>] {
    context.drainInbox()
    guard let (every, store) = try request(type, text), limit.map({ $0 > 0 }) ?? true else { return [] }
    let (table, index, query) = (every.table, every.index, every.query)
    try context.loadMarkedRows(root: table.root)
    let unsaved = unsavedObjects(M.self)
    // Each unsaved object can displace one stored hit.
    let wanted = limit.flatMap { limit in
      let (sum, overflow) = limit.addingReportingOverflow(unsaved.count)
      return overflow ? nil : sum
    }
    let request = every.with(limit: wanted)
    let alive = unsaved.filter { !$0.__state.flags.contains(.deleted) }
    let snippets = SearchSnippets(index, query)
    func hit(_ object: M, _ found: SearchFound) -> ModelContext.SearchHit<M> {
      // FTS5 ranks the best hit with the smallest number.
      ModelContext.SearchHit(model: object, score: -found.rank, texts: index.cells(of: object), source: snippets)
    }
    context.beginUse(.read)
    defer { context.endUse() }
    var hits: [ModelContext.SearchHit<M>]
    switch try context.quietly({ try store.search(request) }) {
    case .hits(let stored, let counts):
      let objects = try storedObjects(stored.map(\.key), table, store) as [Int64: M]
      hits = stored.compactMap { found in objects[found.key].map { hit($0, found) } }
      hits += try ranked(alive, request) { try counts().rarity }.map(hit)
    case .candidates(let keys, let counts):
      let objects = try storedObjects(keys, table, store) as [Int64: M]
      hits = try ranked(keys.compactMap { objects[$0] } + alive, request) { counts.rarity }.map(hit)
    }
    // A stable sort keeps equally ranked hits in insertion order.
    hits.sort { $0.score > $1.score }
    return Array(hits.prefix(limit ?? .max))
  }

  /// The search for a text and the store of the class, or nil if the text has no word.
  /// - Throws: `SwiftDataError` if the class or its store is not searchable.
  func request<M: PersistentModel>(
    _ type: M.Type, _ text: String
  ) throws -> (request: SearchRequest, store: any SQLStore)? {
    let table = try context.core.table(for: M.__entity)
    guard case .sql(let store) = context.core.kind(of: table) else {
      throw SearchIndex.unsupported(table.entity, context.core.store(of: table).name)
    }
    let isSearchable = table.family.contains { $0.properties.contains(where: SearchIndex.isSearchable) }
    guard isSearchable, let index = store.layout.searchIndex(of: table) else {
      throw SearchIndex.nothing(table.entity)
    }
    return SearchQuery(text).map { (SearchRequest(table: table, index: index, query: $0, limit: nil), store) }
  }

  /// The objects with some keys that have no unsaved changes.
  private func storedObjects<M: PersistentModel>(
    _ keys: [Int64], _ table: EntityTable, _ store: any SQLStore
  ) throws -> [Int64: M] {
    guard !keys.isEmpty else { return [:] }
    var query = StoreQuery(table: table, dialect: store.dialect, columns: store.selection(of: table))
    query.condition = store.dialect.isAmong("t0._pk", keys)
    let pending: __ModelState.Flags = [.inserted, .changed, .deleted]
    let objects = (try load(query) as [M]).filter { $0.__state.flags.isDisjoint(with: pending) }
    return Dictionary(uniqueKeysWithValues: objects.map { ($0.__state.key, $0) })
  }

  /// Ranks objects in memory with FTS5.
  private func ranked<M: PersistentModel>(
    _ objects: [M], _ request: SearchRequest, rarity: () throws -> [Double]
  ) throws -> [(M, SearchFound)] {
    if objects.isEmpty { return [] }
    let search = try UnsavedSearch(request.index, objects)
    guard try search.hasHits(request.query) else { return [] }
    return try search.hits(request.query, rarity: try rarity()).map { (objects[Int($0.key)], $0) }
  }

  /// Changed and deleted objects, then new ones.
  private func unsavedObjects<M: PersistentModel>(_ type: M.Type) -> [M] {
    context.changed.values.compactMap { $0.object as? M }
      + context.deleted.values.compactMap { $0 as? M }
      .filter { context.changed[ObjectIdentifier($0)] == nil } + context.inserted.values.compactMap { $0 as? M }
  }
}

extension ModelContext {
  /// Searches the `.spotlight` attributes for a text and returns the matching objects, best first.
  ///
  /// The text is what a user types into a search field. No text is an error.
  /// - All words must be found, in any order and in any attribute: `invoice march`.
  /// - A quoted phrase must be found literally: `"annual report"`.
  /// - A star after a word or phrase makes its last word a prefix: `invo*`, `"annual rep"*`.
  ///
  /// Words are runs of letters and digits. Case, diacritics and canonical equivalence do not matter (`cafe` finds
  /// `Café`); `ß` and `ss` differ, as do `ø` and `o`. In scripts without spaces (Chinese, Japanese, Thai, …) each
  /// character is a word, so any run of them is found. The same holds for each emoji and symbol. No language is
  /// assumed: there is no stemming and no list of stop words. `contains` and `localizedStandardContains` differ,
  /// because they also find parts of words and scan every row.
  ///
  /// Unsaved changes count: new and changed objects are searched in memory, deleted ones are not found.
  /// - Parameters:
  ///   - model: the class; objects of its subclasses are found too.
  ///   - text: words, phrases and prefixes, as above.
  ///   - limit: the maximum number of hits, or nil for all.
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if neither the class nor a subclass has a `String` attribute
  ///   with `.spotlight`.
  /// - Complexity: as SQLite's FTS5, proportional to the number of stored objects with the words. A PostgreSQL
  ///   store finds them by `tsvector` and counts all rows; FTS5 then ranks them in memory.
  public func search<T: PersistentModel>(
    _ model: T.Type, matching text: String, limit: Int? = nil
  ) throws -> [ModelContext.SearchHit<T>] {
    try state.used(.read) { try state.queries.search(model, text, limit: limit) }
  }
}
