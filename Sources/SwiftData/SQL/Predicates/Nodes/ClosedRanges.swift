import Foundation

// `($0.low...$0.high).contains(x)`.

extension PredicateExpressions {
  /// Makes the node of `(lower...upper).contains(element)`: two comparisons.
  ///
  /// Foundation's node traps if a row's bounds are in the wrong order. This one matches nothing.
  public static func build_contains<Lower, Upper, Element>(
    _ range: ClosedRange<Lower, Upper>,
    _ element: Element
  ) -> Conjunction<Comparison<Lower, Element>, Comparison<Element, Upper>>
  where Element: PredicateExpression, Element.Output == Lower.Output {
    build_Conjunction(
      lhs: build_Comparison(lhs: range.lower, rhs: element, op: .lessThanOrEqual),
      rhs: build_Comparison(lhs: element, rhs: range.upper, op: .lessThanOrEqual)
    )
  }
}

extension __Build {
  /// Whether a value is in a closed range with bounds from a row: `case $0.low...$0.high`.
  public static func matches<Lower, Upper, Element>(
    _ pattern: PredicateExpressions.ClosedRange<Lower, Upper>,
    _ expression: Element
  )
    -> PredicateExpressions.Conjunction<
      PredicateExpressions.Comparison<Lower, Element>, PredicateExpressions.Comparison<Element, Upper>
    > where Element: PredicateExpression, Element.Output == Lower.Output
  {
    PredicateExpressions.build_contains(pattern, expression)
  }
}
