import Foundation

/// Bounds on the position in the history that follow from a predicate's form, so that fetching new transactions does
/// not read old ones.
package struct HistoryBounds {
  /// Every matching transaction has a greater number.
  package var after: Int64 = 0
  /// The greatest token whose successors the predicate selects.
  package var token: Int64?

  package init(_ predicate: Predicate<DefaultHistoryTransaction>?, store: String) {
    guard let predicate else { return }
    (predicate.expression as? any HistoryCondition)?.narrow(&self, store)
  }

  /// Reads the transactions that a descriptor selects, page by page.
  /// - Parameter page: the transactions after a number, the oldest first; empty after the newest one.
  package func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
    page: (_ after: Int64) throws -> [DefaultHistoryTransaction]
  ) throws -> [DefaultHistoryTransaction] {
    let maximum = descriptor.fetchLimit > 0 ? Int(clamping: descriptor.fetchLimit) : Int.max
    // With a custom order, the limit applies to that order, so all transactions are read first.
    let needed = descriptor.sortBy.isEmpty ? maximum : Int.max
    var result = [DefaultHistoryTransaction]()
    var last = after
    while result.count < needed {
      let found = try page(last)
      guard let newest = found.last else { break }
      last = newest.transactionIdentifier
      for transaction in found where try descriptor.predicate?.evaluate(transaction) ?? true {
        result.append(transaction)
      }
    }
    if !descriptor.sortBy.isEmpty { result.sort(using: descriptor.sortBy) }
    return Array(result.prefix(maximum))
  }
}

/// A condition that may bound the position.
private protocol HistoryCondition {
  func narrow(_ bounds: inout HistoryBounds, _ store: String)
}

/// A comparison's side that reads a property.
private protocol TransactionProperty { var path: AnyKeyPath { get } }

/// A comparison's side that is a constant.
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
