import SwiftSyntax

// Lowers chains such as `$0.album?.tracks.filter { … }.count`: members, calls, subscripts, `?` and `!`.

/// A link of a chain after its first expression.
enum Link {
  case member(DeclReferenceExprSyntax, in: MemberAccessExprSyntax)
  case call(FunctionCallExprSyntax)
  case subscripted(SubscriptCallExprSyntax)
  case unwrapped(ForceUnwrapExprSyntax)
  case optional(OptionalChainingExprSyntax)
}

extension PredicateLowering {
  func chain(_ expression: ExprSyntax) -> Node {
    guard let (base, links) = split(expression) else {
      return fail(PredicateDiagnostics.implicitMemberOfModel(expression))
    }
    if let base { return follow(lower(base), links[...]) }
    guard case .call(let call)? = links.first else { return fail(PredicateDiagnostics.unsupported(expression)) }
    return follow(globalCall(call), links.dropFirst())
  }

  /// Splits a chain into its first expression and its links. The first expression is nil for a function without a base;
  /// the result is nil if the chain begins with a dot.
  private func split(_ expression: ExprSyntax) -> (ExprSyntax?, [Link])? {
    var current = expression
    var links: [Link] = []
    while true {
      if !links.isEmpty, !depends(current) { break }
      if let member = current.as(MemberAccessExprSyntax.self) {
        guard let base = member.base else { return nil }
        links.append(.member(member.declName, in: member))
        current = base
      } else if let call = current.as(FunctionCallExprSyntax.self) {
        links.append(.call(call))
        let callee = call.calledExpression
        guard callee.is(MemberAccessExprSyntax.self) || callee.is(OptionalChainingExprSyntax.self) else {
          return (nil, links.reversed())
        }
        current = callee
      } else if let call = current.as(SubscriptCallExprSyntax.self) {
        links.append(.subscripted(call))
        current = call.calledExpression
      } else if let unwrap = current.as(ForceUnwrapExprSyntax.self) {
        links.append(.unwrapped(unwrap))
        current = unwrap.expression
      } else if let optional = current.as(OptionalChainingExprSyntax.self) {
        links.append(.optional(optional))
        current = optional.expression
      } else {
        break
      }
    }
    // A method is not a value by itself. Its name belongs to the call.
    if case .call? = links.last, let member = current.as(MemberAccessExprSyntax.self) {
      guard let base = member.base else { return nil }
      links.append(.member(member.declName, in: member))
      current = base
    }
    // The value of a captured chain such as `trip?.tags` is optional, and nil ends the rest of the chain too.
    if !links.isEmpty, !depends(current), let optional = current.openOptional {
      links.append(.optional(optional))
      if current.id == optional.id { current = optional.expression }
    }
    return (current, links.reversed())
  }

  /// Follows the links from a value. Each `?` starts a closure that ends before the next `?`, so that nil ends the
  /// chain there.
  private func follow(_ start: Node, _ links: ArraySlice<Link>) -> Node {
    var current = start
    var rest = links
    while let link = rest.popFirst() {
      switch link {
      case .optional:
        let end = rest.firstIndex { if case .optional = $0 { true } else { false } } ?? rest.endIndex
        let part = rest[..<end]
        rest = rest[end...]
        let base = current
        let body = block { self.follow($0, part) }
        current = emit("\(Self.build)flatMap(\(base.text)) \(body)")
      case .unwrapped: current = emit(foundation: "build_ForcedUnwrap", current.text)
      case .subscripted(let call): current = lowerSubscript(call, of: current)
      case .call(let call): current = fail(PredicateDiagnostics.unsupported(ExprSyntax(call)))
      case .member(let name, let access):
        if case .call(let call)? = rest.first {
          rest.removeFirst()
          current = method(name, call, of: current, &rest)
        } else {
          current = member(name, access, of: current)
        }
      }
    }
    return current
  }

  private func member(_ name: DeclReferenceExprSyntax, _ access: MemberAccessExprSyntax, of base: Node) -> Node {
    switch name.baseName.text {
    case "self", "lazy": return base
    case "capitalized": return emit(foundation: "build_capitalized", base.text)
    default:
      guard name.argumentNames == nil, name.baseName.text.first?.isNumber != true else {
        return fail(PredicateDiagnostics.unsupported(ExprSyntax(access)))
      }
      return emit(build: "member", base.text, "\\.\(name.baseName.text)")
    }
  }

  private func lowerSubscript(_ call: SubscriptCallExprSyntax, of base: Node) -> Node {
    let labels = call.arguments.map(\.label?.text)
    if labels == ["keyPath"], let path = call.arguments.first?.expression.bare {
      if let written = path.as(KeyPathExprSyntax.self) { return follow(written, from: base) }
      if !depends(path) { return emit(build: "captured", base.text, renamed(path).code) }
    }
    guard labels == [nil] || labels == [nil, "default"], call.trailingClosure == nil else {
      return fail(PredicateDiagnostics.unsupported(ExprSyntax(call)))
    }
    let arguments = call.arguments.map { ($0.label.map { "\($0.text): " } ?? "") + text($0.expression) }
    return emit("\(Self.foundation)build_subscript(\(([base.text] + arguments).joined(separator: ", ")))")
  }

  // MARK: - Key paths as closures

  /// Applies a key path to a value.
  func follow(_ keyPath: KeyPathExprSyntax, from value: Node) -> Node {
    var source: ExprSyntax = "__root"
    for item in keyPath.components {
      switch item.component {
      case .property(let property):
        source = ExprSyntax(MemberAccessExprSyntax(base: source, declName: property.declName.trimmed))
      case .optional(let mark):
        source =
          mark.questionOrExclamationMark.tokenKind == .exclamationMark
          ? ExprSyntax(ForceUnwrapExprSyntax(expression: source))
          : ExprSyntax(OptionalChainingExprSyntax(expression: source))
      case .subscript(let part):
        source = ExprSyntax(SubscriptCallExprSyntax(calledExpression: source, arguments: part.arguments))
      default: return fail(PredicateDiagnostics.unsupportedKeyPath(keyPath))
      }
    }
    return scope {
      bind("__root", to: .node(value))
      return lower(source)
    }
  }
}

extension ExprSyntax {
  /// The last `?` of a chain of members, calls, subscripts and `!`.
  var openOptional: OptionalChainingExprSyntax? {
    var current = self
    while true {
      if let optional = current.as(OptionalChainingExprSyntax.self) { return optional }
      guard let base = current.chainBase else { return nil }
      current = base
    }
  }

  /// The first `?` of such a chain.
  var firstOptional: OptionalChainingExprSyntax? {
    var (current, first) = (self, OptionalChainingExprSyntax?.none)
    while let optional = current.openOptional { (current, first) = (optional.expression, optional) }
    return first
  }

  /// The expression before the last link of a chain.
  private var chainBase: ExprSyntax? {
    switch self.as(ExprSyntaxEnum.self) {
    case .memberAccessExpr(let member): member.base
    case .functionCallExpr(let call): call.calledExpression
    case .subscriptCallExpr(let call): call.calledExpression
    case .forceUnwrapExpr(let unwrap): unwrap.expression
    default: nil
    }
  }
}
