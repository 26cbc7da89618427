public import Foundation

extension ModelContext {
  /// An aggregate over all matching models: a count, a sum, an average, a minimum or a maximum.
  ///
  ///     let (count, seconds) = try context.fetch(descriptor, computing: .count, .sum(\.seconds))
  ///     for (genre, plays) in try context.fetch(descriptor, groupedBy: \.genre, computing: .sum(\.plays)) { … }
  ///
  /// The value is a key path (to a persisted property, to a member of a stored struct, or to either through to-one
  /// relationships) or an `#Expression`. The result is what Swift computes over the fetched models. Nil is ignored. The
  /// sum of nothing is 0; the average, minimum and maximum of nothing are nil. (Not Apple's.)
  public struct Aggregate<Model: PersistentModel, Value> {
    /// The SQL of the aggregate and the decoding of its result.
    let plan: (inout LoweringState) throws -> AggregatePlan<Value>
    /// The same over models in memory.
    let compute: ([Model]) throws -> Value
  }
}

/// An aggregate of a statement.
struct AggregatePlan<Value> {
  /// The values per row, which the statement selects under the given names.
  var inputs: [SQLFragment]
  /// The aggregates over the inputs, by the inputs' names.
  var outputs: ([String]) -> [String]
  /// The aggregates without NaN, for the case that a result is NaN, or nil if there is no difference.
  var outputsWithoutNaN: (([String]) -> [String])?
  /// Decodes the result from the cells of the outputs.
  var read: ([SQLValue]) throws -> Value
}

// MARK: - Count

extension ModelContext.Aggregate where Value == Int {
  /// The number of models.
  public static var count: Self {
    Self(
      plan: { _ in
        AggregatePlan(inputs: [], outputs: { _ in ["count(*)"] }) { cells in
          guard case .integer(let count) = cells[0] else { return 0 }
          return Int(count)
        }
      }, compute: { $0.count })
  }
}

// MARK: - Sum

extension ModelContext.Aggregate where Value: AdditiveArithmetic & __ColumnValue {
  /// The sum of a property.
  ///
  /// The sum of integers and of `Decimal` is exact. If the type cannot hold the sum, the fetch throws
  /// ``SwiftDataError/unreadableValue``. Floating-point numbers are added in the store's order, `Float` as `Double`, so
  /// the last digits may differ from the result of `reduce`.
  public static func sum(_ keyPath: KeyPath<Model, Value>) -> Self { sum(of: ValueSource(keyPath)) { $0 } }

  /// The sum of an optional property without nil. Otherwise as ``sum(_:)-(KeyPath<Model,Value>)``.
  public static func sum(_ keyPath: KeyPath<Model, Value?>) -> Self { sum(of: ValueSource(keyPath)) { $0 } }

  /// The sum of an expression. A model without a value (it unwraps nil, overflows or divides by zero) makes the fetch
  /// throw ``SwiftDataError/unreadableValue``. Otherwise as ``sum(_:)-(KeyPath<Model,Value>)``.
  public static func sum(_ expression: Expression<Model, Value>) -> Self {
    sum(of: ValueSource(expression)) { $0 }
  }

  /// The sum of an optional expression without nil. Otherwise as ``sum(_:)-(Expression<Model,Value>)``.
  public static func sum(_ expression: Expression<Model, Value?>) -> Self {
    sum(of: ValueSource(expression)) { $0 }
  }

  private static func sum<Source>(
    of source: ValueSource<Model, Source>, _ unwrap: @escaping (Source) -> Value?
  ) -> Self {
    Self(
      plan: { state in
        try Summation<Value>.plan(source.lower(&state), state) { try $0.sum(as: Value.self, Model.__entity) }
      },
      compute: { models in
        var sum = Summation<Value>()
        for model in models { if let value = unwrap(try source.evaluate(model)) { sum.add(value) } }
        return try sum.sum(as: Value.self, Model.__entity)
      })
  }
}

// MARK: - Average

extension ModelContext.Aggregate where Value == Double? {
  /// The average of an integer property: its exact sum divided by the count, as `Double`.
  public static func average<Number: FixedWidthInteger & __ColumnValue>(
    _ keyPath: KeyPath<Model, Number>
  ) -> Self { average(of: ValueSource(keyPath)) { $0 } }

  /// The average of an optional integer property without nil.
  public static func average<Number: FixedWidthInteger & __ColumnValue>(
    _ keyPath: KeyPath<Model, Number?>
  ) -> Self { average(of: ValueSource(keyPath)) { $0 } }

  /// The average of an integer expression.
  public static func average<Number: FixedWidthInteger & __ColumnValue>(
    _ expression: Expression<Model, Number>
  ) -> Self { average(of: ValueSource(expression)) { $0 } }

