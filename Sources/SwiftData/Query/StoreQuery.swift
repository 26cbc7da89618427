import Foundation

/// A fetch, lowered to SQL.
package struct StoreQuery {
  package let table: EntityTable
  package let dialect: any SQLDialect
  package var columns: String
  /// The to-one relationships that the condition reads.
  package var joins: [SQLFragment] = []
  /// Those that only the order reads.
  package var orderJoins: [SQLFragment] = []
  package var condition: SQLFragment?
  /// Ties go by key.
  package var order: [OrderTerm] = []
  /// Conditions beside that of the predicate.
  package var restrictions: [SQLFragment] = []
  /// Where the rows are, for a fetch that begins in the middle of the order; nil if they are one key range.
  var ranges: [KeyRange]?
  /// Whether `restrictions` exclude the rows that a batch delete marked.
  var leavesOutMarkedRows = false
  /// What is computed of each row instead of an object, and the to-one relationships that only this reads.
  package var values: [SQLFragment] = []
  package var valueJoins: [SQLFragment] = []
  /// What condition, order and values read.
  package var reads = LoweredQuery.Reads()
  package var limit: Int?
  package var offset: Int?

  init(table: EntityTable, dialect: any SQLDialect, columns: String) {
    (self.table, self.dialect, self.columns) = (table, dialect, columns)
  }

  init(_ lowered: LoweredQuery, table: EntityTable, dialect: any SQLDialect, columns: String) {
    self.init(table: table, dialect: dialect, columns: columns)
    (joins, condition) = (lowered.joins, lowered.condition)
    (orderJoins, order) = (lowered.orderJoins, lowered.order)
    (valueJoins, values) = (lowered.valueJoins, lowered.values)
    reads = lowered.reads
  }

  // MARK: - Statements

  /// The statement that selects objects.
  package var select: SQLFragment { statement(SQLFragment(columns), ordered: true) }

  /// The statement that counts them.
  var count: SQLFragment {
    guard limit != nil || offset != nil else { return statement("count(*)", ordered: false) }
    return "SELECT count(*) FROM (\(statement("1", ordered: false))) AS c"
  }

  package func statement(_ columns: SQLFragment, ordered: Bool, joining others: [SQLFragment] = []) -> SQLFragment {
    var result = SQLFragment("SELECT ")
    // A fetch of one row is so short that putting its text together counts.
    result.sql.reserveCapacity(512)
    result.append(columns)
    result.append(" FROM ")
    result.append(table.name.quotedIdentifier)
    result.append(" AS t0")
    func join(_ joins: [SQLFragment]) {
      for join in joins {
        result.append(" ")
        result.append(join)
      }
    }
    join(joins)
    if ordered { join(orderJoins) }
    join(others)
    result.append(conditions)
    if ordered {
      result.append(" ORDER BY ")
      for term in order {
        result.append(dialect.ordered(term))
        result.append(", ")
      }
      result.append("t0._pk")
    }
    if limit != nil || offset != nil { result.append(dialect.bounds(limit: limit, offset: offset)) }
    return result
  }

  /// ` WHERE …`, or nothing.
  package var conditions: SQLFragment {
    let all = [table.discriminatorCondition.map { SQLFragment($0) }, condition].compactMap { $0 } + restrictions
    var result = SQLFragment("")
    for (index, condition) in all.enumerated() {
      result.append(index == 0 ? " WHERE " : " AND ")
      if all.count > 1 { result.append("(") }
      result.append(condition)
      if all.count > 1 { result.append(")") }
    }
    return result
  }

  /// Excludes rows by key.
  mutating func exclude(_ keys: [Int64]) {
    if !keys.isEmpty { restrictions.append("NOT (\(dialect.isAmong("t0._pk", keys)))") }
  }

  // MARK: - What the statement reads

  /// Whether the statement reads rows of an entity.
  func reads(_ other: EntityTable) -> Bool { other.name == table.name || readsRelated(other) }

  /// Whether the statement reads rows of an entity other than as the rows that it selects.
  func readsRelated(_ other: EntityTable) -> Bool {
    reads.condition.related[other.name] != nil || reads.order.related[other.name] != nil
      || reads.values.related[other.name] != nil
  }

  /// Whether the statement reads its table a second time, through a relationship.
  var readsOwnTableAgain: Bool { readsRelated(table) }

  /// The names of the tables whose rows decide the result; for join tables, those on both sides.
  func tables(of core: ContainerCore) -> Set<String> {
    let all = reads.all
    var names = Set(all.related.keys).union([table.name])
    guard !all.pairs.isEmpty else { return names }
    for table in core.allTables {
      for property in table.toMany {
        guard case .join(let join, _, _, _) = RelationshipInfo.of(property, in: table.entity).storage,
          all.pairs.contains(join)
        else { continue }
        names.insert(table.name)
        if let target = core.table(named: property.destination!.__entity.name) { names.insert(target.name) }
      }
    }
    return names
  }
}
