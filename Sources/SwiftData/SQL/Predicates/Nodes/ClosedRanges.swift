import Foundation

// `($0.low...$0.high).contains(x)`.

extension PredicateExpressions {
  /// `(lower...upper).contains(element)`, which throws if the bounds are in the wrong order.
  public typealias ClosedRangeContains<Lower, Upper, Element> = Conjunction<
    Conjunction<
      Conditional<Comparison<Lower, Upper>, Value<Bool>, ForcedUnwrap<Value<Bool?>, Bool>>, Comparison<Lower, Element>
    >,
    Comparison<Element, Upper>
  >
  where
    Lower: PredicateExpression, Upper: PredicateExpression, Element: PredicateExpression, Lower.Output: Comparable,
    Upper.Output == Lower.Output, Element.Output == Lower.Output

  /// Makes the node of `(lower...upper).contains(element)`: three comparisons.
  ///
  /// Where a row's bounds are in the wrong order, Foundation's node of the range traps. This one throws
  /// `PredicateError.forceUnwrapFailure`, as Foundation's node of `lower..<upper` throws an error.
  public static func build_contains<Lower, Upper, Element>(
    _ range: ClosedRange<Lower, Upper>,
    _ element: Element
  ) -> ClosedRangeContains<Lower, Upper, Element>
  where Element: PredicateExpression, Element.Output == Lower.Output {
    // A store can use an index for the last two.
    let isRange = build_Conditional(
      build_Comparison(lhs: range.lower, rhs: range.upper, op: .lessThanOrEqual),
      build_Arg(true), build_ForcedUnwrap(build_Arg(Bool?.none))
    )
    return build_Conjunction(
      lhs: build_Conjunction(
        lhs: isRange, rhs: build_Comparison(lhs: range.lower, rhs: element, op: .lessThanOrEqual)),
      rhs: build_Comparison(lhs: element, rhs: range.upper, op: .lessThanOrEqual)
    )
  }
}

extension __Build {
  /// Whether a value is in a closed range with bounds from a row: `case $0.low...$0.high`.
  public static func matches<Lower, Upper, Element>(
    _ pattern: PredicateExpressions.ClosedRange<Lower, Upper>,
    _ expression: Element
  ) -> PredicateExpressions.ClosedRangeContains<Lower, Upper, Element>
  where Element: PredicateExpression, Element.Output == Lower.Output {
    PredicateExpressions.build_contains(pattern, expression)
  }
}
