import Foundation

/// The bounds that a predicate implies for the numbers in an R*Tree, as a condition that every matching row satisfies.
///
/// The filter uses the operands of the outermost `&&`, which all hold if the predicate holds. An operand bounds a term
/// if it compares it with a captured value. The predicate stays in the statement, so the tree need not be exact.
struct RTreeFilter {
  private let tree: RTreeIndex
  private var state: LoweringState
  /// The closed interval of each term.
  private var bounds: [(lower: Double?, upper: Double?)]

  /// Returns nil if no tree of the class helps.
  static func condition<M: PersistentModel>(
    _ predicate: Predicate<M>, entity: __Entity, environment: LoweringEnvironment
  ) -> SQLFragment? {
    let conditions = environment.rtrees(entity).compactMap { tree -> SQLFragment? in
      var filter = RTreeFilter(tree, entity, environment)
      filter.state.variables[predicate.variable.key] = .object(filter.state.row)
      filter.collect(predicate.expression)
      return filter.condition
    }
    // The tree with the most bounds.
    return conditions.max { $0.arguments.count < $1.arguments.count }
  }

  private init(_ tree: RTreeIndex, _ entity: __Entity, _ environment: LoweringEnvironment) {
    self.tree = tree
    self.state = LoweringState(entity: entity, environment: environment)
    self.bounds = tree.terms.map { _ in (nil, nil) }
  }

  private var condition: SQLFragment? {
    var parts = [String]()
    var arguments = [SQLValue]()
    for (index, bound) in bounds.enumerated() {
      if let lower = bound.lower {
        parts.append("\(tree.upper(index)) >= ?")
        arguments.append(.real(lower))
      }
      if let upper = bound.upper {
        parts.append("\(tree.lower(index)) <= ?")
        arguments.append(.real(upper))
      }
    }
    if parts.isEmpty { return nil }
    return SQLFragment(
      "t0._pk IN (SELECT id FROM \(tree.name.quotedIdentifier) WHERE \(parts.joined(separator: " AND ")))", arguments)
  }

  // MARK: - Collecting

  mutating func collect(_ expression: any PredicateExpression) {
    (expression as? any BoundingExpression)?.bound(&self)
  }

  /// Records that `left op right` holds, if one side is a term and the other a captured value.
  mutating func note<Left: PredicateExpression, Right: PredicateExpression>(
    _ left: Left, _ op: PredicateExpressions.ComparisonOperator, _ right: Right
  ) {
    // Lowering the predicate itself reports an operand that cannot be lowered.
    guard let left = try? state.lower(left), let right = try? state.lower(right) else { return }
    switch (left, right) {
    case (.scalar(let scalar), .constant(let value)): note(scalar, isUpper: op.isLess, value)
    case (.constant(let value), .scalar(let scalar)): note(scalar, isUpper: !op.isLess, value)
    default: break
    }
  }

  /// Records that a range contains an element.
  mutating func note<Range: PredicateExpression, Element: PredicateExpression>(_ range: Range, contains: Element) {
    guard let range = try? state.lower(range), case .scalar(let scalar)? = try? state.lower(contains) else { return }
    switch range {
    case .constant(let bounds):
      guard let captured = CapturedRange(bounds) else { return }
      if let lower = captured.lower { note(scalar, isUpper: false, lower) }
      if let upper = captured.upper { note(scalar, isUpper: true, upper) }
    case .range(let bounds):
      if case .constant(let lower) = bounds.lower { note(scalar, isUpper: false, lower) }
      if case .constant(let upper) = bounds.upper { note(scalar, isUpper: true, upper) }
    default: break
    }
  }

  private mutating func note(_ scalar: Scalar, isUpper: Bool, _ value: Any) {
    guard let index = tree.terms.firstIndex(where: { Self.cell($0) == scalar.sql.sql }),
      let bound = Self.number(value, as: scalar.type), abs(bound) <= RTreeIndex.limit
    else { return }
    if isUpper {
      bounds[index].upper = min(bounds[index].upper ?? bound, bound)
    } else {
      bounds[index].lower = max(bounds[index].lower ?? bound, bound)
    }
  }

  /// A term of the fetched row.
  private static func cell(_ term: IndexTerm) -> String {
    term.sql(in: "t0." + TableNames.column(for: term.property).quotedIdentifier)
  }

  /// Integers round as SQLite's do in the tree, which preserves their order.
  private static func number(_ value: Any, as type: ScalarType) -> Double? {
    switch type.cell(of: value) {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }
}

/// A node that can bound a number.
private protocol BoundingExpression {
  func bound(_ filter: inout RTreeFilter)
}

extension PredicateExpressions.Conjunction: BoundingExpression {
  fileprivate func bound(_ filter: inout RTreeFilter) {
    filter.collect(lhs)
    filter.collect(rhs)
  }
}

extension PredicateExpressions.Comparison: BoundingExpression {
  fileprivate func bound(_ filter: inout RTreeFilter) { filter.note(lhs, op, rhs) }
}

extension PredicateExpressions.Equal: BoundingExpression {
  fileprivate func bound(_ filter: inout RTreeFilter) {
    filter.note(lhs, .lessThanOrEqual, rhs)
    filter.note(lhs, .greaterThanOrEqual, rhs)
  }
}

extension PredicateExpressions.RangeExpressionContains: BoundingExpression {
  fileprivate func bound(_ filter: inout RTreeFilter) { filter.note(range, contains: element) }
}
