import SwiftSyntax

// Lowers methods and functions that have predicate nodes.

extension PredicateLowering {
  /// Lowers a call of `name` on `base`.
  /// - Parameter rest: the links after the call. `map` consumes the next one.
  func method(
    _ name: DeclReferenceExprSyntax,
    _ call: FunctionCallExprSyntax,
    of base: Node,
    _ rest: inout ArraySlice<Link>
  ) -> Node {
    let signature = Call(name.baseName.text, call)
    if let node = textMethod(signature, base) ?? sequenceMethod(signature, base) ?? setMethod(signature, base) {
      return node
    }
    switch signature.signature {
    case "evaluate(_:)", "evaluate(_:_:)", "evaluate(_:_:_:)":
      return emit(build: "evaluate", ([base.text] + signature.arguments.map { text($0) }).joined(separator: ", "))
    case "flatMap(_:)": return closureCall("flatMap", base, signature.arguments[0])
    case "map(_:)": return mapping(signature, base, &rest)
    case "isMultiple(of:)":
      guard let divisor = signature.arguments[0].as(IntegerLiteralExprSyntax.self), divisor.literal.text != "0" else {
        return fail(PredicateDiagnostics.unsupportedMethod(name, signature))
      }
      let remainder = emit(foundation: "build_Remainder", "lhs: \(base.text)", "rhs: \(text(divisor))")
      return emit(build: "equal", remainder.text, "\(Self.build)value(0)")
    default: return fail(PredicateDiagnostics.unsupportedMethod(name, signature))
    }
  }

  // MARK: - Texts

  private static let textMethods: Set<String> = [
    "hasPrefix(_:)", "hasSuffix(_:)", "localizedStandardContains(_:)", "localizedCaseInsensitiveContains(_:)",
    "compare(_:)", "caseInsensitiveCompare(_:)", "localizedCompare(_:)", "localizedCaseInsensitiveCompare(_:)",
    "localizedStandardCompare(_:)",
  ]

  private func textMethod(_ call: Call, _ base: Node) -> Node? {
    if Self.textMethods.contains(call.signature) {
      return emit(foundation: "build_\(call.name)", base.text, text(call.arguments[0]))
    }
    guard ["lowercased()", "uppercased()"].contains(call.signature) else { return nil }
    return emit(foundation: "build_\(call.name)", base.text)
  }

  // MARK: - Sequences

  private func sequenceMethod(_ call: Call, _ base: Node) -> Node? {
    switch call.signature {
    case "contains(_:)":
      // A trailing closure has no label.
      if call.arguments[0].isClosure { return closureCall("contains", base, call.arguments[0], label: "where: ") }
      if base.isList { return emit(build: "containsElement", base.text, text(call.arguments[0])) }
      return emit(foundation: "build_contains", base.text, text(call.arguments[0]))
    case "contains(where:)": return closureCall("contains", base, call.arguments[0], label: "where: ")
    case "allSatisfy(_:)": return closureCall("allSatisfy", base, call.arguments[0])
    case "filter(_:)": return closureCall("filter", base, call.arguments[0])
    case "first(where:)", "first(_:)":
      return emit(build: "member", closureCall("filter", base, call.arguments[0]).text, "\\.first")
    case "count(where:)", "count(_:)":
      return emit(build: "member", closureCall("filter", base, call.arguments[0]).text, "\\.count")
    case "starts(with:)": return emit(foundation: "build_starts", base.text, "with: \(text(call.arguments[0]))")
    case "min()", "max()": return emit(foundation: "build_\(call.name)", base.text)
    case "min(by:)", "min(_:)", "max(by:)", "max(_:)":
      guard let order = call.arguments[0].as(ClosureExprSyntax.self) else { return nil }
      return extreme(call.name, of: base) { self.closure(order, applied: [$0, $1], .condition) }
    default: return nil
    }
  }

  private func setMethod(_ call: Call, _ base: Node) -> Node? {
    switch call.signature {
    case "isSubset(of:)": return every(base, isIn: lower(call.arguments[0]))
    case "isSuperset(of:)": return every(lower(call.arguments[0]), isIn: base)
    case "isDisjoint(with:)":
      let other = lower(call.arguments[0])
      let body = block { self.emit(foundation: "build_contains", other.text, $0.text) }
      let shared = emit("\(Self.foundation)build_contains(\(base.text), where: \(body))")
      return emit(foundation: "build_Negation", shared.text)
    default: return nil
    }
  }

  private func every(_ elements: Node, isIn collection: Node) -> Node {
    let body = block { self.emit(foundation: "build_contains", collection.text, $0.text) }
    return emit("\(Self.foundation)build_allSatisfy(\(elements.text), \(body))")
  }

  /// Lowers `map` of an optional, or of a collection if `min()`, `max()` or `contains` follows. No node holds the
  /// mapped values, so the following call is applied to the elements.
  private func mapping(_ call: Call, _ base: Node, _ rest: inout ArraySlice<Link>) -> Node {
    let transform = call.arguments[0]
    guard case .member(let name, _)? = rest.first, case .call(let next)? = rest.dropFirst().first else {
      return closureCall("map", base, transform)
    }
    let following = Call(name.baseName.text, next)
    switch following.signature {
    case "min()", "max()":
      rest = rest.dropFirst(2)
      if let keyPath = plainKeyPath(transform) {
        return emit(foundation: "build_\(following.name)", emit(build: "mapped", base.text, keyPath).text)
      }
      let found = extreme(following.name, of: base) { left, right in
        let (one, other) = (self.apply(transform, to: left), self.apply(transform, to: right))
        return self.emit(foundation: "build_Comparison", "lhs: \(one.text)", "rhs: \(other.text)", "op: .lessThan")
      }
      return closureCall("map", found, transform)
    case "contains(_:)" where !following.arguments[0].isClosure:
      rest = rest.dropFirst(2)
      let element = lower(following.arguments[0])
      let body = block { self.emit(build: "equal", self.apply(transform, to: $0).text, element.text) }
      return emit("\(Self.foundation)build_contains(\(base.text), where: \(body))")
    default: return closureCall("map", base, transform)
    }
  }

