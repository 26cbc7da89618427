import Foundation

/// What a predicate says of the place in the history, as far as it can be seen without evaluating it: fetching what is
/// new must not read what is old.
package struct HistoryBounds {
  /// Every transaction that the predicate takes has a greater number.
  package var after: Int64 = 0
  /// The greatest token that the predicate wants the followers of.
  package var token: Int64?

  package init(_ predicate: Predicate<DefaultHistoryTransaction>?, store: String) {
    guard let predicate else { return }
    (predicate.expression as? any HistoryCondition)?.narrow(&self, store)
  }
}

/// A condition that may say something of the place.
private protocol HistoryCondition {
  func narrow(_ bounds: inout HistoryBounds, _ store: String)
}

/// The property that a side of a comparison reads.
private protocol TransactionProperty { var path: AnyKeyPath { get } }

/// The constant that a side of a comparison is.
private protocol ConstantOperand { var constant: Any { get } }

extension PredicateExpressions.KeyPath: TransactionProperty {
  fileprivate var path: AnyKeyPath { keyPath }
}

extension PredicateExpressions.Value: ConstantOperand {
  fileprivate var constant: Any { value }
}

extension PredicateExpressions.Conjunction: HistoryCondition {
  fileprivate func narrow(_ bounds: inout HistoryBounds, _ store: String) {
    (lhs as? any HistoryCondition)?.narrow(&bounds, store)
    (rhs as? any HistoryCondition)?.narrow(&bounds, store)
  }
}

extension PredicateExpressions.Comparison: HistoryCondition {
  fileprivate func narrow(_ bounds: inout HistoryBounds, _ store: String) {
    if let property = lhs as? any TransactionProperty, let constant = (rhs as? any ConstantOperand)?.constant {
      switch op {
      case .greaterThan: note(property.path, constant, isIncluded: false, &bounds, store)
      case .greaterThanOrEqual: note(property.path, constant, isIncluded: true, &bounds, store)
      default: break
      }
    } else if let property = rhs as? any TransactionProperty, let constant = (lhs as? any ConstantOperand)?.constant {
      switch op {
      case .lessThan: note(property.path, constant, isIncluded: false, &bounds, store)
      case .lessThanOrEqual: note(property.path, constant, isIncluded: true, &bounds, store)
      default: break
      }
    }
  }

  private func note(
    _ path: AnyKeyPath, _ constant: Any, isIncluded: Bool, _ bounds: inout HistoryBounds, _ store: String
  ) {
    var number: Int64?
    if path == \DefaultHistoryTransaction.transactionIdentifier { number = constant as? Int64 }
    if path == \DefaultHistoryTransaction.token || path == \DefaultHistoryTransaction.id,
      let token = constant as? DefaultHistoryToken, token.storeIdentifier == store
    {
      number = token.transaction
      bounds.token = max(bounds.token ?? 0, token.transaction)
    }
    guard let number, number > Int64.min else { return }
    bounds.after = max(bounds.after, isIncluded ? number - 1 : number)
  }
}
