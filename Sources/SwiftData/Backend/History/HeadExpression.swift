import Foundation

/// Whether an expression can be evaluated without a transaction's changes.
enum HeadExpression {
  /// Whether a key path is one of the properties that the head of a transaction has.
  static func isOfHead(_ path: PartialKeyPath<DefaultHistoryTransaction>) -> Bool {
    [
      \.timestamp, \.token, \.transactionIdentifier, \.storeIdentifier, \.author, \.bundleIdentifier,
      \.processIdentifier, \.id,
    ].contains(path)
  }

  static func isDecided(_ predicate: Predicate<DefaultHistoryTransaction>?) -> Bool {
    predicate.map { isDecided($0.expression) } ?? true
  }

  // Expressions are structs of expressions. The visitor inspects their stored properties.
  private static func isDecided(_ value: Any) -> Bool {
    if let path = value as? AnyKeyPath {
      guard type(of: path).rootType == DefaultHistoryTransaction.self else { return true }
      return (path as? PartialKeyPath<DefaultHistoryTransaction>).map(isOfHead) ?? false
    }
    if value is any PredicateExpression {
      guard isTransparent(type(of: value)) else { return false }
    } else if Mirror(reflecting: value).displayStyle != .tuple {
      return true
    }
    return Mirror(reflecting: value).children.allSatisfy { isDecided($0.value) }
  }

  /// Whether the stored properties of an expression show all that it reads. Another module's expression may hide a
  /// closure, and an evaluation of another predicate hides that predicate.
  private static func isTransparent(_ type: Any.Type) -> Bool {
    let name = _typeName(type, qualified: true).prefix { $0 != "<" }
    return name.hasPrefix("Foundation") && name.contains(".PredicateExpressions.") && !name.hasSuffix("Evaluate")
  }
}
