import Foundation

// `($0.low...$0.high).contains(x)`.

extension PredicateExpressions {
  /// Makes the node of `(lower...upper).contains(element)`: two comparisons.
  ///
  /// Foundation's own node traps where a row has its bounds in the wrong order; this one finds nothing between them.
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
