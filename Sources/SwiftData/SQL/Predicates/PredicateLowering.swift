import Foundation

/// The facts about the store that lowering needs.
package struct LoweringEnvironment {
  /// The key of an identifier; nil where it is of another store.
  package let key: (PersistentIdentifier) -> Int64?
  /// The identifier of a key, of a class with this name.
  package let identifier: (Int64, String) -> PersistentIdentifier
  /// Whether a column (table, column) holds text that is not in Unicode normal form C.
  package let isNonNFC: (String, String) -> Bool
  /// The names of the class and of all its subclasses in the schema.
  package let familyNames: (__Entity) -> [String]
  let dialect: any SQLDialect
  /// The R*Trees that contain every row of a class.
  let rtrees: (__Entity) -> [RTreeIndex]
  /// The codec of a class's column, or nil if its cells are the values.
  let codec: (__Entity, String) -> ColumnCodec?

  package init(
    key: @escaping (PersistentIdentifier) -> Int64?,
    identifier: @escaping (Int64, String) -> PersistentIdentifier,
    isNonNFC: @escaping (String, String) -> Bool,
    familyNames: @escaping (__Entity) -> [String],
    dialect: any SQLDialect = SQLiteDialect(),
    rtrees: @escaping (__Entity) -> [RTreeIndex] = { _ in [] },
    codec: @escaping (__Entity, String) -> ColumnCodec? = { _, _ in nil }
  ) {
    (self.key, self.identifier) = (key, identifier)
    self.isNonNFC = isNonNFC
    self.familyNames = familyNames
    self.dialect = dialect
    self.rtrees = rtrees
    self.codec = codec
  }
}

/// A predicate and an order in SQL, for a statement that reads the entity's table as `t0`.
///
/// It is a class, because all fetches of one shape share it. A struct would be copied with all its lists for each fetch.
// @unchecked Sendable because everything in it is immutable, and its statement texts are behind a lock.
package final class LoweredQuery: @unchecked Sendable {
  /// The joins of the condition, each beginning with `LEFT JOIN`. They do not change the number of rows.
  package let joins: [SQLFragment]
  /// The joins of the order, after the condition's.
  package let orderJoins: [SQLFragment]
  /// The condition. NULL means that the predicate throws for the row, so the row does not match.
  package let condition: SQLFragment?
  package let order: [OrderTerm]
  /// The joins of the values, after the order's.
  package let valueJoins: [SQLFragment]
  package let values: [SQLFragment]
  /// The reads of condition, order and values.
  package let reads: Reads
  /// The texts of its statements, if the store keeps the query.
  let texts: StatementTexts?

  /// All rows, without an order.
  static let everything = LoweredQuery(
    joins: [], orderJoins: [], condition: nil, order: [], valueJoins: [], values: [], reads: Reads())

  init(
    joins: [SQLFragment], orderJoins: [SQLFragment], condition: SQLFragment?, order: [OrderTerm],
    valueJoins: [SQLFragment], values: [SQLFragment], reads: Reads, texts: StatementTexts? = nil
  ) {
    (self.joins, self.orderJoins, self.condition, self.order) = (joins, orderJoins, condition, order)
    (self.valueJoins, self.values, self.reads, self.texts) = (valueJoins, values, reads, texts)
  }

  /// The same query with the texts of its statements.
  func keeping(_ texts: StatementTexts) -> LoweredQuery {
    LoweredQuery(
      joins: joins, orderJoins: orderJoins, condition: condition, order: order, valueJoins: valueJoins, values: values,
      reads: reads, texts: texts)
  }

  /// The tables and columns that each part of a query reads.
  package struct Reads: Sendable {
    package var condition = StatementReads()
    package var order = StatementReads()
    package var values = StatementReads()

    package init() {}
    package var all: StatementReads { condition.union(order).union(values) }
  }
}

/// Lowers Foundation's predicates and sort descriptors to SQL.
///
/// The law: the rows that match are those for which `predicate.evaluate` returns true. A row for which it throws (a
/// force unwrap of nil, a division by zero) does not match. Inside the closure of a nested collection, an element for
/// which it throws does not satisfy the closure.
package enum PredicateLowering {
  /// Lowers a predicate, an order and values that share their joins.
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
      // The query's shape has made the same cast, so the runtime knows the answer.
      if let shaped = predicate.expression as? any ShapedExpression { state.knownTypes = type(of: shaped).nodeTypes }
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

  /// Lowers the parts of a conjunction that the database can compute. Its rows include all that match. Nil if it can compute
  /// no part.
  package static func candidates<M: PersistentModel>(
    _ predicate: Predicate<M>, entity: __Entity, environment: LoweringEnvironment
  ) -> LoweredQuery? {
    var state = LoweringState(entity: entity, environment: environment)
    state.variables[predicate.variable.key] = .object(state.row)
    var conditions = [SQLFragment]()
    var waiting = [Part.condition(predicate.expression)]
    while let part = waiting.popLast() {
      guard case .condition(let expression) = part else {
        if case .end(let variables) = part { state.variables.unbind(to: variables) }
        continue
      }
      let bound = state.variables.count
      switch state.lowerable(expression)?.composite {
      case .conjunction(let left, let right): waiting += [.condition(right), .condition(left)]
      case .captured(let captured) where (try? captured.lowerVariables(&state)) != nil:
        waiting += [.end(variables: bound), .condition(captured.condition)]
      default:
        if let condition = try? state.truth(expression, filtering: true).conditionOperand,
          environment.dialect.mayCompute(condition)
        {
          conditions.append(condition)
        }
        // An expression that the database cannot compute may have left variables of its own.
        state.variables.unbind(to: bound)
      }
    }
    guard !conditions.isEmpty else { return nil }
    var reads = LoweredQuery.Reads()
    reads.condition = state.takeReads()
    return LoweredQuery(
      joins: state.joins(of: 0), orderJoins: [], condition: conditions.conjunction, order: [], valueJoins: [],
      values: [], reads: reads)
  }

  /// A step of looking through a conjunction.
  private enum Part {
    case condition(any PredicateExpression<Bool>)
    /// After a captured predicate, whose variables come after the given number of others.
    case end(variables: Int)
  }

  /// The condition for rows of `entity` with the table alias `t0`. It needs no joins.
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

  /// The terms of ORDER BY and their joins. The caller adds a tie-breaker.
  package static func order<M: PersistentModel>(
    _ sort: [SortDescriptor<M>],
    entity: __Entity,
    environment: LoweringEnvironment
  ) throws -> (joins: [SQLFragment], terms: [OrderTerm]) {
    let query = try query(nil, sort, entity: entity, environment: environment)
    return (query.orderJoins, query.order)
  }
}

/// A node with an SQL form.
package protocol LowerableExpression {
  func lower(_ state: inout LoweringState) throws -> Lowered
  /// The conditions that it is composed of, or nil if it is not composed of conditions.
  var composite: CompositeCondition? { get }
}

extension LowerableExpression {
  package var composite: CompositeCondition? { nil }
}
