import Foundation

// Subselects over the targets of a to-many and over the elements of stored arrays.

extension LoweringState {
  /// The rows of one use of a collection.
  private struct Rows {
    var member: Lowered
    let from: SQLFragment
    var conditions: [SQLFragment]
    let scope: Int
    /// The order of the array, each term with its reverse.
    let order: [(forward: String, backward: String)]
  }

  /// The result of lowering an expression, as a collection.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` if only Swift knows the elements in the JSON of the collection's type.
  func collection<E: PredicateExpression>(
    _ lowered: Lowered,
    _ container: Any.Type,
    elements type: Any.Type,
    of expression: E
  ) throws -> RowCollection {
    switch lowered {
    case .collection(let collection): return collection
    case .scalar, .constant:
      guard var element = ScalarType(ofElement: type) else {
        throw unsupported(expression, "a \(type) has no form in the store")
      }
      let scalar = try arrayScalar(lowered, of: expression)
      element.property = scalar.type.property
      guard scalar.type.form == .text || ScalarType.bare(container) is any JSONArray.Type else {
        throw DataStoreError.preferInMemoryFilter
      }
      var collection = RowCollection(
        source: .values(scalar, element: ElementType(type: element, isOptional: ScalarType.isOptional(type)))
      )
      if scalar.mayThrow {
        collection.presence = scalar.operand + SQLFragment(" IS NOT NULL")
        collection.isForced = true
      }
      return collection
    case .object, .range: throw unsupported(expression, "it is not a collection")
    }
  }

  private func arrayScalar(_ lowered: Lowered, of expression: some PredicateExpression) throws -> Scalar {
    switch lowered {
    case .scalar(let scalar) where scalar.type.form == .json || scalar.type.form == .text: return scalar
    case .constant(let value):
      if let text = value as? String {
        return Scalar(sql: SQLFragment("?", [.text(text)]), type: ScalarType(of: String.self)!)
      }
      if let array = ScalarType(of: Swift.type(of: value)), array.form == .json, let cell = array.cell(of: value) {
        return Scalar(sql: SQLFragment("?", [cell]), type: array)
      }
    default: break
    }
    throw unsupported(expression, "the store cannot read its elements")
  }

  private mutating func open(
    _ collection: RowCollection,
    where test: (Lowered, inout LoweringState) throws -> Scalar? = { _, _ in nil }
  ) throws -> Rows {
    let (scope, outer) = (makeScope(), currentScope)
    currentScope = scope
    defer { currentScope = outer }
    var rows: Rows
    switch collection.source {
    case .relationship(let owner, let info): rows = open(info, of: owner, scope)
    case .values(let array, let element): rows = open(array, element, scope)
    }
    for filter in collection.filters {
      rows.conditions.append(try filter(rows.member, &self).condition)
    }
    rows.member = try collection.mapping(rows.member, &self)
    if let test = try exactly({ try test(rows.member, &$0) }) { rows.conditions.append(test.condition) }
    return rows
  }

  private mutating func open(_ info: RelationshipInfo, of owner: ObjectReference, _ scope: Int) -> Rows {
    let alias = makeAlias()
    let table = TableNames.table(for: info.destination).quotedIdentifier
    noteRead(ofTable: TableNames.table(for: info.destination))
    let member = Lowered.object(
      ObjectReference(entity: info.destination, key: SQLFragment("\(alias)._pk"), alias: alias, scope: scope)
    )
    func order(_ position: String, _ tie: String) -> [(String, String)] {
      [("\(position) IS NULL", "\(position) IS NOT NULL"), (position, "\(position) DESC"), (tie, "\(tie) DESC")]
    }
    switch info.storage {
    case .join(let join, let source, let target, let position):
      let pairs = makeAlias()
      noteRead(ofPairs: join)
      return Rows(
        member: member,
        from: SQLFragment(
          "\(join.quotedIdentifier) AS \(pairs) JOIN \(table) AS \(alias) ON \(alias)._pk = \(pairs).\(target)"
        ),
        conditions: [SQLFragment("\(pairs).\(source) = ") + owner.key],
        scope: scope,
        order: order("\(pairs).\(position)", dialect.pairAge(pairs))
      )
    case .inverseForeignKey(let inverse, let position):
      let column = "\(alias).\(TableNames.column(for: inverse).quotedIdentifier)"
      noteRead(ofTable: TableNames.table(for: info.destination), column: TableNames.column(for: inverse))
      return Rows(
        member: member,
        from: SQLFragment("\(table) AS \(alias)"),
        conditions: [SQLFragment("\(column) = ") + owner.key],
        scope: scope,
        order: order("\(alias).\(position.quotedIdentifier)", "\(alias)._pk")
      )
    case .foreignKey:
      preconditionFailure("a to-one has no list of targets")
    }
  }

