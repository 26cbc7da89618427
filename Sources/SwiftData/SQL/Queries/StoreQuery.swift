import Foundation

/// A fetch lowered to SQL.
package struct StoreQuery {
  package let table: EntityTable
  package let dialect: any SQLDialect
  package var columns: String
  private let lowered: LoweredQuery
  package var condition: SQLFragment? {
    // They have the old condition.
    didSet { texts = nil }
  }
  /// The sort terms. The primary key breaks ties.
  package var order: [OrderTerm]
  /// Conditions in addition to the predicate.
  package var restrictions: [SQLFragment] = []
  /// The key ranges of a fetch that starts in the middle of the order, or nil for the whole order.
  var ranges: [KeyRange]?
  /// Whether `restrictions` exclude rows that a batch delete marked.
  var leavesOutMarkedRows = false
  package var limit: Int?
  package var offset: Int?
  /// Whether rows with equal values come in the reverse order of their keys (``TiedRuns``).
  var isBackwards = false
  /// The texts of earlier statements of the lowered query. Restrictions, columns and bounds may change while it is
  /// set, and the order together with a restriction.
  private var texts: StatementTexts?

  init(table: EntityTable, dialect: any SQLDialect, columns: String) {
    self.init(.everything, table: table, dialect: dialect, columns: columns)
  }

  /// - Parameter arguments: the bound values of the condition, or nil if the lowered query has them.
  init(
    _ lowered: LoweredQuery, arguments: [SQLValue]? = nil, table: EntityTable, dialect: any SQLDialect, columns: String
  ) {
    (self.lowered, self.table, self.dialect, self.columns) = (lowered, table, dialect, columns)
    (order, texts) = (lowered.order, lowered.texts)
    condition = lowered.condition.map { SQLFragment($0.sql, arguments ?? $0.arguments) }
  }

  /// Joins of to-one relationships that the condition reads.
  package var joins: [SQLFragment] { lowered.joins }
  /// Joins that only the order reads.
  package var orderJoins: [SQLFragment] { lowered.orderJoins }
  /// The values to select instead of objects, with the joins that only they need.
  package var values: [SQLFragment] { lowered.values }
  package var valueJoins: [SQLFragment] { lowered.valueJoins }
  /// The reads of condition, order and values.
  package var reads: LoweredQuery.Reads { lowered.reads }

  // MARK: - Statements

  /// The statement that selects objects.
  package var select: SQLFragment {
    // The arguments of a kept query are its condition's, and then the bounds'.
    guard let texts, restrictions.isEmpty else { return statement(SQLFragment(columns), ordered: true) }
    if let sql = texts.text(columns: columns, limit: limit, offset: offset, isBackwards: isBackwards) {
      let bounds = limit == nil && offset == nil ? [] : dialect.bounds(limit: limit, offset: offset).arguments
      return SQLFragment(sql, (condition?.arguments ?? []) + bounds)
    }
    let made = statement(SQLFragment(columns), ordered: true)
    texts.keep(made.sql, columns: columns, limit: limit, offset: offset, isBackwards: isBackwards)
    return made
  }

  /// The columns of a row that order it if the query's rows are to be read backwards (``TiedRuns``).
  var backwardsOrder: [Int32]? {
    guard let limit, limit > 0, limit < .max, offset == nil, ranges == nil, restrictions.isEmpty else { return nil }
    return texts?.backwardsOrder
  }

  func noteBackwards(isVain: Bool, isSorted: Bool) { texts?.noteBackwards(isVain: isVain, isSorted: isSorted) }

  /// The statement that counts objects.
  var count: SQLFragment {
    guard limit != nil || offset != nil else { return statement("count(*)", ordered: false) }
    return "SELECT count(*) FROM (\(statement("1", ordered: false))) AS c"
  }

  package func statement(_ columns: SQLFragment, ordered: Bool, joining others: [SQLFragment] = []) -> SQLFragment {
    var result = SQLFragment("SELECT ")
    // Appending to a reserved buffer matters, because a fetch of one row is that short.
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
      result.append(isBackwards ? "t0._pk DESC" : "t0._pk")
    }
    if limit != nil || offset != nil { result.append(dialect.bounds(limit: limit, offset: offset)) }
    return result
  }

  /// ` WHERE …`, or an empty fragment.
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

  /// Whether the statement reads rows of an entity in addition to the selected rows.
  func readsRelated(_ other: EntityTable) -> Bool {
    reads.condition.related[other.name] != nil || reads.order.related[other.name] != nil
      || reads.values.related[other.name] != nil
  }

  /// Whether the statement reads a to-one to an entity's hierarchy.
  func readsReference(to other: EntityTable) -> Bool {
    reads.all.properties.contains {
      $0.property.isToOne && $0.property.destination?.__entity.root === other.entity.root
    }
  }

  /// Whether the statement reads its own table again through a relationship.
  var readsOwnTableAgain: Bool { readsRelated(table) }

  /// The names of the tables that affect the result, including both sides of join tables.
  func tables(of catalog: TableCatalog) -> Set<String> {
    let all = reads.all
    var names = Set(all.related.keys).union([table.name])
    guard !all.pairs.isEmpty else { return names }
    for table in catalog.all {
      for property in table.toMany {
        guard case .join(let join, _, _, _) = RelationshipInfo.of(property, in: table.entity).storage,
          all.pairs.contains(join)
        else { continue }
        names.insert(table.name)
        if let target = catalog.table(named: property.destination!.__entity.name) { names.insert(target.name) }
      }
    }
    return names
  }
}
