import Foundation

/// The SQL of a condition that is composed of others.
///
/// `&&` and `||` of any depth become flat SQL, because the depth of SQL is limited: SQLite's parser to about 100 parentheses
/// and its expressions to 1,000 levels.
struct ConditionTree {
  private enum Kind { case leaf, negation, conjunction, disjunction }

  private struct Node {
    let kind: Kind
    var scalar: Scalar?
    /// Whether NULL may stand for false.
    var isFiltering = false
    var children: [Int] = []
    var depth = 0
    var mayThrow: Bool
  }

  private var nodes: [Node] = []

  /// The depth up to which nested conditions become nested SQL.
  private static let depthLimit = 16
  /// The number of operands between two parentheses. SQLite nests the operands of a chain without parentheses.
  private static let groupSize = 64

  // MARK: - Building

  mutating func leaf(_ scalar: Scalar) -> Int { add(Node(kind: .leaf, scalar: scalar, mayThrow: scalar.mayThrow)) }

  mutating func negation(of inner: Int) -> Int {
    add(
      Node(kind: .negation, children: [inner], depth: nodes[inner].depth + 1, mayThrow: nodes[inner].mayThrow))
  }

  /// `left && right` or `left || right`. The operands of a chain have one node.
  mutating func joined(_ left: Int, _ right: Int, byAnd isConjunction: Bool, isFiltering: Bool) -> Int {
    let kind = isConjunction ? Kind.conjunction : .disjunction
    let mayThrow = nodes[left].mayThrow || nodes[right].mayThrow
    let (leftDepth, rightDepth) = (nodes[left].depth, nodes[right].depth)
    switch (nodes[left].kind == kind, nodes[right].kind == kind) {
    case (true, let isChain):
      if isChain {
        nodes[left].children += nodes[right].children
      } else {
        nodes[left].children.append(right)
      }
      nodes[left].depth = max(leftDepth, isChain ? rightDepth : rightDepth + 1)
      nodes[left].mayThrow = mayThrow
      nodes[left].isFiltering = isFiltering
      return left
    case (false, true):
      nodes[right].children.insert(left, at: 0)
      nodes[right].depth = max(leftDepth + 1, rightDepth)
      nodes[right].mayThrow = mayThrow
      nodes[right].isFiltering = isFiltering
      return right
    case (false, false):
      return add(
        Node(
          kind: kind, isFiltering: isFiltering, children: [left, right], depth: max(leftDepth, rightDepth) + 1,
          mayThrow: mayThrow))
    }
  }

  private mutating func add(_ node: Node) -> Int {
    nodes.append(node)
    return nodes.count - 1
  }

  // MARK: - SQL

  /// The SQL of a node, or nil if its depth has no flat form.
  func scalar(of id: Int) -> Scalar? {
    let node = nodes[id]
    guard node.depth <= Self.depthLimit else { return decisions(id) }
    switch node.kind {
    case .leaf: return node.scalar
    case .negation:
      guard let inner = scalar(of: node.children[0]) else { return nil }
      let sql = inner.isCondition ? SQLFragment("NOT ") + inner.operand : inner.operand + SQLFragment(" = 0")
      return .condition(sql, mayThrow: inner.mayThrow, strictIn: inner.strictIn)
    case .conjunction, .disjunction: return chain(node.children, of: node)
    }
  }

  /// The operands of a chain, joined.
  private func chain(_ children: [Int], of node: Node) -> Scalar? {
    var parts = [Scalar]()
    for child in children {
      guard let part = scalar(of: child) else { return nil }
      parts.append(part)
    }
    return node.kind == .conjunction ? conjunction(parts, isFiltering: node.isFiltering) : disjunction(parts)
  }

  private func conjunction(_ parts: [Scalar], isFiltering: Bool) -> Scalar {
    guard parts.count > 1 else { return parts[0] }
    guard !isFiltering, parts.dropLast().contains(where: \.mayThrow) else {
      return condition(Self.joined(parts.map(\.conditionOperand), by: " AND "), of: parts)
    }
    // If a part throws, Swift does not evaluate the next. The result is NULL even if the next is false.
    guard parts.count == 2 else { return decisions(parts, end: false) }
    return .condition(
      SQLFragment("CASE ") + parts[0].operand + SQLFragment(" WHEN 1 THEN ") + parts[1].condition
        + SQLFragment(" WHEN 0 THEN FALSE END"), mayThrow: true, isAtomic: true)
  }

  private func disjunction(_ parts: [Scalar]) -> Scalar {
    guard parts.count > 1 else { return parts[0] }
    let throwing = parts.dropLast().count(where: \.mayThrow)
    guard throwing <= 3 else { return decisions(parts, end: true) }
    // A part counts only if none before it throws.
    var guards = SQLFragment("")
    let alternatives = parts.map { part in
      let alternative =
        guards.sql.isEmpty
        ? part.conditionOperand : SQLFragment("(") + guards + part.conditionOperand + SQLFragment(")")
      if part.mayThrow { guards = guards + part.operand + SQLFragment(" IS NOT NULL AND ") }
      return alternative
    }
    return condition(Self.joined(alternatives, by: " OR "), of: parts)
  }

