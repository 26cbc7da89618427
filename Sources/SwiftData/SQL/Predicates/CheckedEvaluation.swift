import Foundation

// Evaluation in memory that throws where Foundation's nodes trap: overflow, division by zero, a closed range whose bounds are
// in the wrong order. A fetch also evaluates unsaved objects, and a value of one of them must not end the program.
//
// A closure over a list takes an element for which it throws as one that does not match. Statements do the same.

extension PredicateExpression {
  /// Whether ``evaluate(_:)`` can trap. It depends on the type alone.
  var mayTrap: Bool {
    // A cast takes as long as a small fetch takes to find its statement.
    if let known = knownTraps.withLock({ $0[ObjectIdentifier(Self.self)] }) { return known }
    let node = self as? any CheckedExpression
    let answer = node.map { $0.isTrap || $0.parts.contains { $0.mayTrap } } ?? false
    knownTraps.withLock { $0[ObjectIdentifier(Self.self)] = answer }
    return answer
  }

  /// Whether ``checked(_:)`` can throw. It depends on the type alone.
  fileprivate var mayThrow: Bool {
    guard let node = self as? any CheckedExpression else { return false }
    return node.isTrap || node.isThrow || node.parts.contains { $0.mayThrow }
  }

  /// The value as ``evaluate(_:)`` returns it.
  /// - Throws: what ``evaluate(_:)`` throws, and an error where it traps.
  func checked(_ bindings: PredicateBindings) throws -> Output {
    // The cast cannot fail, because the node is this expression.
    func open<E: CheckedExpression>(_ node: E) throws -> Output { try node.checkedValue(bindings) as! Output }
    guard let node = self as? any CheckedExpression else { return try evaluate(bindings) }
    return try open(node)
  }

  /// The value as a captured one, so that a node of Foundation's can compute the rest.
  fileprivate func captured(_ bindings: PredicateBindings) throws -> PredicateExpressions.Value<Output> {
    PredicateExpressions.Value(try checked(bindings))
  }
}

/// Whether the evaluation of nodes of a type can trap.
private let knownTraps = Lock<[ObjectIdentifier: Bool]>([:])

/// The error where Swift traps.
private struct Trap: Error {}

/// A node that evaluates other nodes.
private protocol CheckedExpression: PredicateExpression {
  /// The nodes that it evaluates.
  var parts: [any PredicateExpression] { get }
  /// Whether the node itself can trap, or differs from Foundation's in what an error of a closure means.
  var isTrap: Bool { get }
  /// Whether the node itself throws for some values.
  var isThrow: Bool { get }
  func checkedValue(_ bindings: PredicateBindings) throws -> Output
}

extension CheckedExpression {
  fileprivate var isTrap: Bool { false }
  fileprivate var isThrow: Bool { false }
}

// MARK: - Nodes that trap

/// The result of an operation that did not overflow.
private func exact<I>(_ result: (partialValue: I, overflow: Bool)) throws -> I {
  if result.overflow { throw Trap() }
  return result.partialValue
}

extension PredicateExpressions.Arithmetic: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate var isTrap: Bool { Output.self is any FixedWidthInteger.Type || Output.self == Decimal.self }

  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    let (left, right) = (try lhs.checked(bindings), try rhs.checked(bindings))
    // The casts cannot fail, because the operands and the result have the same type.
    func result<I: FixedWidthInteger>(_ left: I) throws -> I {
      let right = right as! I
      return switch op {
      case .add: try exact(left.addingReportingOverflow(right))
      case .subtract: try exact(left.subtractingReportingOverflow(right))
      case .multiply: try exact(left.multipliedReportingOverflow(by: right))
      }
    }
    if let left = left as? any FixedWidthInteger { return try result(left) as! Output }
    if op == .multiply, let left = left as? Decimal {
      guard let product = left.product(right as! Decimal) else { throw Trap() }
      return product as! Output
    }
    return switch op {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    }
  }
}

