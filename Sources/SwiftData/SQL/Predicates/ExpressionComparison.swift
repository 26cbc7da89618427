import Foundation

/// Compares the expressions of predicates node by node.
struct ExpressionComparison {
  /// The variables of each side by the variables of the other one. Each predicate has its own.
  private var (rightByLeft, leftByRight) = (
    [PredicateExpressions.VariableID: PredicateExpressions.VariableID](),
    [PredicateExpressions.VariableID: PredicateExpressions.VariableID]()
  )

  static func areEqual<T>(_ left: Predicate<T>?, _ right: Predicate<T>?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    var comparison = ExpressionComparison()
    let (first, second): (any Sendable, any Sendable) = (left.expression, right.expression)
    return comparison.areEqual(first, second)
  }

  private mutating func areEqual(_ left: Any, _ right: Any) -> Bool {
    guard type(of: left) == type(of: right) else { return false }
    if let left = left as? PredicateExpressions.VariableID, let right = right as? PredicateExpressions.VariableID {
      return rightByLeft.updateValue(right, forKey: left) ?? right == right
        && leftByRight.updateValue(left, forKey: right) ?? left == left
    }
    // Key paths, operators and most captured values.
    if let left = left as? any Equatable { return Self.areEqual(left, right) }
    let (mirror, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
    switch mirror.displayStyle {
    case .class: return left as AnyObject === right as AnyObject
    case .enum where mirror.children.isEmpty: return "\(left)" == "\(right)"
    // A function.
    case nil where mirror.children.isEmpty: return false
    default: break
    }
    guard mirror.children.count == other.children.count else { return false }
    for (child, counterpart) in zip(mirror.children, other.children) {
      guard child.label == counterpart.label, areEqual(child.value, counterpart.value) else { return false }
    }
    return true
  }

  private static func areEqual<E: Equatable>(_ left: E, _ right: Any) -> Bool { left == right as? E }
}