  private mutating func open(_ array: Scalar, _ element: ElementType, _ scope: Int) -> Rows {
    let alias = makeAlias()
    let from =
      array.type.form == .text
      ? dialect.characters(of: array.sql, alias: alias) : dialect.elements(of: array.sql, alias: alias)
    var member = Scalar(sql: SQLFragment("\(alias).value"), type: element.type, isOptional: element.isOptional)
    if element.type.form == .json {
      member.sql = SQLFragment("nullif(\(alias).value, 'null')")
    } else {
      member.sql = SQLFragment("swift_json_value(\(alias).value, '\(element.type.swiftName)'\(element.type.place))")
      member.needsNormalization = element.type.form == .text
    }
    member.strictIn = [member.sql.sql]
    return Rows(
      member: .scalar(member),
      from: from,
      conditions: [],
      scope: scope,
      order: [("\(alias).key", "\(alias).key DESC")]
    )
  }

  private func statement(_ columns: SQLFragment, _ rows: Rows) -> SQLFragment {
    var sql = SQLFragment("SELECT ") + columns + SQLFragment(" FROM ") + rows.from
    for join in joins(of: rows.scope) { sql = sql + SQLFragment(" ") + join }
    for (index, condition) in rows.conditions.enumerated() {
      sql = sql + SQLFragment(index == 0 ? " WHERE (" : " AND (") + condition + SQLFragment(")")
    }
    return sql
  }

  /// The result of a subselect, or NULL if the collection is nil or cannot be reached.
  private func finish(_ scalar: Scalar, _ collection: RowCollection) -> Scalar {
    guard let presence = collection.presence ?? forcedPresence(of: collection) else {
      return scalar.unless(collection.failure)
    }
    var result = scalar
    result.sql = SQLFragment("CASE WHEN ") + presence + SQLFragment(" THEN ") + scalar.sql + SQLFragment(" END")
    result.isCondition = false
    result.isAtomic = true
    result.mayThrow = true
    return result.unless(collection.failure)
  }

  /// The condition under which the collection is nil or cannot be reached, where its members are optional.
  private func failure(of collection: RowCollection) -> SQLFragment? {
    let presence = collection.presence ?? forcedPresence(of: collection)
    let absence = presence.map { SQLFragment("NOT (") + $0 + SQLFragment(")") }
    return [collection.failure, absence].compactMap { $0 }.nonEmpty?.disjunction
  }

  private func forcedPresence(of collection: RowCollection) -> SQLFragment? {
    guard case .relationship(let owner, _) = collection.source, owner.mayThrow else { return nil }
    return owner.key + SQLFragment(" IS NOT NULL")
  }

  // MARK: - Questions

  /// Whether a member satisfies a test.
  mutating func exists(
    in collection: RowCollection,
    where test: (Lowered, inout LoweringState) throws -> Scalar
  ) throws -> Scalar {
    let rows = try open(collection) { try test($0, &$1) }
    let sql = SQLFragment("EXISTS (") + statement(SQLFragment("1"), rows) + SQLFragment(")")
    return finish(.condition(sql, isAtomic: true), collection)
  }

  mutating func emptiness(of collection: RowCollection) throws -> Scalar {
    let rows = try open(collection)
    let sql = SQLFragment("NOT EXISTS (") + statement(SQLFragment("1"), rows) + SQLFragment(")")
    return finish(.condition(sql), collection)
  }

  mutating func count(of collection: RowCollection) throws -> Scalar {
    let rows = try open(collection)
    let sql = SQLFragment("(") + statement(SQLFragment("count(*)"), rows) + SQLFragment(")")
    return finish(Scalar(sql: sql, type: .int), collection)
  }

