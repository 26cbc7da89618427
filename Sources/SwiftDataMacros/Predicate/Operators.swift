import SwiftSyntax

// Lowers expressions by kind, and operators.

extension PredicateLowering {
  /// Lowers an expression to a node.
  func lower(_ expression: some ExprSyntaxProtocol, _ role: Role = .value) -> Node {
    let expression = ExprSyntax(expression).bare
    return depends(expression) ? lowered(expression, role) : captured(expression, role)
  }

  /// The node of an expression as an argument.
  func text(_ expression: some ExprSyntaxProtocol, _ role: Role = .value) -> String { lower(expression, role).text }

  /// Lowers an expression that is not a captured value.
  func lowered(_ expression: ExprSyntax, _ role: Role) -> Node {
    switch expression.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let name): reference(name)
    case .memberAccessExpr, .functionCallExpr, .subscriptCallExpr, .forceUnwrapExpr, .optionalChainingExpr:
      chain(expression)
    case .infixOperatorExpr(let infix): lowerInfix(infix)
    case .prefixOperatorExpr(let prefix): lowerPrefix(prefix)
    case .ternaryExpr(let ternary):
      choice(lower(ternary.condition, .condition), role, yes: { self.lower(ternary.thenExpression, role) }) {
        self.lower(ternary.elseExpression, role)
      }
    case .isExpr(let test): emit(build: "check", text(test.expression), metatype(test.type))
    case .asExpr(let cast):
      emit(
        build: cast.questionOrExclamationMark?.tokenKind == .postfixQuestionMark ? "cast" : "forceCast",
        text(cast.expression),
        metatype(cast.type)
      )
    case .ifExpr(let branch): lowerIf(branch, role)
    case .switchExpr(let choice): lowerSwitch(choice, role)
    default: fail(PredicateDiagnostics.unsupported(expression))
    }
  }

  func metatype(_ type: TypeSyntax) -> String { "(\(type.trimmedDescription)).self" }

  private func reference(_ name: DeclReferenceExprSyntax) -> Node {
    if case .node(let node)? = binding(of: name.baseName.text) { return node }
    return fail(PredicateDiagnostics.unsupported(ExprSyntax(name)))
  }

  // MARK: - Operators

  private func lowerInfix(_ infix: InfixOperatorExprSyntax) -> Node {
    let (left, right) = (infix.leftOperand, infix.rightOperand)
    switch infix.name {
    case "&&":
      return emit(foundation: "build_Conjunction", "lhs: \(text(left, .condition))", "rhs: \(text(right, .condition))")
    case "||":
      return emit(foundation: "build_Disjunction", "lhs: \(text(left, .condition))", "rhs: \(text(right, .condition))")
    case "==": return equality("equal", "isNil", left, right)
    case "!=": return equality("notEqual", "isPresent", left, right)
    case "<": return comparison(left, right, "lessThan")
    case "<=": return comparison(left, right, "lessThanOrEqual")
    case ">": return comparison(left, right, "greaterThan")
    case ">=": return comparison(left, right, "greaterThanOrEqual")
    case "+":
      if isText(left) || isText(right) { return fail(PredicateDiagnostics.concatenation(infix)) }
      return arithmetic(left, right, "add")
    case "-": return arithmetic(left, right, "subtract")
    case "*": return arithmetic(left, right, "multiply")
    case "/": return emit(foundation: "build_Division", "lhs: \(text(left))", "rhs: \(text(right))")
    case "%": return emit(foundation: "build_Remainder", "lhs: \(text(left))", "rhs: \(text(right))")
    // The element type of the empty list may be a model, which a captured value cannot be.
    case "??" where right.bare.isEmptyList: return emit(build: "orEmpty", text(left))
    case "??": return emit(build: "coalesce", text(left), text(right))
    case "...": return emit(foundation: "build_ClosedRange", "lower: \(text(left))", "upper: \(text(right))")
    case "..<": return emit(foundation: "build_Range", "lower: \(text(left))", "upper: \(text(right))")
    case "~=": return matches(left, lower(right))
    default: return fail(PredicateDiagnostics.unsupportedOperator(infix))
    }
  }

  /// Whether the expression is certainly text. Only a literal is; for any other expression the type checker decides.
  private func isText(_ expression: ExprSyntax) -> Bool { expression.bare.is(StringLiteralExprSyntax.self) }

  private func equality(_ name: String, _ nilName: String, _ left: ExprSyntax, _ right: ExprSyntax) -> Node {
    let (one, other) = (lower(left), lower(right))
    switch (one, other) {
    case (_, .null): return emit(build: nilName, one.text)
    case (.null, _): return emit(build: nilName, other.text)
    default: return emit(build: name, one.text, other.text)
    }
  }

  func comparison(_ left: ExprSyntax, _ right: ExprSyntax, _ name: String) -> Node {
    emit(foundation: "build_Comparison", "lhs: \(text(left))", "rhs: \(text(right))", "op: .\(name)")
  }

  private func arithmetic(_ left: ExprSyntax, _ right: ExprSyntax, _ name: String) -> Node {
    emit(foundation: "build_Arithmetic", "lhs: \(text(left))", "rhs: \(text(right))", "op: .\(name)")
  }

  private func lowerPrefix(_ prefix: PrefixOperatorExprSyntax) -> Node {
    switch prefix.operator.text {
    case "!": return emit(foundation: "build_Negation", text(prefix.expression, .condition))
    case "-": return emit(foundation: "build_UnaryMinus", text(prefix.expression))
    case "+": return lower(prefix.expression)
    default: return fail(PredicateDiagnostics.unsupportedPrefix(prefix))
    }
  }

  // MARK: - Choices

  /// Lowers `condition ? yes : no`. The nodes of both branches are created, which is harmless: a choice evaluates only
  /// the branch that it takes.
  func choice(_ condition: Node, _ role: Role, yes: () -> Node, no: () -> Node) -> Node {
    choice(condition, role, yes(), no())
  }

  func choice(_ condition: Node, _ role: Role, _ yes: Node, _ no: Node) -> Node {
    if case .constant(let known) = condition { return known ? yes : no }
    if case .condition = role {
      switch (yes, no) {
      case (.constant(true), .constant(true)), (.constant(false), .constant(false)): break
      case (.constant(true), .constant(false)): return condition
      case (.constant(false), .constant(true)): return emit(foundation: "build_Negation", condition.text)
      case (_, .constant(false)): return conjunction(condition, yes)
      case (.constant(true), _):
        return emit(foundation: "build_Disjunction", "lhs: \(condition.text)", "rhs: \(no.text)")
      default: break
      }
    }
    let text = "\(Self.build)conditional(\(condition.text), \(yes.text), \(no.text))"
    // If neither branch has a type of its own, the context of the choice determines it.
    return role == .value && !yes.isNamed && !no.isNamed ? .inline(text) : emit(text)
  }

  func conjunction(_ left: Node, _ right: Node) -> Node {
    if case .constant(true) = left { return right }
    if case .constant(true) = right { return left }
    return emit(foundation: "build_Conjunction", "lhs: \(left.text)", "rhs: \(right.text)")
  }
}

extension ExprSyntax {
  /// Whether the expression is `[]` or `[Element]()`.
  fileprivate var isEmptyList: Bool {
    if let list = self.as(ArrayExprSyntax.self) { return list.elements.isEmpty }
    guard let call = self.as(FunctionCallExprSyntax.self) else { return false }
    return call.calledExpression.is(ArrayExprSyntax.self) && call.arguments.isEmpty && call.trailingClosure == nil
  }
}
