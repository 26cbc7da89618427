import SwiftSyntax

// Lowers expressions that do not mention the model. Swift evaluates them when the predicate is created.

extension PredicateLowering {
  func captured(_ expression: ExprSyntax, _ role: Role) -> Node {
    if let literal = expression.as(BooleanLiteralExprSyntax.self) {
      return .constant(literal.literal.tokenKind == .keyword(.true))
    }
    if expression.is(NilLiteralExprSyntax.self) { return .null }
    let expression = renamed(expression)
    let softened = Softened(expression) { self.makeName("__c") }
    guard softened.mayFail else { return .inline("\(Self.build)value(\(expression.code))") }
    // A short circuit must protect the rest of the expression from failing, so the nodes evaluate it.
    if expression.isShortCircuit { return lowered(expression, role) }
    return emit(foundation: "build_ForcedUnwrap", "\(Self.build)value(\(softened.text))")
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

/// A captured expression as an optional, which is nil where Swift would trap.
private struct Softened {
  let text: String
  /// Whether the optional can be nil.
  let mayFail: Bool

  init(_ expression: ExprSyntax, makeName: @escaping () -> String) {
    let softener = Softener(makeName: makeName)
    let softened = softener.rewrite(expression).trimmedDescription
    mayFail = !softener.parts.isEmpty
    let names = softener.parts.enumerated().reversed()
    text =
      mayFail
      ? names.reduce(softened) { inner, part in
        let isLast = part.offset == softener.parts.count - 1
        return "(\(part.element.value)).\(isLast ? "map" : "flatMap")({ \(part.element.name) in \(inner) })"
      } : ".some(\(softened))"
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
    let base = visit(node.calledExpression)
    let index = visit(argument.expression).trimmedDescription
    guard node.calledExpression.openOptional != nil else {
      return replace("\(PredicateLowering.build)element(\(base.trimmedDescription), \(index)) { $0[$1] }", node)
    }
    // After `?` the element is an optional, and the rest of the chain follows another `?`.
    let list = (base.as(OptionalChainingExprSyntax.self)?.expression ?? base).trimmedDescription
    let element = "\(PredicateLowering.build)element(of: \(list), \(index)) { $0[$1] }"
    if node.isChained { return ExprSyntax(OptionalChainingExprSyntax(expression: replace(element, node))) }
    return replace("\(PredicateLowering.build)flat(\(element))", node)
  }

  override func visit(_ node: AsExprSyntax) -> ExprSyntax {
    guard node.questionOrExclamationMark?.tokenKind == .exclamationMark else { return super.visit(node) }
    return replace("\(visit(node.expression).trimmedDescription) as? \(node.type.trimmedDescription)", node)
  }

  /// Only the part that Swift evaluates may fail.
  override func visit(_ node: TernaryExprSyntax) -> ExprSyntax {
    let yes = Softened(node.thenExpression, makeName: makeName)
    let no = Softened(node.elseExpression, makeName: makeName)
    guard yes.mayFail || no.mayFail else { return super.visit(node) }
    return replace("\(visit(node.condition).trimmedDescription) ? \(yes.text) : \(no.text)", node)
  }

  /// The right operand of a short circuit may fail only where Swift evaluates it.
  private func shortCircuit(_ name: String, _ node: InfixOperatorExprSyntax) -> ExprSyntax {
    let right = Softened(node.rightOperand, makeName: makeName)
    guard right.mayFail else { return super.visit(node) }
    let left = visit(node.leftOperand).trimmedDescription
    return switch name {
    case "&&": replace("\(left) ? \(right.text) : .some(false)", node)
    case "||": replace("\(left) ? .some(true) : \(right.text)", node)
    default: replace("\(PredicateLowering.build)present(\(left), or: \(right.text))", node)
    }
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> ExprSyntax {
    guard let name = node.name else { return super.visit(node) }
    if ["&&", "||", "??"].contains(name) { return shortCircuit(name, node) }
    guard ["/", "%"].contains(name), !node.rightOperand.bare.isNumber else { return super.visit(node) }
    let left = visit(node.leftOperand)
    let right = replace(
      "\(PredicateLowering.build)divisor(\(visit(node.rightOperand).trimmedDescription))", node.rightOperand)
    return ExprSyntax(node.with(\.leftOperand, left).with(\.rightOperand, right))
  }

  /// Closures, optional chains and short circuits handle failure themselves.
  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax { ExprSyntax(node) }
  override func visit(_ node: OptionalChainingExprSyntax) -> ExprSyntax { ExprSyntax(node) }
}

extension SubscriptCallExprSyntax {
  /// Whether a chain goes on after the subscript.
  fileprivate var isChained: Bool {
    guard let parent else { return false }
    if let member = parent.as(MemberAccessExprSyntax.self) { return member.base?.id == id }
    if let call = parent.as(FunctionCallExprSyntax.self) { return call.calledExpression.id == id }
    if let call = parent.as(SubscriptCallExprSyntax.self) { return call.calledExpression.id == id }
    return parent.is(OptionalChainingExprSyntax.self)
  }
}

extension ExprSyntax {
  fileprivate var isNumber: Bool { self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self) }
}
