import Foundation

extension ModelContext {
  /// Computes an aggregate over the matching models without loading them.
  ///
  ///     let total = try context.fetch(descriptor, computing: .sum(\.amount))
  ///
  /// Unsaved changes, limit and offset apply as in ``fetch(_:)``. (Not Apple's.)
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)``; ``SwiftDataError/unsupportedKeyPath`` if the store cannot compute
  ///   the value; ``SwiftDataError/unreadableValue`` if the result does not fit its type or a model has no value.
  /// - Complexity: one statement. If unsaved changes may affect the result, the matching models are loaded instead.
  public func fetch<T: PersistentModel, Value>(
    _ descriptor: FetchDescriptor<T>, computing aggregate: ModelContext.Aggregate<T, Value>
  ) throws -> Value {
    // Without groups there is always one row.
    try state.used(.read) { try state.queries.aggregates(descriptor, computing: aggregate)[0] }
  }

  /// Computes several aggregates over the matching models in one statement.
  ///
  ///     let (count, latest) = try context.fetch(descriptor, computing: .count, .maximum(\.date))
  ///
  /// Otherwise as ``fetch(_:computing:)``. (Not Apple's.)
  public func fetch<T: PersistentModel, First, Second, each Other>(
    _ descriptor: FetchDescriptor<T>, computing first: ModelContext.Aggregate<T, First>,
    _ second: ModelContext.Aggregate<T, Second>,
    _ others: repeat ModelContext.Aggregate<T, each Other>
  ) throws -> (First, Second, repeat each Other) {
    try state.used(.read) { try state.queries.aggregates(descriptor, computing: first, second, repeat each others)[0] }
  }

  /// Computes aggregates over the matching models for each value of a property.
  ///
  ///     for (genre, count) in try context.fetch(descriptor, groupedBy: \.genre, computing: .count) { … }
  ///
  /// (Not Apple's.)
  /// - Parameters:
  ///   - descriptor: the models and their order.
  ///   - keyPath: the common value of a group. It may lead through to-one relationships and into stored structs;
  ///     `\.album?.persistentModelID` groups by a relationship. Nil is a group, and so is NaN.
  ///   - aggregate: the first aggregate.
  ///   - others: further aggregates.
  /// - Returns: the groups in the order of their first models in the fetch: the value, then the result of each
  ///   aggregate.
  /// - Throws: as ``fetch(_:computing:)``.
  /// - Complexity: as ``fetch(_:computing:)``.
  public func fetch<T: PersistentModel, Key: Hashable, Value, each Other>(
    _ descriptor: FetchDescriptor<T>, groupedBy keyPath: KeyPath<T, Key>,
    computing aggregate: ModelContext.Aggregate<T, Value>,
    _ others: repeat ModelContext.Aggregate<T, each Other>
  ) throws -> [(Key, Value, repeat each Other)] {
    try state.used(.read) {
      try state.queries.aggregates(descriptor, groupedBy: keyPath, computing: aggregate, repeat each others)
    }
  }

  /// Computes aggregates over the matching models for each combination of values of several properties.
  ///
  ///     for (genre, year, count) in try context.fetch(descriptor, groupedBy: \.genre, \.year, computing: .count) { … }
  ///
  /// Otherwise as ``fetch(_:groupedBy:computing:_:)``. (Not Apple's.)
  // The compiler does not see the members of the tuples of packs in closures, so the function for one property comes first.
  @_disfavoredOverload
  public func fetch<T: PersistentModel, each Key: Hashable, each Value>(
    _ descriptor: FetchDescriptor<T>, groupedBy keyPaths: repeat KeyPath<T, each Key>,
    computing aggregates: repeat ModelContext.Aggregate<T, each Value>
  ) throws -> [(repeat each Key, repeat each Value)] {
    try state.used(.read) {
      try state.queries.aggregates(descriptor, groupedBy: repeat each keyPaths, computing: repeat each aggregates)
    }
  }
}