  /// `first`, `last`, or the member at an index.
  /// - Parameter isConstant: whether the index is the same for all rows.
  mutating func element(
    of collection: RowCollection, fromEnd: Bool, at index: Scalar? = nil, isConstant: Bool = true
  ) throws -> Lowered {
    let rows = try open(collection)
    let order = rows.order.map { fromEnd ? $0.backward : $0.forward }.joined(separator: ", ")
    let numbered = isConstant ? nil : makeAlias()
    func select(_ column: SQLFragment) -> SQLFragment {
      guard let index else {
        return SQLFragment("(") + statement(column, rows) + SQLFragment(" ORDER BY \(order) LIMIT 1)")
      }
      guard let numbered else {
        // A negative offset would mean no offset.
        return SQLFragment("(") + statement(column, rows) + SQLFragment(" ORDER BY \(order) LIMIT 1 OFFSET CASE WHEN ")
          + index.operand + SQLFragment(" < 0 THEN 9223372036854775807 ELSE ") + index.operand + SQLFragment(" END)")
      }
      // SQLite takes no column as an offset, and PostgreSQL takes NULL for no offset.
      let columns = column + SQLFragment(" AS value, row_number() OVER (ORDER BY \(order)) - 1 AS place")
      return SQLFragment("(SELECT \(numbered).value FROM (") + statement(columns, rows)
        + SQLFragment(") AS \(numbered) WHERE \(numbered).place = ") + index.operand + SQLFragment(")")
    }
    switch rows.member {
    case .object(var object):
      object.key = select(object.key)
      object.alias = nil
      object.scope = collection.filters.isEmpty && index == nil ? scope(of: collection) : currentScope
      object.isOptional = index == nil
      object.failure = index == nil ? failure(of: collection) : nil
      object.mayThrow = index != nil || object.failure != nil
      return .object(object)
    case .scalar(var scalar):
      // NULL is a failure, or an optional member.
      var failure = failure(of: collection)
      if let index, scalar.isOptional {
        let isOutside =
          index.operand + SQLFragment(" < 0 OR ") + index.operand + SQLFragment(" >= (")
          + statement(SQLFragment("count(*)"), rows) + SQLFragment(")")
        failure = [failure, index.failureTest, isOutside].compactMap { $0 }.disjunction
      }
      scalar.sql = select(scalar.sql)
      scalar.isOptional = scalar.isOptional || index == nil
      scalar.failure = scalar.isOptional ? failure : nil
      scalar.mayThrow = index != nil || failure != nil
      scalar.strictIn = []
      return .scalar(scalar)
    case .constant, .collection, .range: return rows.member
    }
  }

  /// The least or greatest member, or NULL if there is none.
  mutating func extremum<E: PredicateExpression>(
    of collection: RowCollection,
    isMaximum: Bool,
    for expression: E
  ) throws -> Lowered {
    let rows = try open(collection)
    guard case .scalar(var scalar) = rows.member, !scalar.isOptional, let keys = orderKeys(of: scalar) else {
      throw unsupported(expression, "the store does not know the order of its elements")
    }
    let direction = isMaximum ? " DESC" : ""
    // The first of equal members, because equal strings may differ in scalars.
    let start = rows.order.map(\.forward).joined(separator: ", ")
    let order = keys.reduce(SQLFragment("")) { $0 + $1 + SQLFragment(direction + ", ") } + SQLFragment(start)
    func first(_ rows: Rows, by order: SQLFragment) -> SQLFragment {
      SQLFragment("(") + statement(scalar.sql, rows) + SQLFragment(" ORDER BY ") + order + SQLFragment(" LIMIT 1)")
    }
    var sql = first(rows, by: order)
    if scalar.type.form == .real {
      // Comparisons with NaN are false, so Swift keeps a leading NaN and skips any other.
      var numbers = rows
      numbers.conditions.append(scalar.operand + SQLFragment(" < \(dialect.notANumber)"))
      sql =
        SQLFragment("CASE WHEN ") + first(rows, by: SQLFragment(start))
        + SQLFragment(" = \(dialect.notANumber) THEN \(dialect.notANumber) ELSE ")
        + first(numbers, by: order) + SQLFragment(" END")
    }
    scalar.sql = sql
    scalar.isOptional = true
    scalar.isAtomic = true
    scalar.isCondition = false
    scalar.failure = nil
    scalar.strictIn = []
    if scalar.mayThrow {
      throw unsupported(expression, "an element may be a failure", instead: "unwrap with `??`")
    }
    scalar.failure = failure(of: collection)
    scalar.mayThrow = scalar.failure != nil
    return .scalar(scalar)
  }

  private func scope(of collection: RowCollection) -> Int {
    if case .relationship(let owner, _) = collection.source { owner.scope } else { 0 }
  }
}
