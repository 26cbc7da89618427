import Foundation

// `expression.evaluate(x)` for a captured `#Expression`, and regular expressions.

extension PredicateExpressions.ExpressionEvaluate: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    guard case .constant(let captured) = try state.lower(expression),
      let known = captured as? Transformation.Output
    else { throw state.unsupported(self, "its expression is not captured") }
    var inputs = [Lowered]()
    for input in repeat each input { inputs.append(try state.lower(input)) }
    for (key, input) in zip(Self.variables(of: known), inputs) { state.variables[key] = input }
    return try state.lower(known.expression)
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
    let text = try state.lower(subject)
    guard case .constant(let captured) = try state.lower(regex),
      let pattern = captured as? PredicateExpressions.PredicateRegex
    else { throw state.unsupported(self, "its regular expression is not captured") }
    guard Subject.Output.self == String.self else { throw state.unsupported(self, "its subject is no String") }
    let value = try state.scalar(text, of: subject)
    let call =
      SQLFragment("swift_matches(") + value.sql + SQLFragment(", ?)", [.text(pattern.stringRepresentation)])
    return .scalar(
      .condition(call, mayThrow: value.mayThrow, isOptional: value.isOptional, isAtomic: true, strictIn: value.strictIn)
    )
  }
}
