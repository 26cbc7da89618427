import Foundation

extension ContextState {
  /// Groups what a descriptor fetches and computes aggregates over each group; without key paths over all, as one row.
  func aggregates<M: PersistentModel, each Key: Hashable, each Value>(
    _ descriptor: FetchDescriptor<M>, groupedBy keyPaths: repeat KeyPath<M, each Key>,
    computing aggregates: repeat ModelContext.Aggregate<M, each Value>
  ) throws -> [(repeat each Key, repeat each Value)] {
    if let relational = try store(of: M.__entity).relational,
      let rows = try serverAggregates(
        descriptor, relational, groupedBy: repeat each keyPaths, computing: repeat each aggregates)
    {
      return rows
    }
    if let objects = try fetchWithoutStatements(descriptor) {
      return try grouped(objects, by: repeat each keyPaths).map { group in
        (repeat group[0][keyPath: each keyPaths], repeat try (each aggregates).compute(group))
      }
    }
    drainInbox()
    var statement = GroupingStatement(isSorted: !descriptor.sortBy.isEmpty)
    var keyReaders = [Any]()
    var plans = [Any]()
    let store = try core.sqlStore(of: try core.table(for: M.__entity))
    let query = try lower(descriptor) { state in
      for keyPath in repeat each keyPaths { keyReaders.append(try statement.addKey(keyPath, &state, store)) }
      for aggregate in repeat each aggregates { plans.append(try statement.add(aggregate.plan(&state))) }
      return statement.columns
    }
    if descriptor.includePendingChanges, pendingChangesMatter(to: query) {
      return try grouped(try fetchWithPendingChanges(descriptor, query), by: repeat each keyPaths).map { group in
        (repeat group[0][keyPath: each keyPaths], repeat try (each aggregates).compute(group))
      }
    }
    // The casts cannot fail: the closure above appended one of the type for each element of the pack, in order.
    var nextReader = keyReaders.makeIterator()
    let keys = (repeat nextReader.next() as! Column<each Key>)
    var nextPlan = plans.makeIterator()
    let values = (repeat nextPlan.next() as! PlacedAggregate<each Value>)
    func run(withoutNaN: Bool) throws -> [((repeat each Key), [SQLValue])] {
      var rows = [((repeat each Key), [SQLValue])]()
      try store.read { connection in
        let reader = SQLiteRowReader(entity: M.__entity, store: store)
        try connection.query(statement.sql(query, withoutNaN: withoutNaN), reader: reader) { reader in
          rows.append(((repeat try (each keys).read(reader)), statement.outputs(reader)))
        }
      }
      return rows
    }
    var rows = try run(withoutNaN: false)
    if rows.contains(where: { statement.isHiddenByNaN($0.1) }) { rows = try run(withoutNaN: true) }
    return try rows.map { key, cells in (repeat each key, repeat try (each values).read(cells)) }
  }

  /// Objects with equal values, in the order of their first ones; all of them where there is nothing to group by.
  func grouped<M: PersistentModel, each Key: Hashable>(
    _ objects: [M], by keyPaths: repeat KeyPath<M, each Key>
  ) -> [[M]] {
    var groups = [[M]]()
    var places = [[AnyHashable]: Int]()
    var isGrouped = false
    for _ in repeat each keyPaths { isGrouped = true }
    guard isGrouped else { return [objects] }
    for object in objects {
      var key = [AnyHashable]()
      for keyPath in repeat each keyPaths {
        let value = object[keyPath: keyPath]
        // NaN is one group, as in the store.
        key.append(value == value ? AnyHashable(value) : AnyHashable("NaN"))
      }
      if let place = places[key] {
        groups[place].append(object)
      } else {
        places[key] = groups.count
        groups.append([object])
      }
    }
    return groups
  }
}

/// An aggregate and where its cells are among the outputs.
struct PlacedAggregate<Value> {
  let plan: AggregatePlan<Value>
  let cells: Range<Int>

  func read(_ row: [SQLValue]) throws -> Value { try plan.read(Array(row[cells])) }
}