  private func condition(_ sql: SQLFragment, of parts: [Scalar]) -> Scalar {
    .condition(
      sql, mayThrow: parts.contains(where: \.mayThrow),
      strictIn: parts.dropFirst().reduce(parts[0].strictIn) { $0.intersection($1.strictIn) })
  }

  /// The parts in the order of their evaluation. The first that is `end` decides, and so does the first that throws.
  private func decisions(_ parts: [Scalar], end: Bool) -> Scalar {
    var list = DecisionList()
    var group = [Scalar]()
    func close() {
      if group.isEmpty { return }
      let operands = Self.joined(group.map(\.conditionOperand), by: end ? " OR " : " AND ")
      // `decide` may put NOT before it.
      let operand = group.count == 1 ? operands : SQLFragment("(") + operands + SQLFragment(")")
      list.decide(operand, is: end, then: end)
      group = []
    }
    for part in parts.dropLast() {
      if part.mayThrow {
        close()
        list.fail(part)
        list.decide(part.conditionOperand, is: end, then: end)
      } else {
        group.append(part)
      }
    }
    close()
    return list.scalar(otherwise: parts[parts.count - 1].condition, mayThrow: true)
  }

  /// Joins operands by an operator, with parentheses around each group of a long chain.
  private static func joined(_ operands: [SQLFragment], by op: String) -> SQLFragment {
    var operands = operands
    while operands.count > groupSize {
      operands = stride(from: 0, to: operands.count, by: groupSize).map { start in
        let group = operands[start..<min(start + groupSize, operands.count)]
        return group.count == 1 ? group[start] : SQLFragment("(") + SQLFragment(group, separator: op) + SQLFragment(")")
      }
    }
    return SQLFragment(operands[...], separator: op)
  }

  // MARK: - Alternating operators

  /// `((a || b) && c) || …` as one list of decisions: at each level, the other operands decide before the deepest one does.
  ///
  /// Their order differs from Swift's, so the result is nil if an operand that throws could be noticed by that.
  private func decisions(_ root: Int) -> Scalar? {
    var list = DecisionList()
    var (current, isNegated, isFiltering) = (root, false, nodes[root].isFiltering)
    while nodes[current].depth > Self.depthLimit {
      let node = nodes[current]
      if node.kind == .negation {
        (current, isNegated, isFiltering) = (node.children[0], !isNegated, false)
        continue
      }
      let deepest = node.children.indices.max { nodes[node.children[$0]].depth < nodes[node.children[$1]].depth }!
      let end = node.kind == .disjunction
      let (before, after) = (Array(node.children[..<deepest]), Array(node.children[(deepest + 1)...]))
      for (operands, isBefore) in [(before, true), (after, false)] where !operands.isEmpty {
        guard let part = chain(operands, of: node) else { return nil }
        if isBefore {
          if part.mayThrow, !isFiltering || end { list.fail(part) }
        } else {
          let deepestThrows = nodes[node.children[deepest]].mayThrow
          guard !deepestThrows || (isFiltering && !end), !part.mayThrow || isFiltering else { return nil }
        }
        list.decide(part.conditionOperand, is: end, then: end != isNegated, nullCounts: isFiltering && !end)
      }
      current = node.children[deepest]
      isFiltering = isFiltering && (!end || after.isEmpty)
    }
    guard let last = scalar(of: current) else { return nil }
    let end = isNegated ? SQLFragment("NOT ") + last.conditionOperand : last.condition
    return list.scalar(otherwise: end, mayThrow: nodes[root].mayThrow)
  }
}

/// `CASE WHEN … THEN …`, whose length SQL does not limit.
private struct DecisionList {
  private var sql = SQLFragment("CASE")
  private var isEmpty = true

  /// Decides if a condition has a value.
  /// - Parameter nullCounts: whether NULL counts as the value false.
  mutating func decide(_ operand: SQLFragment, is value: Bool, then result: Bool, nullCounts: Bool = false) {
    isEmpty = false
    sql.append(value ? " WHEN " : nullCounts ? " WHEN (" : " WHEN NOT ")
    sql.append(operand)
    if !value, nullCounts { sql.append(") IS NOT TRUE") }
    sql.append(result ? " THEN TRUE" : " THEN FALSE")
  }

  /// Ends with NULL if a value is NULL.
  mutating func fail(_ value: Scalar) {
    isEmpty = false
    sql.append(" WHEN ")
    sql.append(value.operand)
    sql.append(" IS NULL THEN NULL")
  }

  func scalar(otherwise last: SQLFragment, mayThrow: Bool) -> Scalar {
    // Negations alone decide nothing.
    if isEmpty { return .condition(last, mayThrow: mayThrow) }
    var sql = sql
    sql.append(" ELSE ")
    sql.append(last)
    sql.append(" END")
    return .condition(sql, mayThrow: mayThrow, isAtomic: true)
  }
}

extension Scalar {
  /// The value as an operand of AND, OR or NOT, which bind less than `=`.
  var conditionOperand: SQLFragment { isCondition ? operand : condition }
}

extension SQLFragment {
  fileprivate init(_ parts: ArraySlice<SQLFragment>, separator: String) {
    self.init("")
    for (index, part) in parts.enumerated() {
      if index > 0 { append(separator) }
      append(part)
    }
  }
}
