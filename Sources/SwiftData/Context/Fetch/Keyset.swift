import Foundation

extension ModelContext {
  /// Fetches the page after a model, by keyset pagination.
  ///
  ///     var descriptor = FetchDescriptor<Message>(sortBy: [SortDescriptor(\.sent, order: .reverse)])
  ///     descriptor.fetchLimit = 20
  ///     let first = try context.fetch(descriptor)
  ///     let second = try context.fetch(descriptor, after: first.last!)
  ///
  /// `fetchOffset` counts the rows that it skips. This method seeks to the position of the model's values, through an
  /// index if there is one. A row that is inserted or deleted on an earlier page shifts nothing. (Not Apple's.)
  /// - Parameters:
  ///   - descriptor: limit and offset count from the model on.
  ///   - model: the model after which the page starts. It need not match the predicate and may be deleted. Its values
  ///     in memory define the position, and its age breaks ties.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)``.
  /// - Complexity: proportional to the page with an index on the sorted properties. One to three statements per sort
  ///   descriptor, as many as the page needs.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, after model: T) throws -> [T] {
    try state.used(.read) { try state.queries.fetch(descriptor, after: model) }
  }
}

// MARK: - The place of a model

extension QueryExecutor {
  /// Makes a query start after a model.
  func begin<M: PersistentModel>(_ query: inout StoreQuery, after model: M) throws {
    let isStored = model.__state.key != 0 && !model.__state.flags.contains(.inserted)
    query.ranges = StoreQuery.ranges(
      order: query.order, after: try place(of: model, in: query), key: isStored ? model.__state.key : .max)
  }

  /// The model's values in memory for the terms of a query's order.
  private func place(of model: any PersistentModel, in query: StoreQuery) throws -> [SQLValue] {
    let terms = query.order.map(\.expression)
    guard !terms.isEmpty else { return [] }
    let entity = type(of: model).__entity
    // The condition and the order may share joins.
    let reads = query.reads.order.own.union(query.reads.condition.own)
    var row = [(column: String, cell: SQLValue)]()
    for property in entity.properties where property.isStored {
      let column = TableNames.column(for: property)
      if reads.contains(column) { row.append((column.quotedIdentifier, try cell(of: model, property))) }
    }
    let plain = terms.map { term in row.first { "t0." + $0.column == term.sql }?.cell }
    if plain.allSatisfy({ $0 != nil }) { return plain.map { Self.normalized($0!) } }
    row.append(("_pk", .integer(model.__state.key)))
    if query.table.hasDiscriminator { row.append(("_entity", .text(entity.name))) }
    let columns = row.map { SQLFragment("? AS \($0.column)", [$0.cell]) }
    var sql =
      SQLFragment("SELECT ") + terms.list + SQLFragment(" FROM (SELECT ") + columns.list + SQLFragment(") AS t0")
    for join in query.joins + query.orderJoins { sql = sql + SQLFragment(" ") + join }
    return try rows(sql, of: query.table) { row in terms.indices.map { row.value(at: Int32($0)) } }.first ?? []
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

  /// The position's text in normal form C, as in columns that are compared byte by byte. Unsaved text may have another
  /// form.
  private static func normalized(_ cell: SQLValue) -> SQLValue {
    if case .text(let text) = cell { return .text(SwiftText.nfc(text)) }
    return cell
  }
}
