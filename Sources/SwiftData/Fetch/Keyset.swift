import Foundation

extension ModelContext {
  /// The objects that come after a model in the order of a fetch: the next page, however deep it is.
  ///
  ///     var descriptor = FetchDescriptor<Message>(sortBy: [SortDescriptor(\.sent, order: .reverse)])
  ///     descriptor.fetchLimit = 20
  ///     let first = try context.fetch(descriptor)
  ///     let second = try context.fetch(descriptor, after: first.last!)
  ///
  /// Where `fetchOffset` counts the rows that it skips, this finds the place by the model's values, through an index if
  /// there is one. A row that comes or goes on an earlier page moves nothing. (Not Apple's.)
  /// - Parameters:
  ///   - descriptor: limit and offset count from the model on.
  ///   - model: where to begin. It need not match the predicate, and may be deleted meanwhile: what counts are the
  ///     values that it has in memory, and its age where they are equal.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)`` does.
  /// - Complexity: with an index on the sorted properties, proportional to the page. One to three statements for each
  ///   sort descriptor, as many as the page needs.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, after model: T) throws -> [T] {
    try state.used(.read) { try state.fetch(descriptor, after: model) }
  }
}

/// A part of the rows of a query that an index can find at once, in its own order.
struct Stretch {
  let condition: SQLFragment
  /// The terms of the query's order that differ within it.
  let order: [SQLFragment]
}

extension StoreQuery {
  /// The stretches, or all rows as one.
  var stretchesOrWhole: [Stretch?] { stretches ?? [nil] }

  /// The statement that selects the objects of a stretch; nil when enough rows came already.
  func select(_ stretch: Stretch?, after count: Int) -> SQLFragment? {
    guard let stretch else { return select }
    var query = self
    query.limit = limit.map { $0 - count }
    if query.limit == 0 { return nil }
    query.restrictions.append(stretch.condition)
    query.order = stretch.order
    return query.select
  }

  /// Rows of several statements are skipped after they came.
  /// - Returns: how many to skip.
  mutating func moveOffsetToLimit() -> Int {
    defer { offset = nil }
    guard let offset else { return 0 }
    let (sum, overflow) = (limit ?? .max).addingReportingOverflow(offset)
    limit = limit == nil || overflow ? nil : sum
    return offset
  }

  /// The rows after a place in the order: first those that differ from it by their key alone, then those that differ
  /// in the last term and share the others, and so on to those that differ in the first.
  static func stretches(order: [SQLFragment], after values: [SQLValue], key: Int64) -> [Stretch] {
    let terms = order.map(OrderTerm.init)
    func stretch(sharing count: Int, where own: SQLFragment, order: ArraySlice<SQLFragment>) -> Stretch {
      let shared = zip(terms, values).prefix(count).map { $0.isEqual(to: $1) }
      return Stretch(condition: (shared + [own]).conjunction, order: Array(order))
    }
    var result = [stretch(sharing: order.count, where: SQLFragment("t0._pk > ?", [.integer(key)]), order: [])]
    for index in order.indices.reversed() {
      let expression = terms[index].expression
      switch (values[index], terms[index].isReversed) {
      // NULL comes before everything, so nothing is behind it in reverse.
      case (.null, true): break
      case (.null, false):
        result.append(stretch(sharing: index, where: expression + SQLFragment(" IS NOT NULL"), order: order[index...]))
      case (let value, let isReversed):
        let isBehind = expression + SQLFragment(isReversed ? " < ?" : " > ?", [value])
        result.append(stretch(sharing: index, where: isBehind, order: order[index...]))
        guard isReversed else { continue }
        result.append(
          stretch(sharing: index, where: expression + SQLFragment(" IS NULL"), order: order[(index + 1)...]))
      }
    }
    return result
  }
}

/// A term of ORDER BY.
struct OrderTerm {
  let expression: SQLFragment
  let isReversed: Bool

  init(_ term: SQLFragment) {
    isReversed = term.sql.hasSuffix(" DESC")
    let expression = isReversed ? SQLFragment(String(term.sql.dropLast(5)), term.arguments) : term
    let isAtomic = !expression.sql.contains(" ")
    self.expression = isAtomic ? expression : SQLFragment("(") + expression + SQLFragment(")")
  }

  func isEqual(to value: SQLValue) -> SQLFragment {
    value == .null ? expression + SQLFragment(" IS NULL") : expression + SQLFragment(" = ?", [value])
  }
}

extension [SQLFragment] {
  /// All of the conditions.
  var conjunction: SQLFragment { dropFirst().reduce(self[0]) { $0 + SQLFragment(" AND ") + $1 } }
}

// MARK: - The place of a model

extension ContextState {
  /// Lets a query begin behind a model.
  func begin<M: PersistentModel>(_ query: inout StoreQuery, after model: M) throws {
    let isStored = model.__state.key != 0 && !model.__state.flags.contains(.inserted)
    query.stretches = StoreQuery.stretches(
      order: query.order, after: try place(of: model, in: query), key: isStored ? model.__state.key : .max)
  }

  /// The values that a model has in memory for the terms of a query's order.
  private func place(of model: any PersistentModel, in query: StoreQuery) throws -> [SQLValue] {
    let terms = query.order.map { OrderTerm($0).expression }
    guard !terms.isEmpty else { return [] }
    let entity = type(of: model).__entity
    let text = (terms + query.joins + query.orderJoins).map(\.sql).joined(separator: " ")
    var row = [(column: String, cell: SQLValue)]()
    for property in entity.properties where property.isStored {
      let column = TableNames.column(for: property).quotedIdentifier
      if text.contains("t0." + column) { row.append((column, try cell(of: model, property))) }
    }
    let plain = terms.map { term in row.first { "t0." + $0.column == term.sql }?.cell }
    if plain.allSatisfy({ $0 != nil }) { return plain.map { Self.normalized($0!) } }
    row.append(("_pk", .integer(model.__state.key)))
    if query.table.hasDiscriminator { row.append(("_entity", .text(entity.name))) }
    let columns = row.map { SQLFragment("? AS \($0.column)", [$0.cell]) }
    var sql =
      SQLFragment("SELECT ") + terms.list + SQLFragment(" FROM (SELECT ") + columns.list + SQLFragment(") AS t0")
    for join in query.joins + query.orderJoins { sql = sql + SQLFragment(" ") + join }
    let reader = SQLiteRowReader(entity: entity, store: try core.sqlStore(of: query.table))
    var result = [SQLValue]()
    try read(query.table) { connection in
      try connection.query(sql, reader: reader) { reader in
        result = terms.indices.map { reader.value(at: Int32($0)) }
      }
    }
    return result
  }

  private func cell(of model: any PersistentModel, _ property: __Property) throws -> SQLValue {
    if model.__state.unloaded?.contains(property.index) == true {
      RelationshipLoader.loadAttribute(model, property.index)
    }
    let writer = ValueWriter()
    writer.current = property
    try model.__encode(property.index, to: writer)
    return writer.values.first ?? .null
  }

  /// Columns that are compared as they are hold text in normal form C, which what is unsaved need not have.
  private static func normalized(_ cell: SQLValue) -> SQLValue {
    if case .text(let text) = cell { return .text(SwiftText.nfc(text)) }
    return cell
  }
}
