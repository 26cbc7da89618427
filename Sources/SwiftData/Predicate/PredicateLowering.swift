import Foundation

/// What lowering has to know about the store.
package struct LoweringEnvironment {
  package let storeIdentifier: String
  /// Whether a column (table, column) holds text that is not in Unicode normal form C.
  package let isDenormalized: (String, String) -> Bool
  /// The names of the class and of all its subclasses in the schema.
  package let familyNames: (__Entity) -> [String]
  let dialect: any SQLDialect
  /// The R*Trees that have every row of a class.
  let rtrees: (__Entity) -> [RTreeIndex]
  /// Whether the cells of a class's column are sealed.
  let isEncrypted: (__Entity, String) -> Bool

  package init(
    storeIdentifier: String,
    isDenormalized: @escaping (String, String) -> Bool,
    familyNames: @escaping (__Entity) -> [String],
    dialect: any SQLDialect = SQLiteDialect(),
    rtrees: @escaping (__Entity) -> [RTreeIndex] = { _ in [] },
    isEncrypted: @escaping (__Entity, String) -> Bool = { _, _ in false }
  ) {
    self.storeIdentifier = storeIdentifier
    self.isDenormalized = isDenormalized
    self.familyNames = familyNames
    self.dialect = dialect
    self.rtrees = rtrees
    self.isEncrypted = isEncrypted
  }
}

/// A predicate and an order in SQL, for a statement that reads the entity's table as `t0`.
package struct LoweredQuery {
  /// What follows the table for the condition, each beginning with `LEFT JOIN`; none changes the number of rows.
  package var joins: [SQLFragment]
  /// What follows those for the order.
  package var orderJoins: [SQLFragment]
  /// Null where a row makes the predicate throw, which is no match.
  package var condition: SQLFragment?
  package var order: [OrderTerm]
  /// What follows those for the values.
  package var valueJoins: [SQLFragment]
  package var values: [SQLFragment]
  /// What condition, order and values read.
  package var reads: Reads

  /// What each part of a query reads.
  package struct Reads: Sendable {
    package var condition = StatementReads()
    package var order = StatementReads()
    package var values = StatementReads()

    package init() {}
    package var all: StatementReads { condition.union(order).union(values) }
  }
}

/// Turns Foundation's predicates and sort descriptors into SQL.
///
/// The law: the rows that match are those for which `predicate.evaluate` returns true. A row for which it throws (a
/// force unwrap of nil, a division by zero) does not match; inside the closure of a nested collection, an element
/// for which it throws counts as not satisfying the closure.
package enum PredicateLowering {
  /// A predicate, an order and values that share their joins.
  package static func query<M: PersistentModel>(
    _ predicate: Predicate<M>?,
    _ sort: [SortDescriptor<M>] = [],
    entity: __Entity,
    environment: LoweringEnvironment,
    values: (inout LoweringState) throws -> [SQLFragment] = { _ in [] }
  ) throws -> LoweredQuery {
    var state = LoweringState(entity: entity, environment: environment)
    var reads = LoweredQuery.Reads()
    var condition: SQLFragment?
    if let predicate {
      state.variables[predicate.variable.key] = .object(state.row)
      condition = try state.condition(predicate.expression, filtering: true)
      if let coarse = RTreeFilter.condition(predicate, entity: entity, environment: environment) {
        condition = coarse + SQLFragment(" AND (") + condition! + SQLFragment(")")
      }
    }
    reads.condition = state.takeReads()
    let joins = state.joins(of: 0)
    let order = try sort.flatMap { try state.orderTerms($0) }
    reads.order = state.takeReads()
    let orderJoins = Array(state.joins(of: 0).dropFirst(joins.count))
    let values = try values(&state)
    reads.values = state.takeReads()
    return LoweredQuery(
      joins: joins, orderJoins: orderJoins, condition: condition, order: order,
      valueJoins: Array(state.joins(of: 0).dropFirst(joins.count + orderJoins.count)), values: values, reads: reads)
  }

  /// The condition for rows of `entity`, whose table's alias is `t0`; complete in itself.
  package static func condition<M: PersistentModel>(
    _ predicate: Predicate<M>,
    entity: __Entity,
    environment: LoweringEnvironment
  ) throws -> SQLFragment {
    let query = try query(predicate, entity: entity, environment: environment)
    let condition = query.condition!
    if query.joins.isEmpty { return condition }
    let from = "t0._pk IN (SELECT t0._pk FROM \(TableNames.table(for: entity).quotedIdentifier) AS t0"
    let joins = query.joins.reduce(SQLFragment("")) { $0 + SQLFragment(" ") + $1 }
    return SQLFragment(from) + joins + SQLFragment(" WHERE ") + condition + SQLFragment(")")
  }

  /// The terms of ORDER BY and the joins that they read. The tie-breaker is the caller's.
  package static func order<M: PersistentModel>(
    _ sort: [SortDescriptor<M>],
    entity: __Entity,
    environment: LoweringEnvironment
  ) throws -> (joins: [SQLFragment], terms: [OrderTerm]) {
    let query = try query(nil, sort, entity: entity, environment: environment)
    return (query.orderJoins, query.order)
  }
}

/// A node that has an SQL form.
package protocol LowerableExpression {
  func lower(_ state: inout LoweringState) throws -> Lowered
}
