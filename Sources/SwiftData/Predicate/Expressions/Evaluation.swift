import Foundation

// `expression.evaluate(x)` for a captured `#Expression`, and regular expressions.

extension PredicateExpressions.ExpressionEvaluate: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    guard case .constant(let captured) = try state.lower(expression),
      let known = captured as? Transformation.Output
    else { throw state.unsupported(self, "its expression is not captured") }
    func bind<T, E: PredicateExpression>(_ variable: PredicateExpressions.Variable<T>, _ input: E) throws {
      state.variables[variable.key] = try state.lower(input)
    }
    repeat try bind(each known.variable, each input)
    return try state.lower(known.expression)
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
      .condition(call, mayThrow: value.mayThrow, isOptional: value.isOptional, isAtomic: true, strictIn: value.strictIn))
  }
}