  /// The average of an optional integer expression without nil.
  public static func average<Number: FixedWidthInteger & __ColumnValue>(
    _ expression: Expression<Model, Number?>
  ) -> Self { average(of: ValueSource(expression)) { $0 } }
}

extension ModelContext.Aggregate {
  /// The average of a floating-point or decimal property.
  public static func average<Number: __FractionalColumnValue>(
    _ keyPath: KeyPath<Model, Number>
  ) -> Self where Value == Number? { average(of: ValueSource(keyPath)) { $0 } }

  /// The average of an optional floating-point or decimal property without nil.
  public static func average<Number: __FractionalColumnValue>(
    _ keyPath: KeyPath<Model, Number?>
  ) -> Self where Value == Number? { average(of: ValueSource(keyPath)) { $0 } }

  /// The average of a floating-point or decimal expression.
  public static func average<Number: __FractionalColumnValue>(
    _ expression: Expression<Model, Number>
  ) -> Self where Value == Number? { average(of: ValueSource(expression)) { $0 } }

  /// The average of an optional floating-point or decimal expression without nil.
  public static func average<Number: __FractionalColumnValue>(
    _ expression: Expression<Model, Number?>
  ) -> Self where Value == Number? { average(of: ValueSource(expression)) { $0 } }

  private static func average<Source, Number: AdditiveArithmetic & __ColumnValue, Result>(
    of source: ValueSource<Model, Source>, _ unwrap: @escaping (Source) -> Number?
  ) -> Self where Value == Result? {
    Self(
      plan: { state in
        try Summation<Number>.plan(source.lower(&state), state) { $0.average() as? Result }
      },
      compute: { models in
        var sum = Summation<Number>()
        for model in models { if let value = unwrap(try source.evaluate(model)) { sum.add(value) } }
        return sum.average() as? Result
      })
  }
}

/// A number type whose average has the type itself: `Double`, `Float` and `Decimal`.
public protocol __FractionalColumnValue: AdditiveArithmetic, __ColumnValue {}
extension Double: __FractionalColumnValue {}
extension Float: __FractionalColumnValue {}
extension Decimal: __FractionalColumnValue {}

// MARK: - Minimum and maximum

extension ModelContext.Aggregate {
  /// The minimum of a property. NaN is ignored unless it is the only value.
  public static func minimum<Bound: Comparable>(
    _ keyPath: KeyPath<Model, Bound>
  ) -> Self where Value == Bound? { extreme(.minimum, of: ValueSource(keyPath)) { $0 } }

  /// The minimum of an optional property without nil.
  public static func minimum<Bound: Comparable>(
    _ keyPath: KeyPath<Model, Bound?>
  ) -> Self where Value == Bound? { extreme(.minimum, of: ValueSource(keyPath)) { $0 } }

  /// The minimum of an expression.
  public static func minimum<Bound: Comparable>(
    _ expression: Expression<Model, Bound>
  ) -> Self where Value == Bound? { extreme(.minimum, of: ValueSource(expression)) { $0 } }

  /// The minimum of an optional expression without nil.
  public static func minimum<Bound: Comparable>(
    _ expression: Expression<Model, Bound?>
  ) -> Self where Value == Bound? { extreme(.minimum, of: ValueSource(expression)) { $0 } }

  /// The maximum of a property. NaN is ignored unless it is the only value.
  public static func maximum<Bound: Comparable>(
    _ keyPath: KeyPath<Model, Bound>
  ) -> Self where Value == Bound? { extreme(.maximum, of: ValueSource(keyPath)) { $0 } }

  /// The maximum of an optional property without nil.
  public static func maximum<Bound: Comparable>(
    _ keyPath: KeyPath<Model, Bound?>
  ) -> Self where Value == Bound? { extreme(.maximum, of: ValueSource(keyPath)) { $0 } }

  /// The maximum of an expression.
  public static func maximum<Bound: Comparable>(
    _ expression: Expression<Model, Bound>
  ) -> Self where Value == Bound? { extreme(.maximum, of: ValueSource(expression)) { $0 } }

  /// The maximum of an optional expression without nil.
  public static func maximum<Bound: Comparable>(
    _ expression: Expression<Model, Bound?>
  ) -> Self where Value == Bound? { extreme(.maximum, of: ValueSource(expression)) { $0 } }

  private static func extreme<Source, Bound: Comparable>(
    _ end: Extreme, of source: ValueSource<Model, Source>, _ unwrap: @escaping (Source) -> Bound?
  ) -> Self where Value == Bound? {
    Self(
      plan: { state in try end.plan(source.lower(&state), state) },
      compute: { models in
        let values = try models.compactMap { unwrap(try source.evaluate($0)) }
        // NaN is not equal to itself.
        let ordered = values.filter { $0 == $0 }
        return (end == .minimum ? ordered.min() : ordered.max()) ?? values.first
      })
  }
}
