import Foundation

// `expression.evaluate(x)` for a captured `#Expression`, and regular expressions.

extension PredicateExpressions.ExpressionEvaluate: LowerableExpression {
  package var composite: CompositeCondition? {
    // A captured expression depends on no variable.
    guard Output.self == Bool.self, let known = try? expression.evaluate(PredicateBindings()),
      let condition = known.expression as? any PredicateExpression<Bool>
    else { return nil }
    return .captured(
      CapturedCondition(condition: condition, isForceUnwrapped: false) { state in
        try lowerVariables(of: known, &state)
      } evaluateVariables: { bindings in
        try Self.bindings(of: known, to: repeat (each input).evaluate(bindings))
      })
  }

  package func lower(_ state: inout LoweringState) throws -> Lowered {
    if composite != nil { return try state.composed(self) }
    let filtering = state.isFiltering
    guard case .constant(let captured) = try state.lower(expression),
      let known = captured as? Transformation.Output
    else { throw state.unsupported(self, "its expression is not captured") }
    try lowerVariables(of: known, &state)
    return try state.lower(known.expression, filtering: filtering)
  }

  private func lowerVariables(of known: Transformation.Output, _ state: inout LoweringState) throws {
    var inputs = [Lowered]()
    for input in repeat each input { inputs.append(try state.lower(input)) }
    for (variable, input) in zip(Self.variables(of: known), inputs) { state.variables.bind(variable, input) }
  }

  private static func variables<each Argument, Result>(
    of expression: Expression<repeat each Argument, Result>
  ) -> [PredicateExpressions.VariableID] {
    var keys = [PredicateExpressions.VariableID]()
    for variable in repeat each expression.variable { keys.append(variable.key) }
    return keys
  }

  static func bindings<each Argument, Result>(
    of expression: Expression<repeat each Argument, Result>, to value: repeat each Argument
  ) -> PredicateBindings {
    var bindings = PredicateBindings()
    for (variable, value) in repeat (each expression.variable, each value) { bindings[variable] = value }
    return bindings
  }
}

extension PredicateExpressions.StringContainsRegex: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let (text, regex) = (try state.lower(subject), try state.lower(regex))
    guard case .constant(let captured as Regex.Output) = regex else {
      throw state.unsupported(self, "its regular expression is not captured")
    }
    if case .constant(let value as Subject.Output) = text { return .constant(value.contains(captured)) }
    let pattern: SQLValue
    switch captured {
    case let own as __CapturedRegex: pattern = .integer(own.box.number)
    case let plain as PredicateExpressions.PredicateRegex: pattern = .text(plain.stringRepresentation)
    default: throw state.unsupported(self, "the store does not support a \(Regex.Output.self) as a regular expression")
    }
    let value = try state.text(text, of: subject)
    let parameter = Scalar(sql: SQLFragment("?", [pattern]), type: value.type)
    return .scalar(state.textCall("swift_matches", [value, parameter], type: .bool))
  }
}
