import SwiftSyntax

extension PersistedProperty.Observer {
  /// The statements of the body, for the setter of a property.
  ///
  /// An assignment to the property itself is spelled with `self`: without it the compiler warns of "attempting to
  /// modify within its own setter", which is what the observer means to do and what `__observer` makes safe.
  func text(for property: String) -> String {
    let statements = body.statements
    let shadows = statements.tokens(viewMode: .sourceAccurate).contains { token in
      token.text == property && token.parent?.is(DeclReferenceExprSyntax.self) == false
    }
    if shadows { return statements.trimmedDescription }
    return QualifyingRewriter(property).rewrite(statements).trimmedDescription
  }
}

/// Writes `self.` before the references to one name.
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
  /// Whether the reference is the part after a dot, or a component of a key path.
  fileprivate var isMemberName: Bool {
    if let access = parent?.as(MemberAccessExprSyntax.self) { return access.declName.id == id }
    return parent?.is(KeyPathPropertyComponentSyntax.self) == true
  }
}
