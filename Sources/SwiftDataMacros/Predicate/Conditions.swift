import SwiftSyntax

// Lowers `if`, `guard` and `switch`.

extension PredicateLowering {
  func lowerIf(_ branch: IfExprSyntax, _ role: Role, following: Node? = nil) -> Node {
    let no: Node
    switch branch.elseBody {
    case .ifExpr(let next)?: no = lowerIf(next, role, following: following)
    case .codeBlock(let block)?:
      no = scope { body(Array(block.statements), of: Syntax(block), role, following: following) }
    case nil: no = following ?? fail(PredicateDiagnostics.missingElse(branch))
    }
    return scope {
      self.branch(branch.conditions.map(\.self)[...], role, no) {
        self.body(Array(branch.body.statements), of: Syntax(branch.body), role, following: following)
      }
    }
  }

  /// Returns `yes` if all conditions hold, with the names that they bind, else `no`.
  func branch(_ conditions: ArraySlice<ConditionElementSyntax>, _ role: Role, _ no: Node, yes: () -> Node) -> Node {
    guard let first = conditions.first else { return yes() }
    func goOn() -> Node { branch(conditions.dropFirst(), role, no, yes: yes) }
    switch first.condition {
    case .expression(let expression): return choice(lower(expression, .condition), role, goOn(), no)
    case .optionalBinding(let binding): return optionalBinding(binding, role, no, goOn)
    case .matchingPattern(let match):
      let condition = self.match(match.pattern, subject(match.initializer.value))
      return choice(condition, role, goOn(), no)
    default: return fail(PredicateDiagnostics.unsupportedCondition(first))
    }
  }

  private func optionalBinding(
    _ binding: OptionalBindingConditionSyntax,
    _ role: Role,
    _ no: Node,
    _ yes: () -> Node
  ) -> Node {
    let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
    guard let initial = binding.initializer?.value ?? name.map({ ExprSyntax(DeclReferenceExprSyntax(baseName: $0)) })
    else { return fail(PredicateDiagnostics.destructuring(binding.pattern)) }
    let value = lower(initial)
    guard let name else { return choice(emit(build: "isPresent", value.text), role, yes(), no) }
    switch role {
    case .condition:
      let body = block { unwrapped in
        self.bind(name.text, to: .node(unwrapped))
        return yes()
      }
      return emit(build: "coalesce", emit("\(Self.build)map(\(value.text)) \(body)").text, no.text)
    case .value:
      // A branch whose value is nil must not look like a missing bound value.
      let isPresent = emit(build: "isPresent", value.text)
      bind(name.text, to: .node(emit(foundation: "build_ForcedUnwrap", value.text)))
      return choice(isPresent, role, yes(), no)
    }
  }

  // MARK: - switch

  func lowerSwitch(_ statement: SwitchExprSyntax, _ role: Role, following: Node? = nil) -> Node {
    var cases: [SwitchCaseSyntax] = []
    for element in statement.cases {
      guard case .switchCase(let item) = element else {
        return fail(PredicateDiagnostics.unsupportedStatement(Syntax(element)))
      }
      cases.append(item)
    }
    return lower(cases[...], subject(statement.subject), role, following, of: statement)
  }

  private func lower(
    _ cases: ArraySlice<SwitchCaseSyntax>,
    _ subject: Subject,
    _ role: Role,
    _ following: Node?,
    of statement: SwitchExprSyntax
  ) -> Node {
    guard let first = cases.first else { return fail(PredicateDiagnostics.missingDefault(statement)) }
    func result() -> Node { body(Array(first.statements), of: Syntax(first), role, following: following) }
    guard case .case(let label) = first.label else { return scope(result) }
    // The names of a case end before the next one.
    let (condition, yes) = scope { (match(Array(label.caseItems), subject), result()) }
    // The compiler ensures that the cases are exhaustive, so the last one needs no test.
    if cases.count == 1, label.caseItems.allSatisfy({ $0.whereClause == nil }) { return yes }
    return choice(condition, role, yes, lower(cases.dropFirst(), subject, role, following, of: statement))
  }

  /// Whether one of the patterns of a case matches. Binds the names that all of them bind.
  private func match(_ items: [SwitchCaseItemSyntax], _ subject: Subject) -> Node {
    var result: Node?
    var alternatives: [(condition: Node, names: [String: Binding])] = []
    for item in items {
      let alternative = scope {
        var condition = match(item.pattern, subject)
        if let clause = item.whereClause { condition = conjunction(condition, lower(clause.condition, .condition)) }
        return (condition, innermostNames)
      }
      alternatives.append(alternative)
      let condition = alternative.0
      result =
        result.map { emit(foundation: "build_Disjunction", "lhs: \($0.text)", "rhs: \(condition.text)") } ?? condition
    }
    for (name, binding) in alternatives.removeLast().names.sorted(by: { $0.key < $1.key }) {
      guard case .node(var value) = binding else { continue }
      // The first pattern that matches gives the value.
      for (condition, names) in alternatives.reversed() {
        if case .node(let earlier)? = names[name] { value = choice(condition, .value, earlier, value) }
      }
      bind(name, to: .node(value.isNamed ? value : emit(value.text)))
    }
    return result!
  }
}
