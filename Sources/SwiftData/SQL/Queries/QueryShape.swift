import Foundation

// Lowering a predicate takes longer than fetching a row. The store therefore caches the SQL of simple predicates. The
// next query of the same shape only binds its values.

/// The facts that determine the SQL of a predicate and an order, except for the bound values.
struct QueryShape: Equatable {
  /// The class whose rows are selected. An expression without a variable, such as `true`, does not name it.
  private let model: ObjectIdentifier
  /// The type of the predicate's expression, which spells its nodes, or the model type if there is no predicate.
  fileprivate let expression: ObjectIdentifier
  fileprivate(set) var keyPaths: [AnyKeyPath] = []
  /// Facts of the nodes and the order beyond their types.
  fileprivate(set) var marks: [Int] = []
  /// The values in the order of the nodes. Each is one parameter.
  fileprivate(set) var values: [SQLValue] = []
  /// The number of columns with text that is not in normal form C. It affects the SQL of comparisons.
  private let nonNFC: Int

  /// Returns nil if the SQL depends on facts outside the shape.
  // Inlined, because each generic function asks the runtime for the types of its predicate and its sort descriptors again.
  @inline(__always)
  init?<M: PersistentModel>(_ predicate: Predicate<M>?, _ sort: [SortDescriptor<M>], nonNFC: Int) {
    self.nonNFC = nonNFC
    model = ObjectIdentifier(M.self)
    if let predicate {
      expression = ObjectIdentifier(type(of: predicate.expression))
      guard ShapeDescribers.describe(predicate.expression, in: &self) else { return nil }
    } else {
      expression = model
    }
    guard !sort.isEmptyList else { return }
    for descriptor in sort {
      guard let keyPath = descriptor.keyPath else { return nil }
      keyPaths.append(keyPath)
      marks.append(descriptor.order == .forward ? 0 : 1)
    }
  }

  static func == (left: QueryShape, right: QueryShape) -> Bool {
    left.expression == right.expression && left.model == right.model && left.nonNFC == right.nonNFC
      && left.marks == right.marks && left.keyPaths == right.keyPaths
  }

  /// Adds a captured value as a parameter. Returns false if the SQL depends on the value.
  fileprivate mutating func bind<T>(_ value: T) -> Bool {
    // Compared first, because a cast of a generic value is slow.
    if T.self == String.self { return bind(unsafeBitCast(value, to: String.self)) }
    switch value {
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

  private mutating func bind(_ text: String) -> Bool {
    // The bytes are looked at in their buffer, where the compiler takes many at once.
    let isASCII = text.utf8.withContiguousStorageIfAvailable { bytes in bytes.reduce(0, |) < 0x80 }
    guard isASCII ?? text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    values.append(.text(text))
    return true
  }

  private mutating func bind<R: RawRepresentable>(rawValueOf value: R) -> Bool {
    // A raw value of type Bool would be part of the SQL.
    (R.RawValue.self == String.self || R.RawValue.self == Int.self) && bind(value.rawValue)
  }
}

/// Describes expressions by their types.
///
/// A cast of an expression to ``ShapedExpression`` looks up conformances and copies the expression. That takes 2,000 instructions, as long as
/// a fetch takes to find its query.
private enum ShapeDescribers {
  /// Describes the expression at a place. The place has the type of the entry.
  typealias Describer = @Sendable (UnsafeRawPointer, inout QueryShape) -> Bool

  /// Nil for types without a shape.
  private static let known = Lock<[ObjectIdentifier: Describer?]>([:])

  /// Returns false if the expression has no shape.
  static func describe<Expression>(_ expression: Expression, in shape: inout QueryShape) -> Bool {
    let type = ObjectIdentifier(Expression.self)
    let entry = known.withLock { $0[type] } ?? add(Expression.self)
    guard let describer = entry else { return false }
    return withUnsafePointer(to: expression) { describer(UnsafeRawPointer($0), &shape) }
  }

  private static func add<Expression>(_ type: Expression.Type) -> Describer? {
    func describer<Shaped: ShapedExpression>(_: Shaped.Type) -> Describer {
      { place, shape in place.assumingMemoryBound(to: Shaped.self).pointee.describe(in: &shape) }
    }
    let new = (type as? any ShapedExpression.Type).map { describer($0) }
    known.withLock { $0[ObjectIdentifier(type)] = .some(new) }
    return new
  }
}

/// A node whose SQL depends only on its type, its key paths and which of its captured values are nil.
protocol ShapedExpression: LowerableExpression, SendableMetatype {
  /// Returns false if the node has no shape.
  func describe(in shape: inout QueryShape) -> Bool
  /// The types of the node and of the nodes in it.
  static var nodeTypes: [any LowerableExpression.Type] { get }
}

/// A property of a row. A key path of a captured value is not one: its result is the parameter.
protocol ShapedProperty: ShapedExpression {}

extension PredicateExpressions.Variable: ShapedProperty {
  func describe(in shape: inout QueryShape) -> Bool { true }
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] }
}

