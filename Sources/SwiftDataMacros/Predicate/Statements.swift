import SwiftSyntax

// Lowers the statements of a closure and its branches: declarations, conditions, results.

extension PredicateLowering {
  /// Lowers statements to the node of their result.
  /// - Parameter following: the result of the statements after them, for statements that end without one.
  func body(_ items: [CodeBlockItemSyntax], of owner: Syntax, _ role: Role, following: Node? = nil) -> Node {
    body(items[...], of: owner, role, following)
  }

  private func body(
    _ items: ArraySlice<CodeBlockItemSyntax>,
    of owner: Syntax,
    _ role: Role,
    _ following: Node?
  ) -> Node {
    guard let item = items.first else { return following ?? fail(PredicateDiagnostics.missingResult(owner)) }
    let rest = items.dropFirst()
    func goOn() -> Node { body(rest, of: owner, role, following) }
    // The statement before the rest does not know the names that the rest declares.
    func later() -> Node { scope(goOn) }
    switch item.item {
    case .decl(let declaration):
      guard let variable = declaration.as(VariableDeclSyntax.self) else {
        return fail(PredicateDiagnostics.unsupportedStatement(Syntax(declaration)))
      }
      declare(variable)
      return goOn()
    case .expr(let expression):
      return value(of: expression, role, after: rest.isEmpty ? following : nil, isLast: rest.isEmpty, later)
    case .stmt(let statement):
      switch statement.as(StmtSyntaxEnum.self) {
      case .returnStmt(let result):
        guard let expression = result.expression else { return fail(PredicateDiagnostics.missingResult(owner)) }
        return lower(expression, role)
      case .expressionStmt(let inner):
        return value(of: inner.expression, role, after: following, isLast: rest.isEmpty, later)
      case .guardStmt(let guardian):
        let no = scope { body(Array(guardian.body.statements), of: Syntax(guardian.body), role) }
        return scope { branch(guardian.conditions.map(\.self)[...], role, no, yes: goOn) }
      case .doStmt(let block) where block.catchClauses.isEmpty:
        let after = rest.isEmpty ? following : later()
        return scope { body(Array(block.body.statements), of: Syntax(block), role, following: after) }
      case .breakStmt where following != nil: return following!
      default: return fail(PredicateDiagnostics.unsupportedStatement(Syntax(statement)))
      }
    }
  }

  /// Lowers an expression statement. `if` and `switch` may end without a result.
  private func value(
    of expression: ExprSyntax,
    _ role: Role,
    after following: Node?,
    isLast: Bool,
    _ goOn: () -> Node
  ) -> Node {
    if let branch = expression.as(IfExprSyntax.self) {
      return lowerIf(branch, role, following: isLast ? following : goOn())
    }
    if let choice = expression.as(SwitchExprSyntax.self) {
      return lowerSwitch(choice, role, following: isLast ? following : goOn())
    }
    return isLast ? lower(expression, role) : fail(PredicateDiagnostics.unusedExpression(expression))
  }

  // MARK: - let

  private func declare(_ variable: VariableDeclSyntax) {
    guard variable.bindingSpecifier.tokenKind == .keyword(.let) else {
      _ = fail(PredicateDiagnostics.variable(variable))
      return
    }
    for binding in variable.bindings {
      guard let value = binding.initializer?.value else {
        _ = fail(PredicateDiagnostics.noInitialValue(binding))
        continue
      }
      if binding.pattern.is(WildcardPatternSyntax.self) { continue }
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
        _ = fail(PredicateDiagnostics.destructuring(binding.pattern))
        continue
      }
      declare(name, binding.typeAnnotation?.type, value)
    }
  }

  /// Gives a value a name, as `let` and a capture list do.
  func declare(_ name: String, _ type: TypeSyntax?, _ value: ExprSyntax) {
    if !depends(value), let (text, mayFail) = computed(value) {
      // The expansion has no braces around branches, and has them in another order. A value with the name `x` would hide the `x` outside.
      let own = makeName(Self.capturedPrefix)
      let type = type.map { mayFail ? ": (\($0.trimmedDescription))?" : ": \($0.trimmedDescription)" } ?? ""
      write("let \(own)\(type) = \(text)")
      bind(name, to: mayFail ? .softened(own) : .captured(own))
      return
    }
    let node = lower(value)
    if let type {
      bind(name, to: .node(emit(build: "typed", metatype(type), node.text)))
    } else {
      bind(name, to: .node(node.isNamed ? node : emit(node.text)))
    }
  }
}
