import SwiftSyntax

// Lowers expressions that do not mention the model. Swift evaluates them when the predicate is created.

extension PredicateLowering {
  func captured(_ expression: ExprSyntax, _ role: Role) -> Node {
    if let literal = expression.as(BooleanLiteralExprSyntax.self) {
      return .constant(literal.literal.tokenKind == .keyword(.true))
    }
    if expression.is(NilLiteralExprSyntax.self) { return .null }
    let expression = renamed(expression)
    let softened = Softened(expression) { self.makeName(Self.capturedPrefix) }
    guard softened.mayFail else {
      // The place of a range whose bounds have no type of their own determines its type.
      guard let range = expression.as(InfixOperatorExprSyntax.self), range.mayBeInvalidRange else {
        return .inline("\(Self.build)value(\(expression.code))")
      }
      let value = range.softenedRange(range.leftOperand, range.rightOperand)
      return .inline("\(Self.foundation)build_ForcedUnwrap(\(Self.build)value(\(value)))")
    }
    // A short circuit must protect the rest of the expression from failing, so the nodes evaluate it.
    if expression.isShortCircuit { return lowered(expression, role) }
    return emit(foundation: "build_ForcedUnwrap", "\(Self.build)value(\(softened.text))")
  }

  /// The text of a captured expression for a `let`. It makes an optional if Swift could trap. The result is nil if nodes have to evaluate
  /// the expression.
  func computed(_ expression: ExprSyntax) -> (text: String, mayFail: Bool)? {
    let (whole, expression) = (renamed(expression), renamed(expression.bare))
    let softened = Softened(expression) { self.makeName(Self.capturedPrefix) }
    guard softened.mayFail else { return (whole.code, false) }
    return expression.is(IfExprSyntax.self) || expression.is(SwitchExprSyntax.self) ? nil : (softened.text, true)
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
  /// Each `?` after which nothing may fail.
  private var harmless: Set<SyntaxIdentifier> = []

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
    optionalChain(node) ?? replace(visit(node.expression).trimmedDescription, node)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax { optionalChain(node) ?? super.visit(node) }

  /// A chain such as `a?.f(b!)`. Swift evaluates what follows the first `?` only if the value before it is not nil. The result is nil if
  /// nothing after a `?` may fail.
  private func optionalChain(_ chain: some ExprSyntaxProtocol) -> ExprSyntax? {
    guard let optional = ExprSyntax(chain).firstOptional, !harmless.contains(optional.id) else { return nil }
    let name = "__base"
    let unwrapped = ReplacedOptional(optional, name).rewrite(chain).cast(ExprSyntax.self)
    let rest = Softened(unwrapped, makeName: makeName)
    guard rest.mayFail else {
      harmless.insert(optional.id)
      return nil
    }
    let (base, build) = (visit(optional.expression).trimmedDescription, PredicateLowering.build)
    return replace("\(build)flat(\(build)chain(\(base)) { \(name) in \(rest.text) })", chain)
  }

  /// `try?` would make one optional of two.
  override func visit(_ node: TryExprSyntax) -> ExprSyntax {
    guard node.questionOrExclamationMark?.tokenKind == .exclamationMark else { return super.visit(node) }
    return replace("try? Optional.some(\(visit(node.expression).trimmedDescription))", node)
  }

  override func visit(_ node: SubscriptCallExprSyntax) -> ExprSyntax {
    if let chain = optionalChain(node) { return chain }
    guard node.arguments.count == 1, let argument = node.arguments.first, argument.label == nil,
      node.trailingClosure == nil
    else { return super.visit(node) }
    let base = visit(node.calledExpression).trimmedDescription
    let index = visit(argument.expression).trimmedDescription
    return replace("\(PredicateLowering.build)element(\(base), \(index)) { $0[$1] }", node)
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
    if node.mayBeInvalidRange, node.leftOperand.hasType || node.rightOperand.hasType {
      let (left, right) = (visit(node.leftOperand), visit(node.rightOperand))
      return replace(node.softenedRange(left, right), node)
    }
    guard ["/", "%"].contains(name), !node.rightOperand.bare.isNumber else { return super.visit(node) }
    let left = visit(node.leftOperand)
    let right = replace(
      "\(PredicateLowering.build)divisor(\(visit(node.rightOperand).trimmedDescription))", node.rightOperand)
    return ExprSyntax(node.with(\.leftOperand, left).with(\.rightOperand, right))
  }

  /// `...a`, `..<a` and `a...` trap if `a` is NaN.
  override func visit(_ node: PrefixOperatorExprSyntax) -> ExprSyntax {
    guard ["...", "..<"].contains(node.operator.text), let bound = softened(node.expression, "bound") else {
      return super.visit(node)
    }
    return ExprSyntax(node.with(\.expression, bound))
  }

  override func visit(_ node: PostfixOperatorExprSyntax) -> ExprSyntax {
    guard node.operator.text == "...", let bound = softened(node.expression, "bound") else { return super.visit(node) }
    return ExprSyntax(node.with(\.expression, bound))
  }

  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    if let chain = optionalChain(node) { return chain }
    guard node.trailingClosure == nil, let last = node.arguments.last, last.expression.hasType else {
      return super.visit(node)
    }
    let labels = node.arguments.map(\.label?.text)
    if labels == [nil] { return converted(node, last.expression) ?? part(node, last.expression) ?? super.visit(node) }
    guard labels == ["repeating", "count"] else { return super.visit(node) }
    let called = visit(node.calledExpression)
    let arguments = node.arguments.map {
      $0.with(\.expression, ($0.id == last.id ? softened($0.expression, "count") : nil) ?? visit($0.expression))
    }
    return ExprSyntax(node.with(\.calledExpression, called).with(\.arguments, LabeledExprListSyntax(arguments)))
  }

