extension ModelContext {
  /// Fetches the matching models in sections by a property.
  ///
  ///     let sections = try context.fetch(descriptor, sectionBy: \.category)
  ///     for section in sections { print(section.title, section.count) }
  ///
  /// One statement counts the sections. The models of a section load when they are accessed. Sections come in the order
  /// of their first models; make the property the first of `sortBy` to sort the sections by it. (The types are Apple's;
  /// this function is ours.)
  /// - Parameters:
  ///   - descriptor: the models to fetch and their order.
  ///   - keyPath: the common value of a section. It may lead through to-one relationships and into stored structs. Nil
  ///     is a section.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)``; ``SwiftDataError/unsupportedKeyPath`` if the store cannot group by
  ///   it.
  /// - Complexity: one statement, and memory for the sections, not for the models. If unsaved changes may affect the
  ///   result, the matching models are loaded instead.
  public func fetch<T: PersistentModel, Title: Hashable>(
    _ descriptor: FetchDescriptor<T>, sectionBy keyPath: KeyPath<T, Title>
  ) throws -> SectionedResults<T, Title> {
    SectionedResults(try state.used(.read) { try state.queries.sections(of: descriptor, by: keyPath) })
  }
}

extension QueryExecutor {
  func sections<M: PersistentModel, Title: Hashable>(
    of descriptor: FetchDescriptor<M>, by keyPath: KeyPath<M, Title>
  ) throws -> [ResultsSection<M, Title>] {
    var statement = GroupingStatement(isSorted: !descriptor.sortBy.isEmpty)
    var title: DecodedColumn<Title>?
    return try values(of: descriptor) { store in
      try lower(descriptor) { state in
        title = try statement.addKey(keyPath, &state)
        _ = statement.add(try ModelContext.Aggregate<M, Int>.count.plan(&state))
        return statement.columns
      }
    } run: { query, _ in
      let sections = try rows(statement.sql(query, withoutNaN: false), of: query.table, cancellable: true) { row in
        let cells = statement.columns.indices.map { row.value(at: Int32($0)) }
        guard case .integer(let count) = statement.outputs(row)[0], let title else {
          throw SwiftDataError(.unreadableValue, entity: M.__entity.name, message: "the store counted no rows")
        }
        let members = statement.members(query, with: cells)
        let rows = SectionRows<M>(count: Int(count), state: context) {
          try self.rows(members, of: query.table) { $0.int64(0) }
        }
        return ResultsSection(title: try title.read(row), rows: rows)
      }
      return sections
    } compute: { objects in
      grouped(objects, by: keyPath).map { group in
        ResultsSection(title: group[0][keyPath: keyPath], rows: SectionRows(group))
      }
    }
  }
}

extension GroupingStatement {
  /// The statement that reads the keys of one group's rows, in the order of the fetch.
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
    // The bounds select rows before the group does.
    let names = columns.indices.map { SQLFragment("c\($0)") }
    let inner =
      zip(columns, names).map { $0 + SQLFragment(" AS ") + $1 } + [
        SQLFragment("t0._pk AS pk"), place(query) + SQLFragment(" AS place"),
      ]
    let rows = query.statement(inner.list, ordered: true, joining: query.valueJoins)
    return "SELECT pk FROM (\(rows)) AS g WHERE \(isMember(names).conjunction) ORDER BY place"
  }
}
