import Foundation

// Lowering a predicate takes longer than the fetch of a row that it finds. So what a simple one became is kept: the next
// of the same shape only brings other values.

/// What decides the SQL of a predicate and an order, apart from the values that are bound.
struct QueryShape: Hashable {
  /// The type of the predicate's expression, which spells its nodes; that of the model where there is no predicate.
  private let expression: ObjectIdentifier
  fileprivate(set) var keyPaths: [AnyKeyPath] = []
  /// What the nodes and the order say beyond their types.
  fileprivate(set) var marks: [Int] = []
  /// The values, in the order of the nodes; each is one parameter.
  fileprivate(set) var values: [SQLValue] = []
  /// How many columns have text that is not in normal form C: comparisons with them are written differently.
  private let denormalized: Int

  /// Nil where the SQL depends on more than can be said of a shape.
  init?<M: PersistentModel>(_ predicate: Predicate<M>?, _ sort: [SortDescriptor<M>], denormalized: Int) {
    self.denormalized = denormalized
    if let predicate {
      guard let node = predicate.expression as? any ShapedExpression else { return nil }
      expression = ObjectIdentifier(type(of: node))
      guard node.describe(in: &self) else { return nil }
    } else {
      expression = ObjectIdentifier(M.self)
    }
    for descriptor in sort {
      guard let keyPath = descriptor.keyPath else { return nil }
      keyPaths.append(keyPath)
      marks.append(descriptor.order == .forward ? 0 : 1)
    }
  }

  static func == (left: QueryShape, right: QueryShape) -> Bool {
    left.expression == right.expression && left.denormalized == right.denormalized && left.marks == right.marks
      && left.keyPaths == right.keyPaths
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(expression)
    hasher.combine(marks)
    // Key paths are compared, but not hashed: that takes as long.
  }

  /// A captured value becomes a parameter. False where its SQL depends on it.
  fileprivate mutating func bind<T>(_ value: T) -> Bool {
    switch value {
    case let text as String:
      guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
      values.append(.text(text))
    case let flag as Bool: marks.append(flag ? 3 : 2)
    case let number as Int: values.append(.integer(Int64(number)))
    case let number as Double where number.isFinite: values.append(.real(number))
    case let date as Date where date.timeIntervalSinceReferenceDate.isFinite:
      values.append(.real(date.timeIntervalSinceReferenceDate))
    case let raw as any (RawRepresentable & Codable): return bind(rawValueOf: raw)
    default: return false
    }
    return true
  }

  private mutating func bind<R: RawRepresentable>(rawValueOf value: R) -> Bool {
    // Bool as a raw value would be written into the SQL.
    (R.RawValue.self == String.self || R.RawValue.self == Int.self) && bind(value.rawValue)
  }
}

/// A node whose SQL is decided by its type, its key paths and which of its captured values are nil.
protocol ShapedExpression {
  /// False where it is not.
  func describe(in shape: inout QueryShape) -> Bool
}

/// What a row decides. A key path of a captured value is none: what it finds there is the parameter, not the value.
protocol ShapedProperty: ShapedExpression {}

extension PredicateExpressions.Variable: ShapedProperty {
  func describe(in shape: inout QueryShape) -> Bool { true }
}

extension PredicateExpressions.KeyPath: ShapedExpression, ShapedProperty where Root: ShapedProperty {
  func describe(in shape: inout QueryShape) -> Bool {
    shape.keyPaths.append(keyPath)
    return root.describe(in: &shape)
  }
}

extension PredicateExpressions.Value: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool {
    guard let optional = value as? any __OptionalValue else { return shape.bind(value) }
    shape.marks.append(optional.__isNone ? 1 : 0)
    return optional.__unwrapped.map { shape.bind($0) } ?? true
  }
}

extension PredicateExpressions.ConditionalCast: ShapedExpression where Input: ShapedProperty {
  func describe(in shape: inout QueryShape) -> Bool { input.describe(in: &shape) }
}

extension PredicateExpressions.Equal: ShapedExpression where LHS: ShapedExpression, RHS: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { lhs.describe(in: &shape) && rhs.describe(in: &shape) }
}

extension PredicateExpressions.NotEqual: ShapedExpression where LHS: ShapedExpression, RHS: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { lhs.describe(in: &shape) && rhs.describe(in: &shape) }
}

extension PredicateExpressions.Comparison: ShapedExpression where LHS: ShapedExpression, RHS: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool {
    switch op {
    case .lessThan: shape.marks.append(4)
    case .lessThanOrEqual: shape.marks.append(5)
    case .greaterThan: shape.marks.append(6)
    case .greaterThanOrEqual: shape.marks.append(7)
    }
    return lhs.describe(in: &shape) && rhs.describe(in: &shape)
  }
}

extension PredicateExpressions.Conjunction: ShapedExpression where LHS: ShapedExpression, RHS: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { lhs.describe(in: &shape) && rhs.describe(in: &shape) }
}

extension PredicateExpressions.Disjunction: ShapedExpression where LHS: ShapedExpression, RHS: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { lhs.describe(in: &shape) && rhs.describe(in: &shape) }
}

extension PredicateExpressions.Negation: ShapedExpression where Wrapped: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { wrapped.describe(in: &shape) }
}

/// What the simple predicates and orders of a store became.
// @unchecked Sendable because what is known is locked, and key paths, which are not marked Sendable, do not change.
package final class LoweredQueries: @unchecked Sendable {
  package init() {}

  private let lock = NSLock()
  private var known: [QueryShape: LoweredQuery] = [:]
  /// Programs have no more than so many; key paths that are made over and over could.
  private let capacity = 512

  /// What the shape became the last time, with the values of now.
  func query(of shape: QueryShape) -> LoweredQuery? {
    guard var query = lock.withLock({ known[shape] }) else { return nil }
    query.condition?.arguments = shape.values
    return query
  }

  /// Keeps what a shape became, where it is sure that its values are the parameters, in order.
  func keep(_ query: LoweredQuery, as shape: QueryShape) {
    let others =
      query.joins + query.orderJoins + query.order.map(\.expression) + query.valueJoins + query.values
    guard (query.condition?.arguments ?? []) == shape.values, others.allSatisfy(\.arguments.isEmpty),
      // Of two equal ones it cannot be told which is which.
      Set(shape.values).count == shape.values.count
    else { return }
    lock.withLock {
      if known.count == capacity { known = [:] }
      known[shape] = query
    }
  }
}