  /// The key path of a transform that only reads properties, or nil. The store evaluates such a transform once per
  /// element.
  private func plainKeyPath(_ transform: ExprSyntax) -> String? {
    if let keyPath = transform.as(KeyPathExprSyntax.self) {
      let isPlain = keyPath.components.allSatisfy { if case .property = $0.component { true } else { false } }
      return isPlain ? keyPath.trimmedDescription : nil
    }
    guard let closure = transform.as(ClosureExprSyntax.self), closure.signature == nil, closure.statements.count == 1,
      var member = closure.statements.first?.item.as(MemberAccessExprSyntax.self)
    else { return nil }
    var names: [String] = []
    while true {
      guard member.declName.argumentNames == nil else { return nil }
      names.insert(member.declName.baseName.text, at: 0)
      guard let next = member.base?.as(MemberAccessExprSyntax.self) else { break }
      member = next
    }
    guard member.base?.as(DeclReferenceExprSyntax.self)?.baseName.text == "$0" else { return nil }
    return "\\." + names.joined(separator: ".")
  }

  /// The first element that no other one precedes, or follows.
  private func extreme(_ name: String, of base: Node, by precedes: (Node, Node) -> Node) -> Node {
    let body = block { element in
      let inner = block { other in
        let found = name == "min" ? precedes(other, element) : precedes(element, other)
        return self.emit(foundation: "build_Negation", found.text)
      }
      return self.emit("\(Self.foundation)build_allSatisfy(\(base.text), \(inner))")
    }
    return emit(build: "member", emit("\(Self.foundation)build_filter(\(base.text), \(body))").text, "\\.first")
  }

  // MARK: - Closures

  private func closureCall(_ name: String, _ base: Node, _ argument: ExprSyntax, label: String = "") -> Node {
    guard argument.isClosure else { return fail(PredicateDiagnostics.needsWrittenClosure(argument, name)) }
    let isTransform = name == "map" || name == "flatMap"
    let body = block { self.apply(argument, to: $0, isTransform ? .value : .condition) }
    return emit("\(isTransform ? Self.build : Self.foundation + "build_")\(name)(\(base.text), \(label)\(body))")
  }

  /// Applies a closure or a key path to a value.
  private func apply(_ argument: ExprSyntax, to value: Node, _ role: Role = .value) -> Node {
    if let closure = argument.as(ClosureExprSyntax.self) { return self.closure(closure, applied: [value], role) }
    if let keyPath = argument.as(KeyPathExprSyntax.self) { return follow(keyPath, from: value) }
    return fail(PredicateDiagnostics.needsWrittenClosure(argument, "map"))
  }

  // MARK: - Functions

  func globalCall(_ call: FunctionCallExprSyntax) -> Node {
    let signature = Call(call.calledExpression.code, call)
    switch signature.signature {
    case "max(_:_:)", "Swift.max(_:_:)": return larger(signature, "greaterThanOrEqual")
    case "min(_:_:)", "Swift.min(_:_:)": return larger(signature, "lessThan")
    case "abs(_:)", "Swift.abs(_:)":
      let value = lower(signature.arguments[0])
      let isNegative = emit(
        foundation: "build_Comparison", "lhs: \(value.text)", "rhs: \(Self.build)value(0)", "op: .lessThan")
      let opposite = emit(foundation: "build_UnaryMinus", value.text)
      return emit(build: "conditional", isNegative.text, opposite.text, value.text)
    case "Double(_:)": return emit(build: "double", text(signature.arguments[0]))
    default: return fail(PredicateDiagnostics.unsupportedFunction(call))
    }
  }

  /// Lowers `max` and `min` of two values. The result is the second value if it compares true with the first.
  private func larger(_ call: Call, _ op: String) -> Node {
    let (first, second) = (text(call.arguments[0]), text(call.arguments[1]))
    let test = emit(foundation: "build_Comparison", "lhs: \(second)", "rhs: \(first)", "op: .\(op)")
    return emit(build: "conditional", test.text, second, first)
  }
}

/// A call by its name and labels.
struct Call {
  let name: String
  let arguments: [ExprSyntax]
  /// The name with labels, as in `contains(where:)`. A trailing closure has no label.
  let signature: String

  init(_ name: String, _ call: FunctionCallExprSyntax) {
    self.name = name
    let trailing = call.trailingClosure.map { [ExprSyntax($0)] } ?? []
    let labels = call.arguments.map(\.label?.text) + trailing.map { _ in nil }
    arguments = call.arguments.map(\.expression.bare) + trailing
    signature = "\(name)(\(labels.map { "\($0 ?? "_"):" }.joined()))"
  }
}

extension ExprSyntax {
  /// Whether the argument is a closure or a key path.
  var isClosure: Bool { self.is(ClosureExprSyntax.self) || self.is(KeyPathExprSyntax.self) }
}
