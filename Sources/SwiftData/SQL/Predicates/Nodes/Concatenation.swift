public import Foundation

extension PredicateExpressions {
  /// Chosen for `+` of two strings. The compiler reports one error.
  @available(
    *, unavailable,
    message: "a query cannot put texts together with '+'; compare each text by itself, or keep the whole in a property"
  )
  public static func build_Arithmetic<LHS: PredicateExpression, RHS: PredicateExpression>(
    lhs: LHS, rhs: RHS, op: ArithmeticOperator
  ) -> Value<String> where LHS.Output == String, RHS.Output == String {
    Value("")
  }
}
