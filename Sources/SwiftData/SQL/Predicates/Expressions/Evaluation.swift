import Foundation

// `expression.evaluate(x)` for a captured `#Expression`, and regular expressions.

extension PredicateExpressions.ExpressionEvaluate: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    let filtering = state.isFiltering
    guard case .constant(let captured) = try state.lower(expression),
      let known = captured as? Transformation.Output
    else { throw state.unsupported(self, "its expression is not captured") }
    var inputs = [Lowered]()
    for input in repeat each input { inputs.append(try state.lower(input)) }
    for (key, input) in zip(Self.variables(of: known), inputs) { state.variables[key] = input }
    return try state.lower(known.expression, filtering: filtering)
  }

  private static func variables<each Argument, Result>(
    of expression: Expression<repeat each Argument, Result>
  ) -> [PredicateExpressions.VariableID] {
    var keys = [PredicateExpressions.VariableID]()
    for variable in repeat each expression.variable { keys.append(variable.key) }
    return keys
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
