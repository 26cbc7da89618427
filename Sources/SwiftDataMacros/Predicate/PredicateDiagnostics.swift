import SwiftDiagnostics
import SwiftSyntax

/// All diagnostics of `#Predicate` and `#Expression`.
enum PredicateDiagnostics {
  private static func error(
    _ node: some SyntaxProtocol,
    _ id: String,
    _ message: String,
    _ fixIts: [FixIt] = []
  ) -> Diagnostic {
    Diagnostic(node: Syntax(node), message: Message(id: id, message: message), fixIts: fixIts)
  }

  private static func fix(_ id: String, _ message: String, _ old: some SyntaxProtocol, _ new: some SyntaxProtocol)
    -> FixIt
  {
    FixIt(
      message: Message(id: id, message: message),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))]
    )
  }

  // MARK: - Closures

  static func needsClosure(_ node: some SyntaxProtocol) -> Diagnostic {
    error(node, "needsClosure", "the condition has to be written here as a closure: '{ $0.property == value }'")
  }

  static func needsWrittenClosure(_ argument: ExprSyntax, _ name: String) -> Diagnostic {
    error(
      argument,
      "needsWrittenClosure",
      "a query cannot look into a closure that is kept elsewhere; write the closure of '\(name)' here"
    )
  }

  static func missingResult(_ owner: Syntax) -> Diagnostic {
    error(owner, "missingResult", "this block ends without a result; return a value on every path")
  }

  // MARK: - Statements

  static func unsupportedStatement(_ statement: Syntax) -> Diagnostic {
    error(
      statement,
      "unsupportedStatement",
      "\(words(for: statement)) cannot be part of a query; write conditions with 'let', 'if', 'guard', 'switch' and"
        + " 'return', and ask of collections with 'contains', 'allSatisfy' and 'filter'"
    )
  }

  private static func words(for statement: Syntax) -> String {
    switch statement.kind {
    case .forStmt, .whileStmt, .repeatStmt: "a loop"
    case .throwStmt: "'throw'"
    case .doStmt: "'do' with 'catch'"
    case .deferStmt: "'defer'"
    case .functionDecl: "a function"
    case .fallThroughStmt: "'fallthrough'"
    case .ifConfigDecl: "'#if'"
    default: "this statement"
    }
  }

  static func unusedExpression(_ expression: ExprSyntax) -> Diagnostic {
    error(
      expression,
      "unusedExpression",
      "nothing uses this value: a query changes nothing and calls nothing; name it with 'let' or remove it"
    )
  }

  static func variable(_ variable: VariableDeclSyntax) -> Diagnostic {
    let keyword = variable.bindingSpecifier
    let replacement = TokenSyntax.keyword(.let)
      .with(\.leadingTrivia, keyword.leadingTrivia).with(\.trailingTrivia, keyword.trailingTrivia)
    return error(
      keyword,
      "variable",
      "nothing can change inside a query; use 'let'",
      [fix("makeConstant", "replace 'var' with 'let'", keyword, replacement)]
    )
  }

  static func noInitialValue(_ binding: PatternBindingSyntax) -> Diagnostic {
    error(
      binding,
      "noInitialValue",
      "a name inside a query needs its value here; write 'let \(binding.pattern.trimmedDescription) = if … else …'"
    )
  }

  static func destructuring(_ pattern: PatternSyntax) -> Diagnostic {
    error(pattern, "destructuring", "a query has no tuples; give each value a name of its own")
  }

  // MARK: - Conditions

  static func missingElse(_ branch: IfExprSyntax) -> Diagnostic {
    error(branch.ifKeyword, "missingElse", "this 'if' needs an 'else', or a 'return' after it")
  }

  static func missingDefault(_ statement: SwitchExprSyntax) -> Diagnostic {
    error(statement.switchKeyword, "missingDefault", "this 'switch' needs a 'default'")
  }

  static func unsupportedCondition(_ condition: ConditionElementSyntax) -> Diagnostic {
    error(
      condition,
      "unsupportedCondition",
      "this condition cannot be part of a query; decide it outside and choose between two predicates"
    )
  }

  static func unsupportedPattern(_ pattern: PatternSyntax) -> Diagnostic {
    error(
      pattern,
      "unsupportedPattern",
      "a predicate does not support patterns with bindings; compare with '==', or store the value in its own property"
    )
  }

  // MARK: - Expressions

  static func unsupported(_ expression: ExprSyntax) -> Diagnostic {
    error(
      expression,
      "unsupportedExpression",
      "'\(shortened(expression))' cannot be part of a query; \(advice(for: expression))"
    )
  }

  private static func advice(for expression: ExprSyntax) -> String {
    switch expression.kind {
    case .tupleExpr: "a query has no tuples; compare each value by itself"
    case .closureExpr: "a closure may only follow 'contains', 'allSatisfy', 'filter', 'first', 'count', 'map' and such"
    case .stringLiteralExpr: "make the text outside, or compare the properties one by one"
    case .arrayExpr, .dictionaryExpr: "a list may contain only captured values; compare with '==' and '||'"
    case .postfixOperatorExpr: "compare with '<' and '>=' instead of a range with one end"
    case .awaitExpr: "wait for the value before and capture it"
    case .macroExpansionExpr: "name the value outside and use the name here"
    default: "use properties, operators, and the methods that a predicate knows"
    }
  }

  static func implicitMemberOfModel(_ expression: ExprSyntax) -> Diagnostic {
    error(
      expression,
      "implicitMemberOfModel",
      "a predicate cannot construct '\(shortened(expression))' from a row's values; compare the values themselves"
    )
  }

  static func unsupportedKeyPath(_ keyPath: KeyPathExprSyntax) -> Diagnostic {
    error(keyPath, "unsupportedKeyPath", "this key path has no form in a query; write a closure")
  }

  static func unsupportedOperator(_ infix: InfixOperatorExprSyntax) -> Diagnostic {
    let name = infix.operator.trimmedDescription
    var fixIts: [FixIt] = []
    if name == "===" || name == "!==" {
      let equality = TokenSyntax.binaryOperator(String(name.dropLast()))
        .with(\.leadingTrivia, infix.operator.leadingTrivia).with(\.trailingTrivia, infix.operator.trailingTrivia)
      fixIts = [fix("compareModels", "compare the models with '\(name.dropLast())'", infix.operator, equality)]
    }
    let advice =
      switch name {
      case "===", "!==":
        "compare the models with '\(name.dropLast())'"
      case "=": "a query changes nothing; use '=='"
      case "&", "|", "^", "<<", ">>": "keep the bits in properties of their own"
      case "&+", "&-", "&*": "use '\(name.dropFirst())'; where it overflows, the row does not match"
      default: "use the operators of the standard library"
      }
    return error(infix.operator, "unsupportedOperator", "'\(name)' cannot be part of a query; \(advice)", fixIts)
  }

  static func concatenation(_ infix: InfixOperatorExprSyntax) -> Diagnostic {
    error(
      infix.operator,
      "concatenation",
      "a query cannot put texts together with '+'; compare the property itself, without what is added ('name == \"x\"',"
        + " 'hasPrefix', 'hasSuffix'), or keep the whole text in a property of its own"
    )
  }

  static func unsupportedPrefix(_ prefix: PrefixOperatorExprSyntax) -> Diagnostic {
    let name = prefix.operator.text
    let advice =
      ["...", "..<"].contains(name) ? "compare with '<=' or '<'" : "use '!' and '-'"
    return error(prefix.operator, "unsupportedOperator", "'\(name)' cannot be part of a query here; \(advice)")
  }

  static func unsupportedFunction(_ call: FunctionCallExprSyntax) -> Diagnostic {
    let name = shortened(call.calledExpression)
    return error(
      call.calledExpression,
      "unsupportedFunction",
      "'\(name)' cannot run inside the database; compute the value before the predicate and capture it, or store the"
        + " result in a property"
    )
  }

  static func unsupportedMethod(_ name: DeclReferenceExprSyntax, _ call: Call) -> Diagnostic {
    let advice = suggestions[call.name] ?? "use properties, operators, or a computed property of the value's type"
    return error(name, "unsupportedMethod", "'\(call.signature)' cannot be part of a query; \(advice)")
  }

  /// Replacements for common methods that have no node.
  private static let suggestions: [String: String] = [
    "addingTimeInterval": "move the interval to the captured date: 'date > limit.addingTimeInterval(-seconds)'",
    "advanced": "move the distance to the captured value",
    "compactMap": "use 'filter' or 'contains(where:)'",
    "distance": "compare the dates themselves with '<' and '>'",
    "elementsEqual": "use '=='",
    "enumerated": "use 'contains(where:)'",
    "first": "use 'first(where:)' with a closure",
    "firstMatch": "use 'contains' with the regular expression",
    "forEach": "use 'contains(where:)' or 'allSatisfy'",
    "hash": "compare the values",
    "isMultiple": "use '%' and '=='",
    "localizedCapitalized": "use 'capitalized'",
    "prefix": "use 'starts(with:)' or 'hasPrefix'",
    "range": "use 'contains' or 'localizedStandardContains'",
    "reduce": "keep the sum in a property, or ask 'contains', 'allSatisfy', 'min()', 'max()' or 'filter { … }.count'",
    "sorted": "use 'min()', 'max()', 'min(by:)' or 'max(by:)'",
    "suffix": "use 'hasSuffix'",
    "timeIntervalSince": "compare the dates themselves: 'date > limit'",
    "trimmingCharacters": "store the text trimmed, or write a computed property of String",
    "wholeMatch": "use 'contains' with a regular expression between '^' and '$'",
  ]

  private static func shortened(_ expression: ExprSyntax) -> String {
    let text = expression.trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return text.count > 40 ? text.prefix(39) + "…" : text
  }
}
