import SwiftSyntax

extension PersistedProperty.Observer {
  /// The statements of an observer's body for the property's setter.
  ///
  /// An assignment to the property itself is written with `self`. Without `self` the compiler warns of "attempting to
  /// modify within its own setter". The assignment is intended, and `__observer` makes it safe.
  func text(for property: String) -> String {
    let statements = body.statements
    let shadows = statements.tokens(viewMode: .sourceAccurate).contains { token in
      token.text == property && token.parent?.is(DeclReferenceExprSyntax.self) == false
    }
    if shadows { return statements.trimmedDescription }
    return QualifyingRewriter(property).rewrite(statements).trimmedDescription
  }
}

/// Adds `self.` to references to one name.
private final class QualifyingRewriter: SyntaxRewriter {
  private let name: String

  init(_ name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard node.baseName.text == name, node.argumentNames == nil, !node.isMemberName else { return ExprSyntax(node) }
    let member: ExprSyntax = "self.\(node.trimmed)"
    return member.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
  }
}

extension DeclReferenceExprSyntax {
  /// Whether the reference follows a dot or is a component of a key path.
  var isMemberName: Bool {
    if let access = parent?.as(MemberAccessExprSyntax.self) { return access.declName.id == id }
    return parent?.is(KeyPathPropertyComponentSyntax.self) == true
  }
}
