import Foundation

/// A parameter type that disambiguates initializers of `SortDescriptor`. Calls never name it.
public enum __SortsActorModels: Sendable { case yes }

// For models these initializers take precedence over Foundation's. The first four are copies. Each has a variant for
// key paths of a `@MainActor @Model`, which are not Sendable and which Foundation's initializers reject.
//
// The variants have a parameter with a default value. In a program that declares `extension KeyPath: @retroactive
// Sendable`, both forms accept every key path, and Swift prefers the one with fewer parameters. Without the parameter
// such calls would be ambiguous.
extension SortDescriptor where Compared: PersistentModel {
  /// Orders models by a comparable property.
  public init<Value: Comparable>(_ keyPath: KeyPath<Compared, Value> & Sendable, order: SortOrder = .forward) {
    self = descriptor(keyPath, order)
  }

  /// Orders models by an optional comparable property, nil first.
  public init<Value: Comparable>(_ keyPath: KeyPath<Compared, Value?> & Sendable, order: SortOrder = .forward) {
    self = descriptor(keyPath, order)
  }

  /// Orders models by a string property, by code points.
  public init(
    _ keyPath: KeyPath<Compared, String> & Sendable,
    comparator: String.StandardComparator,
    order: SortOrder = .forward
  ) {
    self = descriptor(keyPath, comparator, order)
  }

  /// Orders models by an optional string property, by code points, nil first.
  public init(
    _ keyPath: KeyPath<Compared, String?> & Sendable,
    comparator: String.StandardComparator,
    order: SortOrder = .forward
  ) {
    self = descriptor(keyPath, comparator, order)
  }

  /// Orders models of an actor by a comparable property.
  public init<Value: Comparable>(
    _ keyPath: KeyPath<Compared, Value>, order: SortOrder = .forward, __twin: __SortsActorModels = .yes
  ) {
    self = descriptor(keyPath.sendable, order)
  }

  /// Orders models of an actor by an optional comparable property, nil first.
  public init<Value: Comparable>(
    _ keyPath: KeyPath<Compared, Value?>, order: SortOrder = .forward, __twin: __SortsActorModels = .yes
  ) {
    self = descriptor(keyPath.sendable, order)
  }

  /// Orders models of an actor by a string property, by code points.
  public init(
    _ keyPath: KeyPath<Compared, String>,
    comparator: String.StandardComparator,
    order: SortOrder = .forward,
    __twin: __SortsActorModels = .yes
  ) {
    self = descriptor(keyPath.sendable, comparator, order)
  }

  /// Orders models of an actor by an optional string property, by code points, nil first.
  public init(
    _ keyPath: KeyPath<Compared, String?>,
    comparator: String.StandardComparator,
    order: SortOrder = .forward,
    __twin: __SortsActorModels = .yes
  ) {
    self = descriptor(keyPath.sendable, comparator, order)
  }

  /// Orders models by a Boolean property, false before true.
  public init(_ keyPath: KeyPath<Compared, Bool>, order: SortOrder = .forward) {
    self.init(keyPath, .truth, order)
  }

  /// Orders models by an optional Boolean property: nil, false, true.
  public init(_ keyPath: KeyPath<Compared, Bool?>, order: SortOrder = .forward) {
    self.init(keyPath, .truth, order)
  }

  /// Orders models by the raw values of an enum. A `Comparable` enum uses its own order.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(_ keyPath: KeyPath<Compared, Value>, order: SortOrder = .forward)
  where Value.RawValue: Comparable {
    self.init(keyPath, .rawValue, order)
  }

  /// Orders models by the raw values of an optional enum, nil first.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(_ keyPath: KeyPath<Compared, Value?>, order: SortOrder = .forward)
  where Value.RawValue: Comparable {
    self.init(keyPath, .rawValue, order)
  }

  init<Value>(_ keyPath: KeyPath<Compared, Value>, _ rule: __SortRule, _ order: SortOrder) {
    let property = __SortProperty(keyPath: keyPath, rule: rule)
    self = descriptor(\Compared.[__sort: property], order)
  }
}

extension KeyPath {
  /// The same key path, marked as Sendable.
  ///
  /// Sound because a key path is immutable, and a descriptor only reads a model that the caller holds.
  var sendable: KeyPath<Root, Value> & Sendable {
    unsafeBitCast(self, to: (KeyPath<Root, Value> & Sendable).self)
  }
}

// Foundation's own initializers, which the ones above hide for models.

private func descriptor<M, V: Comparable>(_ keyPath: KeyPath<M, V> & Sendable, _ order: SortOrder) -> SortDescriptor<M>
{
  SortDescriptor(keyPath, order: order)
}

private func descriptor<M, V: Comparable>(_ keyPath: KeyPath<M, V?> & Sendable, _ order: SortOrder) -> SortDescriptor<M>
{
  SortDescriptor(keyPath, order: order)
}

private func descriptor<M>(
  _ keyPath: KeyPath<M, String> & Sendable,
  _ comparator: String.StandardComparator,
  _ order: SortOrder
) -> SortDescriptor<M> {
  SortDescriptor(keyPath, comparator: comparator, order: order)
}

private func descriptor<M>(
  _ keyPath: KeyPath<M, String?> & Sendable,
  _ comparator: String.StandardComparator,
  _ order: SortOrder
) -> SortDescriptor<M> {
  SortDescriptor(keyPath, comparator: comparator, order: order)
}
