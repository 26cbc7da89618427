import Foundation

// `<`, `<=`, `>` and `>=` of identifiers, which order by class name, then store, then key.

extension LoweringState {
  typealias Order = PredicateExpressions.ComparisonOperator

  /// Lowers `left op right` if at least one side is the identifier of a row. Returns nil otherwise.
  mutating func identifierOrder(_ left: Lowered, _ op: Order, _ right: Lowered) -> Scalar? {
    switch (left, right) {
    case (.scalar(let row), .constant(let captured as PersistentIdentifier)): order(row, op, captured)
    case (.constant(let captured as PersistentIdentifier), .scalar(let row)): order(row, op.flipped, captured)
    case (.scalar(let left), .scalar(let right)): order(left, op, right)
    default: nil
    }
  }

  private mutating func order(_ row: Scalar, _ op: Order, _ captured: PersistentIdentifier) -> Scalar? {
    guard let names = classes(of: row) else { return nil }
    let key = environment.key(captured)
    let isSeekable = key != nil && names.contains(captured.entityName)
    func byKey() -> SQLFragment { row.operand + SQLFragment(" \(op.sql) ?", [.integer(key!)]) }
    if isSeekable, names.count == 1 {
      return .condition(byKey(), mayThrow: row.mayThrow, strictIn: row.strictIn)
    }
    // The keys of other classes and stores do not matter.
    let others = names.filter { name in
      !(isSeekable && name == captured.entityName) && op.holds(environment.identifier(0, name), captured)
    }
    if !isSeekable, others.isEmpty || others.count == names.count {
      return Scalar.condition(SQLFragment(others.isEmpty ? "FALSE" : "TRUE"), isAtomic: true).unless(row.failureTest)
    }
    let name = className(of: row)
    var sql = name + SQLFragment(" IN (\(others.map(\.quotedLiteral).joined(separator: ", ")))")
    if isSeekable {
      let same = name + SQLFragment(" = \(captured.entityName.quotedLiteral) AND ") + byKey()
      sql = others.isEmpty ? same : sql + SQLFragment(" OR ") + same
    }
    return Scalar.condition(SQLFragment("(") + sql + SQLFragment(")"), isAtomic: true).unless(row.failureTest)
  }

  private mutating func order(_ left: Scalar, _ op: Order, _ right: Scalar) -> Scalar? {
    guard let one = classes(of: left), let other = classes(of: right) else { return nil }
    let keys = left.operand + SQLFragment(" \(op.sql) ") + right.operand
    if one.count == 1, one == other {
      return .condition(
        keys, mayThrow: left.mayThrow || right.mayThrow, strictIn: left.strictIn.union(right.strictIn))
    }
    let ranks = Set(one + other).sorted()
    let (first, second) = (rank(of: left, one, ranks), rank(of: right, other, ranks))
    let sql =
      SQLFragment("(") + first + SQLFragment(op.isLess ? " < " : " > ") + second + SQLFragment(" OR ") + first
      + SQLFragment(" = ") + second + SQLFragment(" AND ") + keys + SQLFragment(")")
    return Scalar.condition(sql, isAtomic: true).unless([left, right].compactMap(\.failureTest).nonEmpty?.disjunction)
  }

  /// The classes that the object of an identifier can have. Returns nil for any other value.
  func classes(of scalar: Scalar) -> [String]? {
    guard case .key(let hierarchy) = scalar.type.form else { return nil }
    return environment.familyNames(isOwn(scalar) ? entity : hierarchy.root)
  }

  /// The class name of the object of an identifier.
  mutating func className(of scalar: Scalar) -> SQLFragment {
    guard case .key(let hierarchy) = scalar.type.form, !isOwn(scalar) else {
      noteRead(of: "_entity", in: row)
      return SQLFragment("\(Self.rowAlias)._entity")
    }
    let table = TableNames.table(for: hierarchy.root)
    noteRead(ofTable: table, column: "_entity")
    let alias = makeAlias()
    return SQLFragment("(SELECT \(alias)._entity FROM \(table.quotedIdentifier) AS \(alias) WHERE \(alias)._pk = ")
      + scalar.operand + SQLFragment(")")
  }

  /// The position of an object's class name in the order of names.
  private mutating func rank(of scalar: Scalar, _ names: [String], _ ranks: [String]) -> SQLFragment {
    if names.count == 1 { return SQLFragment("\(ranks.firstIndex(of: names[0])!)") }
    let cases = ranks.enumerated().filter { names.contains($1) }.map { "WHEN \($1.quotedLiteral) THEN \($0)" }
    return SQLFragment("CASE ") + className(of: scalar) + SQLFragment(" \(cases.joined(separator: " ")) END")
  }

  private func isOwn(_ scalar: Scalar) -> Bool { scalar.sql == row.key }
}

extension PredicateExpressions.ComparisonOperator {
  /// The operator with its sides exchanged.
  fileprivate var flipped: Self {
    switch self {
    case .lessThan: .greaterThan
    case .lessThanOrEqual: .greaterThanOrEqual
    case .greaterThan: .lessThan
    case .greaterThanOrEqual: .lessThanOrEqual
    }
  }
}
