import SwiftSyntax

// Gives captured values the names that they have in the expansion.

extension PredicateLowering {
  /// A captured expression with the names that its `let` values have in the expansion.
  func renamed(_ expression: ExprSyntax) -> ExprSyntax {
    Renamer { name in
      if case .captured(let own)? = self.binding(of: name) { own } else { nil }
    }.rewrite(expression).cast(ExprSyntax.self)
  }
}

/// Renames references, except where a closure of the expression declares the name itself.
private final class Renamer: SyntaxRewriter {
  private let newName: (String) -> String?
  private var hidden: [Set<String>] = []

  init(_ newName: @escaping (String) -> String?) {
    self.newName = newName
    super.init(viewMode: .sourceAccurate)
  }

  private func name(for token: TokenSyntax) -> String? {
    hidden.contains { $0.contains(token.text) } ? nil : newName(token.text)
  }

  private func reference(_ name: String) -> ExprSyntax {
    ExprSyntax(DeclReferenceExprSyntax(baseName: .identifier(name)))
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard !node.isMemberName, let name = name(for: node.baseName) else { return ExprSyntax(node) }
    return ExprSyntax(
      node.with(
        \.baseName,
        .identifier(name, leadingTrivia: node.baseName.leadingTrivia, trailingTrivia: node.baseName.trailingTrivia)))
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
      let name = name(for: pattern.identifier)
    else { return super.visit(node) }
    let identifier = TokenSyntax.identifier(
      name, leadingTrivia: pattern.identifier.leadingTrivia, trailingTrivia: pattern.identifier.trailingTrivia)
    return node.with(\.pattern, PatternSyntax(pattern.with(\.identifier, identifier)))
  }

  /// `[name]` captures the value that the name has outside.
  override func visit(_ node: ClosureCaptureSyntax) -> ClosureCaptureSyntax {
    guard node.initializer == nil, let name = name(for: node.name) else { return super.visit(node) }
    return node.with(
      \.initializer,
      InitializerClauseSyntax(equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: reference(name))
    )
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
