import SwiftSyntax

// Which expressions depend on the model, and which are captured.

extension PredicateLowering {
  /// Whether an expression mentions something that stands for a node.
  func depends(_ syntax: some SyntaxProtocol) -> Bool {
    let finder = NodeFinder { name in
      if case .node? = self.binding(of: name) { true } else { false }
    }
    finder.walk(syntax)
    return finder.found
  }
}

/// Looks for names that stand for nodes, but not where a closure or a declaration in the expression hides them.
private final class NodeFinder: SyntaxVisitor {
  let isNode: (String) -> Bool
  private(set) var found = false
  private var hidden: [Set<String>] = []

  init(isNode: @escaping (String) -> Bool) {
    self.isNode = isNode
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    // The name behind a dot is a member's.
    if let member = node.parent?.as(MemberAccessExprSyntax.self), member.declName.id == node.id { return .skipChildren }
    if node.parent?.is(KeyPathPropertyComponentSyntax.self) == true { return .skipChildren }
    let name = node.baseName.text
    if !hidden.contains(where: { $0.contains(name) }), isNode(name) { found = true }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    // Inside a closure without named parameters `$0` is the closure's own.
    hidden.append(Set(node.parameterNames ?? ["$0", "$1", "$2", "$3"]))
    return .visitChildren
  }

  override func visitPost(_ node: ClosureExprSyntax) { hidden.removeLast() }

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    // `if let name` reads the name without mentioning it.
    if node.initializer == nil, let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
      !hidden.contains(where: { $0.contains(name) }), isNode(name)
    {
      found = true
    }
    return .visitChildren
  }
}

extension ExprSyntax {
  /// The expression without parentheres around it, and without `try`, which the node does not need.
  var bare: ExprSyntax {
    if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first,
      only.label == nil
    {
      return only.expression.bare
    }
    if let attempt = self.as(TryExprSyntax.self), attempt.questionOrExclamationMark == nil {
      return attempt.expression.bare
    }
    return self
  }

  /// The text without comments and white space around it.
  var code: String { trimmedDescription }
}

extension InfixOperatorExprSyntax {
  /// The operator's name; nil for assignment and arrows.
  var name: String? { self.operator.as(BinaryOperatorExprSyntax.self)?.operator.text }
}
