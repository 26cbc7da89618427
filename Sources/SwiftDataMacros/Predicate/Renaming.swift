import SwiftSyntax

// Gives captured values the names that they have in the expansion.

extension PredicateLowering {
  /// A captured expression with the names that its `let` values have in the expansion.
  func renamed(_ expression: ExprSyntax) -> ExprSyntax {
    Renamer { name in
      switch self.binding(of: name) {
      case .captured(let own): ExprSyntax(DeclReferenceExprSyntax(baseName: .identifier(own)))
      case .softened(let own):
        ExprSyntax(ForceUnwrapExprSyntax(expression: DeclReferenceExprSyntax(baseName: .identifier(own))))
      case .node, nil: nil
      }
    }.rewrite(expression).cast(ExprSyntax.self)
  }
}

/// Renames references, except where a closure of the expression declares the name itself.
private final class Renamer: SyntaxRewriter {
  private let replacement: (String) -> ExprSyntax?
  private var hidden: [Set<String>] = []

  init(_ replacement: @escaping (String) -> ExprSyntax?) {
    self.replacement = replacement
    super.init(viewMode: .sourceAccurate)
  }

  private func value(of token: TokenSyntax) -> ExprSyntax? {
    hidden.contains { $0.contains(token.text) } ? nil : replacement(token.text)
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard !node.isMemberName, let value = value(of: node.baseName) else { return ExprSyntax(node) }
    return value.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
  }

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    let signature = node.signature.map { visit($0) }
    let captured = node.signature?.capture?.items.map(\.name.text) ?? []
    hidden.append(Set((node.parameterNames ?? []) + captured).union(DeclaredNames(in: node.statements).names))
    defer { hidden.removeLast() }
    return ExprSyntax(node.with(\.signature, signature).with(\.statements, visit(node.statements)))
  }

  /// `if let name` becomes `if let` of the new name, which the references in its branch have too.
  override func visit(_ node: OptionalBindingConditionSyntax) -> OptionalBindingConditionSyntax {
    guard node.initializer == nil, let pattern = node.pattern.as(IdentifierPatternSyntax.self),
      let value = value(of: pattern.identifier)
    else { return super.visit(node) }
    guard let name = value.as(DeclReferenceExprSyntax.self)?.baseName.text else {
      return node.with(\.initializer, initializer(value))
    }
    let identifier = TokenSyntax.identifier(
      name, leadingTrivia: pattern.identifier.leadingTrivia, trailingTrivia: pattern.identifier.trailingTrivia)
    return node.with(\.pattern, PatternSyntax(pattern.with(\.identifier, identifier)))
  }

  /// `[name]` captures the value that the name has outside.
  override func visit(_ node: ClosureCaptureSyntax) -> ClosureCaptureSyntax {
    guard node.initializer == nil, let value = value(of: node.name) else { return super.visit(node) }
    return node.with(\.initializer, initializer(value))
  }

  private func initializer(_ value: ExprSyntax) -> InitializerClauseSyntax {
    InitializerClauseSyntax(equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: value)
  }
}

/// The names that statements declare, at any depth.
private final class DeclaredNames: SyntaxVisitor {
  private(set) var names: Set<String> = []

  init(in statements: CodeBlockItemListSyntax) {
    super.init(viewMode: .sourceAccurate)
    walk(statements)
  }

  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.identifier.text)
    return .skipChildren
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    // `if let name` reads the name from outside.
    node.initializer == nil ? .skipChildren : .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    names.insert(node.name.text)
    return .visitChildren
  }
}