  /// `Int(x)`, which traps for a number that the type does not have.
  private func converted(_ node: FunctionCallExprSyntax, _ argument: ExprSyntax) -> ExprSyntax? {
    guard let type = node.calledExpression.integerType else { return nil }
    let value = visit(argument).trimmedDescription
    return replace("\(PredicateLowering.build)integer(\(value), \(type).self) { \(type)($0) }", node)
  }

  /// `list.prefix(n)` and so on, which trap for a negative number.
  private func part(_ node: FunctionCallExprSyntax, _ argument: ExprSyntax) -> ExprSyntax? {
    guard let member = node.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base, base.hasType,
      ["prefix", "suffix", "dropFirst", "dropLast"].contains(member.declName.baseName.text)
    else { return nil }
    let (list, number) = (visit(base).trimmedDescription, visit(argument).trimmedDescription)
    let method = member.declName.baseName.text
    return replace("\(PredicateLowering.build)part(\(list), \(number)) { $0.\(method)($1) }", node)
  }

  /// An operand that a function of `__Build` checks. Nil if its type follows from its place, as a literal's does.
  private func softened(_ operand: ExprSyntax, _ check: String) -> ExprSyntax? {
    guard operand.hasType else { return nil }
    return replace("\(PredicateLowering.build)\(check)(\(visit(operand).trimmedDescription))", operand)
  }

  /// A trap in a closure may depend on its parameters, so it stays. Only `let` values of the predicate are parts there.
  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    SoftenedNames { self.replace($0, $1) }.rewrite(node).cast(ExprSyntax.self)
  }
}

/// Replaces `name!` of values that the predicate computes as optionals.
private final class SoftenedNames: SyntaxRewriter {
  private let replace: (String, ForceUnwrapExprSyntax) -> ExprSyntax

  init(_ replace: @escaping (String, ForceUnwrapExprSyntax) -> ExprSyntax) {
    self.replace = replace
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: ForceUnwrapExprSyntax) -> ExprSyntax {
    guard let name = node.expression.as(DeclReferenceExprSyntax.self)?.baseName.text,
      name.hasPrefix(PredicateLowering.capturedPrefix)
    else { return super.visit(node) }
    return replace(name, node)
  }
}

extension InfixOperatorExprSyntax {
  /// Whether it is a range whose bounds may be in the wrong order. Literals are as the programmer wrote them.
  fileprivate var mayBeInvalidRange: Bool {
    guard let name, ["...", "..<"].contains(name) else { return false }
    return tokens(viewMode: .sourceAccurate).contains { token in
      if case .identifier = token.tokenKind { true } else { false }
    }
  }

  /// The range with other operands, as an optional.
  fileprivate func softenedRange(_ left: ExprSyntax, _ right: ExprSyntax) -> String {
    let function = name == "..." ? "closedRange" : "range"
    return "\(PredicateLowering.build)\(function)(\(left.trimmedDescription), \(right.trimmedDescription))"
  }
}

/// Replaces `a?` by a name.
private final class ReplacedOptional: SyntaxRewriter {
  private let optional: OptionalChainingExprSyntax
  private let name: String

  init(_ optional: OptionalChainingExprSyntax, _ name: String) {
    (self.optional, self.name) = (optional, name)
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: OptionalChainingExprSyntax) -> ExprSyntax {
    guard node.id == optional.id else { return super.visit(node) }
    return ExprSyntax(
      DeclReferenceExprSyntax(baseName: .identifier(name))
        .with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia)
    )
  }
}

extension ExprSyntax {
  fileprivate var isNumber: Bool { self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self) }

  /// The name of an integer type, if the expression is one.
  fileprivate var integerType: String? {
    guard let name = self.as(DeclReferenceExprSyntax.self)?.baseName.text else { return nil }
    let types = ["Int", "UInt"].flatMap { type in ["", "8", "16", "32", "64", "128"].map { type + $0 } }
    return types.contains(name) ? name : nil
  }

  /// Whether the expression has a type of its own. A literal and `.member` have the type that their place expects.
  fileprivate var hasType: Bool {
    let expression = bare
    switch expression.as(ExprSyntaxEnum.self) {
    case .integerLiteralExpr, .floatLiteralExpr, .stringLiteralExpr, .nilLiteralExpr: return false
    case .prefixOperatorExpr(let prefix): return prefix.expression.hasType
    case .infixOperatorExpr(let infix): return infix.leftOperand.hasType || infix.rightOperand.hasType
    case .ternaryExpr(let choice): return choice.thenExpression.hasType || choice.elseExpression.hasType
    case .memberAccessExpr(let member): return member.base?.hasType ?? false
    case .functionCallExpr(let call): return call.calledExpression.hasType
    default: return true
    }
  }
}
