public import Foundation

extension ModelContext {
  /// What a fetch computes of all models that match, instead of returning them: a count, a sum, an average, or the
  /// least or greatest value.
  ///
  ///     let (count, seconds) = try context.fetch(descriptor, .count, .sum(\.seconds))
  ///     for (genre, plays) in try context.fetch(descriptor, groupedBy: \.genre, .sum(\.plays)) { … }
  ///
  /// A value is named by a key path (of a persisted property, of a member of a stored struct, or of either through
  /// to-one relationships) or by an `#Expression`. The result is what Swift computes over the fetched models: nil is left
  /// out, a sum of nothing is 0 and an average, minimum or maximum of nothing is nil. (Not Apple's.)
  public struct Aggregate<Model: PersistentModel, Value> {
    /// What the statement computes, and the reading of it.
    let plan: (inout LoweringState) throws -> AggregatePlan<Value>
    /// The same over models in memory.
    let compute: ([Model]) throws -> Value
  }
}

/// One aggregate of a statement.
struct AggregatePlan<Value> {
  /// What is computed of each row, to be selected under the names that the outputs are given.
  var inputs: [SQLFragment]
  /// The aggregates over the inputs, by the inputs' names.
  var outputs: ([String]) -> [String]
  /// The same without NaN, for when a result is NaN; nil where it makes no difference.
  var outputsWithoutNaN: (([String]) -> [String])?
  /// The result from the cells of the outputs.
  var read: ([SQLValue]) throws -> Value
}

// MARK: - Count

extension ModelContext.Aggregate where Value == Int {
  /// How many models there are.
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
  /// The sum of integers is exact, and one that its type cannot hold makes the fetch throw
  /// ``SwiftDataError/unreadableValue``; that of `Decimal` is exact. Floating-point numbers are added in the order in
  /// which the store has them, `Float` as `Double`, so the last digits may differ from those of `reduce`.
  public static func sum(_ keyPath: KeyPath<Model, Value>) -> Self { sum(of: ValueSource(keyPath)) { $0 } }

  /// The sum of an optional property, nil left out. Otherwise as ``sum(_:)-(KeyPath<Model,Value>)``.
  public static func sum(_ keyPath: KeyPath<Model, Value?>) -> Self { sum(of: ValueSource(keyPath)) { $0 } }

  /// The sum of an expression. A model for which it has no value (it unwraps nil, overflows or divides by zero) makes
  /// the fetch throw ``SwiftDataError/unreadableValue``. Otherwise as ``sum(_:)-(KeyPath<Model,Value>)``.
  public static func sum(_ expression: Expression<Model, Value>) -> Self {
    sum(of: ValueSource(expression)) { $0 }
  }

  /// The sum of an expression, nil left out. Otherwise as ``sum(_:)-(Expression<Model,Value>)``.
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
  /// The average of an integer property: its exact sum, divided by the count as `Double`.
  public static func average<Number: FixedWidthInteger & __ColumnValue>(
    _ keyPath: KeyPath<Model, Number>
  ) -> Self { average(of: ValueSource(keyPath)) { $0 } }

  /// The average of an optional integer property, nil left out.
  public static func average<Number: FixedWidthInteger & __ColumnValue>(
    _ keyPath: KeyPath<Model, Number?>
  ) -> Self { average(of: ValueSource(keyPath)) { $0 } }

  /// The average of an integer expression.
  public static func average<Number: FixedWidthInteger & __ColumnValue>(
    _ expression: Expression<Model, Number>
  ) -> Self { average(of: ValueSource(expression)) { $0 } }

  /// The average of an optional integer expression, nil left out.
  public static func average<Number: FixedWidthInteger & __ColumnValue>(
    _ expression: Expression<Model, Number?>
  ) -> Self { average(of: ValueSource(expression)) { $0 } }
}

extension ModelContext.Aggregate {
  /// The average of a floating-point or decimal property.
  public static func average<Number: __FractionalColumnValue>(
    _ keyPath: KeyPath<Model, Number>
  ) -> Self where Value == Number? { average(of: ValueSource(keyPath)) { $0 } }

  /// The average of an optional floating-point or decimal property, nil left out.
  public static func average<Number: __FractionalColumnValue>(
    _ keyPath: KeyPath<Model, Number?>
  ) -> Self where Value == Number? { average(of: ValueSource(keyPath)) { $0 } }

  /// The average of a floating-point or decimal expression.
  public static func average<Number: __FractionalColumnValue>(
    _ expression: Expression<Model, Number>
  ) -> Self where Value == Number? { average(of: ValueSource(expression)) { $0 } }

  /// The average of an optional floating-point or decimal expression, nil left out.
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

/// A number type with fractions, whose average is of the type itself: `Double`, `Float` and `Decimal`.
public protocol __FractionalColumnValue: AdditiveArithmetic, __ColumnValue {}
extension Double: __FractionalColumnValue {}
extension Float: __FractionalColumnValue {}
extension Decimal: __FractionalColumnValue {}

// MARK: - Minimum and maximum

extension ModelContext.Aggregate {
  /// The least value of a property. NaN is left out where there is another value.
  public static func minimum<Bound: Comparable>(
    _ keyPath: KeyPath<Model, Bound>
  ) -> Self where Value == Bound? { extreme(.minimum, of: ValueSource(keyPath)) { $0 } }

  /// The least value of an optional property, nil left out.
  public static func minimum<Bound: Comparable>(
    _ keyPath: KeyPath<Model, Bound?>
  ) -> Self where Value == Bound? { extreme(.minimum, of: ValueSource(keyPath)) { $0 } }

  /// The least value of an expression.
  public static func minimum<Bound: Comparable>(
    _ expression: Expression<Model, Bound>
  ) -> Self where Value == Bound? { extreme(.minimum, of: ValueSource(expression)) { $0 } }

  /// The least value of an optional expression, nil left out.
  public static func minimum<Bound: Comparable>(
    _ expression: Expression<Model, Bound?>
  ) -> Self where Value == Bound? { extreme(.minimum, of: ValueSource(expression)) { $0 } }

  /// The greatest value of a property. NaN is left out where there is another value.
  public static func maximum<Bound: Comparable>(
    _ keyPath: KeyPath<Model, Bound>
  ) -> Self where Value == Bound? { extreme(.maximum, of: ValueSource(keyPath)) { $0 } }

  /// The greatest value of an optional property, nil left out.
  public static func maximum<Bound: Comparable>(
    _ keyPath: KeyPath<Model, Bound?>
  ) -> Self where Value == Bound? { extreme(.maximum, of: ValueSource(keyPath)) { $0 } }

  /// The greatest value of an expression.
  public static func maximum<Bound: Comparable>(
    _ expression: Expression<Model, Bound>
  ) -> Self where Value == Bound? { extreme(.maximum, of: ValueSource(expression)) { $0 } }

  /// The greatest value of an optional expression, nil left out.
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
        // NaN is what does not equal itself.
        let ordered = values.filter { $0 == $0 }
        return (end == .minimum ? ordered.min() : ordered.max()) ?? values.first
      })
  }
}
