extension ModelContext {
  /// Fetches the objects that a full-text search finds, in the order of the descriptor.
  ///
  ///     var descriptor = FetchDescriptor<Message>(sortBy: [SortDescriptor(\.sent, order: .reverse)])
  ///     descriptor.fetchLimit = 20
  ///     let newest = try context.fetch(descriptor, matching: "invoice march")
  ///
  /// ``search(_:matching:limit:)`` explains the text, ranks the hits and has their snippets. This method returns the found objects
  /// that match the predicate. Unsaved changes count if the descriptor includes them. A text without a word finds
  /// nothing. (Not Apple's.)
  /// - Parameters:
  ///   - descriptor: the predicate, the order and the bounds.
  ///   - text: words, phrases and prefixes.
  ///   - model: the model after which the page starts, as in ``fetch(_:after:)``; nil for the beginning.
  /// - Throws: ``SwiftDataError`` as ``search(_:matching:limit:)`` and ``fetch(_:)``.
  /// - Complexity: SQLite looks up the rows of the hits. If these are many and there is a limit, it reads the rows in order
  ///   until the page is full, through an index on the sorted property if there is one. PostgreSQL reads pages of rows, and
  ///   FTS5 decides in memory. With unsaved changes of the class, all hits are loaded.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, matching text: String, after model: T? = nil
  ) throws -> [T] {
    try state.used(.read) { try state.queries.fetch(descriptor, matching: text, after: model) }
  }

  /// Counts the objects that a full-text search finds and that match the descriptor, with limit and offset applied. A
  /// limit also bounds the cost of counting frequent words. (Not Apple's.)
  /// - Parameters:
  ///   - descriptor: the predicate and the bounds.
  ///   - text: words, phrases and prefixes, as in ``search(_:matching:limit:)``.
  /// - Throws: as ``fetch(_:matching:after:)``.
  /// - Complexity: one statement on SQLite. On PostgreSQL, and with unsaved changes of the class, the hits are loaded.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, matching text: String) throws -> Int {
    try state.used(.read) { try state.queries.fetchCount(descriptor, matching: text) }
  }
}

extension QueryExecutor {
  func fetch<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, matching text: String, after start: M?
  ) throws -> [M] {
    let result: [M] =
      try matching(descriptor, text, limit: Bounds(descriptor).end) { condition, request, store in
        condition.isExact
          ? try fetchRows(descriptor, after: start, store, where: condition.sql)
          : try fetchChecked(descriptor, after: start, store, condition.sql, request)
      } otherwise: {
        try fetchAmongHits(descriptor, text, after: start)
      } ?? []
    for keyPath in descriptor.relationshipKeyPathsForPrefetching { try prefetch(keyPath, of: result) }
    return result
  }

  func fetchCount<M: PersistentModel>(_ descriptor: FetchDescriptor<M>, matching text: String) throws -> Int {
    // A count has no order to read the rows in.
    try matching(descriptor, text, limit: nil) { condition, request, store in
      condition.isExact
        ? try countRows(descriptor, store, where: condition.sql)
        : try fetchChecked(descriptor, after: nil, store, condition.sql, request).count
    } otherwise: {
      try fetchAmongHits(descriptor, text, after: nil).count
    } ?? 0
  }

  /// Calls `read` with the store's condition for the hits. Calls `fallback` if the store has no such condition, or if
  /// unsaved changes may affect the result.
  /// - Returns: nil if the text has no word.
  private func matching<M: PersistentModel, T>(
    _ descriptor: FetchDescriptor<M>, _ text: String, limit: Int?,
    _ read: (SearchCondition, SearchRequest, any SQLStore) throws -> T, otherwise fallback: () throws -> T
  ) throws -> T? {
    context.drainInbox()
    guard let found = try request(M.self, text) else { return nil }
    let (request, store) = (found.request.with(limit: limit), found.store)
    return try deferring {
      guard let condition = try store.condition(of: request),
        try !descriptor.includePendingChanges || !pendingChangesMatter(to: lower(descriptor))
      else { return try fallback() }
      return try read(condition, request, store)
    } otherwise: {
      try fallback()
    }
  }

  /// Reads the rows that meet a condition, page by page, until FTS5 has found enough hits among them.
  private func fetchChecked<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, after start: M?, _ store: any SQLStore, _ condition: SQLFragment,
    _ request: SearchRequest
  ) throws -> [M] {
    let bounds = Bounds(descriptor)
    var part = descriptor
    part.fetchOffset = nil
    // Most rows are hits. The few extra ones often avoid another page.
    part.fetchLimit = bounds.end.map { max(100, min($0, .max - 10) + 10) }
    var (found, position) = ([M](), start)
    while true {
      let rows = try fetchRows(part, after: position, store, where: condition)
      found += try UnsavedSearch(request.index, rows).places(request.query).map { rows[$0] }
      guard let limit = part.fetchLimit, rows.count == limit, found.count < bounds.end ?? .max else { break }
      position = rows.last
      // The pages grow, so that few statements find a rare phrase of frequent words.
      part.fetchLimit = max(limit, min(2 * limit, 4096))
    }
    return bounds.apply(to: found)
  }

  /// Filters and sorts the hits in memory.
  private func fetchAmongHits<M: PersistentModel>(
    _ descriptor: FetchDescriptor<M>, _ text: String, after start: M?
  ) throws -> [M] {
    let table = try context.core.table(for: M.__entity)
    if !descriptor.includePendingChanges, hasUnsaved(in: table.store) {
      return try fetchStored(after: start, table) { try $0.fetchAmongHits(descriptor, text, after: $1) }
    }
    var hits = try search(M.self, text, limit: nil).map(\.model)
    return try context.loading {
      if let condition = descriptor.predicate.map({ MemoisedCondition($0) }) { hits.removeAll { !condition.takes($0) } }
      return arranged(&hits, descriptor, after: start)
    }
  }
}
