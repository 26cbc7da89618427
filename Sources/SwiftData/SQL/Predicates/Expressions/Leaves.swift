import Foundation

// Variables, captured values and `nil`.

extension PredicateExpressions.Variable: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered {
    guard let bound = state.variables[key] else {
      throw state.unsupported(self, "it is a variable of another predicate")
    }
    return bound
  }
}

extension PredicateExpressions.Value: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered { .constant(value) }
}

extension PredicateExpressions.NilLiteral: LowerableExpression {
  package func lower(_ state: inout LoweringState) throws -> Lowered { .constant(Output.none as Any) }
}