extension PredicateExpressions.IntDivision: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate var isTrap: Bool { true }

  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    let (left, right) = (try lhs.checked(bindings), try rhs.checked(bindings))
    // The casts cannot fail, because the operands and the result have the same type.
    func result<I: FixedWidthInteger>(_ left: I) throws -> I {
      try exact(left.dividedReportingOverflow(by: right as! I))
    }
    if let left = left as? any FixedWidthInteger { return try result(left) as! Output }
    return left / right
  }
}

extension PredicateExpressions.IntRemainder: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate var isTrap: Bool { true }

  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    let (left, right) = (try lhs.checked(bindings), try rhs.checked(bindings))
    // The casts cannot fail, because the operands and the result have the same type.
    func result<I: FixedWidthInteger>(_ left: I) throws -> I {
      try exact(left.remainderReportingOverflow(dividingBy: right as! I))
    }
    if let left = left as? any FixedWidthInteger { return try result(left) as! Output }
    return left % right
  }
}

extension PredicateExpressions.UnaryMinus: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [wrapped] }
  fileprivate var isTrap: Bool { Output.self is any FixedWidthInteger.Type }

  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    let value = try wrapped.checked(bindings)
    func result<I: FixedWidthInteger>(_ value: I) throws -> I {
      try exact((0 as I).subtractingReportingOverflow(value))
    }
    // The cast cannot fail, because the result has the type of the value.
    if let value = value as? any FixedWidthInteger { return try result(value) as! Output }
    return -value
  }
}

extension PredicateExpressions.ClosedRange: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lower, upper] }
  fileprivate var isTrap: Bool { true }

  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    let (low, high) = (try lower.checked(bindings), try upper.checked(bindings))
    guard low <= high else { throw Trap() }
    return low...high
  }
}

// MARK: - Conditions

extension PredicateExpressions.Conjunction: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try lhs.checked(bindings) && rhs.checked(bindings)
  }
}

extension PredicateExpressions.Disjunction: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try lhs.checked(bindings) || rhs.checked(bindings)
  }
}

extension PredicateExpressions.Negation: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [wrapped] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output { try !wrapped.checked(bindings) }
}

extension PredicateExpressions.Conditional: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [test, trueBranch, falseBranch] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try test.checked(bindings) ? trueBranch.checked(bindings) : falseBranch.checked(bindings)
  }
}

extension PredicateExpressions.Equal: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try lhs.checked(bindings) == rhs.checked(bindings)
  }
}

extension PredicateExpressions.NotEqual: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try lhs.checked(bindings) != rhs.checked(bindings)
  }
}

extension PredicateExpressions.Comparison: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    op.holds(try lhs.checked(bindings), try rhs.checked(bindings))
  }
}

// MARK: - Values

extension PredicateExpressions.KeyPath: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [root] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try root.checked(bindings)[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>]
  }
}

extension PredicateExpressions.FloatDivision: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try lhs.checked(bindings) / rhs.checked(bindings)
  }
}

extension PredicateExpressions.NilCoalesce: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try lhs.checked(bindings) ?? rhs.checked(bindings)
  }
}

extension PredicateExpressions.OptionalFlatMap: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [wrapped, transform] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    guard let value = try wrapped.checked(bindings) else { return nil }
    var inner = bindings
    inner[variable] = value
    let result: Any = try transform.checked(inner)
    // The casts cannot fail, because a transform returns the result or an optional of it.
    return RHS.Output.self == Result.self ? .some(result as! Result) : result as! Result?
  }
}

extension PredicateExpressions.ForcedUnwrap: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [inner] }
  fileprivate var isThrow: Bool { true }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try PredicateExpressions.build_ForcedUnwrap(inner.captured(bindings)).evaluate(bindings)
  }
}

extension PredicateExpressions.TypeCheck: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [input] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try input.checked(bindings) is Desired
  }
}

