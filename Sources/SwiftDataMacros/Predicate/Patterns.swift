import SwiftSyntax

// Lowers patterns such as `case .pending`, `case 1...5` and `case let name?` to conditions and bindings.

/// The value that a pattern is matched against.
indirect enum Subject {
  case one(PredicateLowering.Node)
  case tuple([Subject])
}

extension PredicateLowering {
  func subject(_ expression: ExprSyntax) -> Subject {
    if let tuple = expression.bare.as(TupleExprSyntax.self), tuple.elements.count > 1 {
      return .tuple(tuple.elements.map { subject($0.expression) })
    }
    let node = lower(expression)
    return .one(node.isNamed ? node : emit(node.text))
  }

  /// Tests whether a subject matches a pattern, and binds the pattern's names in the current scope.
  func match(_ pattern: PatternSyntax, _ subject: Subject) -> Node {
    switch pattern.as(PatternSyntaxEnum.self) {
    case .wildcardPattern: return .constant(true)
    case .valueBindingPattern(let binding): return match(binding.pattern, subject)
    case .identifierPattern(let name):
      guard case .one(let node) = subject else { return fail(PredicateDiagnostics.unsupportedPattern(pattern)) }
      bind(name.identifier.text, to: .node(node))
      return .constant(true)
    case .tuplePattern(let tuple):
      return match(tuple.elements.map(\.pattern), subject) ?? fail(PredicateDiagnostics.unsupportedPattern(pattern))
    case .isTypePattern(let test):
      guard case .one(let node) = subject else { return fail(PredicateDiagnostics.unsupportedPattern(pattern)) }
      return emit(build: "check", node.text, metatype(test.type))
    case .expressionPattern(let inner):
      return match(inner.expression, subject) ?? fail(PredicateDiagnostics.unsupportedPattern(pattern))
    default: return fail(PredicateDiagnostics.unsupportedPattern(pattern))
    }
  }

  private func match(_ patterns: [PatternSyntax], _ subject: Subject) -> Node? {
    guard case .tuple(let subjects) = subject, subjects.count == patterns.count else {
      if case .one = subject, patterns.count == 1 { return match(patterns[0], subject) }
      return nil
    }
    return zip(patterns, subjects).reduce(.constant(true)) { conjunction($0, match($1.0, $1.1)) }
  }

  /// Tests whether a subject matches an expression pattern. The result is nil if no node can express it.
  private func match(_ expression: ExprSyntax, _ subject: Subject) -> Node? {
    if let inner = expression.as(PatternExprSyntax.self) { return match(inner.pattern, subject) }
    if expression.is(DiscardAssignmentExprSyntax.self) { return .constant(true) }
    if let tuple = expression.as(TupleExprSyntax.self) {
      return match(tuple.elements.map { PatternSyntax(ExpressionPatternSyntax(expression: $0.expression)) }, subject)
    }
    guard case .one(let node) = subject else { return nil }
    if let optional = expression.as(OptionalChainingExprSyntax.self) {
      return matchPresent(optional.expression, node)
    }
    if let call = expression.as(FunctionCallExprSyntax.self), call.hasPattern {
      guard call.calledExpression.code == ".some" || call.calledExpression.code == "Optional.some",
        call.arguments.count == 1, let only = call.arguments.first
      else { return nil }
      return matchPresent(only.expression, node)
    }
    if let cast = expression.as(AsExprSyntax.self) {
      return matchPresent(cast.expression, emit(build: "cast", node.text, metatype(cast.type)))
    }
    return matches(expression, node)
  }

  private func matchPresent(_ pattern: ExprSyntax, _ optional: Node) -> Node? {
    let isPresent = emit(build: "isPresent", optional.text)
    let value = emit(foundation: "build_ForcedUnwrap", optional.text)
    return match(pattern, .one(value)).map { conjunction(isPresent, $0) }
  }

  /// `pattern ~= value`
  func matches(_ pattern: ExprSyntax, _ value: Node) -> Node {
    let pattern = pattern.bare
    if let range = pattern.as(InfixOperatorExprSyntax.self)?.name, ["...", "..<"].contains(range) {
      // Foundation's node traps where a row's bounds are in the wrong order.
      if range == "...", depends(pattern) { return emit(foundation: "build_contains", text(pattern), value.text) }
      return emit(foundation: "RangeExpressionContains", "range: \(text(pattern))", "element: \(value.text)")
    }
    switch lower(pattern) {
    case .null: return emit(build: "isNil", value.text)
    case .constant(true): return emit(build: "equal", value.text, "\(Self.build)value(true)")
    case let node: return emit(build: "matches", node.text, value.text)
    }
  }
}

extension FunctionCallExprSyntax {
  /// Whether an argument binds a name, as in `.some(let x)`.
  fileprivate var hasPattern: Bool {
    arguments.contains {
      $0.expression.is(PatternExprSyntax.self) || $0.expression.is(DiscardAssignmentExprSyntax.self)
    }
  }
}
