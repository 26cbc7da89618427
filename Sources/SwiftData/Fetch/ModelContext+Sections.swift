extension ModelContext {
  /// The models that match, in sections with one value of a property each.
  ///
  ///     let sections = try context.fetch(descriptor, sectionBy: \.category)
  ///     for section in sections { print(section.title, section.count) }
  ///
  /// The sections are counted in one statement; the models of a section are loaded when they are touched. Sections come
  /// in the order of their first models, so with the section's property as the first of `sortBy` they come in its
  /// order. (The types are Apple's; this way to them is ours.)
  /// - Parameter keyPath: what the models of a section have in common. It may lead through to-one relationships and
  ///   into stored structs; nil is a section of its own.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)`` does; ``SwiftDataError/unsupportedKeyPath`` for what the store
  ///   cannot group by.
  /// - Complexity: one statement; memory for the sections, not for the models. Where unsaved changes can matter, the
  ///   models that match are loaded instead.
  public func fetch<T: PersistentModel, Title: Hashable>(
    _ descriptor: FetchDescriptor<T>, sectionBy keyPath: KeyPath<T, Title>
  ) throws -> SectionedResults<T, Title> {
    SectionedResults(try state.used(.read) { try state.sections(of: descriptor, by: keyPath) })
  }
}

extension ContextState {
  func sections<M: PersistentModel, Title: Hashable>(
    of descriptor: FetchDescriptor<M>, by keyPath: KeyPath<M, Title>
  ) throws -> [ResultsSection<M, Title>] {
    if let relational = try store(of: M.__entity).relational,
      let sections = try serverSections(of: descriptor, by: keyPath, relational)
    {
      return sections
    }
    if let objects = try fetchWithoutStatements(descriptor) {
      return grouped(objects, by: keyPath).map { group in
        ResultsSection(title: group[0][keyPath: keyPath], rows: SectionRows(group))
      }
    }
    drainInbox()
    let store = try core.sqlStore(of: try core.table(for: M.__entity))
    var statement = GroupingStatement(isSorted: !descriptor.sortBy.isEmpty)
    var title: Column<Title>?
    let query = try lower(descriptor) { state in
      title = try statement.addKey(keyPath, &state, store)
      _ = statement.add(try ModelContext.Aggregate<M, Int>.count.plan(&state))
      return statement.columns
    }
    if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
      return grouped(try fetchWithPendingChanges(descriptor, query), by: keyPath).map { group in
        ResultsSection(title: group[0][keyPath: keyPath], rows: SectionRows(group))
      }
    }
    var sections = [ResultsSection<M, Title>]()
    try store.read { connection in
      let reader = SQLiteRowReader(entity: M.__entity, store: store)
      try connection.query(statement.sql(query, withoutNaN: false), reader: reader) { reader in
        let cells = statement.columns.indices.map { reader.value(at: Int32($0)) }
        guard case .integer(let count) = statement.outputs(reader)[0] else { return }
        let members = statement.members(query, with: cells)
        let rows = SectionRows<M>(count: Int(count), state: self) {
          try self.read(query.table) { try $0.rows(members) { $0.integer(0) } }
        }
        sections.append(ResultsSection(title: try title!.read(reader), rows: rows))
      }
    }
    return sections
  }
}

extension GroupingStatement {
  /// The statement that reads the keys of the rows of one group, in the order of the fetch.
  func members(_ query: StoreQuery, with cells: [SQLValue]) -> SQLFragment {
    func isMember(_ columns: [SQLFragment]) -> [SQLFragment] {
      zip(columns, cells).map { column, cell in
        cell == .null ? column + SQLFragment(" IS NULL") : column + SQLFragment(" = ?", [cell])
      }
    }
    guard query.limit != nil || query.offset != nil else {
      var query = query
      query.restrictions += isMember(columns)
      return query.statement(SQLFragment("t0._pk"), ordered: true, joining: query.valueJoins)
    }
    // Which rows are within the bounds is known before which of them are in the group.
    let names = columns.indices.map { SQLFragment("c\($0)") }
    let inner =
      zip(columns, names).map { $0 + SQLFragment(" AS ") + $1 } + [
        SQLFragment("t0._pk AS pk"), place(query) + SQLFragment(" AS place"),
      ]
    let conditions = isMember(names)
    let end = query.dialect == .sqlite ? ")" : ") AS g"
    var sql = SQLFragment("SELECT pk FROM (") + query.statement(inner.list, ordered: true, joining: query.valueJoins)
    for (index, condition) in conditions.enumerated() {
      sql = sql + SQLFragment(index == 0 ? "\(end) WHERE " : " AND ") + condition
    }
    return sql + SQLFragment(" ORDER BY place")
  }
}