extension PredicateExpressions.KeyPath: ShapedExpression, ShapedProperty where Root: ShapedProperty {
  func describe(in shape: inout QueryShape) -> Bool {
    shape.keyPaths.append(keyPath)
    return root.describe(in: &shape)
  }
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] + Root.nodeTypes }
}

extension PredicateExpressions.Value: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool {
    guard !ValueTypes.isColumn(Output.self), let optional = value as? any __OptionalValue else {
      return shape.bind(value)
    }
    shape.marks.append(optional.__isNone ? 1 : 0)
    return optional.__unwrapped.map { shape.bind($0) } ?? true
  }
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] }
}

extension PredicateExpressions.ConditionalCast: ShapedExpression where Input: ShapedProperty {
  func describe(in shape: inout QueryShape) -> Bool { input.describe(in: &shape) }
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] + Input.nodeTypes }
}

extension PredicateExpressions.Equal: ShapedExpression where LHS: ShapedExpression, RHS: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { lhs.describe(in: &shape) && rhs.describe(in: &shape) }
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] + LHS.nodeTypes + RHS.nodeTypes }
}

extension PredicateExpressions.NotEqual: ShapedExpression where LHS: ShapedExpression, RHS: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { lhs.describe(in: &shape) && rhs.describe(in: &shape) }
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] + LHS.nodeTypes + RHS.nodeTypes }
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
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] + LHS.nodeTypes + RHS.nodeTypes }
}

extension PredicateExpressions.Conjunction: ShapedExpression where LHS: ShapedExpression, RHS: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { lhs.describe(in: &shape) && rhs.describe(in: &shape) }
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] + LHS.nodeTypes + RHS.nodeTypes }
}

extension PredicateExpressions.Disjunction: ShapedExpression where LHS: ShapedExpression, RHS: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { lhs.describe(in: &shape) && rhs.describe(in: &shape) }
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] + LHS.nodeTypes + RHS.nodeTypes }
}

extension PredicateExpressions.Negation: ShapedExpression where Wrapped: ShapedExpression {
  func describe(in shape: inout QueryShape) -> Bool { wrapped.describe(in: &shape) }
  static var nodeTypes: [any LowerableExpression.Type] { [Self.self] + Wrapped.nodeTypes }
}

/// The cached SQL of the simple predicates and orders of a store.
// @unchecked Sendable because a lock guards the cache, and key paths, which are not marked Sendable, are immutable.
package final class LoweredQueries: @unchecked Sendable {
  package init() {}

  /// A cached query. A class, because a search among structs would copy the lists of each shape.
  private final class Known {
    let shape: QueryShape
    let query: LoweredQuery

    init(_ shape: QueryShape, _ query: LoweredQuery) { (self.shape, self.query) = (shape, query) }
  }

  private let lock = NSLock()
  /// The queries by the type of their expression. A dictionary of shapes would make the runtime search one more conformance.
  private var known: [ObjectIdentifier: [Known]] = [:]
  private var count = 0
  /// A program has fewer distinct queries. The limit protects from key paths that are created repeatedly.
  private let capacity = 512

  /// The cached SQL of the shape. Its arguments come from the first query of this shape.
  func query(of shape: QueryShape) -> LoweredQuery? {
    lock.withLock { known[shape.expression]?.first { $0.shape == shape }?.query }
  }

  /// Caches the SQL of a shape if its parameters are the values, in order.
  /// - Parameter order: the columns of a row that order it, if the rows can be read backwards.
  /// - Returns: the query, which from now on keeps the texts of its statements if it was cached.
  func keep(_ query: LoweredQuery, as shape: QueryShape, order: [Int32]) -> LoweredQuery {
    let others =
      query.joins + query.orderJoins + query.order.map(\.expression) + query.valueJoins + query.values
    guard (query.condition?.arguments ?? []) == shape.values, others.allSatisfy(\.arguments.isEmpty),
      // Equal values cannot be told apart.
      Set(shape.values).count == shape.values.count
    else { return query }
    let query = query.keeping(StatementTexts(order: order))
    lock.withLock {
      if count == capacity { (known, count) = ([:], 0) }
      // Another thread may have kept it meanwhile.
      guard known[shape.expression]?.contains(where: { $0.shape == shape }) != true else { return }
      known[shape.expression, default: []].append(Known(shape, query))
      count += 1
    }
    return query
  }
}
