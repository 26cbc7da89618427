import SwiftSyntax

// Lowers expressions that do not mention the model. Swift evaluates them when the predicate is created.

extension PredicateLowering {
  func captured(_ expression: ExprSyntax, _ role: Role) -> Node {
    if let literal = expression.as(BooleanLiteralExprSyntax.self) {
      return .constant(literal.literal.tokenKind == .keyword(.true))
    }
    if expression.is(NilLiteralExprSyntax.self) { return .null }
    let expression = renamed(expression)
    let softener = Softener(makeName: { self.makeName("__c") })
    let softened = softener.rewrite(expression)
    if softener.parts.isEmpty { return .inline("\(Self.build)value(\(expression.code))") }
    // A short circuit must protect the rest of the expression from failing, so the nodes evaluate it.
    if expression.isShortCircuit { return lowered(expression, role) }
    let value = softener.parts.enumerated().reversed().reduce(softened.trimmedDescription) { inner, part in
      let isLast = part.offset == softener.parts.count - 1
      return "(\(part.element.value)).\(isLast ? "map" : "flatMap")({ \(part.element.name) in \(inner) })"
    }
    return emit(foundation: "build_ForcedUnwrap", "\(Self.build)value(\(value))")
  }
}

extension ExprSyntax {
  /// Whether Swift may skip a part of the expression.
  fileprivate var isShortCircuit: Bool {
    if self.is(TernaryExprSyntax.self) || self.is(IfExprSyntax.self) || self.is(SwitchExprSyntax.self) { return true }
    if let prefix = self.as(PrefixOperatorExprSyntax.self) {
      return prefix.operator.text == "!" && prefix.expression.bare.isShortCircuit
    }
    return self.as(InfixOperatorExprSyntax.self)?.name.map(["&&", "||", "??"].contains) ?? false
  }
}

/// Replaces subexpressions that could trap by names, and records an optional for each.
private final class Softener: SyntaxRewriter {
  private(set) var parts: [(name: String, value: String)] = []
  private let makeName: () -> String

  init(makeName: @escaping () -> String) {
    self.makeName = makeName
    super.init(viewMode: .sourceAccurate)
  }

  private func replace(_ value: String, _ node: some ExprSyntaxProtocol) -> ExprSyntax {
    let name = makeName()
    parts.append((name, value))
    return ExprSyntax(
      DeclReferenceExprSyntax(baseName: .identifier(name))
        .with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
    )
  }

  override func visit(_ node: ForceUnwrapExprSyntax) -> ExprSyntax {
    replace(visit(node.expression).trimmedDescription, node)
  }

  override func visit(_ node: SubscriptCallExprSyntax) -> ExprSyntax {
    guard node.arguments.count == 1, let argument = node.arguments.first, argument.label == nil,
      node.trailingClosure == nil
    else { return super.visit(node) }
    let base = visit(node.calledExpression).trimmedDescription
    let index = visit(argument.expression).trimmedDescription
    return replace("\(PredicateLowering.build)element(\(base), \(index)) { $0[$1] }", node)
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> ExprSyntax {
    guard let name = node.name, ["/", "%"].contains(name), !node.rightOperand.bare.isNumber else {
      return super.visit(node)
    }
    let left = visit(node.leftOperand)
    let right = replace(
      "\(PredicateLowering.build)divisor(\(visit(node.rightOperand).trimmedDescription))", node.rightOperand)
    return ExprSyntax(node.with(\.leftOperand, left).with(\.rightOperand, right))
  }

  /// Closures, optional chains and short circuits handle failure themselves.
  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: OptionalChainingExprSyntax) -> ExprSyntax { ExprSyntax(node) }
}

extension ExprSyntax {
  fileprivate var isNumber: Bool { self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self) }
}