/// The statement that groups rows: an inner one computes values of each row, the outer one groups and aggregates these.
struct GroupingStatement {
  /// Whether the rows have an order other than that of their keys.
  let isSorted: Bool
  /// What is computed of each row: the columns of the groups' keys, then what the aggregates read.
  private(set) var columns: [SQLFragment] = []
  private(set) var keyCount = 0
  private var aggregates: [String] = []
  private var aggregatesWithoutNaN: [String] = []

  init(isSorted: Bool) { self.isSorted = isSorted }

  mutating func addKey<M: PersistentModel, Key: Hashable>(
    _ keyPath: KeyPath<M, Key>, _ state: inout LoweringState, _ store: SQLiteStore
  ) throws -> Column<Key> {
    var value = try state.value(at: keyPath)
    switch value.scalar.type.form {
    case .json, .opaque:
      throw SwiftDataError(
        .unsupportedKeyPath, entity: state.entity.name, property: value.property?.property.name,
        message: "models cannot be grouped by a \(value.scalar.type.swiftType), whose equality the store does not know;"
          + " group by a member of it")
    default: value = value.normalized
    }
    let (decoder, own) = ColumnDecoder<Key>.of(value, &state, store: store)
    let column = Column(decoder: decoder, position: Int32(columns.count))
    addKeyColumns(own)
    return column
  }

  mutating func addKeyColumns(_ own: [SQLFragment]) {
    columns += own
    keyCount = columns.count
  }

  mutating func add<Value>(_ plan: AggregatePlan<Value>) -> PlacedAggregate<Value> {
    let names = plan.inputs.indices.map { "c\(columns.count + $0)" }
    columns += plan.inputs
    let outputs = plan.outputs(names)
    let start = aggregates.count
    aggregates += outputs
    aggregatesWithoutNaN += plan.outputsWithoutNaN?(names) ?? outputs
    return PlacedAggregate(plan: plan, cells: start..<aggregates.count)
  }

  func sql(_ query: StoreQuery, withoutNaN: Bool) -> SQLFragment {
    var inner = columns.enumerated().map { $1 + SQLFragment(" AS c\($0)") }
    if keyCount > 0 { inner.append(place(query) + SQLFragment(" AS place")) }
    let ordered = query.limit != nil || query.offset != nil
    let rows = query.statement(
      inner.isEmpty ? SQLFragment("1") : inner.list, ordered: ordered,
      joining: (ordered ? [] : query.orderJoins) + query.valueJoins)
    let keys = (0..<keyCount).map { "c\($0)" }
    let outputs = keys + (withoutNaN ? aggregatesWithoutNaN : aggregates)
    var sql = SQLFragment("SELECT \(outputs.isEmpty ? "1" : outputs.joined(separator: ", ")) FROM (") + rows
    sql = sql + SQLFragment(query.dialect == .sqlite ? ")" : ") AS g")
    if keyCount > 0 { sql = sql + SQLFragment(" GROUP BY \(keys.joined(separator: ", ")) ORDER BY min(place)") }
    return sql
  }

  /// Where a row stands in the order of the fetch.
  func place(_ query: StoreQuery) -> SQLFragment {
    guard isSorted else { return SQLFragment("t0._pk") }
    let order =
      query.dialect == .sqlite ? query.order : query.order.map { $0 + SQLFragment(SQLDialect.nullsOrder($0)) }
    return SQLFragment("row_number() OVER (ORDER BY ") + (order + [SQLFragment("t0._pk")]).list + SQLFragment(")")
  }

  /// The cells of the aggregates in the current row.
  func outputs(_ reader: SQLiteRowReader) -> [SQLValue] {
    aggregates.indices.map { reader.value(at: Int32(keyCount + $0)) }
  }

  /// Whether NaN, which the store keeps above every number, stands where a number may be wanted.
  func isHiddenByNaN(_ cells: [SQLValue]) -> Bool {
    zip(cells, zip(aggregates, aggregatesWithoutNaN)).contains { $0 == .text("nan") && $1.0 != $1.1 }
  }
}

extension LoweredValue {
  /// The value in the form in which equal values are equal cells.
  var normalized: LoweredValue {
    var result = self
    result.scalar.sql = comparable
    result.scalar.needsNormalization = false
    return result
  }
}