extension PredicateExpressions.ConditionalCast: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [input] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try PredicateExpressions.ConditionalCast<PredicateExpressions.Value<Input.Output>, Desired>(
      input.captured(bindings)
    ).evaluate(bindings)
  }
}

extension PredicateExpressions.ForceCast: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [input] }
  fileprivate var isThrow: Bool { true }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try PredicateExpressions.ForceCast<PredicateExpressions.Value<Input.Output>, Desired>(
      input.captured(bindings)
    ).evaluate(bindings)
  }
}

extension PredicateExpressions.ExpressionEvaluate: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] {
    var parts: [any PredicateExpression] = [expression]
    for input in repeat each input { parts.append(input) }
    return parts
  }
  /// The nodes of a captured expression are not part of the type.
  fileprivate var isTrap: Bool { true }

  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    let known = try expression.checked(bindings)
    return try known.expression.checked(Self.bindings(of: known, to: repeat (each input).checked(bindings)))
  }
}

// MARK: - Ranges, collections, texts

extension PredicateExpressions.Range: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [lower, upper] }
  fileprivate var isThrow: Bool { true }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try PredicateExpressions.Range(lower: lower.captured(bindings), upper: upper.captured(bindings)).evaluate(bindings)
  }
}

extension PredicateExpressions.RangeExpressionContains: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [range, element] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    let (range, element) = (try range.checked(bindings), try element.checked(bindings))
    return range.contains(element)
  }
}

extension PredicateExpressions.SequenceContains: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [sequence, element] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    let (sequence, element) = (try sequence.checked(bindings), try element.checked(bindings))
    return sequence.contains(element)
  }
}

extension PredicateExpressions.SequenceContainsWhere: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [sequence, test] }
  fileprivate var isTrap: Bool { test.mayThrow }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    var inner = bindings
    return try sequence.checked(bindings).contains { element in
      inner[variable] = element
      return (try? test.checked(inner)) == true
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [sequence, test] }
  fileprivate var isTrap: Bool { test.mayThrow }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    var inner = bindings
    return try sequence.checked(bindings).allSatisfy { element in
      inner[variable] = element
      return (try? test.checked(inner)) == true
    }
  }
}

extension PredicateExpressions.Filter: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [sequence, filter] }
  fileprivate var isTrap: Bool { filter.mayThrow }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    var inner = bindings
    return try sequence.checked(bindings).filter { element in
      inner[variable] = element
      return (try? filter.checked(inner)) == true
    }
  }
}

extension PredicateExpressions.SequenceMaximum: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [elements] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output { try elements.checked(bindings).max() }
}

extension PredicateExpressions.SequenceMinimum: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [elements] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output { try elements.checked(bindings).min() }
}

extension PredicateExpressions.SequenceStartsWith: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [base, prefix] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try base.checked(bindings).starts(with: prefix.checked(bindings))
  }
}

extension PredicateExpressions.CollectionContainsCollection: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [base, other] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try base.checked(bindings).contains(other.checked(bindings))
  }
}

extension PredicateExpressions.StringContainsRegex: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [subject, regex] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try subject.checked(bindings).contains(regex.checked(bindings))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [wrapped, index] }
  fileprivate var isThrow: Bool { true }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try PredicateExpressions.CollectionIndexSubscript(
      wrapped: wrapped.captured(bindings), index: index.captured(bindings)
    ).evaluate(bindings)
  }
}

extension PredicateExpressions.CollectionRangeSubscript: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [wrapped, range] }
  fileprivate var isThrow: Bool { true }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try PredicateExpressions.CollectionRangeSubscript(
      wrapped: wrapped.captured(bindings), range: range.captured(bindings)
    ).evaluate(bindings)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [wrapped, key] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try wrapped.checked(bindings)[key.checked(bindings)]
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CheckedExpression {
  fileprivate var parts: [any PredicateExpression] { [wrapped, key, `default`] }
  fileprivate func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    try wrapped.checked(bindings)[key.checked(bindings)] ?? `default`.checked(bindings)
  }
}
