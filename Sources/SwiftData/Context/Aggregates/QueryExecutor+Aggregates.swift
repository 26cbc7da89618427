import Foundation

extension QueryExecutor {
  /// Groups the fetched models and computes aggregates per group. Without key paths, all models are one group.
  func aggregates<M: PersistentModel, each Key: Hashable, each Value>(
    _ descriptor: FetchDescriptor<M>, groupedBy keyPaths: repeat KeyPath<M, each Key>,
    computing aggregates: repeat ModelContext.Aggregate<M, each Value>
  ) throws -> [(repeat each Key, repeat each Value)] {
    var statement = GroupingStatement(isSorted: !descriptor.sortBy.isEmpty)
    var keyReaders = [Any]()
    var plans = [Any]()
    return try values(of: descriptor) { store in
      try lower(descriptor) { state in
        for keyPath in repeat each keyPaths { keyReaders.append(try statement.addKey(keyPath, &state)) }
        for aggregate in repeat each aggregates { plans.append(try statement.add(aggregate.plan(&state))) }
        return statement.columns
      }
    } run: { query, _ in
      // The casts cannot fail: the closure above appended one element per element of the pack, in order.
      var nextReader = keyReaders.makeIterator()
      let keys = (repeat nextReader.next() as! DecodedColumn<each Key>)
      var nextPlan = plans.makeIterator()
      let values = (repeat nextPlan.next() as! PlacedAggregate<each Value>)
      func run(withoutNaN: Bool) throws -> [((repeat each Key), [SQLValue])] {
        let sql = statement.sql(query, withoutNaN: withoutNaN)
        return try self.rows(sql, of: query.table, cancellable: true) { row in
          ((repeat try (each keys).read(row)), statement.outputs(row))
        }
      }
      var rows = try run(withoutNaN: false)
      if rows.contains(where: { statement.isHiddenByNaN($0.1) }) { rows = try run(withoutNaN: true) }
      return try rows.map { key, cells in (repeat each key, repeat try (each values).read(cells)) }
    } compute: { objects in
      try grouped(objects, by: repeat each keyPaths).map { group in
        (repeat group[0][keyPath: each keyPaths], repeat try (each aggregates).compute(group))
      }
    }
  }

  /// Groups objects by value, in the order of the groups' first objects. Without key paths, all objects are one group.
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

/// An aggregate and the position of its cells among the outputs.
struct PlacedAggregate<Value> {
  let plan: AggregatePlan<Value>
  let cells: Range<Int>

  func read(_ row: [SQLValue]) throws -> Value { try plan.read(Array(row[cells])) }
}

/// A statement that groups rows: an inner select computes values per row, the outer one groups and aggregates.
struct GroupingStatement {
  /// Whether the fetch has an order other than insertion.
  let isSorted: Bool
  /// The values per row: the columns of the group keys, then the inputs of the aggregates.
  private(set) var columns: [SQLFragment] = []
  private(set) var keyCount = 0
  private var aggregates: [String] = []
  private var aggregatesWithoutNaN: [String] = []

  init(isSorted: Bool) { self.isSorted = isSorted }

  mutating func addKey<M: PersistentModel, Key: Hashable>(
    _ keyPath: KeyPath<M, Key>, _ state: inout LoweringState
  ) throws -> DecodedColumn<Key> {
    var value = try state.value(at: keyPath)
    // Values that the database cannot group by are grouped in memory.
    if !state.dialect.canGroup(by: value.scalar.type.form) { throw DataStoreError.preferInMemoryFilter }
    switch value.scalar.type.form {
    case _ where !value.scalar.type.hasEqualCells:
      throw SwiftDataError(
        .unsupportedKeyPath, entity: state.entity.name, property: value.property?.property.name,
        message: "objects cannot be grouped by a \(value.scalar.type.swiftType), whose equality the store does not know"
          + "; group by a member of it")
    default: value = value.normalized
    }
    let (decoder, own) = ColumnDecoder<Key>.of(value, &state)
    let column = DecodedColumn(decoder: decoder, position: Int32(columns.count))
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
    let list = outputs.isEmpty ? "1" : outputs.joined(separator: ", ")
    let sql: SQLFragment = "SELECT \(list) FROM (\(rows)) AS g"
    guard keyCount > 0 else { return sql }
    return "\(sql) GROUP BY \(keys.joined(separator: ", ")) ORDER BY min(place)"
  }

  /// The position of a row in the order of the fetch.
  func place(_ query: StoreQuery) -> SQLFragment {
    guard isSorted else { return SQLFragment("t0._pk") }
    return "row_number() OVER (ORDER BY \((query.order.map(query.dialect.ordered) + ["t0._pk"]).list))"
  }

  /// The cells of the aggregates in the current row.
  func outputs(_ reader: SQLRows) -> [SQLValue] {
    aggregates.indices.map { reader.value(at: Int32(keyCount + $0)) }
  }

  /// Whether a stored NaN, which sorts above every number, hides a number that is the result.
  func isHiddenByNaN(_ cells: [SQLValue]) -> Bool {
    zip(cells, zip(aggregates, aggregatesWithoutNaN)).contains { $0 == .text("nan") && $1.0 != $1.1 }
  }
}

extension LoweredValue {
  /// The value in a form in which equal values have equal cells.
  var normalized: LoweredValue {
    var result = self
    result.scalar.sql = comparable
    result.scalar.needsNormalization = false
    return result
  }
}
