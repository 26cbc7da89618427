public import Foundation

extension ModelContext {
  /// An assignment of a batch update: a constant, or an expression of each object. (Not Apple's.)
  public struct Assignment<Model: PersistentModel> {
    /// The column and the SQL of its new value.
    let plan: (inout LoweringState) throws -> AssignedColumn
    /// Computes the new value for an object in memory and returns a closure that assigns it, so that all values are
    /// computed first.
    let prepare: (Model) throws -> () -> Void

    /// Assigns a value.
    /// - Parameters:
    ///   - keyPath: a persisted attribute. Change relationships on the objects themselves.
    ///   - value: the new value.
    public static func assign<Value>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, _ value: Value) -> Self {
      Self(
        plan: { try AssignedColumn(keyPath, value, $0.entity) },
        prepare: { model in { model[keyPath: keyPath] = value } })
    }

    /// Assigns the value of an expression, computed from each object before the update.
    ///
    ///     try context.update(model: Track.self, set: .assign(\.plays, #Expression<Track, Int> { $0.plays + 1 }))
    public static func assign<Value>(
      _ keyPath: ReferenceWritableKeyPath<Model, Value>, _ expression: Expression<Model, Value>
    ) -> Self { assign(keyPath, expression) { $0 } }

    /// Assigns the value of an expression to an optional property.
    public static func assign<Value>(
      _ keyPath: ReferenceWritableKeyPath<Model, Value?>, _ expression: Expression<Model, Value>
    ) -> Self { assign(keyPath, expression) { $0 } }

    private static func assign<Value, Result>(
      _ keyPath: ReferenceWritableKeyPath<Model, Value>, _ expression: Expression<Model, Result>,
      _ wrap: @escaping (Result) -> Value
    ) -> Self {
      let source = ValueSource(expression)
      return Self(
        plan: { try AssignedColumn(keyPath, try source.lower(&$0), $0.entity) },
        prepare: { model in
          let value = wrap(try source.evaluate(model))
          return { model[keyPath: keyPath] = value }
        })
    }
  }
}
