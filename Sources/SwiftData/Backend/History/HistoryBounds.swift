import Foundation

/// The bounds of the transactions that a predicate can select, from its form. A fetch does not read others.
package struct HistoryBounds {
  /// Every matching transaction has a greater number.
  private(set) var after: Int64 = 0
  /// No matching transaction has a greater number.
  private(set) var through = Int64.max
  /// The greatest token whose successors the predicate selects.
  package private(set) var token: Int64?
  /// Comparisons that hold for the time of every matching transaction.
  private(set) var times: [(operator: String, seconds: Double)] = []
  /// The author of every matching transaction, or nil if the predicate implies none.
  private(set) var author: String?
  /// Whether every transaction with such a number and time matches.
  private(set) var isExact = true

  private let store: String

  /// - Parameter store: the identifier of the store, whose tokens bound the numbers.
  package init(_ predicate: Predicate<DefaultHistoryTransaction>?, store: String) {
    self.store = store
    if let predicate { narrow(by: predicate.expression) }
  }

  fileprivate mutating func narrow(by expression: Any) {
    if let condition = expression as? any HistoryCondition { condition.narrow(&self) } else { isExact = false }
  }

  fileprivate enum Comparison: String {
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "="

    /// The comparison with its sides exchanged.
    var reversed: Comparison {
      switch self {
      case .less: .greater
      case .lessOrEqual: .greaterOrEqual
      case .greater: .less
      case .greaterOrEqual: .lessOrEqual
      case .equal: .equal
      }
    }
  }

  fileprivate mutating func narrow(_ left: Any, _ comparison: Comparison, _ right: Any) {
    if let path = (left as? any TransactionProperty)?.path, let constant = (right as? any ConstantOperand)?.constant {
      note(path, comparison, constant)
    } else if let path = (right as? any TransactionProperty)?.path,
      let constant = (left as? any ConstantOperand)?.constant
    {
      note(path, comparison.reversed, constant)
    } else {
      isExact = false
    }
  }

  private mutating func note(_ path: AnyKeyPath, _ comparison: Comparison, _ constant: Any) {
    if path == \DefaultHistoryTransaction.transactionIdentifier || path == \DefaultHistoryTransaction.id,
      let number = constant as? Int64
    {
      note(comparison, number)
    } else if path == \DefaultHistoryTransaction.token, let position = constant as? DefaultHistoryToken,
      position.storeIdentifier == store
    {
      note(comparison, position.transaction)
      switch comparison {
      case .greater: token = max(token ?? 0, position.transaction)
      // The transaction of the token must be there too.
      case .greaterOrEqual: token = max(token ?? 0, position.transaction == .min ? .min : position.transaction - 1)
      case .less, .lessOrEqual, .equal: break
      }
    } else if path == \DefaultHistoryTransaction.timestamp, let time = constant as? Date {
      times.append((comparison.rawValue, time.timeIntervalSinceReferenceDate))
    } else if path == \DefaultHistoryTransaction.storeIdentifier, comparison == .equal, let name = constant as? String {
      if name != store { through = 0 }
    } else {
      isExact = false
      if path == \DefaultHistoryTransaction.author, comparison == .equal { author = constant as? String ?? author }
    }
  }

  private mutating func note(_ comparison: Comparison, _ number: Int64) {
    switch comparison {
    case .less: through = min(through, number == .min ? number : number - 1)
    case .lessOrEqual: through = min(through, number)
    case .greater: after = max(after, number)
    case .greaterOrEqual: after = max(after, number == .min ? number : number - 1)
    case .equal:
      note(.lessOrEqual, number)
      note(.greaterOrEqual, number)
    }
  }
}

/// A condition whose form implies bounds.
private protocol HistoryCondition {
  func narrow(_ bounds: inout HistoryBounds)
}

/// A comparison's side that may read a property of the transaction.
private protocol TransactionProperty { var path: AnyKeyPath? { get } }

/// The transaction that a predicate judges.
private protocol TransactionVariable {}

/// A comparison's side that may be a constant.
private protocol ConstantOperand { var constant: Any? { get } }

extension PredicateExpressions.Variable: TransactionVariable {}

extension PredicateExpressions.KeyPath: TransactionProperty, ConstantOperand {
  fileprivate var path: AnyKeyPath? { root is any TransactionVariable ? keyPath : nil }
  /// A captured value's property: `#Predicate { $0.token > last.token }`.
  fileprivate var constant: Any? {
    guard let object = (root as? any ConstantOperand)?.constant as? Root.Output else { return nil }
    return object[keyPath: keyPath]
  }
}

extension PredicateExpressions.Value: ConstantOperand {
  fileprivate var constant: Any? { value }
}

extension PredicateExpressions.Conjunction: HistoryCondition {
  fileprivate func narrow(_ bounds: inout HistoryBounds) {
    bounds.narrow(by: lhs)
    bounds.narrow(by: rhs)
  }
}

extension PredicateExpressions.Equal: HistoryCondition {
  fileprivate func narrow(_ bounds: inout HistoryBounds) { bounds.narrow(lhs, .equal, rhs) }
}

extension PredicateExpressions.Comparison: HistoryCondition {
  fileprivate func narrow(_ bounds: inout HistoryBounds) {
    switch op {
    case .lessThan: bounds.narrow(lhs, .less, rhs)
    case .lessThanOrEqual: bounds.narrow(lhs, .lessOrEqual, rhs)
    case .greaterThan: bounds.narrow(lhs, .greater, rhs)
    case .greaterThanOrEqual: bounds.narrow(lhs, .greaterOrEqual, rhs)
    @unknown default: bounds.narrow(by: ())
    }
  }
}
