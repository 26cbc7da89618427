import SwiftSyntax

// Determines which expressions depend on the model and which are captured.

extension PredicateLowering {
  /// Whether an expression mentions a name that stands for a node.
  func depends(_ syntax: some SyntaxProtocol) -> Bool {
    let finder = NodeFinder { name in
      if case .node? = self.binding(of: name) { true } else { false }
    }
    finder.walk(syntax)
    return finder.found
  }
}

/// Finds names that stand for nodes, except where a closure or a declaration inside the expression shadows them.
private final class NodeFinder: SyntaxVisitor {
  let isNode: (String) -> Bool
  private(set) var found = false
  private var hidden: [Set<String>] = []

  init(isNode: @escaping (String) -> Bool) {
    self.isNode = isNode
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    // A name after a dot is a member's.
    if let member = node.parent?.as(MemberAccessExprSyntax.self), member.declName.id == node.id { return .skipChildren }
    if node.parent?.is(KeyPathPropertyComponentSyntax.self) == true { return .skipChildren }
    let name = node.baseName.text
    if !hidden.contains(where: { $0.contains(name) }), isNode(name) { found = true }
    return .visitChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
    // In a closure without named parameters, `$0` belongs to that closure.
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
  /// The expression without parentheses and `try`.
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

  /// The text without surrounding comments and white space.
  var code: String { trimmedDescription }
}

extension InfixOperatorExprSyntax {
  /// The operator's name, or nil for assignment and arrows.
  var name: String? { self.operator.as(BinaryOperatorExprSyntax.self)?.operator.text }
}
